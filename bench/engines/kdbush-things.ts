/**
 * kdbush as a good programmer uses it where few move among many things: one index of the things, built once, another of
 * the watchers, built each tick, and Sets that are kept.
 *
 * Things are actors that do not perceive; a thing that moves is refused. Both indexes are queried for every watcher.
 */
import type { Simulation } from '@umwelt/scenarios';
import KDBush from 'kdbush';
import { keepInCircle, SEARCH_FACTOR } from './circle-test.ts';
import type { EngineKind, EngineOptions } from './engine.ts';
import { Peer } from './peer.ts';
import { keptSets, type SetDifference } from './set-difference.ts';

const NODE_SIZE = 64;

/** The actors in an index: kdbush returns positions in this list. */
interface Indexed {
  readonly actors: Uint32Array;
  readonly index: KDBush;
}

class KdbushThingsPeer extends Peer {
  readonly #difference: SetDifference;
  readonly #found: Uint32Array;
  readonly #watchers: Uint32Array;
  #things: Indexed | undefined;

  constructor(simulation: Simulation, options: EngineOptions) {
    super(simulation, options);
    const { entered, left, updated } = this;
    const moved = options.updates ? this.moved : undefined;
    this.#difference = keptSets(simulation.capacity, { entered, left, updated, moved });
    this.#found = new Uint32Array(2 * simulation.capacity);
    this.#watchers = actorsWhere(simulation, (reach) => reach > 0);
  }

  protected override compare(): void {
    const { x, y, range, moved } = this.simulation;
    for (let i = 0; i < moved.count; i++) {
      if (range[moved.indices[i]!] === 0) throw new Error(`actor ${moved.indices[i]} is a thing, but moves`);
    }
    this.#things ??= this.#indexOf(actorsWhere(this.simulation, (reach) => reach === 0));
    const players = this.#indexOf(this.#watchers);
    const found = this.#found;
    for (const watcher of this.#watchers) {
      const reach = range[watcher]!;
      let count = 0;
      for (const { index, actors } of [this.#things, players]) {
        const places = found.subarray(count);
        const near = index.withinInto(x[watcher]!, y[watcher]!, reach * SEARCH_FACTOR, places);
        for (let i = 0; i < near; i++) places[i] = actors[places[i]!]!;
        count += keepInCircle(places, near, watcher, x, y, reach);
      }
      this.#difference(watcher, found, count);
    }
  }

  #indexOf(actors: Uint32Array): Indexed {
    const { x, y } = this.simulation;
    // kdbush throws for an empty index.
    const index = new KDBush(Math.max(1, actors.length), NODE_SIZE, Float32Array);
    for (const actor of actors) index.add(x[actor]!, y[actor]!);
    if (actors.length === 0) index.add(Number.MAX_VALUE, Number.MAX_VALUE);
    index.finish();
    return { actors, index };
  }
}

function actorsWhere({ capacity, range }: Simulation, isOne: (reach: number) => boolean): Uint32Array {
  const actors: number[] = [];
  for (let actor = 0; actor < capacity; actor++) if (isOne(range[actor]!)) actors.push(actor);
  return Uint32Array.from(actors);
}

export const kdbushThings: EngineKind = {
  name: 'kdbush-things',
  title: 'kdbush, things once + Sets kept',
  expectedTickMs: ({ perceived }) => 0.1 * perceived,
  create: (simulation, options) => new KdbushThingsPeer(simulation, options),
};
