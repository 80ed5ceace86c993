/**
 * The watcher that seat-crowd.ts has at hand: its row, its rule, how far it perceives, and how it stands to a marker.
 *
 * Twin: wasm/crowd-watcher.ts.
 */
import * as crowd from './crowd-job.ts';
import type { HeapViews } from './heap-views.ts';

const f32 = Math.fround;
const CAP_UNSET = 0xffff_fffe;
const NO_CAP = 0xffff_ffff;
const MARKER = 2;

export class CrowdWatcher {
  slot = 0;
  /** Where its row begins, as an index of words, and how many pairs it has. */
  row = 0;
  size = 0;
  rule = 0;
  cap = 0;
  /** 1 - bonus. */
  factor = 1;
  margin = 0;
  /** Of its longest range. */
  reachSquared = 0;
  /** From the row's markers to the other columns. */
  readonly toStates: number;
  readonly toSinces: number;
  readonly senseCount: number;
  readonly x: number;
  readonly y: number;
  readonly z: number;
  readonly weights: number;
  readonly #heap: HeapViews;
  readonly #words: Uint32Array;
  readonly #floats: Float32Array;
  readonly #job: number;
  readonly #markers: number;
  readonly #is3d: boolean;

  constructor(heap: HeapViews, job: number) {
    this.#heap = heap;
    this.#words = heap.u32;
    this.#floats = heap.f32;
    this.#job = job;
    this.x = this.#column(crowd.X);
    this.y = this.#column(crowd.Y);
    this.z = this.#column(crowd.Z);
    this.weights = this.#column(crowd.WEIGHTS);
    this.#markers = this.#column(crowd.PAIR_MARKER);
    this.toStates = this.#column(crowd.PAIR_STATE) - this.#markers;
    this.toSinces = this.#column(crowd.PAIR_SINCE) - this.#markers;
    this.senseCount = heap.u32[job + crowd.SENSE_COUNT];
    this.#is3d = heap.u32[job + crowd.DIMENSIONS] === 3;
  }

  /** The worst rank in a row, of those perceived; that of a newcomer who may have a seat is no worse. */
  worstOf(slot: number): number {
    this.takeUp(slot);
    let worst = 0;
    for (let i = this.row; i < this.row + this.size; i++) {
      const marker = this.#words[i];
      const squared = this.squaredTo(marker);
      if (!(squared <= this.reachSquared)) continue;
      const rank = f32(this.#rankOf(squared, marker) * this.factor);
      if (rank > worst && rank < Number.POSITIVE_INFINITY) worst = rank;
    }
    return worst;
  }

  /** Reads the watcher's own; false for one without a cap. */
  takeUp(slot: number): boolean {
    const words = this.#words;
    this.slot = slot;
    this.row = this.#markers + words[this.#column(crowd.PAIR_START) + slot];
    this.size = words[this.#column(crowd.PAIR_SIZE) + slot];
    this.rule = ruleOf(this.#heap, this.#job, slot);
    this.factor = this.#floats[this.rule + crowd.RULE_FACTOR];
    this.margin = this.#floats[this.rule + crowd.RULE_MARGIN];
    const caps = this.#column(crowd.CAPS);
    this.cap = caps === 0 ? CAP_UNSET : words[caps + slot];
    if (this.cap === CAP_UNSET) this.cap = words[this.rule + crowd.RULE_CAP];
    this.reachSquared = 0;
    for (let s = 0; s < this.senseCount; s++) {
      const range = this.#rangeOf(s);
      this.reachSquared = Math.max(this.reachSquared, f32(range * range));
    }
    return this.cap !== NO_CAP && this.reachSquared > 0;
  }

  #rangeOf(s: number): number {
    const ranges = this.#column(crowd.RANGES + s);
    return ranges === 0 ? 0 : this.#floats[ranges + this.slot];
  }

  squaredTo(marker: number): number {
    const floats = this.#floats;
    const [x, y] = [this.x, this.y];
    const dx = f32(floats[x + marker] - floats[x + this.slot]);
    const dy = f32(floats[y + marker] - floats[y + this.slot]);
    const inPlane = f32(f32(dx * dx) + f32(dy * dy));
    if (!this.#is3d) return inPlane;
    const z = this.z;
    const dz = f32(floats[z + marker] - floats[z + this.slot]);
    return f32(inPlane + f32(dz * dz));
  }

  #rankOf(squared: number, marker: number): number {
    const distance = f32(Math.sqrt(squared));
    return this.weights === 0 ? distance : f32(distance / this.#floats[this.weights + marker]);
  }

  /** The state of a pair of the row. */
  stateOf(marker: number): number {
    const at = this.#words.subarray(this.row, this.row + this.size).indexOf(marker);
    return this.#words[this.row + at + this.toStates];
  }

  isMarker(slot: number): boolean {
    return (this.#heap.u8[this.#words[this.#job + crowd.FLAGS] + slot] & MARKER) !== 0;
  }

  /** The senses in which a marker is perceived, without margin. */
  sensesOf(marker: number): number {
    if (!this.isMarker(marker)) return 0;
    const squared = this.squaredTo(marker);
    let senses = 0;
    for (let s = 0; s < this.senseCount; s++) {
      const range = this.#rangeOf(s);
      if (range > 0 && squared <= f32(range * range)) senses |= 1 << s;
    }
    return senses;
  }

  /** Of the senses in which a pair is perceived no longer, those that the margin holds. */
  heldSensesOf(marker: number, lost: number): number {
    if (!this.isMarker(marker)) return 0;
    const squared = this.squaredTo(marker);
    let held = 0;
    for (let s = 0; s < this.senseCount; s++) {
      const reach = f32(this.#rangeOf(s) + this.margin);
      if ((lost & (1 << s)) !== 0 && this.#rangeOf(s) > 0 && squared <= f32(reach * reach)) held |= 1 << s;
    }
    return held;
  }

  #column(word: number): number {
    return this.#words[this.#job + word] >>> 2;
  }
}

/** Where the rule that a watcher goes by begins, as an index of words. */
export function ruleOf({ u32 }: HeapViews, job: number, watcher: number): number {
  const interests = u32[job + crowd.INTERESTS];
  const pair = u32[(interests + 2 * watcher) >>> 2];
  const interest = interests === 0 ? 0 : (pair >>> (16 * (watcher & 1))) & 0xffff;
  return (u32[job + crowd.RULES] >>> 2) + crowd.RULE_WORDS * interest;
}
