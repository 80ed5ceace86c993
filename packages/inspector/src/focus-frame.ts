/**
 * The focus frame: all data about the one entity that a page has selected or hovers over. Writer and reader.
 *
 * Relations are as of the frame's tick. Events of the selected entity are all events since the previous focus frame, since a
 * page gets fewer frames than the world has ticks. Totals since the selection also count events that were too many to keep.
 *
 * The reader never throws: for any bytes it returns a frame whose parts are consistent, or undefined.
 */
import { beginFrame, decodedText, encodedText, FRAME_KINDS, frameTick, padded } from './frame-header.ts';

/** Maximum ids in one list of a focus frame; the list's total says how many there are. */
export const FOCUS_LIST_MAX = 4096;

/** Maximum events in a focus frame. */
export const FOCUS_EVENTS_MAX = 4096;

/** Maximum ranges in a focus frame: one per sense. */
export const FOCUS_RANGES_MAX = 8;

/** Maximum markers cut by the cap in a focus frame. */
export const OUTRANKED_MAX = 256;

/** The rules that can relate a marker, by the number that stands for them in a frame. */
export const HOLDS = ['senses', 'margin', 'pin', 'group', 'always', 'linger', 'attached'] as const;
export type Hold = (typeof HOLDS)[number];

const HEADER_BYTES = 112;
const LISTS_AT = 40;
const SINCE_AT = 56;
const RANGES_AT = 84;
const SEATS_AT = 92;
/** Means: no cap. */
const NO_CAP = 0xffffffff;
/** Holds `FOCUS_RANGES_MAX` names of `SENSE_NAME_MAX` characters, whatever their characters are. */
const SENSES_BYTES_MAX = 1024;
const SENSE_NAME_MAX = 40;

const FLAG_SELECTED = 1;
const FLAG_PRESENT = 2;
const FLAG_AHEAD = 4;

/** Ids, ascending, at most `FOCUS_LIST_MAX`, and how many there are in total. */
export interface FocusList {
  readonly total: number;
  readonly ids: Uint32Array;
}

/** The markers that an entity is related to, and by which rule: columns as long as `ids`. */
export interface PerceivedList extends FocusList {
  /** Bit i: perceived in the sense of `ranges[i]`, leave margin included. */
  readonly senses: Uint8Array;
  /** Index into `HOLDS`. */
  readonly holds: Uint8Array;
}

/** The state of an entity's cap. */
export interface Seats {
  /** Seats for candidates; undefined: no cap. */
  readonly seats: number | undefined;
  /** Candidates with a seat. */
  readonly seated: number;
  /** Number of candidates without a seat. */
  readonly outrankedTotal: number;
  /** The best candidates without a seat, at most `OUTRANKED_MAX`, best first; and each one's place among all candidates. */
  readonly outranked: Uint32Array;
  readonly places: Uint32Array;
}

/** An entity's range in one sense, in world units. */
export interface SenseRange {
  /** Name of the sense. */
  readonly sense: string;
  /** Range in world units. */
  readonly range: number;
}

/** Events of an entity's view. The columns have equal length, at most `FOCUS_EVENTS_MAX`. */
export interface FocusEvents {
  /** Events after this tick are counted. When it changes, a new count has begun. */
  readonly sinceTick: number;
  /** Ticks after `sinceTick` that were not published: their events are unknown. */
  readonly unknownTicks: number;
  /** Events after `sinceTick`, over all frames. */
  readonly enteredTotal: number;
  readonly leftTotal: number;
  /** Events since the previous frame, ascending by tick: the tick, 1 for entered or 0 for left, and the marker. */
  readonly ticks: Uint32Array;
  readonly areEnters: Uint8Array;
  readonly ids: Uint32Array;
}

export interface FocusFrame {
  readonly kind: 'focus';
  readonly tick: number;
  readonly id: number;
  readonly role: 'selected' | 'hovered';
  /** False if it has been removed: then its relations are empty. */
  readonly present: boolean;
  /** The tick frame that it belongs to comes next: until then its data is newer than the picture. */
  readonly isAhead: boolean;
  readonly x: number;
  readonly y: number;
  /** 0 in two dimensions. */
  readonly z: number;
  /** The longest range, in world units; 0 for none. */
  readonly range: number;
  /** By sense, at most `FOCUS_RANGES_MAX`; empty if the feed does not distinguish senses. */
  readonly ranges: readonly SenseRange[];
  /** Its leave margin in world units. */
  readonly margin: number;
  readonly perceives: PerceivedList;
  readonly perceivedBy: FocusList;
  /** For the selected entity only; for the hovered one no outranked markers are sent. */
  readonly seats: Seats;
  /** For the selected entity only; for the hovered one no events are kept or sent. */
  readonly events: FocusEvents;
}

/** Lists that are too long are cut; their totals stay. Only the first ranges are sent, with names cut to length. */
export function writeFocusFrame(frame: Omit<FocusFrame, 'kind'>): Uint8Array<ArrayBuffer> {
  const lists = [frame.perceives, frame.perceivedBy].map(({ ids }) => ids.subarray(0, FOCUS_LIST_MAX));
  const ranges = frame.ranges.slice(0, FOCUS_RANGES_MAX);
  const senses = encodedText(ranges.map(({ sense }) => nameOf(sense)).join('\n'), SENSES_BYTES_MAX);
  const { events, seats } = frame;
  const eventCount = Math.min(events.ticks.length, FOCUS_EVENTS_MAX);
  const outranked = seats.outranked.subarray(0, OUTRANKED_MAX);
  const columns = [
    ...lists,
    outranked,
    seats.places.subarray(0, outranked.length),
    events.ticks.subarray(0, eventCount),
    events.ids.subarray(0, eventCount),
  ];
  const perceivesCount = (lists[0] as Uint32Array).length;
  const byteColumns = [
    events.areEnters.subarray(0, eventCount),
    frame.perceives.senses.subarray(0, perceivesCount),
    frame.perceives.holds.subarray(0, perceivesCount),
    senses,
  ];
  const wordCount = columns.reduce((count, column) => count + column.length, ranges.length);
  const byteLength = byteColumns.reduce(
    (length, column) => length + padded(column.length),
    HEADER_BYTES + wordCount * 4,
  );
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
  view.setFloat32(SEATS_AT, frame.margin, true);
  view.setUint32(SEATS_AT + 4, seats.seats ?? NO_CAP, true);
  view.setUint32(SEATS_AT + 8, seats.seated, true);
  view.setUint32(SEATS_AT + 12, seats.outrankedTotal, true);
  view.setUint32(SEATS_AT + 16, outranked.length, true);
  let at = HEADER_BYTES;
  for (const column of columns) {
    new Uint32Array(view.buffer, at, column.length).set(column);
    at += column.length * 4;
  }
  for (const [i, { range }] of ranges.entries()) view.setFloat32(at + i * 4, range, true);
  at += ranges.length * 4;
  const bytes = new Uint8Array(view.buffer);
  for (const column of byteColumns) {
    bytes.set(column, at);
    at += padded(column.length);
  }
  return bytes;
}

function nameOf(sense: string): string {
  return sense.slice(0, SENSE_NAME_MAX).replaceAll('\n', ' ');
}

/** The frame in `view`, whose header has been checked; its columns are views of the same bytes. */
export function readFocusFrame(view: DataView<ArrayBuffer>): FocusFrame | undefined {
  if (view.byteLength < HEADER_BYTES) return undefined;
  const flags = view.getUint32(20, true);
  const [x, y, z, range, margin] = [24, 28, 32, 36, SEATS_AT].map((at) => view.getFloat32(at, true)) as [
    number,
    number,
    number,
    number,
    number,
  ];
  const areNumbers = Number.isFinite(x + y + z + range + margin);
  if (flags > (FLAG_SELECTED | FLAG_PRESENT | FLAG_AHEAD) || !areNumbers) return undefined;
  const columns = readColumns(view);
  if (columns === undefined) return undefined;
  const { perceives, perceivedBy } = columns;
  const seats = readSeats(view, columns);
  const events = readEvents(view, columns);
  const ranges = readRanges(view, columns);
  const areHolds = perceives.holds.every((hold) => hold < HOLDS.length);
  if (perceives.total < perceives.ids.length || perceivedBy.total < perceivedBy.ids.length || !areHolds)
    return undefined;
  if (events === undefined || ranges === undefined || seats === undefined) return undefined;
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
    margin,
    ranges,
    perceives,
    perceivedBy,
    seats,
    events,
  };
}

interface FocusColumns {
  readonly perceives: PerceivedList;
  readonly perceivedBy: FocusList;
  readonly outranked: Uint32Array;
  readonly places: Uint32Array;
  readonly ticks: Uint32Array;
  readonly ids: Uint32Array;
  readonly areEnters: Uint8Array;
  readonly rangesAt: number;
  readonly rangeCount: number;
  readonly sensesAt: number;
  readonly sensesBytes: number;
}

/** Offsets of all columns; undefined if counts are too large or do not match the frame's length. */
function readColumns(view: DataView<ArrayBuffer>): FocusColumns | undefined {
  const u32 = (at: number) => view.getUint32(at, true);
  const perceivesCount = u32(LISTS_AT + 4);
  const perceivedByCount = u32(LISTS_AT + 12);
  const eventCount = u32(SINCE_AT + 24);
  const rangeCount = u32(RANGES_AT);
  const sensesBytes = u32(RANGES_AT + 4);
  const outrankedCount = u32(SEATS_AT + 16);
  if (perceivesCount > FOCUS_LIST_MAX || perceivedByCount > FOCUS_LIST_MAX || eventCount > FOCUS_EVENTS_MAX)
    return undefined;
  if (rangeCount > FOCUS_RANGES_MAX || sensesBytes > SENSES_BYTES_MAX || outrankedCount > OUTRANKED_MAX)
    return undefined;
  const wordCount = perceivesCount + perceivedByCount + 2 * outrankedCount + 2 * eventCount + rangeCount;
  const bytesAt = HEADER_BYTES + wordCount * 4;
  const relationsAt = bytesAt + padded(eventCount);
  const sensesAt = relationsAt + 2 * padded(perceivesCount);
  if (view.byteLength !== sensesAt + padded(sensesBytes)) return undefined;
  let at = view.byteOffset + HEADER_BYTES;
  const words = (count: number): Uint32Array => {
    at += count * 4;
    return new Uint32Array(view.buffer, at - count * 4, count);
  };
  const bytes = (offset: number, count: number) =>
    new Uint8Array(view.buffer, view.byteOffset + offset, count);
  return {
    perceives: {
      total: u32(LISTS_AT),
      ids: words(perceivesCount),
      senses: bytes(relationsAt, perceivesCount),
      holds: bytes(relationsAt + padded(perceivesCount), perceivesCount),
    },
    perceivedBy: { total: u32(LISTS_AT + 8), ids: words(perceivedByCount) },
    outranked: words(outrankedCount),
    places: words(outrankedCount),
    ticks: words(eventCount),
    ids: words(eventCount),
    areEnters: bytes(bytesAt, eventCount),
    rangesAt: bytesAt - rangeCount * 4,
    rangeCount,
    sensesAt,
    sensesBytes,
  };
}

function readSeats(view: DataView<ArrayBuffer>, { outranked, places }: FocusColumns): Seats | undefined {
  const seats = view.getUint32(SEATS_AT + 4, true);
  const outrankedTotal = view.getUint32(SEATS_AT + 12, true);
  if (outrankedTotal < outranked.length) return undefined;
  return {
    seats: seats === NO_CAP ? undefined : seats,
    seated: view.getUint32(SEATS_AT + 8, true),
    outrankedTotal,
    outranked,
    places,
  };
}

function readEvents(
  view: DataView<ArrayBuffer>,
  { ticks, ids, areEnters }: FocusColumns,
): FocusEvents | undefined {
  const sinceTick = view.getUint32(SINCE_AT, true);
  const enteredTotal = view.getFloat64(SINCE_AT + 8, true);
  const leftTotal = view.getFloat64(SINCE_AT + 16, true);
  let last = sinceTick;
  for (let i = 0; i < ids.length; i++) {
    const tick = ticks[i] as number;
    if (tick < last || (areEnters[i] as number) > 1) return undefined;
    last = tick;
  }
  // Also false for a NaN.
  if (!(enteredTotal >= 0 && leftTotal >= 0 && enteredTotal + leftTotal >= ids.length)) return undefined;
  if (!Number.isFinite(enteredTotal + leftTotal)) return undefined;
  const unknownTicks = view.getUint32(SINCE_AT + 4, true);
  return { sinceTick, unknownTicks, enteredTotal, leftTotal, ticks, areEnters, ids };
}

function readRanges(
  view: DataView<ArrayBuffer>,
  { rangesAt, rangeCount, sensesAt, sensesBytes }: FocusColumns,
): SenseRange[] | undefined {
  const senses = rangeCount === 0 ? [] : decodedText(view, sensesAt, sensesBytes).split('\n');
  if (senses.length !== rangeCount) return undefined;
  const ranges = senses.map((sense, i) => ({ sense, range: view.getFloat32(rangesAt + i * 4, true) }));
  return ranges.every(({ range }) => Number.isFinite(range)) ? ranges : undefined;
}
