/**
 * Schedules updates for later ticks. A field with an update rate waits for its turn, and at that tick the
 * world must report the entity as updated even if nothing else has happened to it. A world without `touch`
 * reports a change by itself when it is set; for later turns the gateway reads the due entities with `take`.
 *
 * Memory: one number for each entity and pending turn. Turns are at most 255 ticks away.
 */
import type { EntityId } from 'umwelt';
import type { GatewayWorld } from './gateway-world.ts';

const NOBODY: readonly EntityId[] = [];

export class DueTouches {
  readonly #world: GatewayWorld;
  readonly #byTick = new Map<number, Set<EntityId>>();

  constructor(world: GatewayWorld) {
    this.#world = world;
  }

  /** A change of the entity must be reported with the given tick, which is in the future. */
  add(id: EntityId, tick: number): void {
    if (tick <= this.#world.tickCount + 1) {
      this.#world.touch?.(id);
      return;
    }
    const due = this.#byTick.get(tick);
    if (due === undefined) this.#byTick.set(tick, new Set([id]));
    else due.add(id);
  }

  /** Touches the entities whose turn is the world's next tick or earlier. */
  touch(): void {
    if (this.#world.touch === undefined) return;
    const nextTick = this.#world.tickCount + 1;
    for (const [tick, ids] of this.#byTick) {
      if (tick > nextTick) continue;
      this.#byTick.delete(tick);
      for (const id of ids) if (this.#world.has(id)) this.#world.touch(id);
    }
  }

  /** The entities whose turn is this tick, or was one that was not published; for a world without `touch`. */
  take(tick: number): Iterable<EntityId> {
    if (this.#world.touch !== undefined || this.#byTick.size === 0) return NOBODY;
    const due = new Set<EntityId>();
    for (const [turn, ids] of this.#byTick) {
      if (turn > tick) continue;
      this.#byTick.delete(turn);
      for (const id of ids) due.add(id);
    }
    return due;
  }

  /** All pending pairs of entity and tick, by tick. */
  *[Symbol.iterator](): IterableIterator<[EntityId, number]> {
    for (const [tick, ids] of this.#byTick) for (const id of ids) yield [id, tick];
  }
}
