/**
 * All markers of one state of the world by place: a tree of boxes, halved at the median, and the leaves in which someone
 * stands who is to be decided.
 *
 *   slots x y z   | far left ... | ... | ... far right |     a node is a stretch of it, and the tight box round its markers
 *                   node 1: begin..end   node 2: begin..end    children lie side by side: left, left + 1
 *
 * Nodes are halved when they are first looked into. A node of few markers is a leaf, and so is one whose markers stand on
 * one point, however many: those are in the order of weight, then slot, so that whoever wants the first few of equals can
 * stop there. Markers of a tree planted before are nearly in order, which makes halving quick.
 *
 * The twin keeps a tree for up to 16 ticks while the same markers move, and finds its boxes anew: other leaves, the same seats.
 *
 * Twin: wasm/crowd-tree.ts. Memory: 16 bytes a marker, 56 a node. Cost: some nanoseconds a marker and level. Source: kdbush
 * (median splits in place).
 */
import * as crowd from './crowd-job.ts';
import type { HeapViews } from './heap-views.ts';

const MARKER = 2;
const f32 = Math.fround;

/** The columns of a tree, as indices of 32-bit words in the heap. */
export class CrowdTree {
  readonly floats: Float32Array;
  readonly words: Uint32Array;
  readonly slots: number;
  readonly x: number;
  readonly y: number;
  readonly z: number;
  readonly begins: number;
  readonly ends: number;
  readonly boxes: number;
  readonly stack: number;
  readonly is3d: boolean;
  readonly #job: number;
  readonly #lefts: number;
  readonly #asked: number;
  readonly #weights: number;
  readonly #bytes: Uint8Array;

  constructor(heap: HeapViews, jobOffset: number) {
    const job = jobOffset >>> 2;
    const words = heap.u32;
    this.floats = heap.f32;
    this.words = words;
    this.#bytes = heap.u8;
    this.#job = job;
    this.slots = words[job + crowd.TREE_SLOT] >>> 2;
    this.x = words[job + crowd.TREE_X] >>> 2;
    this.y = words[job + crowd.TREE_Y] >>> 2;
    this.z = words[job + crowd.TREE_Z] >>> 2;
    this.begins = words[job + crowd.NODE_BEGIN] >>> 2;
    this.ends = words[job + crowd.NODE_END] >>> 2;
    this.boxes = words[job + crowd.NODE_BOX] >>> 2;
    this.stack = words[job + crowd.NODE_STACK] >>> 2;
    this.#lefts = words[job + crowd.NODE_LEFT] >>> 2;
    this.#asked = words[job + crowd.NODE_ASKED] >>> 2;
    this.#weights = words[job + crowd.WEIGHTS] >>> 2;
    this.is3d = words[job + crowd.DIMENSIONS] === 3;
  }

  /** Takes in all markers; `isAsBefore`: the same as the last time. Answers how many leaves hold someone who is asked. */
  plant(isAsBefore: boolean): number {
    const { words, floats } = this;
    const job = this.#job;
    const count = isAsBefore ? words[job + crowd.TREE_COUNT] : this.#listMarkers();
    words[job + crowd.TREE_COUNT] = count;
    const [x, y, z] = [words[job + crowd.X] >>> 2, words[job + crowd.Y] >>> 2, words[job + crowd.Z] >>> 2];
    for (let i = 0; i < count; i++) {
      const slot = words[this.slots + i];
      floats[this.x + i] = floats[x + slot];
      floats[this.y + i] = floats[y + slot];
      if (this.is3d) floats[this.z + i] = floats[z + slot];
    }
    words[job + crowd.NODE_COUNT] = 0;
    let leafCount = 0;
    if (count > 0) {
      this.#addNode(0, count);
      leafCount = this.#listLeaves();
    }
    words[job + crowd.LEAF_COUNT] = leafCount;
    return leafCount;
  }

  /** The first of a node's two children, which lie side by side; 0 for a leaf. */
  childrenOf(node: number): number {
    if (this.words[this.#lefts + node] === crowd.UNSPLIT) this.#split(node);
    const left = this.words[this.#lefts + node] | 0;
    return left > 0 ? left : 0;
  }

  isPile(node: number): boolean {
    return (this.words[this.#lefts + node] | 0) === crowd.PILE;
  }

  /** Of the marker at a place of the tree. */
  weightAt(i: number): number {
    return this.#weights === 0 ? 1 : this.floats[this.#weights + this.words[this.slots + i]];
  }

  get hasWeights(): boolean {
    return this.#weights !== 0;
  }

  #listMarkers(): number {
    const flags = this.words[this.#job + crowd.FLAGS];
    const slotCount = this.words[this.#job + crowd.SLOT_COUNT];
    let count = 0;
    for (let slot = 0; slot < slotCount; slot++) {
      if ((this.#bytes[flags + slot] & MARKER) !== 0) this.words[this.slots + count++] = slot;
    }
    return count;
  }

  #listLeaves(): number {
    const { words, stack } = this;
    const leaves = words[this.#job + crowd.LEAVES] >>> 2;
    let depth = 1;
    let count = 0;
    words[stack] = 0;
    while (depth > 0) {
      const node = words[stack + --depth];
      if (words[this.#asked + node] === 0) continue;
      const left = this.childrenOf(node);
      if (left === 0) words[leaves + count++] = node;
      else {
        words[stack + depth++] = left + 1;
        words[stack + depth++] = left;
      }
    }
    return count;
  }

  #addNode(begin: number, end: number): void {
    const { words, floats } = this;
    const node = words[this.#job + crowd.NODE_COUNT]++;
    words[this.begins + node] = begin;
    words[this.ends + node] = end;
    words[this.#lefts + node] = crowd.UNSPLIT;
    const standing = words[this.#job + crowd.STANDING];
    let asked = 0;
    for (let i = begin; i < end; i++) {
      if (this.#bytes[standing + words[this.slots + i]] === crowd.ASKED) asked++;
    }
    words[this.#asked + node] = asked;
    const box = this.boxes + crowd.BOX_WORDS * node;
    floats.fill(0, box, box + crowd.BOX_WORDS);
    this.#boundAxis(box, this.x, begin, end);
    this.#boundAxis(box + 1, this.y, begin, end);
    if (this.is3d) this.#boundAxis(box + 2, this.z, begin, end);
  }

  #boundAxis(box: number, places: number, begin: number, end: number): void {
    const { floats } = this;
    let least = floats[places + begin];
    let greatest = least;
    for (let i = begin + 1; i < end; i++) {
      const value = floats[places + i];
      if (value < least) least = value;
      if (value > greatest) greatest = value;
    }
    floats[box] = least;
    floats[box + 4] = greatest;
  }

  #split(node: number): void {
    const { words } = this;
    const begin = words[this.begins + node];
    const end = words[this.ends + node];
    words[this.#lefts + node] = crowd.LEAF;
    if (end - begin <= crowd.LEAF_SIZE) return;
    const box = this.boxes + crowd.BOX_WORDS * node;
    const [width, height, depth] = [this.#extent(box), this.#extent(box + 1), this.#extent(box + 2)];
    const keys = depth > width && depth > height ? this.z : height > width ? this.y : this.x;
    if (Math.max(width, height, depth) === 0) {
      words[this.#lefts + node] = crowd.PILE;
      this.#sortPile(begin, end);
      return;
    }
    const middle = (begin + end) >>> 1;
    this.#selectMiddle(keys, begin, end - 1, middle);
    words[this.#lefts + node] = words[this.#job + crowd.NODE_COUNT];
    this.#addNode(begin, middle);
    this.#addNode(middle, end);
  }

  #extent(box: number): number {
    return f32(this.floats[box + 4] - this.floats[box]);
  }

  /** Quickselect: puts the marker whose key belongs at `middle` there, smaller keys before it, larger behind. */
  #selectMiddle(keys: number, first: number, last: number, middle: number): void {
    const { floats } = this;
    let low = first;
    let high = last;
    while (low < high) {
      const [a, b, c] = [floats[keys + low], floats[keys + ((low + high) >>> 1)], floats[keys + high]];
      const pivot = Math.max(Math.min(a, b), Math.min(Math.max(a, b), c));
      let i = low;
      let j = high;
      while (i <= j) {
        while (floats[keys + i] < pivot) i++;
        while (floats[keys + j] > pivot) j--;
        if (i > j) break;
        this.#swap(i++, j--);
      }
      if (middle <= j) high = j;
      else if (middle >= i) low = i;
      else return;
    }
  }

  #swap(i: number, j: number): void {
    swapWords(this.words, this.slots + i, this.slots + j);
    swapWords(this.words, this.x + i, this.x + j);
    swapWords(this.words, this.y + i, this.y + j);
    if (this.is3d) swapWords(this.words, this.z + i, this.z + j);
  }

  /** By weight, then slot; places are all the same. */
  #sortPile(begin: number, end: number): void {
    const weights = this.floats.subarray(this.#weights);
    const pile = this.words.subarray(this.slots + begin, this.slots + end);
    if (this.#weights === 0) pile.sort();
    else pile.sort((a, b) => weights[a] - weights[b] || a - b);
  }
}

export function plantCrowd(heap: HeapViews, job: number, isAsBefore: number): number {
  return new CrowdTree(heap, job).plant(isAsBefore !== 0);
}

function swapWords(words: Uint32Array, i: number, j: number): void {
  const held = words[i];
  words[i] = words[j];
  words[j] = held;
}
