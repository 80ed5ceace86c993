/**
 * Who is watched: the markers that somebody relates to, kept up while pages look.
 *
 * Begun with a look at everybody, then a tick's news is taken in as it is published. Where one was not, or nobody has looked for a
 * while, it is begun anew. From the first look on the world counts who is watched (`Changes.watched`): some nanoseconds a pair that
 * came or went, and 12 bytes a slot. Memory: a Set of the watched.
 */
import type { Changes, EntityId, WorldReader } from 'umwelt';

/** Ticks without a look after which nothing is kept up any more. */
const IDLE_TICKS = 100;

export class Watched {
  #ids: Set<EntityId> | undefined;
  #tick = 0;
  #lookedTick = 0;

  /** Takes a tick's news up, where anybody looks; right after the tick. */
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

  /** Whether each of these is watched, as of the last tick: calls `visit` with the places of those that are. */
  each(world: WorldReader, ids: Uint32Array, visit: (index: number) => void): void {
    this.#lookedTick = world.tickCount;
    if (this.#ids === undefined || this.#tick !== world.tickCount) this.#begin(world, ids);
    for (let i = 0; i < ids.length; i++) if (this.#ids?.has(ids[i] as EntityId)) visit(i);
  }

  #begin(world: WorldReader, ids: Uint32Array): void {
    // Counting begins with the first read: the next tick's news is whole.
    void world.lastChanges.watched;
    this.#tick = world.tickCount;
    const { offsets } = world.watchersOfMany(ids);
    this.#ids = new Set();
    for (let i = 0; i < ids.length; i++) {
      if ((offsets[i] as number) < (offsets[i + 1] as number)) this.#ids.add(ids[i] as EntityId);
    }
  }
}
