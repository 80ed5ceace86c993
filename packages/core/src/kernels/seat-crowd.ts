/**
 * Decides crowded watchers whose seats are all taken: of those seated and those near, who has the first so many ranks.
 *
 *   row       a  b  c  d  e      ranks with bonus   3  9  4  2  5
 *   near      c  p  a  q  r      without            4 -> 3.4 with bonus as c is in the row,  p 6  q 8
 *   seats     2 3 4 5 6 | 8 9    five seats end at 6:  b out, p in
 *
 * Watchers that stand together, in one leaf of the tree, look at the same few hundred markers, as far as seats are likely to
 * end (crowd-near.ts). Each row is marked among these; all are ranked in one stream, by float32 as rank.ts has it, and
 * those listed who rank in a narrow window about where seats ended last, or change for certain. The window moves until seats
 * end in it, and those few within are put in order. Where the near are not enough, more are gathered, twice at most.
 *
 * Served are worlds of circles or spheres in which reach is range and everyone meets. Protected by dwell, a seat ranks before
 * all others; one held by force is nobody's. What is not so simple is `LEFT`: a free seat, one whom a margin may hold.
 *
 * Twin: wasm/seat-crowd.ts, which looks at squares first and ranks only those listed. Cost: about half a microsecond a watcher with a hundred seats; most of it the ranks of some 250 near.
 */
import * as crowd from './crowd-job.ts';
import { CrowdNear } from './crowd-near.ts';
import { CrowdTree } from './crowd-tree.ts';
import { CrowdWatcher } from './crowd-watcher.ts';
import type { HeapViews } from './heap-views.ts';

const f32 = Math.fround;
/** How much farther than it did last the border may lie before more must be gathered. */
const GUESS = f32(1.1);
const FARTHER = f32(1.6);
/** The first window about where seats ended last, to either side. */
const NARROW = f32(1 / 192);
/** In place of a factor: before all others. */
const PROTECTED = Number.NEGATIVE_INFINITY;
/** Bits of a pair's state, of a flag, of a crossing's low word: see interest/pair-rows.ts and detectors/crossings.ts. */
const FORCED = 0x1c_0000;
const SIMPLY_SEATED = 0x83_0000;
const SENSELESS_BEFORE = 0x1_0000;
const SENSELESS_AFTER = 0x2_0000;

/** Decides the leaves from `from` on; answers the first that found no room for its edits, or how many there are. */
export function seatCrowd(heap: HeapViews, jobOffset: number, from: number): number {
  const pass = new CrowdPass(heap, jobOffset);
  const job = jobOffset >>> 2;
  const leaves = heap.u32[job + crowd.LEAVES] >>> 2;
  let leaf = from;
  while (leaf < heap.u32[job + crowd.LEAF_COUNT] && pass.seatLeaf(heap.u32[leaves + leaf])) leaf++;
  return leaf;
}

/** The job's columns, as indices of 32-bit words in the heap, and what is known of the watcher at hand. */
class CrowdPass {
  readonly #words: Uint32Array;
  readonly #floats: Float32Array;
  readonly #bytes: Uint8Array;
  readonly #job: number;
  readonly #tree: CrowdTree;
  readonly #near: CrowdNear;
  readonly #factors: number;
  readonly #ranks: number;
  readonly #edits: number;
  readonly #at: CrowdWatcher;
  /** Of the watcher at hand, but for those held by force. */
  #seats = 0;
  /** Near markers, and those of the row behind them. */
  #lookedAt = 0;
  /** Of those looked at, who changes or may. */
  #window: number[] = [];
  #below = 0;
  #border = 0;

  constructor(heap: HeapViews, jobOffset: number) {
    this.#words = heap.u32;
    this.#floats = heap.f32;
    this.#bytes = heap.u8;
    this.#job = jobOffset >>> 2;
    this.#tree = new CrowdTree(heap, jobOffset);
    this.#near = new CrowdNear(heap, jobOffset, this.#tree);
    this.#factors = this.#column(crowd.NEAR_FACTOR);
    this.#ranks = this.#column(crowd.NEAR_RANK);
    this.#edits = this.#column(crowd.EDITS);
    this.#at = new CrowdWatcher(heap, this.#job);
  }

  /** Decides the watchers of a leaf; false when there is no room for the edits of the next one. */
  seatLeaf(node: number): boolean {
    const words = this.#words;
    const { slots, begins, ends } = this.#tree;
    const standing = words[this.#job + crowd.STANDING];
    let cover = -1;
    let longest = 0;
    const [begin, end] = [slots + words[begins + node], slots + words[ends + node]];
    for (let i = begin; i < end; i++) {
      const slot = words[i];
      if (this.#bytes[standing + slot] !== crowd.ASKED) continue;
      longest = Math.max(longest, words[this.#column(crowd.PAIR_SIZE) + slot]);
      const last = this.#floats[this.#column(crowd.BORDERS) + slot];
      cover = Math.max(cover, last > 0 ? f32(last * GUESS) : this.#at.worstOf(slot));
    }
    for (let attempt = 0; attempt < 3 && cover >= 0; attempt++) {
      this.#near.gather(node, cover, 2 * longest + 1);
      const factors = this.#factors;
      this.#floats.fill(1, factors, factors + this.#near.count + longest);
      let farthest = -1;
      for (let i = begin; i < end; i++) {
        const slot = words[i];
        if (this.#bytes[standing + slot] !== crowd.ASKED) continue;
        const most = words[this.#job + crowd.EDIT_COUNT] + 2 * words[this.#column(crowd.PAIR_SIZE) + slot];
        if (most > words[this.#job + crowd.EDIT_CAPACITY]) {
          this.#near.forget();
          return false;
        }
        const outcome = this.#at.takeUp(slot) ? this.#seat(cover) : crowd.LEFT;
        if (outcome !== crowd.ASKED) this.#bytes[standing + slot] = outcome;
        else if (attempt < 2)
          farthest = Math.max(farthest, attempt === 0 ? f32(cover * FARTHER) : this.#at.worstOf(slot));
      }
      this.#near.forget();
      cover = farthest > cover ? farthest : -1;
    }
    return true;
  }

  #column(word: number): number {
    return this.#words[this.#job + word] >>> 2;
  }

  /** Decides the watcher's row among those near, who rank up to `cover`; `ASKED` when they are not enough. */
  #seat(cover: number): number {
    const words = this.#words;
    if (!this.#markRow()) {
      const factors = this.#factors;
      this.#floats.fill(1, factors, factors + this.#lookedAt);
      return crowd.LEFT;
    }
    this.#rankAll();
    if (!this.#findBorder(cover)) return crowd.ASKED;
    this.#floats[this.#column(crowd.BORDERS) + this.#at.slot] = this.#border;
    const first = words[this.#job + crowd.EDIT_COUNT];
    if (this.#window.length > 0 && !this.#writeEdits(first)) {
      words[this.#job + crowd.EDIT_COUNT] = first;
      return crowd.LEFT;
    }
    if (
      this.#at.senseCount > 1 ||
      this.#at.margin > 0 ||
      (this.#words[this.#at.rule + crowd.RULE_BITS] & crowd.MAY_FORCE) !== 0
    )
      this.#writeStates(first);
    const end = words[this.#job + crowd.EDIT_COUNT];
    words[this.#column(crowd.FIRST_EDIT) + this.#at.slot] = first;
    words[this.#column(crowd.EDIT_END) + this.#at.slot] = end;
    if (end > first)
      words[this.#column(crowd.EDITED) + words[this.#job + crowd.EDITED_COUNT]++] = this.#at.slot;
    return crowd.DECIDED;
  }

  /** Marks those of the row among the near, and adds those who are not; false when seats are free. */
  #markRow(): boolean {
    const words = this.#words;
    const floats = this.#floats;
    const near = this.#near;
    const factors = this.#factors;
    const dwell = words[this.#at.rule + crowd.RULE_DWELL];
    const ofSeated = -this.#at.factor;
    const mayForce = (this.#words[this.#at.rule + crowd.RULE_BITS] & crowd.MAY_FORCE) !== 0;
    const { toStates } = this.#at;
    const { toSinces } = this.#at;
    this.#lookedAt = near.count;
    let forced = 0;
    for (let i = this.#at.row; i < this.#at.row + this.#at.size; i++) {
      const marker = words[i];
      let own = ofSeated;
      if (dwell > 0 && words[this.#job + crowd.TICK] - words[i + toSinces] < dwell) own = PROTECTED;
      if (mayForce && (words[i + toStates] & FORCED) !== 0) {
        own = Number.NaN;
        forced++;
      }
      const place = words[near.places + marker];
      if (place !== 0) floats[factors + place] = own;
      else this.#addFar(marker, own);
    }
    const place = words[near.places + this.#at.slot];
    if (place !== 0) floats[factors + place] = Number.NaN;
    if (this.#at.cap <= forced || this.#at.size !== this.#at.cap) return false;
    this.#seats = this.#at.cap - forced;
    return true;
  }

  #addFar(marker: number, own: number): void {
    const floats = this.#floats;
    const near = this.#near;
    const at = this.#lookedAt++;
    const isThere = this.#at.isMarker(marker);
    this.#words[near.slots + at] = marker;
    floats[near.x + at] = isThere ? floats[this.#at.x + marker] : Number.NaN;
    floats[near.y + at] = floats[this.#at.y + marker];
    if (this.#tree.is3d) floats[near.z + at] = floats[this.#at.z + marker];
    if (this.#tree.hasWeights) floats[near.weights + at] = floats[this.#at.weights + marker];
    floats[this.#factors + at] = own;
  }

  /** Ranks everyone looked at: rank with bonus, infinite where not perceived, its sign set for those in the row, NaN for others. */
  #rankAll(): void {
    const words = this.#words;
    const floats = this.#floats;
    const reachSquared = this.#at.reachSquared;
    const { x, y, z, weights } = this.#near;
    const { is3d, hasWeights } = this.#tree;
    const factors = this.#factors;
    const ranks = this.#ranks;
    const fromX = floats[this.#at.x + this.#at.slot];
    const fromY = floats[this.#at.y + this.#at.slot];
    const fromZ = is3d ? floats[this.#at.z + this.#at.slot] : 0;
    for (let i = 0; i < this.#lookedAt; i++) {
      const own = floats[factors + i];
      const sign = words[factors + i] & 0x8000_0000;
      floats[factors + i] = 1;
      const dx = f32(floats[x + i] - fromX);
      const dy = f32(floats[y + i] - fromY);
      let squared = f32(f32(dx * dx) + f32(dy * dy));
      if (is3d) {
        const dz = f32(floats[z + i] - fromZ);
        squared = f32(squared + f32(dz * dz));
      }
      let rank = f32(Math.sqrt(squared));
      if (hasWeights) rank = f32(rank / floats[weights + i]);
      rank = own === PROTECTED ? 0 : f32(rank * Math.abs(own));
      floats[ranks + i] = squared <= reachSquared ? rank : Number.POSITIVE_INFINITY;
      words[ranks + i] = (words[ranks + i] & 0x7fff_ffff) | sign;
    }
  }

  #isSeated(i: number): boolean {
    return this.#words[this.#ranks + i] >>> 31 === 1;
  }

  #rankAt(i: number): number {
    return Math.abs(this.#floats[this.#ranks + i]);
  }

  /** Lists who ranks within two numbers, who comes to sit and who loses a seat for certain; counts who ranks below. */
  #look(low: number, high: number): number {
    const words = this.#words;
    const floats = this.#floats;
    const ranks = this.#ranks;
    const window = this.#window;
    window.length = 0;
    let below = 0;
    let within = 0;
    for (let i = 0; i < this.#lookedAt; i++) {
      const rank = Math.abs(floats[ranks + i]);
      const isSeated = words[ranks + i] >>> 31 === 1;
      if (rank < low) {
        below++;
        if (!isSeated) window.push(i);
      } else if (rank <= high) {
        within++;
        window.push(i);
      } else if (isSeated) window.push(i);
    }
    this.#below = below;
    return within;
  }

  /** Finds the rank at which seats end, and leaves in the window only those who change; false when that is farther than `cover`. */
  #findBorder(cover: number): boolean {
    const last = this.#floats[this.#column(crowd.BORDERS) + this.#at.slot];
    let width = NARROW;
    let low = f32(last * f32(1 - width));
    let high = Math.min(cover, f32(last * f32(1 + width)));
    if (last === 0) high = f32(cover * width);
    for (;;) {
      const within = this.#look(low, high);
      if (this.#below > this.#seats) {
        if (low === 0) return false;
        high = low;
        width = Math.min(1, 2 * width);
        low = f32(low * f32(1 - width));
      } else if (this.#below + within < this.#seats) {
        if (high >= cover) return false;
        low = high;
        width *= 2;
        high = Math.min(cover, Math.max(f32(high * f32(1 + width)), f32(cover * width)));
      } else {
        this.#settle(low, high, this.#seats - this.#below);
        return true;
      }
    }
  }

  /** Of those within the window the first `need` sit. */
  #settle(low: number, high: number, need: number): void {
    const inner: number[] = [];
    let changes = 0;
    let seated = 0;
    let worstSeated = low;
    let bestOther = Number.POSITIVE_INFINITY;
    for (const i of this.#window) {
      const rank = this.#rankAt(i);
      if (!(rank >= low && rank <= high)) {
        this.#window[changes++] = i;
        continue;
      }
      inner.push(i);
      if (this.#isSeated(i)) {
        seated++;
        worstSeated = Math.max(worstSeated, rank);
      } else bestOther = Math.min(bestOther, rank);
    }
    this.#window.length = changes;
    this.#border = worstSeated;
    if (seated === need && worstSeated <= bestOther) return;
    inner.sort((i, j) => this.#order(i, j));
    inner.forEach((i, order) => {
      if (this.#isSeated(i) === order >= need) this.#window.push(i);
      if (order < need) this.#border = Math.max(this.#border, this.#rankAt(i));
    });
  }

  /** By rank, those seated first, then by slot. */
  #order(i: number, j: number): number {
    const away = this.#rankAt(i) - this.#rankAt(j);
    if (away !== 0) return away;
    if (this.#isSeated(i) !== this.#isSeated(j)) return this.#isSeated(i) ? -1 : 1;
    return this.#words[this.#near.slots + i] - this.#words[this.#near.slots + j];
  }

  /** Writes the edits of those in the window, by ascending slot; false when one is held by a margin, maybe. */
  #writeEdits(first: number): boolean {
    const isOneSense = this.#at.senseCount === 1;
    for (const i of this.#window) {
      const marker = this.#words[this.#near.slots + i];
      let payload = 0;
      let state = 0;
      if (this.#isSeated(i)) {
        // Who is perceived no longer may be held.
        if (this.#rankAt(i) === Number.POSITIVE_INFINITY && this.#at.margin > 0) return false;
        payload = isOneSense && this.#at.margin === 0 ? 1 : sensesIn(this.#at.stateOf(marker));
      } else {
        const exact = isOneSense ? 1 : this.#at.sensesOf(marker);
        payload = exact << 8;
        state = exact | (exact << 8) | SIMPLY_SEATED;
      }
      this.#insertEdit(first, marker, payload, state);
    }
    return true;
  }

  /** Writes the edits of those who stay, and are perceived in other senses than before. */
  #writeStates(first: number): void {
    const isOnlyForced = this.#at.senseCount === 1 && this.#at.margin === 0;
    const { toStates } = this.#at;
    for (let i = this.#at.row; i < this.#at.row + this.#at.size; i++) {
      const marker = this.#words[i];
      const before = this.#words[i + toStates];
      if ((isOnlyForced && (before & FORCED) === 0) || this.#hasEdit(first, marker)) continue;
      const exact = this.#at.sensesOf(marker);
      const lost = sensesIn(before) & ~exact;
      const senses = exact | (this.#at.margin > 0 && lost !== 0 ? this.#at.heldSensesOf(marker, lost) : 0);
      const after = (before & ~0xffff) | exact | (senses << 8);
      if (after === before) continue;
      const senseless =
        (sensesIn(before) === 0 ? SENSELESS_BEFORE : 0) | (senses === 0 ? SENSELESS_AFTER : 0);
      this.#insertEdit(first, marker, sensesIn(before) | (senses << 8) | senseless, after);
    }
  }

  /** Inserts an edit among those from `first` on, by ascending marker. */
  #insertEdit(first: number, marker: number, payload: number, state: number): void {
    const words = this.#words;
    const edits = this.#edits;
    let at = words[this.#job + crowd.EDIT_COUNT]++;
    for (; at > first && this.#editedMarker(at - 1) > marker; at--) {
      const to = edits + crowd.EDIT_WORDS * at;
      words.copyWithin(to, to - crowd.EDIT_WORDS, to);
    }
    words[edits + crowd.EDIT_WORDS * at] = (marker << 20) | payload;
    words[edits + crowd.EDIT_WORDS * at + 1] = (this.#at.slot << 10) | (marker >>> 12);
    words[edits + crowd.EDIT_WORDS * at + 2] = state;
  }

  #editedMarker(edit: number): number {
    const at = this.#edits + crowd.EDIT_WORDS * edit;
    return ((this.#words[at + 1] & 1023) << 12) | (this.#words[at] >>> 20);
  }

  #hasEdit(first: number, marker: number): boolean {
    const end = this.#words[this.#job + crowd.EDIT_COUNT];
    for (let i = first; i < end; i++) if (this.#editedMarker(i) === marker) return true;
    return false;
  }
}

/** The senses that count of a pair's state, with margin. */
function sensesIn(state: number): number {
  return (state >>> 8) & 255;
}
