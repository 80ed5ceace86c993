/**
 * Tests the pairs of all entities that moved a little: leaf by leaf, the moved entities (movers) of each leaf
 * together against those around it.
 *
 * Problem: all entities in one leaf have the same surroundings, and a pair of two movers must be tested once. Method:
 * the movers of a leaf search together for the leaves that matter to them, gather their members, and each mover is
 * tested against that list. Then the movers become settled, and later leaves do not gather them. The list is arranged
 * so that entities that watch nothing are tested only against watchers:
 *
 *   | movers, others | movers, watchers | around, watchers | around, others |
 *     each: along watchers, both kinds
 *                      each: along all that follow
 *
 * Movers search in groups whose reaches differ by at most a factor of two, so that one far-seeing entity does not
 * make the others of its leaf search as far.
 *
 * Memory: 8 bytes a slot. Cost: some 5 ns for each gathered entity, 4 ns a pair: about 35 pairs for a walker that
 * perceives 30.
 */
import type { EntityStore } from '../../entities/entity-store.ts';
import type { PairSieve } from '../pairs/pair-sieve.ts';
import { columnZ } from '../pairs/reach-norm.ts';
import type { LeafSearch } from './leaf-search.ts';
import { RESTS, SETTLED, STAYS, type Tree } from './tree.ts';
import { NONE, OTHERS, WATCHERS } from './tree-nodes.ts';

/** Maximum ratio of the longest to the shortest reach in a group. */
const SPREAD = 2;

export class LeafJoin {
  readonly #tree: Tree;
  readonly #search: LeafSearch;
  readonly #sieve: PairSieve;
  /** The movers of a leaf that have not searched yet. */
  #movers = new Int32Array(0);
  /** The list described above, and its end. */
  #list = new Int32Array(0);
  #listEnd = 0;

  constructor(tree: Tree, search: LeafSearch, sieve: PairSieve) {
    this.#tree = tree;
    this.#search = search;
    this.#sieve = sieve;
  }

  get memoryBytes(): number {
    return this.#movers.byteLength + this.#list.byteLength;
  }

  get slotRoom(): number {
    return this.#list.length;
  }

  grow(capacity: number): void {
    if (capacity <= this.slotRoom) return;
    this.#movers = new Int32Array(capacity);
    this.#list = new Int32Array(capacity);
  }

  /** Tests all pairs of which one stays and the other stays or rests. Afterwards, slots that stay are settled. */
  run(store: EntityStore): void {
    const { pendingSlots, pendingCount } = store;
    const { roles, leafOf } = this.#tree;
    for (let i = 0; i < pendingCount; i++) {
      const slot = pendingSlots[i];
      if (roles[slot] === STAYS) this.#joinLeaf(store, leafOf[slot]);
    }
  }

  #joinLeaf(store: EntityStore, leaf: number): void {
    const { nodes, next, roles } = this.#tree;
    const movers = this.#movers;
    const list = this.#list;
    let left = 0;
    for (let kind = WATCHERS; kind <= OTHERS; kind++) {
      for (let slot = nodes.heads[2 * leaf + kind]; slot !== NONE; slot = next[slot]) {
        if (roles[slot] === STAYS) movers[left++] = slot;
      }
    }
    while (left > 0) {
      let shortest = Number.POSITIVE_INFINITY;
      for (let i = 0; i < left; i++) shortest = Math.min(shortest, this.#reachIn(leaf, movers[i]));
      let count = 0;
      let kept = 0;
      for (let i = 0; i < left; i++) {
        if (this.#reachIn(leaf, movers[i]) <= SPREAD * shortest) list[count++] = movers[i];
        else movers[kept++] = movers[i];
      }
      this.#joinMovers(store, count);
      left = kept;
    }
  }

  /** How far a member of a leaf perceives, or is perceived by members of its leaf. World units. */
  #reachIn(leaf: number, slot: number): number {
    const { widest, loudest, minReach } = this.#tree.traits;
    return Math.max(widest[slot], loudest[slot] * this.#tree.nodes.widest[leaf], minReach[slot]);
  }

  /** Tests the pairs of the first `moverCount` slots of the list. */
  #joinMovers(store: EntityStore, moverCount: number): void {
    const { settings, last, now } = store;
    const { roles, traits } = this.#tree;
    const search = this.#search;
    const list = this.#list;
    const { widest } = traits;
    const lastZ = columnZ(settings, last);
    const nowZ = columnZ(settings, now);
    search.clear();
    let otherCount = 0;
    for (let i = 0; i < moverCount; i++) {
      const slot = list[i];
      roles[slot] = SETTLED;
      search.includePlace(last.x[slot], last.y[slot], lastZ[slot]);
      search.includePlace(now.x[slot], now.y[slot], nowZ[slot]);
      search.includeReach(slot);
      if (widest[slot] > 0) continue;
      list[i] = list[otherCount];
      list[otherCount++] = slot;
    }
    const watcherEnd = this.#gather(store, moverCount, otherCount < moverCount);
    const areAllInReach = search.isWithinItself();
    const sieve = this.#sieve;
    for (let i = 0; i < otherCount; i++) {
      sieve.sift(list[i], list, areAllInReach ? moverCount : otherCount, watcherEnd);
    }
    for (let i = otherCount; i < moverCount; i++) {
      sieve.sift(list[i], list, areAllInReach ? moverCount : i + 1, this.#listEnd);
    }
  }

  /**
   * Appends the surrounding slots that stay or rest: watchers, then others if requested. Returns the end of the
   * watchers.
   */
  #gather(store: EntityStore, from: number, withOthers: boolean): number {
    const leafCount = this.#search.run(true);
    const watcherEnd = this.#gatherList(store, WATCHERS, leafCount, from);
    this.#listEnd = withOthers ? this.#gatherList(store, OTHERS, leafCount, watcherEnd) : watcherEnd;
    return watcherEnd;
  }

  #gatherList(store: EntityStore, kind: number, leafCount: number, from: number): number {
    const { nodes, next, roles } = this.#tree;
    const search = this.#search;
    const { found } = search;
    const list = this.#list;
    let end = from;
    for (let i = 0; i < leafCount; i++) {
      const leaf = found[i];
      const begin = end;
      for (let slot = nodes.heads[2 * leaf + kind]; slot !== NONE; slot = next[slot]) {
        if (roles[slot] === RESTS || roles[slot] === STAYS) list[end++] = slot;
      }
      if (this.#isMixed(leaf)) end = search.keepMembers(store, list, begin, end);
    }
    return end;
  }

  /** Whether a leaf may matter only because of a few members that reach farther than the rest. */
  #isMixed(leaf: number): boolean {
    const { widest, narrowest, loudest, quietest, minReach } = this.#tree.nodes;
    return (
      minReach[leaf] > 0 ||
      (widest[leaf] > 0 && widest[leaf] > SPREAD * narrowest[leaf]) ||
      (loudest[leaf] > 1 && loudest[leaf] > SPREAD * quietest[leaf])
    );
  }
}
