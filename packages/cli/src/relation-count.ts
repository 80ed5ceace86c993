/**
 * How many relations a world has, kept from its reports.
 *
 * A running total of what entered less what left is not enough: a watcher that is removed gets no further report,
 * so the relations it had end without a `left`. Hence one count a watcher, by slot, that is taken off when the
 * watcher appears among the removed. A slot is not handed out again before the tick that reports its removal is
 * over, so one column serves.
 *
 * Cost: one step for each watcher with something to report; nothing for each entity.
 */
import type { Changes } from 'umwelt';

/** An id is `slot * 1024 + generation`. */
const SLOT_SHIFT = 10;

export class RelationCount {
  /** By slot: the relations of the watcher there; 0 where there is none. */
  #relationsBySlot = new Uint32Array(1024);
  #total = 0;

  get total(): number {
    return this.#total;
  }

  /** Takes up one tick's report; every tick's, in order. */
  record(changes: Changes): void {
    for (const id of changes.removed) {
      const slot = id >>> SLOT_SHIFT;
      this.#total -= this.#relationsBySlot[slot] ?? 0;
      if (slot < this.#relationsBySlot.length) this.#relationsBySlot[slot] = 0;
    }
    this.#addColumn(changes, 'entered', 1);
    this.#addColumn(changes, 'left', -1);
  }

  #addColumn(changes: Changes, kind: 'entered' | 'left', sign: 1 | -1): void {
    const { count, watchers, offsets } = changes.columns(kind);
    for (let i = 0; i < count; i++) {
      const difference = sign * ((offsets[i + 1] as number) - (offsets[i] as number));
      const slot = (watchers[i] as number) >>> SLOT_SHIFT;
      if (slot >= this.#relationsBySlot.length) this.#growTo(slot + 1);
      this.#relationsBySlot[slot] = (this.#relationsBySlot[slot] as number) + difference;
      this.#total += difference;
    }
  }

  #growTo(slotCount: number): void {
    const grown = new Uint32Array(Math.max(slotCount, this.#relationsBySlot.length * 2));
    grown.set(this.#relationsBySlot);
    this.#relationsBySlot = grown;
  }
}
