/**
 * All markers of one state of the world by place, for asking who is nearest: a tree of boxes, halved at the median.
 *
 *   slots   | far left ... | ... | ... far right |      a node is a stretch of it, and the tight box round its markers
 *             node 1: begin..end   node 2: begin..end     children lie side by side: left, left + 1
 *
 * Nodes are halved when they are first looked into, so that a crowd in one corner of a large world costs what the way there
 * costs. A node of few markers is a leaf, and so is one whose markers stand on one point, however many: those are in the
 * order of weight, then slot, so that whoever wants the first few of equals can stop there.
 *
 * Memory: 4 bytes a marker, 64 a node. Cost: some 10 ns a marker and level. Source: kdbush (median splits in place).
 */
import type { EntityState } from '../../entities/entity-state.ts';

/** At most so many markers in a leaf, unless they stand on one point. */
const LEAF_SIZE = 24;
const UNSPLIT = 0;
/** What `left` holds for a leaf. */
const LEAF = -1;
/** For a leaf whose markers stand on one point, and are more than a leaf has. */
const PILE = -2;

export class MarkerTree {
  /** Slots of markers; each node is a stretch of them. */
  slots = new Uint32Array(0);
  nodeCount = 0;
  /** By node. */
  begin = new Uint32Array(64);
  end = new Uint32Array(64);
  #left = new Int32Array(64);
  /** By node, six numbers: smallest x, y, z, greatest x, y, z. World units. */
  #box = new Float64Array(6 * 64);
  #axes: readonly Float32Array[] = [];
  #weights: Float32Array | undefined;

  get memoryBytes(): number {
    return this.slots.byteLength + 3 * this.begin.byteLength + this.#box.byteLength;
  }

  /** Takes in all markers of a state. The tree is good until that changes. O(n). */
  build(state: EntityState, slotCount: number): void {
    const { flags } = state;
    if (this.slots.length < slotCount) this.slots = new Uint32Array(2 * slotCount);
    let count = 0;
    for (let slot = 0; slot < slotCount; slot++) {
      // MARKER is set only for those present.
      if ((flags[slot] & 2) !== 0) this.slots[count++] = slot;
    }
    this.#axes = state.z.length === 0 ? [state.x, state.y] : [state.x, state.y, state.z];
    this.#weights = state.weights.column?.array;
    this.nodeCount = 0;
    if (count > 0) this.#addNode(0, count);
  }

  /** The first of a node's two children, which lie side by side; 0 for a leaf. */
  childrenOf(node: number): number {
    if (this.#left[node] === UNSPLIT) this.#split(node);
    return Math.max(0, this.#left[node]);
  }

  /** Whether all markers of a leaf stand on one point, in the order of weight, then slot. */
  isPile(node: number): boolean {
    return this.#left[node] === PILE;
  }

  /** From a point to the nearest place in a node's box, squared; world units. */
  squaredDistanceTo(node: number, x: number, y: number, z: number): number {
    const box = this.#box;
    const at = 6 * node;
    const dx = Math.max(box[at] - x, 0, x - box[at + 3]);
    const dy = Math.max(box[at + 1] - y, 0, y - box[at + 4]);
    const dz = Math.max(box[at + 2] - z, 0, z - box[at + 5]);
    return dx * dx + dy * dy + dz * dz;
  }

  #addNode(begin: number, end: number): void {
    const node = this.nodeCount++;
    if (node === this.begin.length) this.#grow();
    this.begin[node] = begin;
    this.end[node] = end;
    this.#left[node] = UNSPLIT;
    const box = this.#box;
    const at = 6 * node;
    box.fill(0, at, at + 6);
    for (let axis = 0; axis < this.#axes.length; axis++) {
      const column = this.#axes[axis];
      let min = Number.POSITIVE_INFINITY;
      let max = Number.NEGATIVE_INFINITY;
      for (let i = begin; i < end; i++) {
        const value = column[this.slots[i]];
        if (value < min) min = value;
        if (value > max) max = value;
      }
      box[at + axis] = min;
      box[at + 3 + axis] = max;
    }
  }

  #split(node: number): void {
    const [begin, end] = [this.begin[node], this.end[node]];
    this.#left[node] = LEAF;
    if (end - begin <= LEAF_SIZE) return;
    const at = 6 * node;
    let widest = 0;
    for (let axis = 1; axis < this.#axes.length; axis++) {
      if (this.#extent(at, axis) > this.#extent(at, widest)) widest = axis;
    }
    if (this.#extent(at, widest) === 0) {
      this.#left[node] = PILE;
      this.#sortPile(begin, end);
      return;
    }
    const middle = (begin + end) >>> 1;
    selectMiddle(this.slots, this.#axes[widest], begin, end - 1, middle);
    this.#left[node] = this.nodeCount;
    this.#addNode(begin, middle);
    this.#addNode(middle, end);
  }

  #extent(at: number, axis: number): number {
    return this.#box[at + 3 + axis] - this.#box[at + axis];
  }

  #sortPile(begin: number, end: number): void {
    const pile = this.slots.subarray(begin, end);
    const weights = this.#weights;
    pile.sort();
    if (weights !== undefined) pile.sort((a, b) => weights[a] - weights[b] || a - b);
  }

  #grow(): void {
    const length = 2 * this.begin.length;
    const [begin, end, left, box] = [this.begin, this.end, this.#left, this.#box];
    this.begin = new Uint32Array(length);
    this.end = new Uint32Array(length);
    this.#left = new Int32Array(length);
    this.#box = new Float64Array(6 * length);
    this.begin.set(begin);
    this.end.set(end);
    this.#left.set(left);
    this.#box.set(box);
  }
}

/** Quickselect: puts the slot whose key belongs at `middle` there, smaller keys before it, larger behind. Ends inclusive. */
function selectMiddle(
  slots: Uint32Array,
  key: Float32Array,
  first: number,
  last: number,
  middle: number,
): void {
  let low = first;
  let high = last;
  while (low < high) {
    const pivot = medianOf(key[slots[low]], key[slots[(low + high) >>> 1]], key[slots[high]]);
    let i = low;
    let j = high;
    while (i <= j) {
      while (key[slots[i]] < pivot) i++;
      while (key[slots[j]] > pivot) j--;
      if (i > j) break;
      const held = slots[i];
      slots[i++] = slots[j];
      slots[j--] = held;
    }
    if (middle <= j) high = j;
    else if (middle >= i) low = i;
    else return;
  }
}

function medianOf(a: number, b: number, c: number): number {
  return Math.max(Math.min(a, b), Math.min(Math.max(a, b), c));
}
