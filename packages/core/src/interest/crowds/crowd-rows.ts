/**
 * The short way for crowded watchers whose seats are all taken and stay in reach: who comes nearer than the worst of those
 * seated, and nobody else, can change anything.
 *
 * Watchers that stand together, in one leaf of the tree of markers, look at the same few hundred markers: those nearer to
 * the leaf than the worst rank of any of them. Of these each takes who beats the worst of its own, finds the rank at
 * which its seats end, and merges winners into its row.
 *
 *   row       a  b  c  d  e      ranks with bonus   3  9  4  2  5      worst: 9
 *   near      c  p  a  q  r      not seated, nearer than 9:  p 6, q 8
 *   ranks     2 3 4 5 6 | 8 9    five seats end at 6:  b out, p in
 *
 * Whatever is not so simple (a seat that falls free, force, blocks, mutual consent, something remembered) is left to
 * crowds.ts. Nothing is changed until `commit`. Memory: 16 bytes a pair that changes. Cost: about a microsecond a watcher
 * with a hundred seats.
 */
import { PRESENT } from '../../entities/entity-state.ts';
import type { EntityStore } from '../../entities/entity-store.ts';
import { perceivedSenses } from '../../entities/perception.ts';
import { heldByMargin } from '../margin.ts';
import { CANDIDATE, type PairRows, RELATED, SEATED, sensesOf } from '../pair-rows.ts';
import type { ResolvedInterest } from '../interest.ts';
import type { LightRows } from '../light-rows.ts';
import type { MarkerTree } from './marker-tree.ts';

const f32 = Math.fround;
/** The flags of each pair of such a row. */
const SIMPLY_SEATED = SEATED | RELATED | CANDIDATE;
/** What ranks and squares may lose to rounding. */
const SLACK = 1 + 2 ** -18;
/** A square that may come to nothing; world units squared. */
const VANISHING_SQUARED = 2 ** -124;
/** The rank of a seat that dwell protects: before all others. */
const PROTECTED = -1;

/** What the rules say of one watcher. */
export interface CrowdRules {
  interestOf(watcher: number): ResolvedInterest;
  capOf(watcher: number): number;
}

export class CrowdRows {
  readonly #store: EntityStore;
  readonly #pairs: PairRows;
  /** By slot: the pass in which it was decided. */
  #decidedIn = new Uint32Array(0);
  /** By slot, of those decided: their part of the words, and of the staged pairs. */
  #firstWord = new Uint32Array(0);
  #wordEnd = new Uint32Array(0);
  #pass = 0;
  /** By slot: the watcher whose row has it, numbered as they come. */
  #seatedBy = new Uint32Array(0);
  #serial = 0;
  /** Words of crossings, watcher by watcher as they were decided. */
  #words = new Uint32Array(1024);
  #wordCount = 0;
  /** Rows that change: watcher, first pair of the row that differs, first staged pair, and pairs staged. */
  #changes = new Uint32Array(256);
  #changeCount = 0;
  #marker = new Uint32Array(1024);
  #state = new Uint32Array(1024);
  #since = new Uint32Array(1024);
  #staged = 0;
  /** Watchers of the leaf at hand that are decided here, where the ranks of their rows begin, and the worst of each. */
  readonly #watchers: number[] = [];
  readonly #rankStarts: number[] = [];
  readonly #worst: number[] = [];
  /** Of rows of one leaf: effective rank, exact senses and senses with margin. */
  #ranks = new Float64Array(1024);
  #senses = new Uint32Array(1024);
  /** Markers near the leaf. */
  #nearCount = 0;
  #near = new Uint32Array(256);
  #nearX = new Float32Array(256);
  #nearY = new Float32Array(256);
  #nearZ = new Float32Array(256);
  /** Of one watcher: those who may get a seat, by rank; and the scratch in which the last seat is found. */
  #newMarker = new Uint32Array(256);
  #newRank = new Float64Array(256);
  #newCount = 0;
  #sorted = new Float64Array(512);
  readonly #nodes: number[] = [];

  constructor(store: EntityStore, pairs: PairRows) {
    this.#store = store;
    this.#pairs = pairs;
  }

  get memoryBytes(): number {
    return 16 * this.#decidedIn.length + 4 * this.#words.length + 12 * this.#marker.length;
  }

  /** Forgets what was decided. */
  begin(): void {
    const { slotCount, capacity } = this.#store;
    if (this.#decidedIn.length < slotCount) {
      this.#decidedIn = new Uint32Array(capacity);
      this.#firstWord = new Uint32Array(capacity);
      this.#wordEnd = new Uint32Array(capacity);
      this.#seatedBy = new Uint32Array(capacity);
      this.#serial = 0;
      this.#pass = 0;
    }
    if (++this.#pass === 0x1_0000_0000) {
      this.#decidedIn.fill(0);
      this.#pass = 1;
    }
    this.#wordCount = 0;
    this.#changeCount = 0;
    this.#staged = 0;
  }

  /** Whether the watcher was decided here, in this tick. */
  isDecided(watcher: number): boolean {
    return this.#decidedIn[watcher] === this.#pass;
  }

  /** Decides what it can of the watchers for which `isAsked` is 1. `greatestWeight`: of all markers. */
  decide(tree: MarkerTree, isAsked: Uint8Array, greatestWeight: number, rules: CrowdRules, tick: number): void {
    if (tree.nodeCount === 0) return;
    const leaves = [0];
    for (let node = leaves.pop(); node !== undefined; node = leaves.pop()) {
      const left = tree.childrenOf(node);
      if (left !== 0) leaves.push(left + 1, left);
      else this.#decideLeaf(tree, node, isAsked, greatestWeight, rules, tick);
    }
  }

  /** Appends the words of a watcher that was decided to those of light rows. Watchers must come ascending. */
  tell(watcher: number, light: LightRows): void {
    const [from, to] = [this.#firstWord[watcher], this.#wordEnd[watcher]];
    const end = light.wordCount + to - from;
    if (2 * end > light.words.length) {
      const longer = new Uint32Array(4 * end);
      longer.set(light.words);
      light.words = longer;
    }
    const { words, wordCount } = light;
    for (let i = 2 * from, j = 2 * wordCount; i < 2 * to; i++, j++) words[j] = this.#words[i];
    light.wordCount = end;
  }

  /** Makes what was decided so. */
  commit(tick: number): void {
    const { start, marker, state, since, reported } = this.#pairs;
    const changes = this.#changes;
    for (let c = 0; c < this.#changeCount; c++) {
      const watcher = changes[4 * c];
      let at = start[watcher] + changes[4 * c + 1];
      const from = changes[4 * c + 2];
      const end = from + changes[4 * c + 3];
      // Reported is not staged: of those who stay it moves along with them.
      this.#moveReported(start[watcher], at, from, end, tick, marker, reported);
      for (let i = from; i < end; i++, at++) {
        marker[at] = this.#marker[i];
        state[at] = this.#state[i];
        since[at] = this.#since[i];
      }
    }
  }
}
