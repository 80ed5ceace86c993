/**
 * The binary frames of the feed, from a world's process to the page that shows it: writer and reader side by side.
 *
 * A `population` frame lists the entities, a `population-change` frame how the list has changed; see `population-frame.ts`. A
 * `tick` frame has every entity's position in the population's order, once per tick. A `focus` frame describes the one entity
 * that a page has selected or hovers over, a `structure` frame shows how the detector divides the world, a `churn` frame shows
 * what a recording's ticks reported; these are in `focus-frame.ts`, `structure-frame.ts` and `churn-frame.ts`. The common
 * header is in `frame-header.ts`.
 *
 * A tick of 100,000 entities in two dimensions takes 900 KB: float32 positions, because quantised positions visibly
 * stutter when the page zooms in, and one byte of events each.
 *
 * The reader never throws: for any bytes it returns a frame whose parts are consistent, or undefined.
 */
import { type ChurnFrame, readChurnFrame } from './churn-frame.ts';
import { type FocusFrame, readFocusFrame } from './focus-frame.ts';
import { beginFrame, FRAME_KINDS, frameKind, frameTick, openFrame, padded } from './frame-header.ts';
import {
  MAX_ENTITIES,
  type PopulationChangeFrame,
  type PopulationFrame,
  readPopulationChange,
  readPopulationFrame,
} from './population-frame.ts';
import { readStructureFrame, type StructureFrame } from './structure-frame.ts';

/** Bits of a tick frame's `events` column: what happened to an entity in this tick, and whether any watcher relates to it after it. */
export const EVENT_ENTERED = 1;
export const EVENT_LEFT = 2;
export const IS_WATCHED = 4;

const TICK_HEADER_BYTES = 104;

const FLAG_PAUSED = 1;
const FLAG_DEPTH = 2;

/** Every entity's position after a tick, and the tick's figures. */
export interface TickFrame {
  readonly kind: 'tick';
  readonly tick: number;
  readonly populationVersion: number;
  readonly paused: boolean;
  /** Speed of world time; 1 is real time. */
  readonly speed: number;
  /** Duration of the tick's computation, in milliseconds. */
  readonly tickMs: number;
  /** Time of the tick on the sender's clock, in milliseconds: rates use it, not the arrival time of frames. */
  readonly timeMs: number;
  /** Events since the feed began, so that a reader that misses frames loses none. */
  readonly enteredTotal: number;
  readonly leftTotal: number;
  readonly updatedTotal: number;
  readonly sensedTotal: number;
  /** Related watcher-marker pairs now; how many of them linger, and how many further pairs wait to enter. */
  readonly relations: number;
  readonly lingering: number;
  readonly waiting: number;
  /**
   * Increases when the world jumped to a tick without playing the ticks in between. The difference to the frame before is
   * then no motion, and figures must not be measured across it.
   */
  readonly leaps: number;
  readonly dimensions: 2 | 3;
  /** World units, `dimensions` values per entity of the population. */
  readonly positions: Float32Array;
  /** `EVENT_ENTERED` if a watcher began to perceive the entity in this tick, `EVENT_LEFT` if one ceased to. */
  readonly events: Uint8Array;
}

export type FeedFrame =
  | PopulationFrame
  | PopulationChangeFrame
  | TickFrame
  | FocusFrame
  | StructureFrame
  | ChurnFrame;

/** Allocates the frame's bytes, 9 per entity in two dimensions and 13 in three. */
export function writeTickFrame(frame: Omit<TickFrame, 'kind'>): Uint8Array<ArrayBuffer> {
  const count = frame.events.length;
  const valueCount = count * frame.dimensions;
  const view = beginFrame(FRAME_KINDS.tick, TICK_HEADER_BYTES + valueCount * 4 + padded(count), frame.tick);
  view.setUint32(16, frame.populationVersion, true);
  view.setUint32(20, count, true);
  view.setUint32(24, (frame.paused ? FLAG_PAUSED : 0) | (frame.dimensions === 3 ? FLAG_DEPTH : 0), true);
  view.setFloat32(28, frame.tickMs, true);
  view.setFloat32(32, frame.speed, true);
  view.setUint32(36, frame.leaps, true);
  view.setFloat64(40, frame.enteredTotal, true);
  view.setFloat64(48, frame.leftTotal, true);
  view.setFloat64(56, frame.updatedTotal, true);
  view.setFloat64(64, frame.sensedTotal, true);
  view.setFloat64(72, frame.relations, true);
  view.setFloat64(80, frame.timeMs, true);
  view.setFloat64(88, frame.lingering, true);
  view.setFloat64(96, frame.waiting, true);
  new Float32Array(view.buffer, TICK_HEADER_BYTES, valueCount).set(frame.positions.subarray(0, valueCount));
  const bytes = new Uint8Array(view.buffer);
  bytes.set(frame.events, TICK_HEADER_BYTES + valueCount * 4);
  return bytes;
}

/**
 * The frame in `bytes`, or undefined if they are no frame of this version. The frame's columns are views of `bytes`; only if
 * `bytes` are not aligned to four bytes they are copied once.
 */
export function readFeedFrame(bytes: Uint8Array<ArrayBuffer>): FeedFrame | undefined {
  const view = openFrame(bytes);
  if (view === undefined) return undefined;
  switch (frameKind(view)) {
    case FRAME_KINDS.population:
      return readPopulationFrame(view);
    case FRAME_KINDS.populationChange:
      return readPopulationChange(view);
    case FRAME_KINDS.tick:
      return readTick(view);
    case FRAME_KINDS.focus:
      return readFocusFrame(view);
    case FRAME_KINDS.structure:
      return readStructureFrame(view);
    case FRAME_KINDS.churn:
      return readChurnFrame(view);
    default:
      return undefined;
  }
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
    tick: frameTick(view),
    populationVersion: view.getUint32(16, true),
    paused: (flags & FLAG_PAUSED) !== 0,
    tickMs: view.getFloat32(28, true),
    speed: view.getFloat32(32, true),
    enteredTotal: view.getFloat64(40, true),
    leftTotal: view.getFloat64(48, true),
    updatedTotal: view.getFloat64(56, true),
    sensedTotal: view.getFloat64(64, true),
    relations: view.getFloat64(72, true),
    lingering: view.getFloat64(88, true),
    waiting: view.getFloat64(96, true),
    leaps: view.getUint32(36, true),
    timeMs: view.getFloat64(80, true),
    dimensions,
    positions: new Float32Array(view.buffer, view.byteOffset + TICK_HEADER_BYTES, valueCount),
    events: new Uint8Array(view.buffer, view.byteOffset + TICK_HEADER_BYTES + valueCount * 4, count),
  };
  const figures =
    frame.tickMs + frame.timeMs + frame.speed + frame.enteredTotal + frame.leftTotal + frame.updatedTotal;
  const pairs = frame.relations + frame.lingering + frame.waiting;
  return Number.isFinite(figures + frame.sensedTotal + pairs) ? frame : undefined;
}
