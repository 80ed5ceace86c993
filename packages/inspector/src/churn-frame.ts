/**
 * The frame that tells a page how much came and went in each part of a recording. Writer and reader side by side.
 *
 *   12 u32 the recording's first tick   16 u32 ticks a cell   20 u32 cells
 *   24 f32 pairs, by cell   u8 share that is known, by cell
 *
 * A cell is some ticks on end, the first of them the one after the recording's first tick, which reports nothing. It
 * tells of the tick in it in which most pairs entered and left, so that one wild tick is seen in any recording, however
 * long. Bounded: some 5 KB.
 *
 * The reader is total: whatever the bytes, it answers a frame whose parts agree with one another, or undefined.
 */
import { beginFrame, FRAME_KINDS, frameTick, padded } from './frame-header.ts';

/** More than a screen has pixels for. */
export const CHURN_CELLS_MAX = 1024;

/** `known` of a cell all of whose ticks are. */
export const KNOWN_MAX = 255;

const HEADER_BYTES = 24;

export interface ChurnFrame {
  readonly kind: 'churn';
  readonly firstTick: number;
  readonly ticksPerCell: number;
  /** Most pairs that entered and left in one tick, of those known; by cell. */
  readonly pairs: Float32Array;
  /** How many of the ticks are known: 0 none, 255 all; by cell. */
  readonly known: Uint8Array;
}

export function writeChurnFrame(frame: Omit<ChurnFrame, 'kind'>): Uint8Array<ArrayBuffer> {
  const { firstTick, ticksPerCell, pairs, known } = frame;
  const count = pairs.length;
  const view = beginFrame(FRAME_KINDS.churn, HEADER_BYTES + count * 4 + padded(count), firstTick);
  view.setUint32(16, ticksPerCell, true);
  view.setUint32(20, count, true);
  new Float32Array(view.buffer, HEADER_BYTES, count).set(pairs);
  new Uint8Array(view.buffer, HEADER_BYTES + count * 4, count).set(known);
  return new Uint8Array(view.buffer);
}

/** `view`: a frame of kind `churn`, with the header that all frames have. Its columns are views of it. */
export function readChurnFrame(view: DataView<ArrayBuffer>): ChurnFrame | undefined {
  if (view.byteLength < HEADER_BYTES) return undefined;
  const ticksPerCell = view.getUint32(16, true);
  const count = view.getUint32(20, true);
  if (count > CHURN_CELLS_MAX || ticksPerCell === 0) return undefined;
  if (view.byteLength !== HEADER_BYTES + count * 4 + padded(count)) return undefined;
  const pairs = new Float32Array(view.buffer, view.byteOffset + HEADER_BYTES, count);
  if (!pairs.every((value) => value >= 0 && Number.isFinite(value))) return undefined;
  const known = new Uint8Array(view.buffer, view.byteOffset + HEADER_BYTES + count * 4, count);
  return { kind: 'churn', firstTick: frameTick(view), ticksPerCell, pairs, known };
}
