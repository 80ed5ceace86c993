/**
 * What happens to the slots with something pending, at a tick's beginning and at its end: see entities/entity-store.ts for
 * the bits.
 *
 * `settlePending` drops what comes to nothing and counts the rest. The list is cut into parts, one a thread, each of which
 * closes up its own gaps; the caller joins them. `endMoves` serves a tick in which nearly all moved and nothing else: it
 * goes by slots, whoever is pending, and streams.
 *
 *   job   | pending | pending slots | now x y z | last x y z | size of a part | -- | found of part 0, 1, ... |
 *   found | kept | added | removed | moved | only moved | changed | touched | -- |
 *
 * Columns are byte offsets; in 2-D those of z are those of y once more, so that loops need no branch. Twin:
 * wasm/pending-slots.ts. Cost: 1 to 3 ns a slot.
 */
import type { HeapViews } from './heap-views.ts';

/** Words of a job before what is found, and what is found of a part. */
export const PENDING_JOB_WORDS = 16;
export const FOUND_WORDS = 8;

/** Bits of the pending column. */
const ADDED = 1;
const REMOVED = 2;
const MOVED = 4;
const CHANGED = 8;
const TOUCHED = 16;

/** Settles those at `from` to `to` of the list, which are one part. */
export function settlePending({ u32, u8, f32 }: HeapViews, job: number, from: number, to: number): number {
  const j = job >>> 2;
  const pending = u32[j];
  const slots = u32[j + 1] >>> 2;
  const [nowX, nowY, nowZ] = [u32[j + 2] >>> 2, u32[j + 3] >>> 2, u32[j + 4] >>> 2];
  const [lastX, lastY, lastZ] = [u32[j + 5] >>> 2, u32[j + 6] >>> 2, u32[j + 7] >>> 2];
  const found = j + PENDING_JOB_WORDS + Math.floor(from / u32[j + 8]) * FOUND_WORDS;
  u32.fill(0, found, found + FOUND_WORDS);
  let kept = from;
  let onlyMoved = 0;
  for (let i = from; i < to; i++) {
    const slot = u32[slots + i];
    let bits = u8[pending + slot];
    if ((bits & (ADDED | REMOVED)) !== 0) {
      if ((bits & REMOVED) === 0) bits = ADDED;
      else bits = (bits & ADDED) === 0 ? REMOVED : 0;
    } else if ((bits & MOVED) !== 0) {
      const isBack =
        f32[nowX + slot] === f32[lastX + slot] &&
        f32[nowY + slot] === f32[lastY + slot] &&
        f32[nowZ + slot] === f32[lastZ + slot];
      if (isBack) bits &= ~MOVED;
    }
    u8[pending + slot] = bits;
    if (bits === 0) continue;
    u32[slots + kept++] = slot;
    // By far the commonest case: a move and nothing else.
    if (bits === MOVED) {
      onlyMoved++;
      continue;
    }
    if ((bits & ADDED) !== 0) u32[found + 1]++;
    if ((bits & REMOVED) !== 0) u32[found + 2]++;
    if ((bits & MOVED) !== 0) u32[found + 3]++;
    if ((bits & CHANGED) !== 0) u32[found + 5]++;
    if ((bits & TOUCHED) !== 0) u32[found + 6]++;
  }
  u32[found] = kept - from;
  u32[found + 3] += onlyMoved;
  u32[found + 4] = onlyMoved;
  return to;
}

/** Makes the last positions of the slots `from` to `to` what they are now, and nothing of them pending. */
export function endMoves({ u32, u8, f32 }: HeapViews, job: number, from: number, to: number): number {
  const j = job >>> 2;
  for (let axis = 0; axis < 3; axis++) {
    const now = u32[j + 2 + axis] >>> 2;
    f32.copyWithin((u32[j + 5 + axis] >>> 2) + from, now + from, now + to);
  }
  u8.fill(0, u32[j] + from, u32[j] + to);
  return to;
}
