/**
 * The part of the state's digest that comes from keys, kept bytes and fields: the longest part of the state, of which little
 * changes between two digests. So each entity's share of the sum is stored, and only the entities that changed are mixed again.
 *
 * Memory: 8 bytes per slot, from the first digest on, and a set entry per entity that has changed since the last one. Cost: the
 * keys, bytes and fields of these.
 */
import type { FieldValue } from '../records/calls.ts';
import { DigestSum, wordOf } from './digest-sum.ts';

/** What is summed. */
interface Kept {
  /** By slot: the entity; 0 if free. */
  readonly ids: Uint32Array;
  readonly keyOf: ReadonlyMap<number, string>;
  readonly keeps: ReadonlyMap<number, Uint8Array>;
  readonly fields: ReadonlyMap<number, ReadonlyMap<string, FieldValue>>;
}

export class KeptSum {
  readonly #total = new DigestSum();
  /** By slot: the share of its entity. */
  #low = new Int32Array(0);
  #high = new Int32Array(0);
  /** Slots whose shares are not those of the present state. */
  readonly #changed = new Set<number>();

  /** How many entities the next `of` mixes. */
  get changedCount(): number {
    return this.#changed.size;
  }

  /** The key, the bytes or the fields of the slot's entity have changed, or are gone with it. */
  noteChange(slot: number): void {
    this.#changed.add(slot);
  }

  /** The sum as of now. */
  of(kept: Kept): DigestSum {
    if (this.#changed.size > 0 && this.#low.length < kept.ids.length) this.#growSlots(kept.ids.length);
    for (const slot of this.#changed) {
      // A forged state may name an entity beyond all slots.
      if (slot >= kept.ids.length) continue;
      const share = shareOf(kept, kept.ids[slot]);
      this.#total.addWords(share.low - this.#low[slot], share.high - this.#high[slot]);
      this.#low[slot] = share.low;
      this.#high[slot] = share.high;
    }
    this.#changed.clear();
    return this.#total;
  }

  #growSlots(slotCount: number): void {
    const [low, high] = [this.#low, this.#high];
    this.#low = new Int32Array(slotCount);
    this.#high = new Int32Array(slotCount);
    this.#low.set(low);
    this.#high.set(high);
  }
}

/** `id` is 0 for a free slot, of which nothing is kept. */
function shareOf({ keyOf, keeps, fields }: Kept, id: number): DigestSum {
  const sum = new DigestSum();
  const key = keyOf.get(id);
  if (key !== undefined) sum.add(id, wordOf(key), 2);
  const bytes = keeps.get(id);
  if (bytes !== undefined) sum.add(id, wordOf(bytes), 3);
  for (const [name, value] of fields.get(id) ?? []) sum.add(id, wordOf(name) ^ wordOf(String(value)), 4);
  return sum;
}
