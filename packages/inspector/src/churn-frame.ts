/**
 * The churn frame: how many pairs entered and left in each part of a recording. Writer and reader side by side.
 *
 *   12 u32 the recording's first tick   16 u32 ticks per cell   20 u32 cells
 *   24 f32 pairs, by cell   u8 known share, by cell
 *
 * A cell is a run of consecutive ticks. The first cell starts one tick after the recording's first tick, which reports
 * nothing. A cell has the value of its busiest tick, so that a single busy tick is visible in a recording of any length.
 * Size: at most some 5 KB.
 *
 * The reader never throws: for any bytes it returns a frame whose parts are consistent, or undefined.
 */
import { beginFrame, FRAME_KINDS, frameTick, padded } from './frame-header.ts';

/** More than a screen has pixels. */
export const CHURN_CELLS_MAX = 1024;

/** `known` of a cell whose ticks are all known. */
export const KNOWN_MAX = 255;

const HEADER_BYTES = 24;

export interface ChurnFrame {
  readonly kind: 'churn';
  readonly firstTick: number;
  readonly ticksPerCell: number;
  /** Most pairs that entered and left in one known tick; by cell. */
  readonly pairs: Float32Array;
  /** Share of the ticks that is known: 0 none, 255 all; by cell. */
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

/** `view`: a frame of kind `churn`, header included. The columns are views of the same bytes. */
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
