/**
 * Many moves at once: ids and positions lie in the heap's staging columns, one element a move; see entities/move-columns.ts.
 *
 *   job   | ids | x y z | ids by slot | flags | slot count | now x y z | pending | -- | -- |
 *         | size of a part | dimensions | -- | found of part 0, 1, ... |
 *   found | ids ascend | slots that had nothing pending |
 *
 * Columns are byte offsets. Twin: wasm/moves.ts. Cost: 2 ns a move to check, 2 to write.
 */
import type { HeapViews } from './heap-views.ts';

export const MOVE_JOB_WORDS = 16;
export const MOVE_FOUND_WORDS = 2;
/** |position|, at most. */
const MAX_DISTANCE = 1e12;
const MOVED = 4;

/** Whether those at `from` to `to`, which are one part, may move: answers the first that may not, else `to`. */
export function checkMoves({ u32, u8, f32 }: HeapViews, job: number, from: number, to: number): number {
  const j = job >>> 2;
  const [ids, x, y] = [u32[j] >>> 2, u32[j + 1] >>> 2, u32[j + 2] >>> 2];
  // In 2-D y once more.
  const z = (u32[j + 14] === 3 ? u32[j + 3] : u32[j + 2]) >>> 2;
  const idOf = u32[j + 4] >>> 2;
  const flags = u32[j + 5];
  const slotCount = u32[j + 6];
  let previous = -1;
  let doAscend = 1;
  for (let i = from; i < to; i++) {
    const id = u32[ids + i];
    const slot = id >>> 10;
    if (slot >= slotCount || u32[idOf + slot] !== id || u8[flags + slot] === 0) return i;
    if (!(Math.abs(f32[x + i]) <= MAX_DISTANCE && Math.abs(f32[y + i]) <= MAX_DISTANCE)) return i;
    if (!(Math.abs(f32[z + i]) <= MAX_DISTANCE)) return i;
    if (id <= previous) doAscend = 0;
    previous = id;
  }
  u32[j + MOVE_JOB_WORDS + Math.floor(from / u32[j + 13]) * MOVE_FOUND_WORDS] = doAscend;
  return to;
}

/** Moves those at `from` to `to`, which are one part. The part's first ids become the slots that had nothing pending. */
export function writeMoves({ u32, u8, f32 }: HeapViews, job: number, from: number, to: number): number {
  const j = job >>> 2;
  const [ids, x, y, z] = [u32[j] >>> 2, u32[j + 1] >>> 2, u32[j + 2] >>> 2, u32[j + 3] >>> 2];
  const [nowX, nowY, nowZ] = [u32[j + 7] >>> 2, u32[j + 8] >>> 2, u32[j + 9] >>> 2];
  const pending = u32[j + 10];
  const is3D = u32[j + 14] === 3;
  let listed = 0;
  for (let i = from; i < to; i++) {
    const slot = u32[ids + i] >>> 10;
    // Adding 0 turns -0 into 0.
    f32[nowX + slot] = f32[x + i] + 0;
    f32[nowY + slot] = f32[y + i] + 0;
    if (is3D) f32[nowZ + slot] = f32[z + i] + 0;
    if (u8[pending + slot] === 0) u32[ids + from + listed++] = slot;
    u8[pending + slot] |= MOVED;
  }
  u32[j + MOVE_JOB_WORDS + Math.floor(from / u32[j + 13]) * MOVE_FOUND_WORDS + 1] = listed;
  return to;
}
