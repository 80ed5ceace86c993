/**
 * What is pending between two ticks, as bits by slot, and what is counted of it when a tick begins; the work is done in
 * pending-job.ts.
 */
import {
  ADDED,
  CHANGED,
  MOVED,
  REMOVED,
  STANDING_CHANGED,
  TOUCHED,
} from '../kernels/layouts/pending-bits.ts';

export * from '../kernels/layouts/pending-bits.ts';

/** What may change whom a slot meets, who meets it, or who relates to it by force. */
export const CONCERNS_MEETING = ADDED | REMOVED | CHANGED | STANDING_CHANGED;

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

const NONE: readonly number[] = [];

/** What `pendingWith` reads of a store, once a tick has settled it. */
interface Pending {
  readonly pending: Uint8Array;
  readonly notOnlyMoved: readonly number[];
  readonly counts: ChangeCounts;
}

/**
 * Slots to which any of these happened, moves left out, in the order in which anything did. Cost: a look at each pending slot that did
 * more than move.
 */
export function pendingWith({ pending, notOnlyMoved, counts }: Pending, bits: number): readonly number[] {
  if (bits === REMOVED && counts.removed === 0) return NONE;
  if (bits === TOUCHED && counts.touched === 0) return NONE;
  return notOnlyMoved.filter((slot) => (pending[slot] & bits) !== 0);
}

/** Of these slots, the first `count`, those to which anything but a move happened, in their order. */
export function othersThanMoved(
  pending: Uint8Array,
  slots: Uint32Array,
  count: number,
  { onlyMoved }: ChangeCounts,
): readonly number[] {
  if (onlyMoved === count) return NONE;
  const others: number[] = [];
  for (let i = 0; i < count; i++) if (pending[slots[i]] !== MOVED) others.push(slots[i]);
  return others;
}

/**
 * Lists who has anything pending, where a worker left the list half done; answers how many. Cost: a look at every slot.
 */
export function listPending(pending: Uint8Array, outSlots: Uint32Array, slotCount: number): number {
  let count = 0;
  for (let slot = 0; slot < slotCount; slot++) if (pending[slot] !== 0) outSlots[count++] = slot;
  return count;
}
