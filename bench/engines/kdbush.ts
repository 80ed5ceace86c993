/**
 * kdbush and Sets: the usual way to do interest management in JavaScript, written with care.
 *
 * Each tick builds a new index (kdbush has no updates; building is the cheap part) and calls `withinInto` for every
 * watcher, which fills a scratch column instead of a new array. The result is compared with the watcher's Set.
 * Coordinates are float32, as given. The index's node size is its default, 64: smaller ones were not faster here, nor was
 * querying in the index's own order.
 *
 * Source: github.com/mourner/kdbush.
 */
import type { Simulation } from '@umwelt/scenarios';
import KDBush from 'kdbush';
import { keepInCircle, SEARCH_FACTOR } from './circle-test.ts';
import type { EngineKind, EngineOptions } from './engine.ts';
import { Peer } from './peer.ts';
import { freshSets, keptSets, type SetDifference, type SetDifferenceMaker } from './set-difference.ts';

const NODE_SIZE = 64;

class KdbushPeer extends Peer {
  readonly #difference: SetDifference;
  readonly #found: Uint32Array;

  constructor(simulation: Simulation, options: EngineOptions, makeDifference: SetDifferenceMaker) {
    super(simulation, options);
    const { entered, left, updated } = this;
    const moved = options.updates ? this.moved : undefined;
    this.#difference = makeDifference(simulation.capacity, { entered, left, updated, moved });
    this.#found = new Uint32Array(simulation.capacity);
  }

  protected override compare(): void {
    const { x, y, range, capacity } = this.simulation;
    const found = this.#found;
    const difference = this.#difference;
    const index = new KDBush(capacity, NODE_SIZE, Float32Array);
    for (let actor = 0; actor < capacity; actor++) index.add(x[actor]!, y[actor]!);
    index.finish();
    for (let watcher = 0; watcher < capacity; watcher++) {
      const reach = range[watcher]!;
      if (reach === 0) continue;
      const near = index.withinInto(x[watcher]!, y[watcher]!, reach * SEARCH_FACTOR, found);
      difference(watcher, found, keepInCircle(found, near, watcher, x, y, reach));
    }
  }
}

function expectedTickMs({ entities, perceived }: { entities: number; perceived: number }): number {
  return (entities * (600 + 120 * perceived)) / 1e6;
}

export const kdbush: EngineKind = {
  name: 'kdbush',
  title: 'kdbush + Set difference',
  expectedTickMs,
  create: (simulation, options) => new KdbushPeer(simulation, options, freshSets),
};

export const kdbushKept: EngineKind = {
  name: 'kdbush-kept',
  title: 'kdbush + Sets kept, tuned',
  expectedTickMs,
  create: (simulation, options) => new KdbushPeer(simulation, options, keptSets),
};
