/**
 * Pending changes between two ticks, as bits by slot, and their counts when a tick begins. pending-job.ts does the
 * work.
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

/** Changes that may affect which markers a slot meets, which watchers meet it, or which relate to it by force. */
export const CONCERNS_MEETING = ADDED | REMOVED | CHANGED | STANDING_CHANGED;

/** Number of slots of each kind that `settle` found. */
export interface ChangeCounts {
  /** Slots of added entities. */
  added: number;
  /** Slots of removed entities. */
  removed: number;
  /** Slots that moved. */
  moved: number;
  /** Slots that moved and did nothing else. */
  onlyMoved: number;
  /** Slots with a changed property. */
  changed: number;
  /** Of the changed slots, those that were only hidden or shown. */
  hidden: number;
  /** Slots that were touched. */
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
 * Slots with any of these changes, in the order of `pendingSlots`; a slot that only moved is not included. Cost: a
 * look at each pending slot that did more than move.
 */
export function pendingWith({ pending, notOnlyMoved, counts }: Pending, bits: number): readonly number[] {
  if (bits === REMOVED && counts.removed === 0) return NONE;
  if (bits === TOUCHED && counts.touched === 0) return NONE;
  return notOnlyMoved.length === 0 ? NONE : notOnlyMoved.filter((slot) => (pending[slot] & bits) !== 0);
}

/** The first `count` of these slots that did more than move, in their order. */
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
 * Rebuilds the list of pending slots after a worker left it half done; returns how many there are. Cost: a look at
 * every slot.
 */
export function listPending(pending: Uint8Array, outSlots: Uint32Array, slotCount: number): number {
  let count = 0;
  for (let slot = 0; slot < slotCount; slot++) if (pending[slot] !== 0) outSlots[count++] = slot;
  return count;
}
