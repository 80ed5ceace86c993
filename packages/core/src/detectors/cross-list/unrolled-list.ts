/**
 * An axis list written out as columns, for ticks in which many entities move.
 *
 * Problem: walking links costs a cache miss each, and a strip holds hundreds. Method: one walk copies the list into
 * flat columns in its order; strips are then runs of them. Every active entity (moved, added, changed) that perceives
 * searches forward along the axis at all entries. Backward, it tests only entries that do not search forward
 * themselves, so that a pair is tested once. An active entity that perceives nothing tests only watchers that are not
 * active.
 *
 *   sorted by x    3    9   14   20   31   44        20 moved: forward to 31, 44 as far as the reach;
 *   active         .    a    a    a    .    a        backward to 3 only, since 9 and 14 search forward to 20
 *
 * A strip is narrowed by a second axis without a branch: coordinates are compared as integers that order as the
 * float32 do, and a hit is kept by moving the end of the list of hits. Most hits are dismissed by `PairSieve`; the
 * definition decides the rest.
 *
 * Memory: 17 bytes an entry, and `SieveColumns`. Cost: 60 ns an entry to write out, 1 ns for each in a strip.
 */
import type { EntityStore } from '../../entities/entity-store.ts';
import type { PairSieve } from '../pairs/pair-sieve.ts';
import { SieveColumns } from '../pairs/sieve-columns.ts';
import type { AxisList } from './axis-list.ts';
import { FAR } from './far-reaching.ts';
import { ACTIVE, type Search, UNSETTLED } from './search.ts';

/**
 * Role of an entry, besides those of a search: ordinary, active and a watcher, so it searches forward at all entries.
 */
const LOOKS_FORWARD = 128;

export class UnrolledList {
  /** Number of entries written out. */
  #count = 0;
  /** In the order of the list. */
  #slots = new Int32Array(0);
  #roles = new Uint8Array(0);
  /** Coordinates on the first other axis, as integers in the same order. */
  #keys = new Int32Array(0);
  /** Entries of watchers that are ordinary and not active, ascending. */
  #quietWatchers = new Int32Array(0);
  #quietCount = 0;
  /**
   * Entries that may be near the searching one; one element more than there are entries, because a miss is written
   * too.
   */
  #hits = new Int32Array(0);
  readonly #entries: SieveColumns;
  readonly #is3D: boolean;
  /** Bounds on the first other axis, which are read as integers. */
  readonly #edges = new Float32Array(2);
  readonly #edgeBits = new Int32Array(this.#edges.buffer);

  constructor(store: EntityStore) {
    this.#entries = new SieveColumns(store);
    this.#is3D = store.settings.dimensions === 3;
  }

  get memoryBytes(): number {
    return 4 * this.#slots.byteLength + this.#roles.byteLength + this.#entries.memoryBytes;
  }

  get slotRoom(): number {
    return Math.min(this.#hits.length - 1, this.#entries.room);
  }

  /** Makes room for `capacity` links. Data written out is lost. */
  grow(capacity: number): void {
    if (capacity <= this.slotRoom) return;
    this.#slots = new Int32Array(capacity);
    this.#roles = new Uint8Array(capacity);
    this.#keys = new Int32Array(capacity);
    this.#quietWatchers = new Int32Array(capacity);
    this.#hits = new Int32Array(capacity + 1);
    this.#entries.grow(capacity);
  }

  /** Writes out `list` and reports every pair with an entity that is active in `search`. */
  sweep(store: EntityStore, list: AxisList, search: Search, sieve: PairSieve): void {
    const { axis, widths } = search;
    const count = list.unrollInto(this.#slots);
    this.#count = count;
    this.#entries.copy(this.#slots, 0, count, search.isNow);
    const lookers = this.#assignRoles(store, search);
    this.#writeKeys(axis);
    const roles = this.#roles;
    const along = this.#column(axis);
    const width = widths[axis];
    let end = 0;
    let begin = 0;
    let quietEnd = 0;
    let quietBegin = 0;
    const quiet = this.#quietWatchers;
    for (let i = 0; i < count; i++) {
      if ((roles[i] & ACTIVE) === 0) continue;
      const place = along[i];
      let hits = 0;
      if ((roles[i] & FAR) !== 0) {
        hits = this.#gatherFar(store, i, search);
      } else if ((roles[i] & LOOKS_FORWARD) !== 0) {
        while (end < count && along[end] - place <= width) end++;
        hits = this.#gather(i, i + 1, end, 0, FAR, axis, widths);
        if (lookers < count) {
          while (place - along[begin] > width) begin++;
          hits = this.#gather(i, begin, i, hits, FAR | LOOKS_FORWARD, axis, widths);
        }
      } else if (this.#quietCount > 0) {
        while (quietEnd < this.#quietCount && along[quiet[quietEnd]] - place <= width) quietEnd++;
        while (quietBegin < quietEnd && place - along[quiet[quietBegin]] > width) quietBegin++;
        for (let k = quietBegin; k < quietEnd; k++) {
          hits = this.#gather(i, quiet[k], quiet[k] + 1, hits, 0, axis, widths);
        }
      }
      if (hits > 0) this.#compare(i, hits, sieve);
    }
  }

  /** Reports what changed between an entry and the first `count` hits. */
  #compare(i: number, count: number, sieve: PairSieve): void {
    const hits = this.#hits;
    const slots = this.#slots;
    const roles = this.#roles;
    let settled = 0;
    for (let k = 0; k < count; k++) {
      const j = hits[k];
      if (((roles[i] | roles[j]) & UNSETTLED) === 0) hits[settled++] = j;
      else sieve.test.both(slots[i], slots[j]);
    }
    const doubtful = sieve.doubtfulInto(this.#entries, i, hits, 0, settled, hits);
    for (let k = 0; k < doubtful; k++) sieve.test.both(slots[i], slots[hits[k]]);
  }

  /** Writes roles and inactive watchers. Returns how many entries search forward. */
  #assignRoles(store: EntityStore, search: Search): number {
    const count = this.#count;
    const { roles: rolesBySlot, activeBit } = search;
    const isFar = search.far.isFar;
    const slots = this.#slots;
    const roles = this.#roles;
    const quiet = this.#quietWatchers;
    const entries = this.#entries;
    let lookers = 0;
    let quietCount = 0;
    for (let i = 0; i < count; i++) {
      const slot = slots[i];
      const given = rolesBySlot[slot] | isFar[slot];
      let role = given & (UNSETTLED | FAR);
      // A changed entity may perceive in either state.
      const isUnsettled = (given & UNSETTLED) !== 0;
      const isWatcher =
        entries.isWatcher(i) || (isUnsettled && (store.last.isWatcher(slot) || store.now.isWatcher(slot)));
      if ((given & activeBit) !== 0) {
        role |= ACTIVE;
        if (isWatcher && (given & FAR) === 0) {
          role |= LOOKS_FORWARD;
          lookers++;
        }
      } else if (isWatcher && (given & FAR) === 0) {
        quiet[quietCount++] = i;
      }
      roles[i] = role;
    }
    this.#quietCount = quietCount;
    return lookers;
  }

  #writeKeys(axis: number): void {
    const across = this.#column(this.#acrossFirst(axis));
    const bits = new Int32Array(across.buffer, across.byteOffset, across.length);
    const keys = this.#keys;
    for (let i = 0; i < this.#count; i++) keys[i] = keyOf(bits[i]);
  }

  /**
   * Adds to the hits the entries from `from` to `to` that are near on the other axes and have none of the roles in
   * `skip`.
   */
  #gather(
    i: number,
    from: number,
    to: number,
    hits: number,
    skip: number,
    axis: number,
    widths: Float64Array,
  ): number {
    const found = this.#hits;
    const keys = this.#keys;
    const first = this.#acrossFirst(axis);
    const place = this.#column(first)[i];
    this.#edges[0] = place - widths[first];
    this.#edges[1] = place + widths[first];
    // One more on each side, for the last bit that the edges lost.
    const low = keyOf(this.#edgeBits[0]) - 1;
    const span = keyOf(this.#edgeBits[1]) + 1 - low;
    let count = hits;
    for (let j = from; j < to; j++) {
      const above = (keys[j] - low) | 0;
      found[count] = j;
      // Negative if `above` or the rest of the span is negative.
      count += 1 + ((above | (span - above)) >> 31);
    }
    return this.#narrow(i, hits, count, skip, axis, widths);
  }

  /** Drops from the hits, from `from` on, those that are far on the last axis or have a role in `skip`. */
  #narrow(i: number, from: number, to: number, skip: number, axis: number, widths: Float64Array): number {
    const found = this.#hits;
    const roles = this.#roles;
    const second = this.#acrossSecond(axis);
    const across = this.#column(second);
    const place = across[i];
    const width = widths[second];
    let kept = from;
    for (let k = from; k < to; k++) {
      const j = found[k];
      if ((roles[j] & skip) !== 0 || Math.abs(across[j] - place) > width) continue;
      found[kept++] = j;
    }
    return kept;
  }

  /**
   * A far-reaching entity searches both ways, as far as it and ordinary entities perceive each other, among inactive
   * entries.
   */
  #gatherFar(store: EntityStore, i: number, search: Search): number {
    const { axis } = search;
    const widths = search.widthsOf(store, this.#slots[i]);
    const along = this.#column(axis);
    const place = along[i];
    const from = firstAtOrAfter(along, i, place - widths[axis]);
    let to = i + 1;
    while (to < this.#count && along[to] - place <= widths[axis]) to++;
    const hits = this.#gather(i, from, i, 0, FAR | ACTIVE, axis, widths);
    return this.#gather(i, i + 1, to, hits, FAR | ACTIVE, axis, widths);
  }

  /** World units: 0 x, 1 y, 2 z, in the state by which the list is sorted. */
  #column(axis: number): Float32Array {
    return axis === 0 ? this.#entries.x : axis === 1 ? this.#entries.y : this.#entries.z;
  }

  #acrossFirst(axis: number): number {
    return axis === 0 ? 1 : 0;
  }

  /** In 2-D the same as the first axis: testing it again is cheaper than a branch. */
  #acrossSecond(axis: number): number {
    return this.#is3D ? (axis === 2 ? 1 : 2) : this.#acrossFirst(axis);
  }
}

/** The bits of a float32 as an integer of 31 bits with the same order; its last bit is lost. */
function keyOf(bits: number): number {
  return (bits ^ ((bits >> 31) & 0x7fff_ffff)) >> 1;
}

/** The first entry at or after a coordinate, among those before `end`. */
function firstAtOrAfter(along: Float32Array, end: number, coordinate: number): number {
  let low = 0;
  let high = end;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (along[middle] < coordinate) low = middle + 1;
    else high = middle;
  }
  return low;
}
