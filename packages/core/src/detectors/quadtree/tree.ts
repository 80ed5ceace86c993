/**
 * A quadtree of slots that skips levels; in 3-D an octree.
 *
 * Problem: space must be halved only where many entities are, and neither a pile on one point nor a single entity at
 * 1e12 may create long chains of nodes. Method: a leaf is a quadrant of its parent and holds up to 24 members. A leaf
 * that overflows becomes the smallest cell that contains all its members and splits there, so every inner node has at
 * least two children and there are never more inner nodes than leaves, wherever the members are. A position outside
 * of the smaller cell gets an inner node around both. Members that lie in one of the smallest cells stay in one leaf
 * however many they are, until one moves away. A subtree that shrinks to 12 members becomes a leaf again; between 12
 * and 24 nothing changes (hysteresis).
 *
 * A member's place is that at the last tick until it is processed, then that of now (see the roles). For members that
 * stay in the tree while they move, the box spans both. Members are in doubly linked lists by slot, watchers and
 * others apart.
 *
 * Memory: 33 bytes a slot and, at one node for 8 members, 14 of nodes. Cost: O(depth) to link or unlink one, 0.1 us.
 */
import { grown } from '../../columns.ts';
import type { EntityState } from '../../entities/entity-state.ts';
import type { EntityStore } from '../../entities/entity-store.ts';
import { columnZ } from '../pairs/reach-norm.ts';
import { ReachTraits } from '../pairs/reach-traits.ts';
import { cellNumber, MIN_LEVEL, NONE, OTHERS, TreeNodes, UNIVERSE, WATCHERS } from './tree-nodes.ts';

/** Roles by slot: its place in the tree, and whether its pairs must still be tested. */
export const RESTS = 0;
/** It was added, removed or changed, or it leaped, and is not processed yet: at its old place. */
export const CROSSES = 1;
/** It is processed: at its new place. */
export const ARRIVED = 2;
/** It moved a little: at its old and its new place. */
export const STAYS = 3;
/** As STAYS, and its pairs are tested. */
export const SETTLED = 4;

/**
 * Maximum number of members of a leaf. Measured: of 16, 24, 32 and 48 the best over all densities, in 2-D and 3-D.
 */
export const LEAF_CAPACITY = 24;
/** Number of members below an inner node at which it becomes a leaf. */
export const MERGED = 12;
const NOTHING: Float32Array = new Float32Array(0);

export class Tree {
  readonly nodes: TreeNodes;
  root = NONE;
  readonly traits = new ReachTraits();
  /** By slot: a role; RESTS between ticks. */
  roles = new Uint8Array(0);
  /** By slot: its leaf, or NONE. */
  leafOf = new Int32Array(0);
  /** By slot: the next member of its leaf, or NONE. */
  next = new Int32Array(0);
  previous = new Int32Array(0);
  #lastX = NOTHING;
  #lastY = NOTHING;
  #lastZ = NOTHING;
  #nowX = NOTHING;
  #nowY = NOTHING;
  #nowZ = NOTHING;
  readonly #is3D: boolean;

  constructor({ settings }: EntityStore) {
    this.nodes = new TreeNodes(settings.dimensions);
    this.#is3D = settings.dimensions === 3;
  }

  get memoryBytes(): number {
    const links = this.leafOf.byteLength + this.next.byteLength + this.previous.byteLength;
    return links + this.roles.byteLength + this.traits.memoryBytes + this.nodes.memoryBytes;
  }

  get slotRoom(): number {
    return Math.min(this.previous.length, this.traits.slotRoom);
  }

  grow(capacity: number): void {
    if (capacity <= this.slotRoom) return;
    this.roles = new Uint8Array(capacity);
    this.leafOf = grown(this.leafOf, capacity, NONE);
    this.next = grown(this.next, capacity);
    this.previous = grown(this.previous, capacity);
    this.traits.grow(capacity);
  }

  /** Looks up the columns. Call it first in each tick, because columns move. */
  load({ settings, last, now }: EntityStore): void {
    this.#lastX = last.x;
    this.#lastY = last.y;
    this.#lastZ = columnZ(settings, last);
    this.#nowX = now.x;
    this.#nowY = now.y;
    this.#nowZ = columnZ(settings, now);
  }

  clear(): void {
    this.nodes.clear();
    this.root = NONE;
    this.roles.fill(RESTS);
    this.leafOf.fill(NONE);
  }

  /**
   * Whether a slot that moves to its position in `state` stays in its leaf: it is in the leaf's cell, and does not
   * leave a pile.
   */
  mayStay(slot: number, state: EntityState): boolean {
    return this.nodes.isPoint[this.leafOf[slot]] === 0 && this.#isInLeaf(slot, state);
  }

  /** Inserts a slot that is in no leaf at its place by its role. Its traits must be known. */
  link(slot: number): void {
    const { nodes } = this;
    const x = this.#xOf(slot);
    const y = this.#yOf(slot);
    const z = this.#zOf(slot);
    if (this.root === NONE) {
      this.root = nodes.allocate();
      nodes.setCell(this.root, UNIVERSE, -0.5, -0.5, -0.5);
    } else if (nodes.isLeaf[this.root] === 0 && !nodes.contains(this.root, x, y, z)) {
      this.root = this.#nodeAround(this.root, x, y, z);
    }
    this.#linkBelow(this.root, slot, x, y, z);
  }

  /** Removes a slot from its leaf; nodes that are no longer needed are freed. */
  unlink(slot: number): void {
    const { nodes } = this;
    const { parent, members } = nodes;
    const leaf = this.leafOf[slot];
    this.#takeOut(slot, leaf);
    nodes.markDirty(leaf);
    if (members[leaf] <= LEAF_CAPACITY + 1) nodes.isPoint[leaf] = 0;
    let top = leaf;
    for (let node = leaf; node !== NONE; node = parent[node]) {
      members[node]--;
      if (members[node] <= MERGED) top = node;
    }
    if (members[top] === 0) this.#detach(top);
    else if (nodes.isLeaf[top] === 0) this.#merge(top);
  }

  /** Recomputes boxes and reaches that may be too large. */
  refresh(): void {
    if (this.root !== NONE) this.#refreshBelow(this.root);
  }

  #isInLeaf(slot: number, state: EntityState): boolean {
    const z = this.#is3D ? state.z[slot] : 0;
    return this.nodes.contains(this.leafOf[slot], state.x[slot], state.y[slot], z);
  }

  #linkBelow(top: number, slot: number, x: number, y: number, z: number): void {
    const { nodes } = this;
    const { children, isLeaf, members, fan } = nodes;
    let node = top;
    while (isLeaf[node] === 0) {
      members[node]++;
      this.#widen(node, slot);
      const quadrant = nodes.quadrantOf(node, x, y, z);
      let child = children[node * fan + quadrant];
      if (child === NONE) {
        child = nodes.allocate();
        this.#attach(child, node, quadrant);
        nodes.setQuadrantCell(child, node, quadrant);
        this.#linkBelow(child, slot, x, y, z);
        return;
      }
      if (isLeaf[child] === 0 && !nodes.contains(child, x, y, z)) {
        child = this.#nodeAround(child, x, y, z);
        this.#linkBelow(child, slot, x, y, z);
        return;
      }
      node = child;
    }
    members[node]++;
    this.#widen(node, slot);
    this.#putIn(slot, node);
    if (members[node] > LEAF_CAPACITY) this.#settleOverflow(node, slot, x, y, z);
  }

  /** Splits a full leaf, unless its members and the new one lie in one of the smallest cells. */
  #settleOverflow(leaf: number, slot: number, x: number, y: number, z: number): void {
    if (this.nodes.isPoint[leaf] !== 0) {
      const other = this.#memberBeside(leaf, slot);
      const isSame =
        areInSmallest(x, this.#xOf(other)) &&
        areInSmallest(y, this.#yOf(other)) &&
        areInSmallest(z, this.#zOf(other));
      if (isSame) return;
    }
    this.#split(leaf);
  }

  #memberBeside(leaf: number, slot: number): number {
    const { heads } = this.nodes;
    const first = heads[2 * leaf + WATCHERS];
    if (first !== NONE && first !== slot) return first;
    const other = first === NONE ? NONE : this.next[first];
    if (other !== NONE) return other;
    const last = heads[2 * leaf + OTHERS];
    return last === slot ? this.next[last] : last;
  }

  #split(leaf: number): void {
    const { nodes, next } = this;
    const first = this.#gather(leaf, NONE);
    const [minX, maxX] = this.#extentOf(first, this.#lastX, this.#nowX);
    const [minY, maxY] = this.#extentOf(first, this.#lastY, this.#nowY);
    const [minZ, maxZ] = this.#is3D ? this.#extentOf(first, this.#lastZ, this.#nowZ) : [0, 0];
    let level = nodes.level[leaf];
    while (
      level > MIN_LEVEL &&
      cellNumber(minX, level - 1) === cellNumber(maxX, level - 1) &&
      cellNumber(minY, level - 1) === cellNumber(maxY, level - 1) &&
      cellNumber(minZ, level - 1) === cellNumber(maxZ, level - 1)
    ) {
      level--;
    }
    const isPoint = level === MIN_LEVEL;
    nodes.isPoint[leaf] = isPoint ? 1 : 0;
    if (!isPoint) {
      nodes.setCell(leaf, level, cellNumber(minX, level), cellNumber(minY, level), cellNumber(minZ, level));
      nodes.isLeaf[leaf] = 0;
      nodes.members[leaf] = 0;
    }
    for (let slot = first; slot !== NONE; ) {
      const following = next[slot];
      if (isPoint) this.#putIn(slot, leaf);
      else this.#linkBelow(leaf, slot, this.#xOf(slot), this.#yOf(slot), this.#zOf(slot));
      slot = following;
    }
  }

  /** The least and the greatest coordinate in a chain of members, by their roles. */
  #extentOf(first: number, last: Float32Array, now: Float32Array): [min: number, max: number] {
    let min = Number.POSITIVE_INFINITY;
    let max = Number.NEGATIVE_INFINITY;
    for (let slot = first; slot !== NONE; slot = this.next[slot]) {
      const coordinate = this.roles[slot] >= ARRIVED ? now[slot] : last[slot];
      if (coordinate < min) min = coordinate;
      if (coordinate > max) max = coordinate;
    }
    return [min, max];
  }

  /** Coordinate of a slot's place, by its role. */
  #xOf(slot: number): number {
    return this.roles[slot] >= ARRIVED ? this.#nowX[slot] : this.#lastX[slot];
  }

  #yOf(slot: number): number {
    return this.roles[slot] >= ARRIVED ? this.#nowY[slot] : this.#lastY[slot];
  }

  /** 0 in 2-D. */
  #zOf(slot: number): number {
    if (!this.#is3D) return 0;
    return this.roles[slot] >= ARRIVED ? this.#nowZ[slot] : this.#lastZ[slot];
  }

  /** Inserts a new inner node between an inner node and its parent; its cell also contains a position. */
  #nodeAround(inner: number, x: number, y: number, z: number): number {
    const { nodes } = this;
    const outer = nodes.allocate();
    const parent = nodes.parent[inner];
    nodes.isLeaf[outer] = 0;
    nodes.setCellAround(outer, inner, x, y, z);
    nodes.members[outer] = nodes.members[inner];
    nodes.dirty[outer] = nodes.dirty[inner];
    nodes.include(outer, inner);
    if (parent !== NONE) this.#attach(outer, parent, this.#quadrantIn(parent, inner));
    this.#attach(inner, outer, nodes.quadrantOfCell(outer, inner));
    return outer;
  }

  #attach(child: number, parent: number, quadrant: number): void {
    this.nodes.children[parent * this.nodes.fan + quadrant] = child;
    this.nodes.parent[child] = parent;
  }

  #quadrantIn(parent: number, child: number): number {
    const { children, fan } = this.nodes;
    let quadrant = 0;
    while (children[parent * fan + quadrant] !== child) quadrant++;
    return quadrant;
  }

  /** Removes a node without members, and its parent if that has one child left. */
  #detach(node: number): void {
    const { nodes } = this;
    const parent = nodes.parent[node];
    this.#freeBelow(node);
    if (parent === NONE) {
      this.root = NONE;
      return;
    }
    nodes.children[parent * nodes.fan + this.#quadrantIn(parent, node)] = NONE;
    let left = NONE;
    for (let quadrant = 0; quadrant < nodes.fan; quadrant++) {
      const child = nodes.children[parent * nodes.fan + quadrant];
      if (child === NONE) continue;
      if (left !== NONE) return;
      left = child;
    }
    this.#replace(parent, left);
  }

  /** Replaces a node by its only child. */
  #replace(node: number, child: number): void {
    const { nodes } = this;
    const parent = nodes.parent[node];
    if (parent === NONE) {
      this.root = child;
      nodes.parent[child] = NONE;
      if (nodes.isLeaf[child] !== 0) nodes.setCell(child, UNIVERSE, -0.5, -0.5, -0.5);
    } else {
      const quadrant = this.#quadrantIn(parent, node);
      this.#attach(child, parent, quadrant);
      if (nodes.isLeaf[child] !== 0) nodes.setQuadrantCell(child, parent, quadrant);
    }
    nodes.free(node);
  }

  /** Turns an inner node with few members into a leaf. */
  #merge(node: number): void {
    const { nodes } = this;
    const gathered = this.#gather(node, NONE);
    for (let i = 0; i < nodes.fan; i++) {
      const child = nodes.children[node * nodes.fan + i];
      if (child !== NONE) this.#freeBelow(child);
      nodes.children[node * nodes.fan + i] = NONE;
    }
    nodes.isLeaf[node] = 1;
    const parent = nodes.parent[node];
    if (parent === NONE) nodes.setCell(node, UNIVERSE, -0.5, -0.5, -0.5);
    else nodes.setQuadrantCell(node, parent, this.#quadrantIn(parent, node));
    for (let slot = gathered; slot !== NONE; ) {
      const following = this.next[slot];
      this.#putIn(slot, node);
      slot = following;
    }
  }

  /** Removes all members below a node and chains them before those of `chain`; returns the first. */
  #gather(node: number, chain: number): number {
    const { nodes, next } = this;
    let first = chain;
    for (let list = WATCHERS; list <= OTHERS; list++) {
      for (let slot = nodes.heads[2 * node + list]; slot !== NONE; ) {
        const following = next[slot];
        next[slot] = first;
        first = slot;
        slot = following;
      }
      nodes.heads[2 * node + list] = NONE;
    }
    for (let i = 0; i < nodes.fan; i++) {
      const child = nodes.children[node * nodes.fan + i];
      if (child !== NONE) first = this.#gather(child, first);
    }
    return first;
  }

  #freeBelow(node: number): void {
    const { nodes } = this;
    for (let i = 0; nodes.isLeaf[node] === 0 && i < nodes.fan; i++) {
      const child = nodes.children[node * nodes.fan + i];
      if (child !== NONE) this.#freeBelow(child);
    }
    nodes.free(node);
  }

  #putIn(slot: number, leaf: number): void {
    const { heads } = this.nodes;
    const at = 2 * leaf + this.#listOf(slot);
    const first = heads[at];
    this.next[slot] = first;
    this.previous[slot] = NONE;
    if (first !== NONE) this.previous[first] = slot;
    heads[at] = slot;
    this.leafOf[slot] = leaf;
  }

  #takeOut(slot: number, leaf: number): void {
    const following = this.next[slot];
    const before = this.previous[slot];
    if (before === NONE) this.nodes.heads[2 * leaf + this.#listOf(slot)] = following;
    else this.next[before] = following;
    if (following !== NONE) this.previous[following] = before;
    this.leafOf[slot] = NONE;
  }

  #listOf(slot: number): number {
    return this.traits.widest[slot] > 0 ? WATCHERS : OTHERS;
  }

  #refreshBelow(node: number): void {
    const { nodes } = this;
    if (nodes.dirty[node] === 0) return;
    nodes.dirty[node] = 0;
    nodes.empty(node);
    if (nodes.isLeaf[node] !== 0) {
      for (let list = WATCHERS; list <= OTHERS; list++) {
        for (let slot = nodes.heads[2 * node + list]; slot !== NONE; slot = this.next[slot])
          this.#widen(node, slot);
      }
      return;
    }
    const first = node * nodes.fan;
    for (let i = first; i < first + nodes.fan; i++) {
      const child = nodes.children[i];
      if (child === NONE) continue;
      this.#refreshBelow(child);
      nodes.include(node, child);
    }
  }

  /** Extends box and reach of a node by those of a slot, by its role. */
  #widen(node: number, slot: number): void {
    const { nodes, traits } = this;
    const role = this.roles[slot];
    if (role !== ARRIVED) this.#widenBox(node, this.#lastX[slot], this.#lastY[slot], this.#lastZ[slot]);
    if (role >= ARRIVED) this.#widenBox(node, this.#nowX[slot], this.#nowY[slot], this.#nowZ[slot]);
    if (traits.widest[slot] > nodes.widest[node]) nodes.widest[node] = traits.widest[slot];
    if (traits.narrowest[slot] < nodes.narrowest[node]) nodes.narrowest[node] = traits.narrowest[slot];
    if (traits.loudest[slot] > nodes.loudest[node]) nodes.loudest[node] = traits.loudest[slot];
    if (traits.quietest[slot] < nodes.quietest[node]) nodes.quietest[node] = traits.quietest[slot];
    if (traits.minReach[slot] > nodes.minReach[node]) nodes.minReach[node] = traits.minReach[slot];
  }

  #widenBox(node: number, x: number, y: number, z: number): void {
    const { nodes } = this;
    if (x < nodes.minX[node]) nodes.minX[node] = x;
    if (x > nodes.maxX[node]) nodes.maxX[node] = x;
    if (y < nodes.minY[node]) nodes.minY[node] = y;
    if (y > nodes.maxY[node]) nodes.maxY[node] = y;
    if (z < nodes.minZ[node]) nodes.minZ[node] = z;
    if (z > nodes.maxZ[node]) nodes.maxZ[node] = z;
  }
}

/** Whether two coordinates lie in the same of the smallest cells. */
function areInSmallest(a: number, b: number): boolean {
  return cellNumber(a, MIN_LEVEL) === cellNumber(b, MIN_LEVEL);
}
