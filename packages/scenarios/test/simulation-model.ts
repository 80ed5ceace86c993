/**
 * What every simulation must keep, checked from outside: a copy of who was present and where, carried along by
 * what the lists say alone, and compared with the columns after each step.
 */
import type { IndexList, Simulation } from '../src/index.ts';

export function listed(list: IndexList): number[] {
  return [...list.indices.subarray(0, list.count)];
}

export function presentActors(simulation: Simulation): number[] {
  const actors: number[] = [];
  for (let actor = 0; actor < simulation.capacity; actor++) {
    if (simulation.present[actor] === 1) actors.push(actor);
  }
  return actors;
}

/** 32 bits over the bytes of the columns (FNV-1a). */
export function columnsHash(simulation: Simulation): string {
  let hash = 0x811c9dc5;
  const { x, y, z, kind, range, present } = simulation;
  for (const column of [x, y, z, kind, range, present]) {
    for (const byte of new Uint8Array(column.buffer, column.byteOffset, column.byteLength)) {
      hash = Math.imul(hash ^ byte, 0x01000193);
    }
  }
  return (hash >>> 0).toString(16).padStart(8, '0');
}

/** What a simulation makes once and keeps. */
function partsOf(simulation: Simulation): unknown[] {
  const { x, y, z, kind, range, present, added, moved, removed, changed } = simulation;
  return [x, y, z, kind, range, present, added, moved, removed, changed];
}

export class SimulationModel {
  readonly #simulation: Simulation;
  readonly #present: Uint8Array;
  readonly #x: Float32Array;
  readonly #y: Float32Array;
  readonly #z: Float32Array;

  constructor(simulation: Simulation) {
    this.#simulation = simulation;
    this.#present = simulation.present.slice();
    this.#x = simulation.x.slice();
    this.#y = simulation.y.slice();
    this.#z = simulation.z.slice();
  }

  /** Steps the simulation and holds everything it says against everything it shows. */
  step(): void {
    const simulation = this.#simulation;
    const parts = partsOf(simulation);
    simulation.step();
    partsOf(simulation).forEach((part, i) => {
      if (part !== parts[i]) throw new Error(`part ${i} was made anew`);
    });
    this.#apply();
    this.#compare();
  }

  #apply(): void {
    const simulation = this.#simulation;
    const touched = new Set<number>();
    const once = (actor: number): void => {
      if (touched.has(actor)) throw new Error(`actor ${actor} is listed twice`);
      touched.add(actor);
    };
    const copyPosition = (actor: number): void => {
      this.#x[actor] = simulation.x[actor]!;
      this.#y[actor] = simulation.y[actor]!;
      this.#z[actor] = simulation.z[actor]!;
    };
    for (const actor of listed(simulation.removed)) {
      once(actor);
      if (this.#present[actor] !== 1) throw new Error(`actor ${actor} is removed but was not present`);
      this.#present[actor] = 0;
    }
    for (const actor of listed(simulation.added)) {
      once(actor);
      if (this.#present[actor] !== 0) throw new Error(`actor ${actor} is added but was present`);
      this.#present[actor] = 1;
      copyPosition(actor);
    }
    for (const actor of listed(simulation.moved)) {
      once(actor);
      if (this.#present[actor] !== 1) throw new Error(`actor ${actor} is moved but not present`);
      copyPosition(actor);
    }
    const comers = new Set(listed(simulation.added));
    for (const actor of simulation.changed === undefined ? [] : listed(simulation.changed)) {
      if (this.#present[actor] !== 1 || comers.has(actor))
        throw new Error(`actor ${actor} cannot have changed`);
      if (simulation.patchFor?.(actor) === undefined) throw new Error(`actor ${actor} changed to nothing`);
    }
  }

  #compare(): void {
    const { x, y, z, present, bounds, capacity, count } = this.#simulation;
    const { minX, minY, maxX, maxY, minZ = 0, maxZ = 0 } = bounds;
    let counted = 0;
    for (let actor = 0; actor < capacity; actor++) {
      if (present[actor] !== this.#present[actor]) throw new Error(`actor ${actor} came or went unsaid`);
      if (present[actor] !== 1) continue;
      counted++;
      const still = x[actor] === this.#x[actor] && y[actor] === this.#y[actor] && z[actor] === this.#z[actor];
      if (!still) throw new Error(`actor ${actor} moved unsaid`);
      const inside =
        x[actor]! >= minX &&
        x[actor]! <= maxX &&
        y[actor]! >= minY &&
        y[actor]! <= maxY &&
        z[actor]! >= minZ &&
        z[actor]! <= maxZ;
      if (!inside)
        throw new Error(`actor ${actor} is out of bounds at ${x[actor]}, ${y[actor]}, ${z[actor]}`);
    }
    if (count !== counted) throw new Error(`count is ${count}, and ${counted} are present`);
  }
}
