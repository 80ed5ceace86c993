/**
 * Quadtree, in 3-D octree: space is halved only where many entities are, so searches skip distant regions quickly.
 *
 * Problem: a grid has a single cell size, and a world has cities and deserts. Method: a tree whose leaves hold up to
 * 24 entities (`quadtree/tree.ts`). Each node stores the bounding box of the entities below it, before and now, and
 * how far they reach. So a search skips whole subtrees that are out of reach, and those within the reach of all both
 * times, as in a dense crowd (`quadtree/leaf-search.ts`). Entities that moved a little are tested leaf by leaf
 * (`quadtree/leaf-join.ts`). Entities that were added, removed or changed, or that leaped, are processed one after
 * the other: each searches around its old position, is moved to its new position, and searches there. So of two such
 * entities that perceived each other, the first one processed finds the other at its old position; of two that
 * perceive each other now, the second one finds the first at its new position; for pairs with all others, the order
 * does not matter.
 *
 * Classic or loose: a loose tree has leaves that overlap, so that fewer moves change leaves. Here the classic tree
 * was faster: for 10,000 walkers, leaves a quarter of their edge wider took 1.3 times as long, half an edge 1.6, and
 * the same at 80 units/s. Searches use boxes, which grow with the leaves, and changing leaves is a hundredth of the
 * work.
 *
 * Memory: about 70 bytes an entity. Cost: 0.7 us for each of 10,000 walkers that perceive 30, half of it tests of
 * pairs; some 2 us for an entity that was added, removed or changed or that leaped, and more if it meets many. No
 * cost for stationary entities. The depth is at most 82, from cells of 2^41 units to 2^-40, and about log n; all
 * entities on one point are in one leaf. Sources: Finkel and Bentley, "Quad Trees: A Data Structure for Retrieval on
 * Composite Keys", 1974; Samet, "The Design and Analysis of Spatial Data Structures", 1990.
 */
import type { EntityState } from '../entities/entity-state.ts';
import type { EntityStore } from '../entities/entity-store.ts';
import { MOVED } from '../entities/pending.ts';
import { SEARCH_SLACK } from '../entities/reach-limits.ts';
import { type Bounds, visitorWithin } from './bounds.ts';
import type { Crossings } from './crossings.ts';
import type { Detector, DetectorFactory, SlotVisitor } from './detector.ts';
import { PairSieve } from './pairs/pair-sieve.ts';
import { columnZ, normSquared, type ReachNorm, reachNorm } from './pairs/reach-norm.ts';
import { mutualReach } from './pairs/reach-traits.ts';
import { DECISIVE, TickWitness } from './pairs/tick-witness.ts';
import { LeafJoin } from './quadtree/leaf-join.ts';
import { LeafSearch } from './quadtree/leaf-search.ts';
import { ARRIVED, CROSSES, RESTS, STAYS, Tree } from './quadtree/tree.ts';
import { checkTree } from './quadtree/tree-check.ts';
import { NONE, OTHERS, WATCHERS } from './quadtree/tree-nodes.ts';
import { describeTree, sketchTree } from './quadtree/tree-picture.ts';
import { assertRoom } from './slot-room.ts';
import type { StructureSketch } from './structure-sketch.ts';

/** A leap is a step longer than these shares of the leaf's edge and of the longest range in the leaf. */
const LEAP_OF_EDGE = 1 / 2;
const LEAP_OF_RANGE = 1 / 4;

export const quadtree: DetectorFactory = (store) => new Quadtree(store);

class Quadtree implements Detector {
  readonly name = 'quadtree';
  readonly #tree: Tree;
  readonly #norm: ReachNorm;
  readonly #search: LeafSearch;
  readonly #join: LeafJoin;
  readonly #sieve: PairSieve;
  readonly #witness = new TickWitness();
  /** Pending slots that are still to be processed one by one. */
  #crossing = new Int32Array(0);
  #crossingCount = 0;
  /** Whether the last `detect` completed. */
  #isWhole = true;

  constructor(store: EntityStore) {
    this.#tree = new Tree(store);
    this.#norm = reachNorm(store.settings);
    this.#search = new LeafSearch(this.#tree, this.#norm);
    this.#sieve = new PairSieve(store);
    this.#join = new LeafJoin(this.#tree, this.#search, this.#sieve);
    this.#grow(store.capacity);
    this.#rebuild(store);
  }

  get memoryBytes(): number {
    const own = this.#crossing.byteLength + this.#search.memoryBytes + this.#join.memoryBytes;
    return own + this.#tree.memoryBytes;
  }

  /** Number of slots that may be pending at once. */
  get slotRoom(): number {
    return this.#crossing.length;
  }

  detect(store: EntityStore, out: Crossings): void {
    if (store.pendingCount === 0) return;
    this.#follow(store);
    assertRoom(store, [this.#tree, this.#join, this]);
    this.#isWhole = false;
    this.#tree.load(store);
    if (this.#divide(store)) {
      this.#relink(store);
      this.#tree.refresh();
      this.#sieve.load(out);
      for (let i = 0; i < this.#crossingCount; i++) this.#takeTurn(store, this.#crossing[i]);
      this.#join.run(store);
      const { pendingSlots, pendingCount } = store;
      for (let i = 0; i < pendingCount; i++) this.#tree.roles[pendingSlots[i]] = RESTS;
      this.#witness.note(store);
    }
    this.#isWhole = true;
  }

  collect(store: EntityStore, bounds: Bounds, visit: SlotVisitor): void {
    this.#follow(store);
    if (this.#tree.root !== NONE) this.#collectBelow(store, this.#tree.root, bounds, visit);
  }

  validate(store: EntityStore): void {
    this.#follow(store);
    checkTree(this.#tree, store);
  }

  describe(): string {
    return describeTree(this.#tree);
  }

  /** The cells of the leaves, with the number of their members. */
  sketch(store: EntityStore, sketch: StructureSketch): void {
    this.#follow(store);
    sketchTree(this.#tree, sketch);
  }

  /** Makes room, and rebuilds everything if the tick that `detect` prepared failed afterwards. */
  #follow(store: EntityStore): void {
    this.#grow(store.capacity);
    if (!this.#isWhole || !this.#witness.holds(store)) this.#rebuild(store);
  }

  #grow(capacity: number): void {
    this.#tree.grow(capacity);
    this.#join.grow(capacity);
    if (capacity > this.slotRoom) this.#crossing = new Int32Array(capacity);
  }

  /** Builds the tree of all entities present at the last tick. */
  #rebuild(store: EntityStore): void {
    this.#isWhole = false;
    const tree = this.#tree;
    tree.clear();
    tree.load(store);
    for (let slot = 0; slot < store.slotCount; slot++) {
      if (!store.last.isPresent(slot)) continue;
      tree.traits.read(store.last, slot);
      tree.link(slot);
    }
    this.#witness.clear();
    this.#isWhole = true;
  }

  /** Gives roles to pending slots; returns false if none is pending. */
  #divide(store: EntityStore): boolean {
    const { pending, pendingSlots, pendingCount } = store;
    const { roles } = this.#tree;
    let any = false;
    this.#crossingCount = 0;
    for (let i = 0; i < pendingCount; i++) {
      const slot = pendingSlots[i];
      const bits = pending[slot] & DECISIVE;
      if (bits === 0) continue;
      any = true;
      if (bits === MOVED && !this.#isLeap(store, slot)) {
        roles[slot] = STAYS;
      } else {
        roles[slot] = CROSSES;
        this.#crossing[this.#crossingCount++] = slot;
      }
    }
    return any;
  }

  #isLeap({ settings, last, now }: EntityStore, slot: number): boolean {
    const { nodes, leafOf } = this.#tree;
    const leaf = leafOf[slot];
    const { scaleX, scaleY, scaleZ, kind } = this.#norm;
    const dx = (now.x[slot] - last.x[slot]) * scaleX;
    const dy = (now.y[slot] - last.y[slot]) * scaleY;
    const dz = scaleZ === 0 ? 0 : (columnZ(settings, now)[slot] - columnZ(settings, last)[slot]) * scaleZ;
    const step = Math.max(2 ** nodes.level[leaf] * LEAP_OF_EDGE, nodes.widest[leaf] * LEAP_OF_RANGE);
    return normSquared(kind, dx, dy, dz) > step * step;
  }

  /**
   * Moves slots that stay but left the cell of their leaf to their new place; the leaves of the others grow to
   * contain them.
   */
  #relink(store: EntityStore): void {
    const { pendingSlots, pendingCount, now } = store;
    const tree = this.#tree;
    const { roles, leafOf } = tree;
    // All are unlinked before any is inserted: so a leaf that splits has only members inside its cell.
    for (let i = 0; i < pendingCount; i++) {
      const slot = pendingSlots[i];
      if (roles[slot] !== STAYS) continue;
      if (tree.mayStay(slot, now)) tree.nodes.markDirty(leafOf[slot]);
      else tree.unlink(slot);
    }
    for (let i = 0; i < pendingCount; i++) {
      const slot = pendingSlots[i];
      if (roles[slot] === STAYS && leafOf[slot] === NONE) tree.link(slot);
    }
  }

  /**
   * Processes a slot that was added, removed or changed, or that leaped: tests it around its old position, then
   * around its new one.
   */
  #takeTurn(store: EntityStore, slot: number): void {
    const tree = this.#tree;
    const { last, now } = store;
    if (last.isPresent(slot)) {
      this.#testAround(store, last, slot);
      tree.unlink(slot);
    }
    tree.roles[slot] = ARRIVED;
    if (!now.isPresent(slot)) return;
    tree.traits.read(now, slot);
    tree.link(slot);
    this.#testAround(store, now, slot);
  }

  /** Tests a slot with all entities that it may perceive in `state`, or that may perceive it. */
  #testAround(store: EntityStore, state: EntityState, slot: number): void {
    const search = this.#search;
    const z = columnZ(store.settings, state);
    search.clear();
    search.includePlace(state.x[slot], state.y[slot], z[slot]);
    search.includeReach(slot);
    const count = search.run(false);
    const { nodes, traits } = this.#tree;
    const { found } = search;
    const watches = traits.widest[slot] > 0;
    for (let i = 0; i < count; i++) {
      const first = 2 * found[i];
      this.#testList(store, state, slot, nodes.heads[first + WATCHERS]);
      if (watches) this.#testList(store, state, slot, nodes.heads[first + OTHERS]);
    }
  }

  #testList(store: EntityStore, state: EntityState, slot: number, head: number): void {
    const { next, traits } = this.#tree;
    const { widest, loudest, minReach } = traits;
    const { scaleX, scaleY, scaleZ, kind } = this.#norm;
    const { test } = this.#sieve;
    const { x, y, flags } = state;
    const z = columnZ(store.settings, state);
    for (let other = head; other !== NONE; other = next[other]) {
      const reach = mutualReach(
        widest[slot],
        loudest[slot],
        minReach[slot],
        widest[other],
        loudest[other],
        minReach[other],
      );
      const far = reach * SEARCH_SLACK;
      const dx = (x[other] - x[slot]) * scaleX;
      const dy = (y[other] - y[slot]) * scaleY;
      const dz = (z[other] - z[slot]) * scaleZ;
      const isNear = reach > 0 && normSquared(kind, dx, dy, dz) <= far * far;
      if (isNear && flags[other] !== 0 && other !== slot) test.both(slot, other);
    }
  }

  #collectBelow(store: EntityStore, top: number, bounds: Bounds, visit: SlotVisitor): void {
    const { nodes, next } = this.#tree;
    const { minX, minY, minZ, maxX, maxY, maxZ } = bounds;
    const is3D = store.settings.dimensions === 3;
    const visitWithin = visitorWithin(store, bounds, visit);
    // The visitor may start another search, so no state is kept outside of this call.
    const stack = [top];
    for (let node = stack.pop(); node !== undefined; node = stack.pop()) {
      if (nodes.minX[node] > maxX || nodes.maxX[node] < minX) continue;
      if (nodes.minY[node] > maxY || nodes.maxY[node] < minY) continue;
      if (is3D && (nodes.minZ[node] > maxZ || nodes.maxZ[node] < minZ)) continue;
      for (let list = WATCHERS; list <= OTHERS; list++) {
        for (let slot = nodes.heads[2 * node + list]; slot !== NONE; slot = next[slot]) visitWithin(slot);
      }
      for (let i = 0; i < nodes.fan; i++) {
        const child = nodes.children[node * nodes.fan + i];
        if (child !== NONE) stack.push(child);
      }
    }
  }
}
