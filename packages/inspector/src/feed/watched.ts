/**
 * The watched markers: those that at least one watcher relates to, kept up to date while pages are open.
 *
 * It starts with a full read, then applies each tick's changes as they are published. After a tick that was not published, or a
 * while without pages, it starts again. From the first read on the world counts watchers per marker (`Changes.watched`): some
 * nanoseconds per pair that enters or leaves, and 12 bytes per slot. Memory: a Set of the watched markers.
 */
import type { Changes, EntityId, WorldReader } from 'umwelt';

/** After this many ticks without a read, the set is no longer kept up to date. */
const IDLE_TICKS = 100;

export class Watched {
  #ids: Set<EntityId> | undefined;
  #tick = 0;
  #lookedTick = 0;

  /** Applies a tick's changes, if pages are open; call it right after the tick. */
  take(changes: Changes): void {
    if (this.#ids === undefined || changes.tick === this.#tick) return;
    if (changes.tick !== this.#tick + 1 || changes.tick - this.#lookedTick > IDLE_TICKS) {
      this.#ids = undefined;
      return;
    }
    this.#tick = changes.tick;
    for (const id of changes.watched) this.#ids.add(id);
    for (const id of changes.unwatched) this.#ids.delete(id);
    for (const id of changes.removed) this.#ids.delete(id);
  }

  /** Calls `visit` with the index of each of these entities that is watched as of the last tick. */
  each(world: WorldReader, ids: Uint32Array, visit: (index: number) => void): void {
    this.#lookedTick = world.tickCount;
    if (this.#ids === undefined || this.#tick !== world.tickCount) this.#begin(world, ids);
    for (let i = 0; i < ids.length; i++) if (this.#ids?.has(ids[i] as EntityId)) visit(i);
  }

  #begin(world: WorldReader, ids: Uint32Array): void {
    // The first read starts the counting, so that the next tick's changes are complete.
    void world.lastChanges.watched;
    this.#tick = world.tickCount;
    const { offsets } = world.watchersOfMany(ids);
    this.#ids = new Set();
    for (let i = 0; i < ids.length; i++) {
      if ((offsets[i] as number) < (offsets[i + 1] as number)) this.#ids.add(ids[i] as EntityId);
    }
  }
}
