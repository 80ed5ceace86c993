/**
 * The binary frames of the feed, from a world's process to the page that shows it: writer and reader side by side.
 *
 * Three kinds. A `population` frame says who is there and goes out only when that has changed; a `tick` frame
 * gives everybody's position in the population's order, once a tick; a `focus` frame answers for the one
 * entity that a page has selected or hovers over: whom it perceives and who perceives it.
 *
 * Every frame begins alike (little-endian, as are all machines that run JavaScript today):
 *
 *   0 u32 magic 'UMWF'   4 u16 version   6 u16 kind   8 u32 bytes in all   12 u32 tick   16 .. its own fields
 *
 * and all columns of four-byte values lie at offsets divisible by four, so a reader takes views and copies
 * nothing. A frame of 100,000 entities in two dimensions is 900 KB: float32 positions, because quantised ones
 * visibly stutter when the page zooms in, and a byte of events each.
 *
 * The reader is total: whatever the bytes, it answers a frame whose parts agree with one another, or undefined.
 */

/** Goes up with every change of the layout; a page and a feed that differ do not understand each other. */
export const FEED_VERSION = 1;

/** Most ids a focus frame carries in one list; the list's total says how many there are. */
export const FOCUS_LIST_MAX = 4096;

/** Bits of a tick frame's `events` column: what befell an entity in this tick. */
export const EVENT_ENTERED = 1;
export const EVENT_LEFT = 2;

const MAGIC = 0x46574d55; // the bytes 'UMWF'
const KIND_POPULATION = 1;
const KIND_TICK = 2;
const KIND_FOCUS = 3;
const POPULATION_HEADER_BYTES = 24;
const TICK_HEADER_BYTES = 88;
const FOCUS_HEADER_BYTES = 72;
const MAX_ENTITIES = 4_193_280;

const FLAG_PAUSED = 1;
const FLAG_DEPTH = 2;
const FLAG_SELECTED = 1;
const FLAG_PRESENT = 2;

/** Who is in the world. */
export interface PopulationFrame {
  readonly kind: 'population';
  readonly tick: number;
  /** Tick frames name the population whose order they follow by this number. */
  readonly populationVersion: number;
  /** Ascending. */
  readonly ids: Uint32Array;
  /** Index into the kinds that the feed named in its greeting, by position in `ids`. */
  readonly kinds: Uint8Array;
  /** 1 for those with a range, else 0, by position in `ids`. */
  readonly watchers: Uint8Array;
}

/** Where everybody is after a tick, and what the tick came to. */
export interface TickFrame {
  readonly kind: 'tick';
  readonly tick: number;
  readonly populationVersion: number;
  readonly paused: boolean;
  /** Factor on the pace of the world; 1 is real time. */
  readonly speed: number;
  /** What the tick took, in milliseconds. */
  readonly tickMs: number;
  /** When the tick was, in milliseconds of the sender's own clock: rates are taken by it, not by when frames arrive. */
  readonly timeMs: number;
  /** Events since the feed began, so that a reader who missed frames loses none. */
  readonly enteredTotal: number;
  readonly leftTotal: number;
  readonly updatedTotal: number;
  readonly sensedTotal: number;
  /** Watcher and marker pairs related now. */
  readonly relations: number;
  readonly dimensions: 2 | 3;
  /** World units, `dimensions` values for each entity of the population. */
  readonly positions: Float32Array;
  /** `EVENT_ENTERED` when somebody began to perceive the entity in this tick, `EVENT_LEFT` when somebody ceased to. */
  readonly events: Uint8Array;
}

/** Ids, ascending, at most `FOCUS_LIST_MAX` of them, and how many there are in truth. */
export interface FocusList {
  readonly total: number;
  readonly ids: Uint32Array;
}

/** What there is to know of one entity. */
export interface FocusFrame {
  readonly kind: 'focus';
  readonly tick: number;
  readonly id: number;
  readonly role: 'selected' | 'hovered';
  /** False when it has been removed: then everything below is empty. */
  readonly present: boolean;
  readonly x: number;
  readonly y: number;
  /** 0 in two dimensions. */
  readonly z: number;
  /** World units; 0 for none. */
  readonly range: number;
  readonly perceives: FocusList;
  readonly perceivedBy: FocusList;
  /** Markers that entered or left what it perceives, in this tick. */
  readonly entered: FocusList;
  readonly left: FocusList;
}

export type FeedFrame = PopulationFrame | TickFrame | FocusFrame;

function padded(bytes: number): number {
  return (bytes + 3) & ~3;
}

function begin(kind: number, byteLength: number, tick: number): DataView<ArrayBuffer> {
  const view = new DataView(new ArrayBuffer(byteLength));
  view.setUint32(0, MAGIC, true);
  view.setUint16(4, FEED_VERSION, true);
  view.setUint16(6, kind, true);
  view.setUint32(8, byteLength, true);
  view.setUint32(12, tick, true);
  return view;
}

/** Allocates the frame's bytes, 6 for each entity. */
export function writePopulationFrame(frame: Omit<PopulationFrame, 'kind'>): Uint8Array<ArrayBuffer> {
  const count = frame.ids.length;
  const view = begin(KIND_POPULATION, POPULATION_HEADER_BYTES + padded(count * 6), frame.tick);
  view.setUint32(16, frame.populationVersion, true);
  view.setUint32(20, count, true);
  const bytes = new Uint8Array(view.buffer);
  new Uint32Array(view.buffer, POPULATION_HEADER_BYTES, count).set(frame.ids);
  bytes.set(frame.kinds.subarray(0, count), POPULATION_HEADER_BYTES + count * 4);
  bytes.set(frame.watchers.subarray(0, count), POPULATION_HEADER_BYTES + count * 5);
  return bytes;
}

/** Allocates the frame's bytes, 9 for each entity in two dimensions and 13 in three. */
export function writeTickFrame(frame: Omit<TickFrame, 'kind'>): Uint8Array<ArrayBuffer> {
  const count = frame.events.length;
  const valueCount = count * frame.dimensions;
  const view = begin(KIND_TICK, TICK_HEADER_BYTES + valueCount * 4 + padded(count), frame.tick);
  view.setUint32(16, frame.populationVersion, true);
  view.setUint32(20, count, true);
  view.setUint32(24, (frame.paused ? FLAG_PAUSED : 0) | (frame.dimensions === 3 ? FLAG_DEPTH : 0), true);
  view.setFloat32(28, frame.tickMs, true);
  view.setFloat32(32, frame.speed, true);
  view.setFloat64(40, frame.enteredTotal, true);
  view.setFloat64(48, frame.leftTotal, true);
  view.setFloat64(56, frame.updatedTotal, true);
  view.setFloat64(64, frame.sensedTotal, true);
  view.setFloat64(72, frame.relations, true);
  view.setFloat64(80, frame.timeMs, true);
  new Float32Array(view.buffer, TICK_HEADER_BYTES, valueCount).set(frame.positions.subarray(0, valueCount));
  const bytes = new Uint8Array(view.buffer);
  bytes.set(frame.events, TICK_HEADER_BYTES + valueCount * 4);
  return bytes;
}

/** Lists longer than `FOCUS_LIST_MAX` are cut; their totals stand. */
export function writeFocusFrame(frame: Omit<FocusFrame, 'kind'>): Uint8Array<ArrayBuffer> {
  const lists = [frame.perceives, frame.perceivedBy, frame.entered, frame.left];
  let idCount = 0;
  for (const list of lists) idCount += Math.min(list.ids.length, FOCUS_LIST_MAX);
  const view = begin(KIND_FOCUS, FOCUS_HEADER_BYTES + idCount * 4, frame.tick);
  view.setUint32(16, frame.id, true);
  view.setUint32(
    20,
    (frame.role === 'selected' ? FLAG_SELECTED : 0) | (frame.present ? FLAG_PRESENT : 0),
    true,
  );
  view.setFloat32(24, frame.x, true);
  view.setFloat32(28, frame.y, true);
  view.setFloat32(32, frame.z, true);
  view.setFloat32(36, frame.range, true);
  let headerAt = 40;
  let idsAt = FOCUS_HEADER_BYTES;
  for (const list of lists) {
    const ids = list.ids.subarray(0, FOCUS_LIST_MAX);
    view.setUint32(headerAt, list.total, true);
    view.setUint32(headerAt + 4, ids.length, true);
    new Uint32Array(view.buffer, idsAt, ids.length).set(ids);
    headerAt += 8;
    idsAt += ids.length * 4;
  }
  return new Uint8Array(view.buffer);
}

/**
 * The frame in `bytes`, or undefined when they are not a frame of this version. The frame's columns are views
 * of `bytes`, unless these begin at an odd place, when they are copied once.
 */
export function readFeedFrame(bytes: Uint8Array<ArrayBuffer>): FeedFrame | undefined {
  if (bytes.byteLength < POPULATION_HEADER_BYTES) return undefined;
  const aligned = bytes.byteOffset % 4 === 0 ? bytes : bytes.slice();
  const view = new DataView(aligned.buffer, aligned.byteOffset, aligned.byteLength);
  if (view.getUint32(0, true) !== MAGIC || view.getUint16(4, true) !== FEED_VERSION) return undefined;
  if (view.getUint32(8, true) !== view.byteLength) return undefined;
  const kind = view.getUint16(6, true);
  if (kind === KIND_POPULATION) return readPopulation(view);
  if (kind === KIND_TICK) return readTick(view);
  if (kind === KIND_FOCUS) return readFocus(view);
  return undefined;
}

function readPopulation(view: DataView<ArrayBuffer>): PopulationFrame | undefined {
  const count = view.getUint32(20, true);
  if (count > MAX_ENTITIES) return undefined;
  if (view.byteLength !== POPULATION_HEADER_BYTES + padded(count * 6)) return undefined;
  const at = view.byteOffset + POPULATION_HEADER_BYTES;
  const ids = new Uint32Array(view.buffer, at, count);
  // Ascending ids are what lets a page merge one population with the next.
  for (let i = 1; i < count; i++) if ((ids[i] as number) <= (ids[i - 1] as number)) return undefined;
  return {
    kind: 'population',
    tick: view.getUint32(12, true),
    populationVersion: view.getUint32(16, true),
    ids,
    kinds: new Uint8Array(view.buffer, at + count * 4, count),
    watchers: new Uint8Array(view.buffer, at + count * 5, count),
  };
}

function readTick(view: DataView<ArrayBuffer>): TickFrame | undefined {
  if (view.byteLength < TICK_HEADER_BYTES) return undefined;
  const count = view.getUint32(20, true);
  const flags = view.getUint32(24, true);
  const dimensions = (flags & FLAG_DEPTH) === 0 ? 2 : 3;
  const valueCount = count * dimensions;
  if (count > MAX_ENTITIES || flags > (FLAG_PAUSED | FLAG_DEPTH)) return undefined;
  if (view.byteLength !== TICK_HEADER_BYTES + valueCount * 4 + padded(count)) return undefined;
  const frame: TickFrame = {
    kind: 'tick',
    tick: view.getUint32(12, true),
    populationVersion: view.getUint32(16, true),
    paused: (flags & FLAG_PAUSED) !== 0,
    tickMs: view.getFloat32(28, true),
    speed: view.getFloat32(32, true),
    enteredTotal: view.getFloat64(40, true),
    leftTotal: view.getFloat64(48, true),
    updatedTotal: view.getFloat64(56, true),
    sensedTotal: view.getFloat64(64, true),
    relations: view.getFloat64(72, true),
    timeMs: view.getFloat64(80, true),
    dimensions,
    positions: new Float32Array(view.buffer, view.byteOffset + TICK_HEADER_BYTES, valueCount),
    events: new Uint8Array(view.buffer, view.byteOffset + TICK_HEADER_BYTES + valueCount * 4, count),
  };
  const figures =
    frame.tickMs + frame.timeMs + frame.speed + frame.enteredTotal + frame.leftTotal + frame.updatedTotal;
  return Number.isFinite(figures + frame.sensedTotal + frame.relations) ? frame : undefined;
}

function readFocus(view: DataView<ArrayBuffer>): FocusFrame | undefined {
  if (view.byteLength < FOCUS_HEADER_BYTES) return undefined;
  const flags = view.getUint32(20, true);
  const x = view.getFloat32(24, true);
  const y = view.getFloat32(28, true);
  const z = view.getFloat32(32, true);
  const range = view.getFloat32(36, true);
  if (flags > (FLAG_SELECTED | FLAG_PRESENT) || !Number.isFinite(x + y + z + range)) return undefined;
  const lists: FocusList[] = [];
  let idsAt = FOCUS_HEADER_BYTES;
  for (let headerAt = 40; headerAt < FOCUS_HEADER_BYTES; headerAt += 8) {
    const total = view.getUint32(headerAt, true);
    const count = view.getUint32(headerAt + 4, true);
    if (count > total || count > FOCUS_LIST_MAX || idsAt + count * 4 > view.byteLength) return undefined;
    lists.push({ total, ids: new Uint32Array(view.buffer, view.byteOffset + idsAt, count) });
    idsAt += count * 4;
  }
  if (idsAt !== view.byteLength) return undefined;
  const [perceives, perceivedBy, entered, left] = lists as [FocusList, FocusList, FocusList, FocusList];
  return {
    kind: 'focus',
    tick: view.getUint32(12, true),
    id: view.getUint32(16, true),
    role: (flags & FLAG_SELECTED) === 0 ? 'hovered' : 'selected',
    present: (flags & FLAG_PRESENT) !== 0,
    x,
    y,
    z,
    range,
    perceives,
    perceivedBy,
    entered,
    left,
  };
}
