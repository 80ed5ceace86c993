/**
 * What is pending between two ticks, as bits by slot, and what comes of it when a tick begins.
 */
import type { WorldSettings } from '../settings.ts';
import type { EntityState } from './entity-state.ts';

/** Bits of the pending column: what happened to a slot since the last tick. */
export const ADDED = 1;
export const REMOVED = 2;
/** Its position was written; after `settle`, its position differs from that at the last tick. */
export const MOVED = 4;
/** A property that decides perception was changed. */
export const CHANGED = 8;
export const TOUCHED = 16;
/** Its wish for `updated` reports was changed. */
export const UPDATES_CHANGED = 32;
/** Something that decides seats was changed: group, weight, always, cap. */
export const STANDING_CHANGED = 64;
/** It goes by another interest. */
export const INTEREST_CHANGED = 128;

/** How many slots of each kind `settle` found. */
export interface ChangeCounts {
  added: number;
  removed: number;
  moved: number;
  /** Those that moved and did nothing else. */
  onlyMoved: number;
  changed: number;
  /** Of those changed, the ones that were hidden or shown and nothing else. */
  hidden: number;
  touched: number;
}

/** What of a population is looked at. */
interface PendingChanges {
  readonly settings: WorldSettings;
  readonly last: EntityState;
  readonly now: EntityState;
  readonly pending: Uint8Array;
  readonly pendingSlots: Uint32Array;
  readonly pendingCount: number;
}

/**
 * Settles what is pending: one that came and went is nobody's business, a position written but the same is no move.
 * What comes to nothing is dropped, the rest counted. Answers how many slots are still pending. Cost: a few nanoseconds
 * each.
 */
export function settlePending(store: PendingChanges, counts: ChangeCounts): number {
  const { pending, pendingSlots, last, now } = store;
  const lastX = last.x;
  const lastY = last.y;
  // In 2-D there is no z; comparing y twice keeps the loop free of a branch.
  const lastZ = store.settings.dimensions === 3 ? last.z : lastY;
  const nowX = now.x;
  const nowY = now.y;
  const nowZ = store.settings.dimensions === 3 ? now.z : nowY;
  let kept = 0;
  for (let i = 0; i < store.pendingCount; i++) {
    const slot = pendingSlots[i];
    let bits = pending[slot];
    if ((bits & (ADDED | REMOVED)) !== 0) {
      if ((bits & REMOVED) === 0) bits = ADDED;
      else bits = (bits & ADDED) === 0 ? REMOVED : 0;
    } else if ((bits & MOVED) !== 0) {
      const isBack = nowX[slot] === lastX[slot] && nowY[slot] === lastY[slot] && nowZ[slot] === lastZ[slot];
      if (isBack) bits &= ~MOVED;
    }
    pending[slot] = bits;
    if (bits === 0) continue;
    pendingSlots[kept++] = slot;
    if (bits === MOVED) {
      // By far the commonest case: a move and nothing else.
      counts.moved++;
      counts.onlyMoved++;
      continue;
    }
    if ((bits & ADDED) !== 0) counts.added++;
    if ((bits & REMOVED) !== 0) counts.removed++;
    if ((bits & MOVED) !== 0) counts.moved++;
    if ((bits & CHANGED) !== 0) counts.changed++;
    if ((bits & TOUCHED) !== 0) counts.touched++;
  }
  return kept;
}
