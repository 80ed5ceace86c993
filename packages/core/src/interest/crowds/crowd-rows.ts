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
import type { ResolvedInterest } from '../interest.ts';
import type { LightRows } from '../light-rows.ts';
import { heldByMargin } from '../margin.ts';
import type { MarginCuts } from '../margin-cuts.ts';
import { CANDIDATE, type PairRows, RELATED, SEATED, sensesOf } from '../pair-rows.ts';
import { squaredDistance } from '../rank.ts';
import type { MarkerTree } from './marker-tree.ts';
import { NearMarkers, squaredReachOf } from './near-markers.ts';
import { Newcomers } from './newcomers.ts';

const f32 = Math.fround;
/** The flags of each pair of such a row. */
const SIMPLY_SEATED = SEATED | RELATED | CANDIDATE;
/** How much farther than it did last the border may lie before newcomers must be looked for once more. */
const GUESS = 1.06;
/** The rank of a seat that dwell protects: before all others. */
const PROTECTED = -1;

/** What of a pair matters besides its marker: bits. Ages only to dwell, and when it was told of only to rates. */
const KEEPS_STATE = 1;
const KEEPS_SINCE = 2;
const KEEPS_REPORTED = 4;
/** The senses of each pair, without margin and with, where one reach decides alone. */
const ONE_SENSE = 0x101;

/** What the rules say of one watcher. */
export interface CrowdRules {
  interestOf(watcher: number): ResolvedInterest;
  capOf(watcher: number): number;
  /** Whether it is told of changes at rates. */
  isRated(watcher: number): boolean;
}

export class CrowdRows {
  readonly #store: EntityStore;
  readonly #pairs: PairRows;
  readonly #cuts: MarginCuts;
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
  /** Rows that change, four numbers each: watcher, first staged pair, end of staged pairs, what of them matters. */
  #changes = new Uint32Array(256);
  #changeCount = 0;
  #marker = new Uint32Array(1024);
  #state = new Uint32Array(1024);
  #since = new Uint32Array(1024);
  #reported = new Uint32Array(1024);
  #staged = 0;
  /** Watchers of the leaf at hand that are decided here, where the ranks of their rows begin, and the worst of each. */
  readonly #watchers: number[] = [];
  readonly #rankStarts: number[] = [];
  readonly #worst: number[] = [];
  /** Of each: the rank up to which newcomers are looked for, and those for whom that was not far enough. */
  readonly #limits: number[] = [];
  readonly #again: number[] = [];
  /** By slot: the rank at which the seats ended when the row was last decided here; 0 for not yet. */
  #lastBorder = new Float64Array(0);
  /** What of their pairs matters, the bits above. */
  readonly #keeps: number[] = [];
  /** Of rows of one leaf: effective rank, exact senses and senses with margin. */
  #ranks = new Float64Array(1024);
  #senses = new Uint32Array(1024);
  readonly #near = new NearMarkers();
  readonly #new = new Newcomers();

  constructor(store: EntityStore, pairs: PairRows, cuts: MarginCuts) {
    this.#store = store;
    this.#pairs = pairs;
    this.#cuts = cuts;
  }

  get memoryBytes(): number {
    return 24 * this.#decidedIn.length + 4 * this.#words.length + 16 * this.#marker.length;
  }

  /** Forgets what was decided. */
  begin(): void {
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
  decide(
    tree: MarkerTree,
    isAsked: Uint8Array,
    greatestWeight: number,
    rules: CrowdRules,
    tick: number,
  ): void {
    if (tree.nodeCount === 0) return;
    this.#growSlots();
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
  commit(): void {
    const { start, marker, state, since, reported } = this.#pairs;
    const changes = this.#changes;
    for (let c = 0; c < 4 * this.#changeCount; c += 4) {
      const to = start[changes[c]];
      const from = changes[c + 1];
      const count = changes[c + 2] - from;
      const keeps = changes[c + 3];
      for (let i = 0; i < count; i++) marker[to + i] = this.#marker[from + i];
      if (keeps === 0) continue;
      for (let i = 0; i < count; i++) {
        if ((keeps & KEEPS_STATE) !== 0) state[to + i] = this.#state[from + i];
        if ((keeps & KEEPS_SINCE) !== 0) since[to + i] = this.#since[from + i];
        if ((keeps & KEEPS_REPORTED) !== 0) reported[to + i] = this.#reported[from + i];
      }
    }
  }

  #decideLeaf(
    tree: MarkerTree,
    leaf: number,
    isAsked: Uint8Array,
    greatestWeight: number,
    rules: CrowdRules,
    tick: number,
  ): void {
    this.#watchers.length = 0;
    this.#rankStarts.length = 0;
    this.#worst.length = 0;
    this.#limits.length = 0;
    this.#again.length = 0;
    this.#keeps.length = 0;
    let ranks = 0;
    let farthest = -1;
    for (let i = tree.begin[leaf]; i < tree.end[leaf]; i++) {
      const watcher = tree.slots[i];
      if (isAsked[watcher] === 0) continue;
      const cap = rules.capOf(watcher);
      if (this.#pairs.size[watcher] !== cap || cap === 0) continue;
      const interest = rules.interestOf(watcher);
      const worst = this.#rankRow(watcher, interest, ranks, tick);
      if (!(worst < Number.POSITIVE_INFINITY)) continue;
      this.#watchers.push(watcher);
      this.#rankStarts.push(ranks);
      this.#worst.push(worst);
      const isOneSense = interest.leaveMargin === 0 && this.#onlyReachOf(watcher) > 0;
      this.#keeps.push(
        (isOneSense ? 0 : KEEPS_STATE) |
          (interest.minDwellTicks > 0 ? KEEPS_SINCE : 0) |
          (rules.isRated(watcher) ? KEEPS_REPORTED : 0),
      );
      ranks += cap;
      // The worst of a row may have run off far; where the seats ended last is a better guess of where they end now.
      const last = this.#lastBorder[watcher] * GUESS;
      const limit = last > 0 && last < worst ? last : worst;
      this.#limits.push(limit);
      if (limit > farthest) farthest = limit;
    }
    if (this.#watchers.length === 0) return;
    this.#near.gather(this.#store.now, tree, leaf, farthest, greatestWeight);
    farthest = -1;
    for (let w = 0; w < this.#watchers.length; w++) {
      this.#findNew(this.#watchers[w], this.#limits[w], greatestWeight);
      if (this.#seat(w, this.#limits[w], tick)) continue;
      this.#again.push(w);
      if (this.#worst[w] > farthest) farthest = this.#worst[w];
    }
    if (this.#again.length === 0) return;
    this.#near.gather(this.#store.now, tree, leaf, farthest, greatestWeight);
    for (const w of this.#again) {
      this.#findNew(this.#watchers[w], this.#worst[w], greatestWeight);
      this.#seat(w, this.#worst[w], tick);
    }
  }

  /**
   * Finds effective ranks and senses of a row, from `first` on. Answers the worst rank that a newcomer may beat, Infinity when
   * the row is not so simple: someone in it is perceived no longer.
   */
  #rankRow(watcher: number, interest: ResolvedInterest, first: number, tick: number): number {
    const { settings, now } = this.#store;
    const { x, y, z, flags } = now;
    const { leaveMargin, minDwellTicks } = interest;
    const bonus = f32(1 - interest.incumbentBonus);
    const weights = now.weights.column?.array;
    const ownRanges = now.ownRanges;
    const { marker, state, since } = this.#pairs.take(watcher);
    const start = this.#pairs.start[watcher];
    const size = this.#pairs.size[watcher];
    this.#growRanks(first + size);
    const ranks = this.#ranks;
    const senses = this.#senses;
    const onlyReach = this.#onlyReachOf(watcher);
    const onlyReachSquared = f32(onlyReach * onlyReach);
    const is3d = settings.dimensions === 3;
    const [fromX, fromY, fromZ] = [x[watcher], y[watcher], is3d ? z[watcher] : 0];
    let worst = PROTECTED;
    for (let i = 0; i < size; i++) {
      const other = marker[start + i];
      const dx = f32(x[other] - fromX);
      const dy = f32(y[other] - fromY);
      let squared = f32(f32(dx * dx) + f32(dy * dy));
      if (is3d) {
        const dz = f32(z[other] - fromZ);
        squared = f32(squared + f32(dz * dz));
      }
      let exact = 0;
      if (onlyReach > 0) {
        if (squared <= onlyReachSquared && (flags[other] & PRESENT) !== 0) exact = 1;
      } else exact = perceivedSenses(settings, now, watcher, other, ownRanges);
      let all = exact;
      if (leaveMargin > 0 && (flags[other] & PRESENT) !== 0) {
        const lost = sensesOf(state[start + i]) & ~exact;
        if (lost !== 0) all |= heldByMargin(settings, now, watcher, other, lost, leaveMargin);
      }
      if (all === 0) return Number.POSITIVE_INFINITY;
      senses[first + i] = exact | (all << 8);
      let rank = f32(Math.sqrt(squared));
      if (weights !== undefined) {
        rank = weights[other] === 0 ? Number.POSITIVE_INFINITY : f32(rank / weights[other]);
      }
      if (rank < Number.POSITIVE_INFINITY) rank = f32(rank * bonus);
      if (minDwellTicks > 0 && tick - since[start + i] < minDwellTicks) rank = PROTECTED;
      ranks[first + i] = rank;
      if (rank > worst) worst = rank;
    }
    return worst;
  }

  /** A watcher's one reach, where that decides alone who is perceived: one sense, circles, everyone alike. Else 0. */
  #onlyReachOf(watcher: number): number {
    const { settings, now, hasFilters } = this.#store;
    const isAlone =
      !hasFilters &&
      settings.senseCount === 1 &&
      settings.rangeShape === 'circle' &&
      now.gains[0].column === undefined &&
      now.minReaches[0].column === undefined;
    return isAlone ? now.ownRanges[0].at(watcher) : 0;
  }

  /** Lists those near who rank before `worst` and are not in the row. */
  #findNew(watcher: number, worst: number, greatestWeight: number): void {
    const store = this.#store;
    const { now, settings } = store;
    this.#new.count = 0;
    if (worst <= 0) return;
    const serial = this.#nextSerial();
    const { marker, start, size } = this.#pairs;
    const seatedBy = this.#seatedBy;
    const rowEnd = start[watcher] + size[watcher];
    for (let i = start[watcher]; i < rowEnd; i++) seatedBy[marker[i]] = serial;
    seatedBy[watcher] = serial;
    const is3d = settings.dimensions === 3;
    const fromX = now.x[watcher];
    const fromY = now.y[watcher];
    const fromZ = is3d ? now.z[watcher] : 0;
    const farthest = squaredReachOf(worst, greatestWeight);
    const { slot, x, y, z, count } = this.#near;
    for (let c = 0; c < count; c++) {
      // Not rounded: the slack makes up for it, and most are too far.
      const dx = x[c] - fromX;
      const dy = y[c] - fromY;
      let squared = dx * dx + dy * dy;
      if (is3d) {
        const dz = z[c] - fromZ;
        squared += dz * dz;
      }
      if (squared <= farthest && seatedBy[slot[c]] !== serial) this.#takeNew(watcher, slot[c], worst);
    }
  }

  /** Takes one in who ranks before the worst, and is perceived. */
  #takeNew(watcher: number, slot: number, worst: number): void {
    const { now, settings } = this.#store;
    const squared = squaredDistance(settings, now, watcher, slot);
    const weight = now.weights.at(slot);
    if (weight === 0) return;
    const rank = f32(f32(Math.sqrt(squared)) / weight);
    // Of equals the seated one stays.
    if (rank >= worst) return;
    const onlyReach = this.#onlyReachOf(watcher);
    const isPerceived =
      onlyReach > 0
        ? squared <= f32(onlyReach * onlyReach)
        : perceivedSenses(settings, now, watcher, slot, now.ownRanges) !== 0;
    if (isPerceived) this.#new.add(slot, rank);
  }

  /** Decides a row with the newcomers found up to `limit`, and writes down what changes; false when that was not far enough. */
  #seat(w: number, limit: number, tick: number): boolean {
    const watcher = this.#watchers[w];
    const firstRank = this.#rankStarts[w];
    const keeps = this.#keeps[w];
    const worst = this.#worst[w];
    const { start, size, marker, state, since, reported } = this.#pairs;
    const row = start[watcher];
    const seats = size[watcher];
    const ranks = this.#ranks;
    const senses = this.#senses;
    const newcomers = this.#new;
    let border = newcomers.count > 0 ? newcomers.borderOf(ranks, firstRank, seats) : worst;
    // Newcomers were looked for up to the limit: who ranks at it or behind might be missing.
    if (limit < worst && border >= limit) return false;
    this.#lastBorder[watcher] = border;
    this.#decidedIn[watcher] = this.#pass;
    this.#firstWord[watcher] = this.#wordCount;
    // A rank below `border` has a seat; of those at it, so many of the seated and so many of the others.
    let atBorder = seats;
    if (newcomers.count === 0) border = Number.POSITIVE_INFINITY;
    else {
      let below = 0;
      let seatedAt = 0;
      for (let i = 0; i < seats; i++) {
        if (ranks[firstRank + i] < border) below++;
        else if (ranks[firstRank + i] === border) seatedAt++;
      }
      below += newcomers.countBelow(border);
      atBorder = Math.min(seatedAt, seats - below);
      newcomers.keepWinners(border, seats - below - atBorder);
    }
    this.#wordEnd[watcher] = this.#wordCount;
    const newCount = newcomers.count;
    const keepsState = (keeps & KEEPS_STATE) !== 0;
    if (newCount === 0 && (!keepsState || this.#isRowAsBefore(row, seats, firstRank))) return true;
    this.#growStaged(seats, seats + newCount);
    const words = this.#words;
    const newMarker = newcomers.marker;
    const stagedMarker = this.#marker;
    const stagedState = this.#state;
    const stagedSince = this.#since;
    const stagedReported = this.#reported;
    const high = watcher << 10;
    let to = this.#staged;
    let next = 0;
    for (let i = 0; i < seats; i++) {
      const other = marker[row + i];
      while (next < newCount && newMarker[next] < other) this.#enter(watcher, next++, to++, tick);
      const rank = ranks[firstRank + i];
      const stays = rank < border || (rank === border && atBorder-- > 0);
      const before = keepsState ? state[row + i] & 0xff00 : ONE_SENSE & 0xff00;
      const after = stays ? (keepsState ? senses[firstRank + i] : ONE_SENSE) | SIMPLY_SEATED : 0;
      if (before !== (after & 0xff00)) {
        words[2 * this.#wordCount] = (other << 20) | (before >>> 8) | (after & 0xff00);
        words[2 * this.#wordCount++ + 1] = high | (other >>> 12);
      }
      if (!stays) {
        if (keepsState) this.#cuts.note(watcher, other, state[row + i], senses[firstRank + i] | CANDIDATE);
        continue;
      }
      stagedMarker[to] = other;
      if (keepsState) stagedState[to] = after;
      if ((keeps & KEEPS_SINCE) !== 0) stagedSince[to] = since[row + i];
      if ((keeps & KEEPS_REPORTED) !== 0) stagedReported[to] = reported[row + i];
      to++;
    }
    while (next < newcomers.count) this.#enter(watcher, next++, to++, tick);
    this.#wordEnd[watcher] = this.#wordCount;
    if (4 * this.#changeCount + 4 > this.#changes.length) this.#changes = grown(this.#changes, 4);
    this.#changes[4 * this.#changeCount] = watcher;
    this.#changes[4 * this.#changeCount + 1] = this.#staged;
    this.#changes[4 * this.#changeCount + 2] = to;
    this.#changes[4 * this.#changeCount++ + 3] = keeps;
    this.#staged = to;
    return true;
  }

  #isRowAsBefore(row: number, seats: number, firstRank: number): boolean {
    const { state } = this.#pairs;
    for (let i = 0; i < seats; i++) {
      if (state[row + i] !== (this.#senses[firstRank + i] | SIMPLY_SEATED)) return false;
    }
    return true;
  }

  /** Stages a winner, and its word. */
  #enter(watcher: number, next: number, to: number, tick: number): void {
    const { settings, now } = this.#store;
    const slot = this.#new.marker[next];
    const isOneSense = this.#onlyReachOf(watcher) > 0;
    const exact = isOneSense ? 1 : perceivedSenses(settings, now, watcher, slot, now.ownRanges);
    this.#marker[to] = slot;
    this.#state[to] = exact | (exact << 8) | SIMPLY_SEATED;
    this.#since[to] = tick;
    this.#reported[to] = tick;
    this.#words[2 * this.#wordCount] = (slot << 20) | (exact << 8);
    this.#words[2 * this.#wordCount++ + 1] = (watcher << 10) | (slot >>> 12);
  }

  #nextSerial(): number {
    if (++this.#serial === 0x1_0000_0000) {
      this.#seatedBy.fill(0);
      this.#serial = 1;
    }
    return this.#serial;
  }

  /** Columns by slot: only worlds that decide anyone here have them. Of this tick nothing is decided yet. */
  #growSlots(): void {
    const { slotCount, capacity } = this.#store;
    if (this.#decidedIn.length >= slotCount) return;
    this.#decidedIn = new Uint32Array(capacity);
    this.#firstWord = new Uint32Array(capacity);
    this.#wordEnd = new Uint32Array(capacity);
    this.#seatedBy = new Uint32Array(capacity);
    this.#lastBorder = new Float64Array(capacity);
    this.#serial = 0;
  }

  #growRanks(count: number): void {
    if (count <= this.#senses.length) return;
    const [ranks, senses] = [this.#ranks, this.#senses];
    this.#ranks = new Float64Array(2 * count);
    this.#senses = new Uint32Array(2 * count);
    this.#ranks.set(ranks);
    this.#senses.set(senses);
  }

  /** Room for so many more staged pairs and words. */
  #growStaged(pairs: number, words: number): void {
    if (2 * (this.#wordCount + words) > this.#words.length) this.#words = grown(this.#words, 2 * words);
    if (this.#staged + pairs <= this.#marker.length) return;
    this.#marker = grown(this.#marker, pairs);
    this.#state = grown(this.#state, pairs);
    this.#since = grown(this.#since, pairs);
    this.#reported = grown(this.#reported, pairs);
  }
}

function grown(column: Uint32Array, more: number): Uint32Array<ArrayBuffer> {
  const longer = new Uint32Array(2 * (column.length + more));
  longer.set(column);
  return longer;
}
