/**
 * Finds the leaves that matter to a query box: those with any entity that might perceive an entity in the box, or be
 * perceived by one.
 *
 * Problem: most of the tree must be skipped in few steps. Method: from the root down, a node is skipped if its box is
 * farther from the query box than any entity of one reaches any of the other, either way; if neither side watches,
 * always. So a watcher that sees the whole world, or a marker perceived in all of it, costs the nodes above it and
 * its own leaf, and does not affect other leaves. A search for crossings also skips the opposite case: boxes so close
 * together, at the last tick and now, that the shortest reach of any entity covers both. That keeps a dense crowd in
 * which all perceive all from testing every pair. Memory: 4 bytes a leaf. Cost: some 5 ns for each visited node.
 */
import type { EntityStore } from '../../entities/entity-store.ts';
import { SEARCH_SLACK } from '../../entities/reach-limits.ts';
import { columnZ, normSquared, type ReachNorm } from '../pairs/reach-norm.ts';
import { mutualReach } from '../pairs/reach-traits.ts';
import type { Tree } from './tree.ts';
import { NONE } from './tree-nodes.ts';

/** A reach certainly covers a distance, despite float32 squares, if it is longer by this factor. */
const SURELY = 1 - 2 ** -20;

export class LeafSearch {
  /** The leaves found. */
  found = new Int32Array(64);
  /** The query box, world units; in 2-D y is used for z. */
  minX = 0;
  minY = 0;
  minZ = 0;
  maxX = 0;
  maxY = 0;
  maxZ = 0;
  /** The reach of the entities in the query box: see `ReachTraits`. */
  widest = 0;
  narrowest = 0;
  loudest = 0;
  quietest = 0;
  minReach = 0;
  readonly #tree: Tree;
  readonly #norm: ReachNorm;
  #stack = new Int32Array(64);

  constructor(tree: Tree, norm: ReachNorm) {
    this.#tree = tree;
    this.#norm = norm;
  }

  get memoryBytes(): number {
    return this.found.byteLength + this.#stack.byteLength;
  }

  /** Resets the query to no entity. */
  clear(): void {
    this.minX = this.minY = this.minZ = Number.POSITIVE_INFINITY;
    this.maxX = this.maxY = this.maxZ = Number.NEGATIVE_INFINITY;
    this.widest = this.loudest = this.minReach = 0;
    this.narrowest = this.quietest = Number.POSITIVE_INFINITY;
  }

  includePlace(x: number, y: number, z: number): void {
    if (x < this.minX) this.minX = x;
    if (x > this.maxX) this.maxX = x;
    if (y < this.minY) this.minY = y;
    if (y > this.maxY) this.maxY = y;
    if (z < this.minZ) this.minZ = z;
    if (z > this.maxZ) this.maxZ = z;
  }

  includeReach(slot: number): void {
    const { widest, narrowest, loudest, quietest, minReach } = this.#tree.traits;
    if (widest[slot] > this.widest) this.widest = widest[slot];
    if (narrowest[slot] < this.narrowest) this.narrowest = narrowest[slot];
    if (loudest[slot] > this.loudest) this.loudest = loudest[slot];
    if (quietest[slot] < this.quietest) this.quietest = quietest[slot];
    if (minReach[slot] > this.minReach) this.minReach = minReach[slot];
  }

  /**
   * Writes the leaves that matter to `found`, and returns how many. `forCrossings`: without leaves of which all pairs
   * are within reach.
   */
  run(forCrossings: boolean): number {
    const { nodes, root } = this.#tree;
    if (root === NONE) return 0;
    const { isLeaf, children, fan } = nodes;
    // Every node on the stack is a child of another one below it, or a sibling: never more than all nodes.
    if (this.#stack.length < nodes.count) this.#stack = new Int32Array(2 * nodes.count);
    if (this.found.length < nodes.count) this.found = new Int32Array(2 * nodes.count);
    const stack = this.#stack;
    const found = this.found;
    let count = 0;
    let depth = 0;
    if (this.#matters(root, forCrossings)) stack[depth++] = root;
    while (depth > 0) {
      const node = stack[--depth];
      if (isLeaf[node] !== 0) {
        found[count++] = node;
        continue;
      }
      const first = node * fan;
      for (let i = first; i < first + fan; i++) {
        const child = children[i];
        if (child !== NONE && this.#matters(child, forCrossings)) stack[depth++] = child;
      }
    }
    return count;
  }

  /** Whether all entities of the query perceive one another, before and now, as far as distance decides. */
  isWithinItself(): boolean {
    const { scaleX, scaleY, scaleZ, kind } = this.#norm;
    const near = this.narrowest * this.quietest * SURELY;
    const spanX = (this.maxX - this.minX) * scaleX;
    const spanY = (this.maxY - this.minY) * scaleY;
    return normSquared(kind, spanX, spanY, (this.maxZ - this.minZ) * scaleZ) <= near * near;
  }

  /** Keeps the slots of `slots[from .. to)` that matter themselves, before or now; returns their end. */
  keepMembers({ settings, last, now }: EntityStore, slots: Int32Array, from: number, to: number): number {
    const { widest, loudest, minReach } = this.#tree.traits;
    const lastZ = columnZ(settings, last);
    const nowZ = columnZ(settings, now);
    let kept = from;
    for (let i = from; i < to; i++) {
      const slot = slots[i];
      const far = this.#reachTo(widest[slot], loudest[slot], minReach[slot]) * SEARCH_SLACK;
      if (far === 0) continue;
      const before = this.#gapSquared(last.x[slot], last.y[slot], lastZ[slot]);
      const after = this.#gapSquared(now.x[slot], now.y[slot], nowZ[slot]);
      if (before <= far * far || after <= far * far) slots[kept++] = slot;
    }
    return kept;
  }

  /** Squared distance of a position from the query box. */
  #gapSquared(x: number, y: number, z: number): number {
    const { scaleX, scaleY, scaleZ, kind } = this.#norm;
    const gapX = x < this.minX ? this.minX - x : x > this.maxX ? x - this.maxX : 0;
    const gapY = y < this.minY ? this.minY - y : y > this.maxY ? y - this.maxY : 0;
    const gapZ = z < this.minZ ? this.minZ - z : z > this.maxZ ? z - this.maxZ : 0;
    return normSquared(kind, gapX * scaleX, gapY * scaleY, gapZ * scaleZ);
  }

  #reachTo(widest: number, loudest: number, minReach: number): number {
    return mutualReach(this.widest, this.loudest, this.minReach, widest, loudest, minReach);
  }

  #matters(node: number, forCrossings: boolean): boolean {
    const { nodes } = this.#tree;
    const { scaleX, scaleY, scaleZ, kind } = this.#norm;
    const reach = this.#reachTo(nodes.widest[node], nodes.loudest[node], nodes.minReach[node]);
    if (reach === 0) return false;
    const rightX = nodes.maxX[node] - this.minX;
    const leftX = this.maxX - nodes.minX[node];
    const rightY = nodes.maxY[node] - this.minY;
    const leftY = this.maxY - nodes.minY[node];
    const rightZ = nodes.maxZ[node] - this.minZ;
    const leftZ = this.maxZ - nodes.minZ[node];
    const gapX = rightX < 0 ? rightX : leftX < 0 ? leftX : 0;
    const gapY = rightY < 0 ? rightY : leftY < 0 ? leftY : 0;
    const gapZ = rightZ < 0 ? rightZ : leftZ < 0 ? leftZ : 0;
    const far = reach * SEARCH_SLACK;
    if (normSquared(kind, gapX * scaleX, gapY * scaleY, gapZ * scaleZ) > far * far) return false;
    if (!forCrossings) return true;
    const asWatchers = this.narrowest * nodes.quietest[node];
    const asMarkers = nodes.narrowest[node] * this.quietest;
    const near = (asWatchers < asMarkers ? asWatchers : asMarkers) * SURELY;
    const spanX = rightX > leftX ? rightX : leftX;
    const spanY = rightY > leftY ? rightY : leftY;
    const spanZ = rightZ > leftZ ? rightZ : leftZ;
    return normSquared(kind, spanX * scaleX, spanY * scaleY, spanZ * scaleZ) > near * near;
  }
}
