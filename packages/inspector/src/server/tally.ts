/**
 * Running totals of what the ticks report: events of each kind since the feed began, and relations now.
 *
 * A world tells a relation's beginning and its end, but not the end of those whose watcher was removed: a
 * removed watcher gets nothing more. So the tally keeps each watcher's number of relations and takes it off
 * when the watcher goes. Cost a tick: the number of watchers with something to report, never their lists.
 * Memory: 4 bytes a slot.
 */
import type { Changes, World } from 'umwelt';

const SLOT_SHIFT = 10;

export class Tally {
  enteredTotal = 0;
  leftTotal = 0;
  updatedTotal = 0;
  sensedTotal = 0;
  /** Watcher and marker pairs related now. */
  relations = 0;
  #relationsBySlot = new Int32Array(1024);

  /** Begins with the relations of a world that has already ticked. Cost: the number of its relations. */
  constructor(world: World) {
    for (const id of world.ids()) {
      const count = world.visibleTo(id).length;
      if (count > 0) this.#add(id, count);
    }
  }

  /** Takes up one tick's report. */
  take(changes: Changes): void {
    this.enteredTotal += changes.enteredCount;
    this.leftTotal += changes.leftCount;
    this.updatedTotal += changes.updatedCount;
    this.sensedTotal += changes.sensedCount;
    // The removed first: a slot may already be somebody else's in this very report.
    for (const id of changes.removed) {
      const slot = id >>> SLOT_SHIFT;
      if (slot >= this.#relationsBySlot.length) continue;
      this.relations -= this.#relationsBySlot[slot] as number;
      this.#relationsBySlot[slot] = 0;
    }
    this.#takeColumns(changes, 'entered', 1);
    this.#takeColumns(changes, 'left', -1);
  }

  #takeColumns(changes: Changes, kind: 'entered' | 'left', sign: 1 | -1): void {
    const { count, watchers, offsets } = changes.columns(kind);
    for (let i = 0; i < count; i++) {
      const rowLength = (offsets[i + 1] as number) - (offsets[i] as number);
      this.#add(watchers[i] as number, sign * rowLength);
    }
  }

  #add(watcher: number, difference: number): void {
    const slot = watcher >>> SLOT_SHIFT;
    if (slot >= this.#relationsBySlot.length) {
      const grown = new Int32Array(Math.max(slot + 1, this.#relationsBySlot.length * 2));
      grown.set(this.#relationsBySlot);
      this.#relationsBySlot = grown;
    }
    this.#relationsBySlot[slot] = (this.#relationsBySlot[slot] as number) + difference;
    this.relations += difference;
  }
}
