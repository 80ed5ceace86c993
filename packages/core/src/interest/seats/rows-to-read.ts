/**
 * The rows that a tick must read, where few entities move: so rows in which nothing can have happened cost nothing.
 *
 *   due in the last tick                      may be due again
 *   near what is pending, or pending itself   a marker of the row, or one that enters it, moved, changed or was touched
 *   what is pending lingers with it           the same, from any distance: it ranks as far away as it is
 *   woken                                     a rule changed: whoever changes a look from outside says so (`RuledWatchers.wake`)
 *
 * All other rows were calm or had room for all when they were last read, and stay so. Where many entities move, where the last tick failed,
 * and in the first tick, any row may be due. Memory: 1 byte a slot. Cost: O(1) for each of these rows.
 */
import { grown } from '../../columns.ts';
import type { EntityStore } from '../../entities/entity-store.ts';
import { type NearWatchers, nearShares } from '../grids/near-watchers.ts';
import type { Lingering } from '../rules/linger.ts';
import type { RuledWatchers } from '../standing/ruled-watchers.ts';

/** Passing over a row that is calm is so many times cheaper than finding its watcher and listing it. */
const LISTING = 8;

export class RowsToRead {
  readonly #store: EntityStore;
  readonly #lingering: Lingering;
  /** The watchers that were due in the last tick; `undefined`: any row may be due. */
  #before: Uint32Array | undefined;
  /** By slot: 1 if listed; 0 between calls. */
  #marks = new Uint8Array(0);

  constructor(store: EntityStore, lingering: Lingering) {
    this.#store = store;
    this.#lingering = lingering;
  }

  get memoryBytes(): number {
    return this.#marks.byteLength;
  }

  /** Any row may be due in the next tick. */
  forget(): void {
    this.#before = undefined;
  }

  /** These watchers are due in this tick: slots, valid until the next one lists its rows. */
  noteDue(due: Uint32Array): void {
    this.#before = due;
  }

  /** The watchers that something pending lingers with, from any distance: slots, some more than once. */
  holdersOfPending(): number[] {
    const holders: number[] = [];
    if (this.#lingering.isNone) return holders;
    const { pendingSlots, pendingCount } = this.#store;
    for (let i = 0; i < pendingCount; i++)
      for (const watcher of this.#lingering.holdersOf(pendingSlots[i])) holders.push(watcher);
    return holders;
  }

  /** Slots of watchers with a row, in any order, each once; `undefined`: any row may be due. */
  list(watchers: RuledWatchers, near: NearWatchers): readonly number[] | undefined {
    const { woken, withRow } = watchers;
    const { pendingSlots, pendingCount, capacity } = this.#store;
    const before = this.#before;
    const isWorth = before !== undefined && pendingCount * nearShares.pending * LISTING <= withRow.length;
    const found = isWorth ? near.find() : undefined;
    if (found === undefined || before === undefined) {
      woken.length = 0;
      return undefined;
    }
    if (this.#marks.length < capacity) this.#marks = grown(this.#marks, capacity);
    const marks = this.#marks;
    const { hasRow } = watchers;
    const listed: number[] = [];
    const add = (slot: number) => {
      if (hasRow[slot] !== 1 || marks[slot] !== 0) return;
      marks[slot] = 1;
      listed.push(slot);
    };
    for (const slot of found) add(slot);
    for (let i = 0; i < pendingCount; i++) add(pendingSlots[i]);
    this.holdersOfPending().forEach(add);
    for (const slot of woken) add(slot);
    for (const slot of before) add(slot);
    for (const slot of listed) marks[slot] = 0;
    woken.length = 0;
    return listed;
  }
}
