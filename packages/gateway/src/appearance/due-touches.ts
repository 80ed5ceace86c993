/**
 * Who has to be reported as changed in a tick to come: fields told at a rate wait for their turn, and then the world must
 * tell of the entity though nothing else may have happened to it. A world that is not the gateway's to touch tells of a change by
 * itself, when it was set; later turns are the gateway's to tell: `take`.
 *
 * Memory: a number for each entity and turn that is waited for; turns are at most 255 ticks away.
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

  /** A change of the entity is to be told with the given tick, which is to come. */
  add(id: EntityId, tick: number): void {
    if (tick <= this.#world.tickCount + 1) {
      this.#world.touch?.(id);
      return;
    }
    const due = this.#byTick.get(tick);
    if (due === undefined) this.#byTick.set(tick, new Set([id]));
    else due.add(id);
  }

  /** Touches those whose turn is the world's next tick, or was before it. */
  touch(): void {
    if (this.#world.touch === undefined) return;
    const nextTick = this.#world.tickCount + 1;
    for (const [tick, ids] of this.#byTick) {
      if (tick > nextTick) continue;
      this.#byTick.delete(tick);
      for (const id of ids) if (this.#world.has(id)) this.#world.touch(id);
    }
  }

  /** Those whose turn is this tick, in a world that is not to be touched. */
  take(tick: number): Iterable<EntityId> {
    const ids = this.#world.touch === undefined ? this.#byTick.get(tick) : undefined;
    if (ids === undefined) return NOBODY;
    this.#byTick.delete(tick);
    return ids;
  }

  /** All that is waited for: entity and tick, by turns. */
  *[Symbol.iterator](): IterableIterator<[EntityId, number]> {
    for (const [tick, ids] of this.#byTick) for (const id of ids) yield [id, tick];
  }
}
