/**
 * The relations to attached markers and to their parents: a table of pairs that can be found by either side.
 *
 *   hash of both slots -> pair -> next pair of that hash
 *   watcher -> its first pair <-> next <-> ...        marker -> its first pair <-> next <-> ...
 *
 * A pair's state has two halves: its own state, as if no entity were attached, and its total state. Each
 * half:
 *
 *   | related (1) | senses (8) |
 *
 * Memory: 4 bytes a slot for each side, 40 bytes a pair. Cost: O(1) to find, add or remove a pair; an
 * iteration visits only the pairs of one entity. Grows by doubling.
 */
import { grown } from '../../columns.ts';
import { assert } from '../../errors.ts';
import type { ByteReader } from '../../recording/bytes/byte-reader.ts';
import type { ByteWriter } from '../../recording/bytes/byte-writer.ts';
import { RELATES } from '../table/relation-words.ts';

const HALF = 0x1ff;
const HALF_BITS = 16;
const NONE = 0xffff_ffff;
const FIRST_CAPACITY = 64;

/** The own state of a pair. */
export function ownOf(state: number): number {
  return state & HALF;
}

/** The total state of a pair. */
export function totalOf(state: number): number {
  return (state >>> HALF_BITS) & HALF;
}

/** Whether the pair relates only because the parent does. */
export function isFollowing(state: number): boolean {
  return (totalOf(state) & RELATES) !== 0 && (state & RELATES) === 0;
}

export function stateOf(own: number, total: number): number {
  return own | (total << HALF_BITS);
}

export class AttachedPairs {
  count = 0;
  /** By pair: slots of watcher and marker, and state. */
  watcher = new Uint32Array(FIRST_CAPACITY);
  marker = new Uint32Array(FIRST_CAPACITY);
  state = new Uint32Array(FIRST_CAPACITY);
  /** By pair: the tick at which the watcher last got an update of it, if it gets updates at rates. */
  reported = new Uint32Array(FIRST_CAPACITY);
  /** Lists of the pairs of each watcher and of each marker. */
  readonly #ofWatcher = new Links();
  readonly #ofMarker = new Links();
  #nextInBucket = new Uint32Array(FIRST_CAPACITY);
  /** As many as the pairs that have room, a power of two. */
  #buckets = new Uint32Array(FIRST_CAPACITY).fill(NONE);
  /** Indices of removed pairs. */
  #free: number[] = [];
  #end = 0;

  get memoryBytes(): number {
    const pairs = this.watcher.byteLength * 4 + this.#nextInBucket.byteLength + this.#buckets.byteLength;
    return pairs + this.#ofWatcher.memoryBytes + this.#ofMarker.memoryBytes + 8 * this.#free.length;
  }

  /** The index of a pair; -1 if there is none. */
  find(watcher: number, marker: number): number {
    let pair = this.#buckets[this.#bucketOf(watcher, marker)];
    while (pair !== NONE && (this.watcher[pair] !== watcher || this.marker[pair] !== marker))
      pair = this.#nextInBucket[pair];
    return pair === NONE ? -1 : pair;
  }

  /** The state of a pair; 0 if there is none. */
  stateOf(watcher: number, marker: number): number {
    return this.stateAt(this.find(watcher, marker));
  }

  /** As `stateOf`, where `find` told the pair's index. */
  stateAt(pair: number): number {
    return pair < 0 ? 0 : this.state[pair];
  }

  /** Sets a pair's state; 0 removes the pair. */
  set(watcher: number, marker: number, state: number, reported: number): void {
    this.setAt(this.find(watcher, marker), watcher, marker, state, reported);
  }

  /** As `set`, where `find` told the pair's index. */
  setAt(known: number, watcher: number, marker: number, state: number, reported: number): void {
    if (state === 0) {
      if (known >= 0) this.#takeOut(known);
      return;
    }
    const pair = known < 0 ? this.#putIn(watcher, marker) : known;
    this.state[pair] = state;
    this.reported[pair] = reported;
  }

  /**
   * The first pair of a watcher, or -1; the others by `nextOfWatcher`. The iteration ends if the current pair
   * is removed.
   */
  firstOfWatcher(watcher: number): number {
    return this.#ofWatcher.first(watcher);
  }

  nextOfWatcher(pair: number): number {
    return this.#ofWatcher.next(pair);
  }

  firstOfMarker(marker: number): number {
    return this.#ofMarker.first(marker);
  }

  nextOfMarker(pair: number): number {
    return this.#ofMarker.next(pair);
  }

  /** Removes all pairs of a watcher. */
  dropWatcher(watcher: number): void {
    for (let pair = this.firstOfWatcher(watcher); pair >= 0; pair = this.firstOfWatcher(watcher))
      this.#takeOut(pair);
  }

  dropMarker(marker: number): void {
    for (let pair = this.firstOfMarker(marker); pair >= 0; pair = this.firstOfMarker(marker))
      this.#takeOut(pair);
  }

  save(writer: ByteWriter): void {
    const pairs: number[] = [];
    for (let pair = 0; pair < this.#end; pair++) if (this.state[pair] !== 0) pairs.push(pair);
    for (const column of [this.watcher, this.marker, this.state, this.reported]) {
      writer.column(Uint32Array.from(pairs, (pair) => column[pair]));
    }
  }

  /** Into a new instance. `isPair`: whether two slots may be a pair. `senses`: mask of all senses. */
  load(
    reader: ByteReader,
    isPair: (watcher: number, marker: number) => boolean,
    senses: number,
    tickCount: number,
  ): void {
    const [watchers, markers] = [reader.column('u32'), reader.column('u32')];
    const [states, reported] = [reader.column('u32'), reader.column('u32')];
    const { length } = watchers;
    reader.check(
      markers.length === length && states.length === length && reported.length === length,
      'columns of one length',
    );
    for (let i = 0; i < length; i++) {
      const isNew = isPair(watchers[i], markers[i]) && this.find(watchers[i], markers[i]) < 0;
      const [own, total] = [ownOf(states[i]), totalOf(states[i])];
      const isState =
        states[i] !== 0 && stateOf(own, total) === states[i] && isHalf(own, senses) && isHalf(total, senses);
      reader.check(isNew && isState && reported[i] <= tickCount, 'a pair of one that is attached');
      this.set(watchers[i], markers[i], states[i], reported[i]);
    }
  }

  /** Throws at the first broken invariant. For tests. */
  validate(): void {
    let found = 0;
    for (let pair = 0; pair < this.#end; pair++) {
      if (this.state[pair] === 0) continue;
      found++;
      assert(this.find(this.watcher[pair], this.marker[pair]) === pair, 'a pair is found');
    }
    const isLinked = this.#ofWatcher.count === found && this.#ofMarker.count === found;
    assert(found === this.count && isLinked, 'pairs are linked on both sides');
  }

  #putIn(watcher: number, marker: number): number {
    if (this.#free.length === 0 && this.#end === this.watcher.length) this.#grow();
    const pair = this.#free.pop() ?? this.#end++;
    this.watcher[pair] = watcher;
    this.marker[pair] = marker;
    const bucket = this.#bucketOf(watcher, marker);
    this.#nextInBucket[pair] = this.#buckets[bucket];
    this.#buckets[bucket] = pair;
    this.#ofWatcher.add(watcher, pair);
    this.#ofMarker.add(marker, pair);
    this.count++;
    return pair;
  }

  #takeOut(pair: number): void {
    const bucket = this.#bucketOf(this.watcher[pair], this.marker[pair]);
    if (this.#buckets[bucket] === pair) this.#buckets[bucket] = this.#nextInBucket[pair];
    else {
      let before = this.#buckets[bucket];
      while (this.#nextInBucket[before] !== pair) before = this.#nextInBucket[before];
      this.#nextInBucket[before] = this.#nextInBucket[pair];
    }
    this.#ofWatcher.remove(this.watcher[pair], pair);
    this.#ofMarker.remove(this.marker[pair], pair);
    this.state[pair] = 0;
    this.#free.push(pair);
    this.count--;
  }

  #grow(): void {
    const capacity = 2 * this.watcher.length;
    this.watcher = grown(this.watcher, capacity);
    this.marker = grown(this.marker, capacity);
    this.state = grown(this.state, capacity);
    this.reported = grown(this.reported, capacity);
    this.#nextInBucket = new Uint32Array(capacity);
    this.#buckets = new Uint32Array(capacity).fill(NONE);
    for (let pair = 0; pair < this.#end; pair++) {
      const bucket = this.#bucketOf(this.watcher[pair], this.marker[pair]);
      this.#nextInBucket[pair] = this.#buckets[bucket];
      this.#buckets[bucket] = pair;
    }
  }

  #bucketOf(watcher: number, marker: number): number {
    const mixed = Math.imul(watcher, 0x9e37_79b1) ^ Math.imul(marker, 0x85eb_ca77);
    return (mixed ^ (mixed >>> 15)) & (this.#buckets.length - 1);
  }
}

/** Doubly linked lists of pairs, one for each slot. */
class Links {
  count = 0;
  #first = new Uint32Array(0);
  #next = new Uint32Array(FIRST_CAPACITY);
  #before = new Uint32Array(FIRST_CAPACITY);

  get memoryBytes(): number {
    return this.#first.byteLength + this.#next.byteLength + this.#before.byteLength;
  }

  /** The first pair of a slot; -1 if it has none. */
  first(slot: number): number {
    const pair = slot < this.#first.length ? this.#first[slot] : NONE;
    return pair === NONE ? -1 : pair;
  }

  next(pair: number): number {
    const next = this.#next[pair];
    return next === NONE ? -1 : next;
  }

  add(slot: number, pair: number): void {
    if (slot >= this.#first.length)
      this.#first = grown(this.#first, Math.max(FIRST_CAPACITY, 2 * slot), NONE);
    if (pair >= this.#next.length) {
      this.#next = grown(this.#next, 2 * pair, NONE);
      this.#before = grown(this.#before, 2 * pair, NONE);
    }
    const first = this.#first[slot];
    this.#next[pair] = first;
    this.#before[pair] = NONE;
    if (first !== NONE) this.#before[first] = pair;
    this.#first[slot] = pair;
    this.count++;
  }

  remove(slot: number, pair: number): void {
    const [next, before] = [this.#next[pair], this.#before[pair]];
    if (before === NONE) this.#first[slot] = next;
    else this.#next[before] = next;
    if (next !== NONE) this.#before[next] = before;
    this.count--;
  }
}

/** Whether a half is valid: it has senses only if it relates, and only existing ones. */
function isHalf(half: number, senses: number): boolean {
  return half === 0 || ((half & RELATES) !== 0 && (half & 255 & ~senses) === 0);
}
