/**
 * d3-quadtree and Sets: the quadtree that most JavaScript programs already have.
 *
 * Each tick builds a new tree of actors with `addAll`, which finds the extent first. Removing and adding each mover would
 * cost a walk from the root each, and all have moved. A search visits the nodes whose square touches the watcher's box,
 * as its documentation shows; the exact test then drops what lies in the corners of the box.
 *
 * Source: github.com/d3/d3-quadtree.
 */
import type { Simulation } from '@umwelt/scenarios';
import { type Quadtree, type QuadtreeInternalNode, type QuadtreeLeaf, quadtree } from 'd3-quadtree';
import { keepInCircle, SEARCH_FACTOR } from './circle-test.ts';
import type { EngineKind, EngineOptions } from './engine.ts';
import { Peer } from './peer.ts';
import { freshSets, type SetDifference } from './set-difference.ts';

type Node = QuadtreeInternalNode<number> | QuadtreeLeaf<number>;

class D3QuadtreePeer extends Peer {
  readonly #difference: SetDifference;
  readonly #found: Uint32Array;
  readonly #actors: readonly number[];

  constructor(simulation: Simulation, options: EngineOptions) {
    super(simulation, options);
    const { capacity } = simulation;
    const { entered, left, updated } = this;
    const moved = options.updates ? this.moved : undefined;
    this.#difference = freshSets(capacity, { entered, left, updated, moved });
    this.#found = new Uint32Array(capacity);
    this.#actors = Array.from({ length: capacity }, (_, actor) => actor);
  }

  protected override compare(): void {
    const { x, y, range, capacity } = this.simulation;
    const found = this.#found;
    const tree = quadtree<number>(
      this.#actors as number[],
      (actor) => x[actor]!,
      (actor) => y[actor]!,
    );
    for (let watcher = 0; watcher < capacity; watcher++) {
      const reach = range[watcher]!;
      if (reach === 0) continue;
      const near = this.#search(tree, x[watcher]!, y[watcher]!, reach * SEARCH_FACTOR);
      this.#difference(watcher, found, keepInCircle(found, near, watcher, x, y, reach));
    }
  }

  /** Fills `#found` with all actors in leaves that touch the box; returns how many. */
  #search(tree: Quadtree<number>, x: number, y: number, reach: number): number {
    const found = this.#found;
    const [minX, minY, maxX, maxY] = [x - reach, y - reach, x + reach, y + reach];
    let count = 0;
    tree.visit((node: Node, left, top, right, bottom) => {
      if (node.length === undefined) {
        for (let leaf: QuadtreeLeaf<number> | undefined = node; leaf !== undefined; leaf = leaf.next) {
          found[count++] = leaf.data;
        }
      }
      return left > maxX || right < minX || top > maxY || bottom < minY;
    });
    return count;
  }
}

export const d3Quadtree: EngineKind = {
  name: 'd3-quadtree',
  title: 'd3-quadtree + Set difference',
  expectedTickMs: ({ entities, perceived }) => (entities * (6000 + 500 * perceived)) / 1e6,
  create: (simulation, options) => new D3QuadtreePeer(simulation, options),
};
