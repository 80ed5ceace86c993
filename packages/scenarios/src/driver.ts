/**
 * Connects a simulation to a world: steps the simulation, then applies the step to the world.
 *
 * Everything is applied in batches: removals, then additions, then one `moveMany` that reads the simulation's own columns through
 * its list of moved actors. A step without additions and removals allocates nothing but the views of that list. Then come
 * changed actors, one by one; and if the simulation wants channels, they are balanced. An actor with a parent is attached to it
 * when it is added, and only the parent moves it. The world is not ticked: the caller does that.
 */
import { Channels, type EntityId, type EntityPatch, UmweltError, type World } from 'umwelt';
import { checkNames, told } from './option-check.ts';
import type { Simulation } from './simulation.ts';

/** Options of `new WorldDriver()`. */
export interface WorldDriverOptions {
  /** false: watchers get no `updated`. Default true. */
  readonly updates?: boolean | undefined;
}

/** Actors added in one step that are equal except for their positions. */
interface Batch {
  readonly init: EntityPatch;
  readonly range: number;
  readonly actors: number[];
}

/** An entity's slot is its id without the lowest ten bits, which are its generation. */
const SLOT_SHIFT = 10;

/** Applies a simulation to a world, step by step: adds, moves, changes and removes entities. The caller ticks the world. */
export class WorldDriver {
  readonly #simulation: Simulation;
  readonly #world: World;
  readonly #updates: boolean;
  /** By actor; 0 while it is not in the world. */
  readonly #ids: Uint32Array;
  readonly #idsOut: Uint32Array;
  /** By slot; grows by doubling, up to the world's own limit of slots. */
  #actors: Uint32Array;
  /** Actors that moved by themselves, if some actors are carried. */
  readonly #free: Uint32Array;
  /** The simulation's channels, if it wants any. */
  readonly channels: Channels | undefined;

  /** Adds the actors that earlier steps have added, at once; usually there are none yet. Throws `BAD_OPTION`. */
  constructor(simulation: Simulation, world: World, options: WorldDriverOptions = {}) {
    checkArguments(simulation, world, options);
    this.#simulation = simulation;
    this.#world = world;
    this.#updates = options.updates ?? true;
    this.#ids = new Uint32Array(simulation.capacity);
    this.#idsOut = new Uint32Array(simulation.capacity);
    this.#actors = new Uint32Array(1024);
    this.#free = new Uint32Array(simulation.parentOf === undefined ? 0 : simulation.capacity);
    this.channels = simulation.channels === undefined ? undefined : new Channels(world, simulation.channels);
    if (simulation.count > 0) this.#add(presentActors(simulation));
  }

  /** Runs the simulation's next step and applies it to the world. */
  step(): void {
    const { added, moved, removed, changed } = this.#simulation;
    this.#simulation.step();
    if (removed.count > 0) this.#remove(removed.indices.subarray(0, removed.count));
    if (added.count > 0) this.#add(added.indices.subarray(0, added.count));
    if (moved.count > 0) this.#move(moved.indices.subarray(0, moved.count));
    if (changed !== undefined) this.#change(changed.indices.subarray(0, changed.count));
    this.channels?.balance();
  }

  /** The actor's entity; 0 while it is not in the world. */
  idOf(actor: number): EntityId {
    return this.#ids[actor] ?? 0;
  }

  /** The actor of an entity; -1 if the entity belongs to no actor any more. */
  actorOf(id: EntityId): number {
    const actor = this.#actors[id >>> SLOT_SHIFT] ?? 0;
    return id !== 0 && this.#ids[actor] === id ? actor : -1;
  }

  #remove(actors: Uint32Array): void {
    const ids = this.#idsOut;
    for (let i = 0; i < actors.length; i++) {
      const actor = actors[i]!;
      ids[i] = this.#ids[actor]!;
      this.#ids[actor] = 0;
    }
    this.#world.removeMany(ids.subarray(0, actors.length));
  }

  #move(actors: Uint32Array): void {
    const { x, y, z } = this.#simulation;
    this.#world.moveMany(this.#ids, x, y, z, this.#freeOf(actors));
  }

  #freeOf(actors: Uint32Array): Uint32Array {
    const simulation = this.#simulation;
    if (simulation.parentOf === undefined) return actors;
    let count = 0;
    for (let i = 0; i < actors.length; i++) {
      if (simulation.parentOf(actors[i]!) < 0) this.#free[count++] = actors[i]!;
    }
    return this.#free.subarray(0, count);
  }

  #change(actors: Uint32Array): void {
    for (const actor of actors) {
      const patch = this.#simulation.patchFor?.(actor);
      if (patch !== undefined) this.#world.update(this.#ids[actor]!, patch);
    }
  }

  #add(actors: Uint32Array): void {
    const { x, y, z } = this.#simulation;
    for (const batch of this.#batches(actors)) {
      const ids = this.#world.addMany({
        range: batch.range,
        updates: this.#updates,
        ...batch.init,
        x: Float32Array.from(batch.actors, (actor) => x[actor]!),
        y: Float32Array.from(batch.actors, (actor) => y[actor]!),
        z: Float32Array.from(batch.actors, (actor) => z[actor]!),
      });
      batch.actors.forEach((actor, i) => {
        this.#know(actor, ids[i]!);
      });
    }
    this.#attach(actors);
    if (this.channels !== undefined) this.#join(this.channels, actors);
  }

  #attach(actors: Uint32Array): void {
    const simulation = this.#simulation;
    if (simulation.parentOf === undefined) return;
    for (const actor of actors) {
      const parent = simulation.parentOf(actor);
      if (parent >= 0)
        this.#world.attach(this.#ids[actor]!, this.#ids[parent]!, simulation.offsetOf?.(actor));
    }
  }

  #join(channels: Channels, actors: Uint32Array): void {
    for (const actor of actors) {
      if (this.#simulation.joins?.(actor) ?? true) channels.join(this.#ids[actor]!);
    }
  }

  /** Groups by the object that `initFor` returns (by identity) and by range, in the order of first appearance. */
  #batches(actors: Uint32Array): Batch[] {
    const simulation = this.#simulation;
    const nothing: EntityPatch = {};
    const byInit = new Map<EntityPatch, Map<number, Batch>>();
    const batches: Batch[] = [];
    for (const actor of actors) {
      const init = simulation.initFor?.(actor) ?? nothing;
      const range = simulation.range[actor]!;
      const byRange = byInit.get(init) ?? new Map<number, Batch>();
      byInit.set(init, byRange);
      let batch = byRange.get(range);
      if (batch === undefined) {
        batch = { init, range, actors: [] };
        byRange.set(range, batch);
        batches.push(batch);
      }
      batch.actors.push(actor);
    }
    return batches;
  }

  #know(actor: number, id: EntityId): void {
    const slot = id >>> SLOT_SHIFT;
    if (slot >= this.#actors.length) {
      const grown = new Uint32Array(Math.max(slot + 1, 2 * this.#actors.length));
      grown.set(this.#actors);
      this.#actors = grown;
    }
    this.#actors[slot] = actor;
    this.#ids[actor] = id;
  }
}

function presentActors(simulation: Simulation): Uint32Array {
  const actors = new Uint32Array(simulation.count);
  let count = 0;
  for (let actor = 0; actor < simulation.capacity; actor++) {
    if (simulation.present[actor] === 1) actors[count++] = actor;
  }
  return actors;
}

/** The two are easily swapped. */
function checkArguments(simulation: unknown, world: unknown, options: object): void {
  const { capacity } = (simulation ?? {}) as Partial<Simulation>;
  if (typeof capacity !== 'number')
    throw wrong('simulation', simulation, 'a Simulation, as createScenario() makes');
  const { addMany } = (world ?? {}) as Partial<World>;
  if (typeof addMany !== 'function') throw wrong('world', world, 'a World');
  checkNames('WorldDriver', options, ['updates']);
}

function wrong(field: string, value: unknown, expected: string): UmweltError {
  return new UmweltError('BAD_OPTION', `WorldDriver: ${field} is ${told(value)}; expected ${expected}`, {
    field,
    value,
  });
}
