/**
 * The focus frame: what there is to know of the one entity that a page has selected or hovers over. Writer and reader.
 *
 * Whom it perceives and who perceives it is as of the frame's tick. What came and went for the selected is everything
 * since the focus frame before, since a page gets fewer frames than the world has ticks; totals since the selection
 * say how many there were, also of those that were too many to keep.
 *
 * The reader is total: whatever the bytes, it answers a frame whose parts agree with one another, or undefined.
 */
import { beginFrame, decodedText, encodedText, FRAME_KINDS, frameTick, padded } from './frame-header.ts';

/** Most ids a focus frame carries in one list; the list's total says how many there are. */
export const FOCUS_LIST_MAX = 4096;

/** Most events a focus frame carries. */
export const FOCUS_EVENTS_MAX = 4096;

/** Most ranges a focus frame carries: one a sense. */
export const FOCUS_RANGES_MAX = 8;

const HEADER_BYTES = 92;
const LISTS_AT = 40;
const SINCE_AT = 56;
const RANGES_AT = 84;
/** Holds `FOCUS_RANGES_MAX` names of `SENSE_NAME_MAX` characters, whatever they are. */
const SENSES_BYTES_MAX = 1024;
const SENSE_NAME_MAX = 40;

const FLAG_SELECTED = 1;
const FLAG_PRESENT = 2;
const FLAG_AHEAD = 4;

/** Ids, ascending, at most `FOCUS_LIST_MAX` of them, and how many there are in truth. */
export interface FocusList {
  readonly total: number;
  readonly ids: Uint32Array;
}

/** How far an entity perceives in one sense, in world units. */
export interface SenseRange {
  readonly sense: string;
  readonly range: number;
}

/** What entered and left an entity's view. Its columns are of equal length, at most `FOCUS_EVENTS_MAX`. */
export interface FocusEvents {
  /** The last tick of which nothing is told: events of later ones are. Another one begins a new count. */
  readonly sinceTick: number;
  /** Ticks after `sinceTick` whose reports the feed was not given: what they held is not known. */
  readonly unknownTicks: number;
  /** Events after `sinceTick`, in all frames together. */
  readonly enteredTotal: number;
  readonly leftTotal: number;
  /** Since the frame before, ascending: in which tick, 1 for entered and 0 for left, and which marker. */
  readonly ticks: Uint32Array;
  readonly areEnters: Uint8Array;
  readonly ids: Uint32Array;
}

export interface FocusFrame {
  readonly kind: 'focus';
  readonly tick: number;
  readonly id: number;
  readonly role: 'selected' | 'hovered';
  /** False when it has been removed: then whom it perceives and who perceives it is empty. */
  readonly present: boolean;
  /** The tick frame that it belongs to comes next: until then it says what is not shown yet. */
  readonly isAhead: boolean;
  readonly x: number;
  readonly y: number;
  /** 0 in two dimensions. */
  readonly z: number;
  /** The longest, in world units; 0 for none. */
  readonly range: number;
  /** By sense, at most `FOCUS_RANGES_MAX`; empty where the feed does not tell them apart. */
  readonly ranges: readonly SenseRange[];
  readonly perceives: FocusList;
  readonly perceivedBy: FocusList;
  /** Of the selected; of the hovered nothing is kept, and none is told. */
  readonly events: FocusEvents;
}

/** Lists longer than they may be are cut; their totals stand. Of ranges the first few go in, with names cut short. */
export function writeFocusFrame(frame: Omit<FocusFrame, 'kind'>): Uint8Array<ArrayBuffer> {
  const lists = [frame.perceives, frame.perceivedBy].map(({ ids }) => ids.subarray(0, FOCUS_LIST_MAX));
  const ranges = frame.ranges.slice(0, FOCUS_RANGES_MAX);
  const senses = encodedText(ranges.map(({ sense }) => nameOf(sense)).join('\n'), SENSES_BYTES_MAX);
  const { events } = frame;
  const eventCount = Math.min(events.ticks.length, FOCUS_EVENTS_MAX);
  const columns = [...lists, events.ticks.subarray(0, eventCount), events.ids.subarray(0, eventCount)];
  const wordCount = columns.reduce((count, column) => count + column.length, ranges.length);
  const byteLength = HEADER_BYTES + wordCount * 4 + padded(eventCount) + padded(senses.length);
  const view = beginFrame(FRAME_KINDS.focus, byteLength, frame.tick);
  const flags =
    (frame.role === 'selected' ? FLAG_SELECTED : 0) |
    (frame.present ? FLAG_PRESENT : 0) |
    (frame.isAhead ? FLAG_AHEAD : 0);
  view.setUint32(16, frame.id, true);
  view.setUint32(20, flags, true);
  view.setFloat32(24, frame.x, true);
  view.setFloat32(28, frame.y, true);
  view.setFloat32(32, frame.z, true);
  view.setFloat32(36, frame.range, true);
  for (const [i, { total }] of [frame.perceives, frame.perceivedBy].entries()) {
    view.setUint32(LISTS_AT + i * 8, total, true);
    view.setUint32(LISTS_AT + i * 8 + 4, (lists[i] as Uint32Array).length, true);
  }
  view.setUint32(SINCE_AT, events.sinceTick, true);
  view.setUint32(SINCE_AT + 4, events.unknownTicks, true);
  view.setFloat64(SINCE_AT + 8, events.enteredTotal, true);
  view.setFloat64(SINCE_AT + 16, events.leftTotal, true);
  view.setUint32(SINCE_AT + 24, eventCount, true);
  view.setUint32(RANGES_AT, ranges.length, true);
  view.setUint32(RANGES_AT + 4, senses.length, true);
  let at = HEADER_BYTES;
  for (const column of columns) {
    new Uint32Array(view.buffer, at, column.length).set(column);
    at += column.length * 4;
  }
  for (const [i, { range }] of ranges.entries()) view.setFloat32(at + i * 4, range, true);
  at += ranges.length * 4;
  const bytes = new Uint8Array(view.buffer);
  bytes.set(events.areEnters.subarray(0, eventCount), at);
  bytes.set(senses, at + padded(eventCount));
  return bytes;
}

function nameOf(sense: string): string {
  return sense.slice(0, SENSE_NAME_MAX).replaceAll('\n', ' ');
}

/** The frame that `view`, whose header says that it is one, holds; its columns are views of the same bytes. */
export function readFocusFrame(view: DataView<ArrayBuffer>): FocusFrame | undefined {
  if (view.byteLength < HEADER_BYTES) return undefined;
  const flags = view.getUint32(20, true);
  const [x, y, z, range] = [24, 28, 32, 36].map((at) => view.getFloat32(at, true)) as [
    number,
    number,
    number,
    number,
  ];
  if (flags > (FLAG_SELECTED | FLAG_PRESENT | FLAG_AHEAD) || !Number.isFinite(x + y + z + range))
    return undefined;
  const [perceivesCount, perceivedByCount] = [LISTS_AT + 4, LISTS_AT + 12].map((at) =>
    view.getUint32(at, true),
  ) as [number, number];
  const eventCount = view.getUint32(SINCE_AT + 24, true);
  const rangeCount = view.getUint32(RANGES_AT, true);
  const sensesBytes = view.getUint32(RANGES_AT + 4, true);
  if (perceivesCount > FOCUS_LIST_MAX || perceivedByCount > FOCUS_LIST_MAX || eventCount > FOCUS_EVENTS_MAX)
    return undefined;
  if (rangeCount > FOCUS_RANGES_MAX || sensesBytes > SENSES_BYTES_MAX) return undefined;
  const wordCount = perceivesCount + perceivedByCount + eventCount * 2 + rangeCount;
  const areEntersAt = HEADER_BYTES + wordCount * 4;
  const sensesAt = areEntersAt + padded(eventCount);
  if (view.byteLength !== sensesAt + padded(sensesBytes)) return undefined;
  const words = new Uint32Array(view.buffer, view.byteOffset + HEADER_BYTES, wordCount);
  const eventsAt = perceivesCount + perceivedByCount;
  const perceives = { total: view.getUint32(LISTS_AT, true), ids: words.subarray(0, perceivesCount) };
  const perceivedBy = {
    total: view.getUint32(LISTS_AT + 8, true),
    ids: words.subarray(perceivesCount, eventsAt),
  };
  if (perceives.total < perceivesCount || perceivedBy.total < perceivedByCount) return undefined;
  const events = readEvents(view, words.subarray(eventsAt, eventsAt + eventCount * 2), areEntersAt);
  const ranges = readRanges(view, areEntersAt - rangeCount * 4, sensesAt);
  if (events === undefined || ranges === undefined) return undefined;
  return {
    kind: 'focus',
    tick: frameTick(view),
    id: view.getUint32(16, true),
    role: (flags & FLAG_SELECTED) === 0 ? 'hovered' : 'selected',
    present: (flags & FLAG_PRESENT) !== 0,
    isAhead: (flags & FLAG_AHEAD) !== 0,
    x,
    y,
    z,
    range,
    ranges,
    perceives,
    perceivedBy,
    events,
  };
}

/** `words`: ticks, then ids. */
function readEvents(
  view: DataView<ArrayBuffer>,
  words: Uint32Array,
  areEntersAt: number,
): FocusEvents | undefined {
  const count = words.length / 2;
  const ticks = words.subarray(0, count);
  const areEnters = new Uint8Array(view.buffer, view.byteOffset + areEntersAt, count);
  const sinceTick = view.getUint32(SINCE_AT, true);
  const enteredTotal = view.getFloat64(SINCE_AT + 8, true);
  const leftTotal = view.getFloat64(SINCE_AT + 16, true);
  let last = sinceTick;
  for (let i = 0; i < count; i++) {
    const tick = ticks[i] as number;
    if (tick < last || (areEnters[i] as number) > 1) return undefined;
    last = tick;
  }
  // Also false for a NaN.
  if (!(enteredTotal >= 0 && leftTotal >= 0 && enteredTotal + leftTotal >= count)) return undefined;
  if (!Number.isFinite(enteredTotal + leftTotal)) return undefined;
  const unknownTicks = view.getUint32(SINCE_AT + 4, true);
  return { sinceTick, unknownTicks, enteredTotal, leftTotal, ticks, areEnters, ids: words.subarray(count) };
}

function readRanges(view: DataView<ArrayBuffer>, at: number, sensesAt: number): SenseRange[] | undefined {
  const count = view.getUint32(RANGES_AT, true);
  const sensesBytes = view.getUint32(RANGES_AT + 4, true);
  const senses = count === 0 ? [] : decodedText(view, sensesAt, sensesBytes).split('\n');
  if (senses.length !== count) return undefined;
  const ranges = senses.map((sense, i) => ({ sense, range: view.getFloat32(at + i * 4, true) }));
  return ranges.every(({ range }) => Number.isFinite(range)) ? ranges : undefined;
}
