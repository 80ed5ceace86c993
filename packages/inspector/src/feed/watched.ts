/**
 * The watched markers: those that at least one watcher relates to, kept up to date while pages are open.
 *
 * It starts with a full read, then applies each tick's changes as they are published. After a tick that was not published, a
 * while without pages, or in another world, it starts again. From the first read on the world counts watchers per marker
 * (`Changes.watched`): some nanoseconds per pair that enters or leaves, and 12 bytes per slot.
 *
 * Memory: a byte per slot. A slot says as much as an id, because no slot is used again before the second tick after its
 * entity's removal, and a removal takes the mark away. A Set of a million ids takes 50 times as long to ask.
 */
import type { Changes, EntityId, WorldReader } from 'umwelt';
import { SLOT_SHIFT } from './population.ts';

/** After this many ticks without a read, the marks are no longer kept up to date. */
const IDLE_TICKS = 100;

const IS_WATCHED = 1;
/** It was present when the marks were read in full. */
const WAS_PRESENT = 2;

export class Watched {
  /** Flags by slot. */
  #marks = new Uint8Array(0);
  /** The world that the marks are of; undefined: they are not kept up to date. */
  #world: WorldReader | undefined;
  #tick = 0;
  #lookedTick = 0;
  /** No tick has been applied since the full read. */
  #isFresh = false;

  /** Applies a tick's changes, if pages are open; call it right after the tick. */
  take(changes: Changes): void {
    if (this.#world === undefined || changes.tick === this.#tick) return;
    const isNext = changes.tick === this.#tick + 1 && changes.tick - this.#lookedTick <= IDLE_TICKS;
    if (!isNext || (this.#isFresh && this.#hasMissed(changes.removed))) {
      this.#world = undefined;
      return;
    }
    this.#tick = changes.tick;
    this.#isFresh = false;
    this.#set(changes.watched, IS_WATCHED);
    this.#set(changes.unwatched, 0);
    this.#set(changes.removed, 0);
  }

  /** Calls `visit` with the index of each of these entities that is watched as of the last tick. */
  each(world: WorldReader, ids: Uint32Array, visit: (index: number) => void): void {
    this.#lookedTick = world.tickCount;
    if (this.#world !== world || this.#tick !== world.tickCount) this.#begin(world, ids);
    const marks = this.#marks;
    for (let i = 0; i < ids.length; i++) {
      if (((marks[(ids[i] as number) >>> SLOT_SHIFT] as number) & IS_WATCHED) !== 0) visit(i);
    }
  }

  #begin(world: WorldReader, ids: Uint32Array): void {
    // The first read starts the counting, so that the next tick's changes are complete.
    void world.lastChanges.watched;
    this.#world = world;
    this.#tick = world.tickCount;
    this.#isFresh = true;
    this.#marks.fill(0);
    this.#set(ids, WAS_PRESENT);
    this.#set(
      ids.filter((id) => world.watcherCount(id) > 0),
      WAS_PRESENT | IS_WATCHED,
    );
  }

  /**
   * Whether one of these was removed between the last tick and the full read, which then knew nothing of it: if it was the only
   * watcher of a marker that another one perceives now, no tick tells that the marker is watched.
   */
  #hasMissed(removed: Uint32Array): boolean {
    return removed.some((id) => ((this.#marks[id >>> SLOT_SHIFT] ?? 0) & WAS_PRESENT) === 0);
  }

  #set(ids: Uint32Array, mark: number): void {
    for (const id of ids) {
      const slot = (id as EntityId) >>> SLOT_SHIFT;
      if (slot >= this.#marks.length) this.#grow(slot + 1);
      this.#marks[slot] = mark;
    }
  }

  #grow(slotCount: number): void {
    const marks = new Uint8Array(slotCount * 2);
    marks.set(this.#marks);
    this.#marks = marks;
  }
}
