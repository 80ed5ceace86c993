/**
 * rbush and Sets: the same with the other well-known index of the JavaScript world, an R-tree.
 *
 * Each tick clears the tree and bulk-loads all items anew, which its author recommends over removing and inserting when
 * all have moved. The items are points that are kept from tick to tick, so loading makes no garbage but the tree's own.
 * rbush answers boxes; the exact test drops what lies in their corners.
 *
 * Source: github.com/mourner/rbush.
 */
import type { Simulation } from '@umwelt/scenarios';
import RBush from 'rbush';
import { keepInCircle, SEARCH_FACTOR } from './circle-test.ts';
import type { EngineKind, EngineOptions } from './engine.ts';
import { Peer } from './peer.ts';
import { freshSets, type SetDifference } from './set-difference.ts';

interface PointItem {
  minX: number;
  minY: number;
  maxX: number;
  maxY: number;
  readonly actor: number;
}

class RbushPeer extends Peer {
  readonly #tree = new RBush<PointItem>();
  readonly #items: PointItem[];
  readonly #difference: SetDifference;
  readonly #found: Uint32Array;

  constructor(simulation: Simulation, options: EngineOptions) {
    super(simulation, options);
    const { capacity } = simulation;
    const { entered, left, updated } = this;
    const moved = options.updates ? this.moved : undefined;
    this.#items = Array.from({ length: capacity }, (_, actor) => ({
      minX: 0.5,
      minY: 0.5,
      maxX: 0.5,
      maxY: 0.5,
      actor,
    }));
    this.#difference = freshSets(capacity, { entered, left, updated, moved });
    this.#found = new Uint32Array(capacity);
  }

  protected override compare(): void {
    const { x, y, range, capacity } = this.simulation;
    const found = this.#found;
    for (const item of this.#items) {
      item.minX = item.maxX = x[item.actor]!;
      item.minY = item.maxY = y[item.actor]!;
    }
    this.#tree.clear();
    this.#tree.load(this.#items);
    const box = { minX: 0.5, minY: 0.5, maxX: 0.5, maxY: 0.5 };
    for (let watcher = 0; watcher < capacity; watcher++) {
      const reach = range[watcher]!;
      if (reach === 0) continue;
      const searched = reach * SEARCH_FACTOR;
      box.minX = x[watcher]! - searched;
      box.minY = y[watcher]! - searched;
      box.maxX = x[watcher]! + searched;
      box.maxY = y[watcher]! + searched;
      const items = this.#tree.search(box);
      for (let i = 0; i < items.length; i++) found[i] = items[i]!.actor;
      this.#difference(watcher, found, keepInCircle(found, items.length, watcher, x, y, reach));
    }
  }

  override dispose(): void {
    this.#tree.clear();
  }
}

export const rbush: EngineKind = {
  name: 'rbush',
  title: 'rbush + Set difference',
  expectedTickMs: ({ entities, perceived }) => (entities * (3000 + 300 * perceived)) / 1e6,
  create: (simulation, options) => new RbushPeer(simulation, options),
};
