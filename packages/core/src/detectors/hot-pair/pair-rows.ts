/**
 * The hot pairs: for every entity a row of the entities near it, validated by versions.
 *
 * Problem: pairs come and go with every placement, and finding the other half of a pair costs more than checking an
 * entry. Method: an entry is a slot and the version that the slot had then. Placing an entity again increases its
 * version, which invalidates all its pairs everywhere at once. Invalid entries are removed when their row is read or
 * becomes full. A pair has an entry on both sides. The side that was placed last owns it: when all entities move,
 * only owners test, so that a pair is tested once; when one moves, it tests its own pairs and those owned by others.
 *
 *   pool    | owned ->            <- theirs | owned ->   <- theirs |        a block a slot, of a room from ROOMS
 *   entry   | slot (22) | version (10) |
 *   stamp   | crowded (1) | role (2) | version (10) |                         a column by slot
 *
 * Bounded: a row of more than 1,024 entries is dropped and its slot is crowded: its pairs are then found by a search
 * when it moves. So 100,000 entities on one point need no memory for pairs, nor does a watcher that sees the whole
 * world. When a version wraps around, an entry may be valid by mistake, which costs one test and does no harm.
 *
 * Memory: 11 bytes a slot, 12 to 16 a pair. Cost: O(1) an entry.
 */
import { grown } from '../../columns.ts';
import { assert, broken } from '../../errors.ts';

/**
 * Roles of a slot in a tick, as bits of its stamp: it rests, drifts within its slack, waits to be placed again, or is
 * placed.
 */
export const ROLE_MASK = 3 << 10;
export const DRIFTS = 1 << 10;
export const WAITS = 2 << 10;
export const PLACED = 3 << 10;
/** It keeps no row. */
export const CROWDED = 1 << 12;
export const VERSION_MASK = 1023;

const ROOMS = [16, 24, 32, 48, 64, 96, 128, 192, 256, 384, 512, 768, 1024];
/** Maximum number of entries in a row: a slot with more is crowded. */
export const LONGEST_ROW = ROOMS[ROOMS.length - 1];
const NO_BLOCK = 255;
const NONE = -1;
/** The usual row length is the running mean of about this many rows. */
const USUAL_OF = 16;
const NO_STATES = 0;
const NOWHERE = new Int32Array(0);

export class PairRows {
  /** By slot: version, role and whether it is crowded. */
  stamps = new Uint16Array(0);
  /** Number of crowded slots. */
  crowdedCount = 0;
  /**
   * Entries of all rows. In a row: owned entries from `starts`, those of others backwards from the end of its block.
   */
  pool = new Uint32Array(1024);
  starts = new Uint32Array(0);
  owned = new Uint16Array(0);
  theirs = new Uint16Array(0);
  /** By slot: index in ROOMS, or NO_BLOCK. */
  #rooms = new Uint8Array(0);
  /** By room: the first free block, which holds the start of the next one plus 1, or NONE. */
  readonly #free = new Float64Array(ROOMS.length).fill(NONE);
  #poolEnd = 0;
  readonly #longestRow: number;
  /** Usual number of entries in a row: a new row gets room for it. */
  #usualRow = 0;

  /** `longestRow`: at most LONGEST_ROW. */
  constructor(longestRow: number) {
    this.#longestRow = longestRow;
  }

  get memoryBytes(): number {
    const perSlot = this.stamps.byteLength + this.owned.byteLength + this.theirs.byteLength;
    return this.pool.byteLength + this.starts.byteLength + this.#rooms.byteLength + perSlot;
  }

  /** Number of entries held, invalid ones included. */
  get entryCount(): number {
    let count = 0;
    for (let slot = 0; slot < this.owned.length; slot++) count += this.owned[slot] + this.theirs[slot];
    return count;
  }

  get slotRoom(): number {
    return this.starts.length;
  }

  grow(capacity: number): void {
    this.stamps = grown(this.stamps, capacity);
    this.owned = grown(this.owned, capacity);
    this.theirs = grown(this.theirs, capacity);
    this.#rooms = grown(this.#rooms, capacity, NO_BLOCK);
    this.starts = grown(this.starts, capacity);
  }

  /** Empties all rows; versions are kept. */
  clear(): void {
    this.owned.fill(0);
    this.theirs.fill(0);
    this.#rooms.fill(NO_BLOCK);
    this.#free.fill(NONE);
    this.#poolEnd = 0;
    this.crowdedCount = 0;
    for (let slot = 0; slot < this.stamps.length; slot++) this.stamps[slot] &= VERSION_MASK;
  }

  /** End of the block of a slot; entries owned by others lie before it. */
  endOf(slot: number): number {
    return this.#rooms[slot] === NO_BLOCK ? 0 : this.starts[slot] + ROOMS[this.#rooms[slot]];
  }

  /** Drops all pairs of a slot, on both sides. Its role is kept. */
  renew(slot: number): void {
    this.#release(slot);
    const stamp = this.stamps[slot];
    if ((stamp & CROWDED) !== 0) this.crowdedCount--;
    this.stamps[slot] = (stamp & ROLE_MASK) | ((stamp + 1) & VERSION_MASK);
  }

  /**
   * Creates pairs of a renewed slot with each of `partners[0 .. count)`, owned by the slot. Partners placed earlier
   * in this tick may already have created theirs with it.
   */
  own(slot: number, partners: Int32Array, count: number): void {
    const { stamps } = this;
    // It may already be crowded, by entries of others.
    if ((stamps[slot] & CROWDED) === 0) {
      if (this.#reserve(slot, count)) this.#writeOwned(slot, partners, count);
      else this.#crowd(slot);
    }
    for (let i = 0; i < count; i++) this.#appendTheirs(partners[i], slot);
  }

  /**
   * Appends to `out`, from `count` on, the other side of each valid owned pair whose state is in `states`: bit i for
   * a stamp with i above its version. Removes invalid entries. Returns the end.
   */
  ownedInto(slot: number, states: number, out: Int32Array, count: number): number {
    const { pool, stamps } = this;
    const start = this.starts[slot];
    const end = start + this.owned[slot];
    let kept = start;
    let found = count;
    for (let i = start; i < end; i++) {
      const entry = pool[i];
      const other = entry >>> 10;
      const stamp = stamps[other];
      if (((entry ^ stamp) & VERSION_MASK) !== 0) continue;
      pool[kept++] = entry;
      if (((states >> (stamp >> 10)) & 1) !== 0) out[found++] = other;
    }
    this.owned[slot] = kept - start;
    return found;
  }

  /** As `ownedInto`, for the pairs that the other side owns. */
  theirsInto(slot: number, states: number, out: Int32Array, count: number): number {
    const { pool, stamps } = this;
    const end = this.endOf(slot);
    const start = end - this.theirs[slot];
    let kept = end;
    let found = count;
    for (let i = end - 1; i >= start; i--) {
      const entry = pool[i];
      const other = entry >>> 10;
      const stamp = stamps[other];
      if (((entry ^ stamp) & VERSION_MASK) !== 0) continue;
      pool[--kept] = entry;
      if (((states >> (stamp >> 10)) & 1) !== 0) out[found++] = other;
    }
    this.theirs[slot] = end - kept;
    return found;
  }

  setRole(slot: number, role: number): void {
    this.stamps[slot] = (this.stamps[slot] & ~ROLE_MASK) | role;
  }

  /** Whether a slot's row has a valid entry of `other`. */
  has(slot: number, other: number): boolean {
    const entry = ((other << 10) | (this.stamps[other] & VERSION_MASK)) >>> 0;
    const start = this.starts[slot];
    const end = this.endOf(slot);
    for (let i = start; i < start + this.owned[slot]; i++) if (this.pool[i] === entry) return true;
    for (let i = end - this.theirs[slot]; i < end; i++) if (this.pool[i] === entry) return true;
    return false;
  }

  /** Throws at the first block that overlaps another or is lost. */
  validate(): void {
    let inBlocks = 0;
    let crowded = 0;
    const starts = new Set<number>();
    for (let slot = 0; slot < this.stamps.length; slot++) {
      if ((this.stamps[slot] & ROLE_MASK) !== 0) broken(`slot ${slot} has no role between ticks`);
      if ((this.stamps[slot] & CROWDED) !== 0) {
        crowded++;
        if (this.#rooms[slot] !== NO_BLOCK) broken(`slot ${slot} is crowded and keeps no row`);
      }
      if (this.#rooms[slot] === NO_BLOCK) {
        if (this.owned[slot] + this.theirs[slot] !== 0) broken(`slot ${slot} has entries only in a block`);
        continue;
      }
      const room = ROOMS[this.#rooms[slot]];
      if (this.owned[slot] + this.theirs[slot] > room) broken(`the row of slot ${slot} fits its block`);
      starts.add(this.starts[slot]);
      inBlocks += room;
    }
    assert(crowded === this.crowdedCount, 'as many are counted as crowded as are');
    for (let i = 0; i < ROOMS.length; i++) {
      for (let start = this.#free[i]; start !== NONE; start = this.pool[start] - 1) {
        assert(!starts.has(start), 'a block is free or in use, once');
        starts.add(start);
        inBlocks += ROOMS[i];
      }
    }
    assert(inBlocks === this.#poolEnd, 'blocks fill the pool without gaps or overlaps');
  }

  #writeOwned(slot: number, partners: Int32Array, count: number): void {
    const { pool, stamps } = this;
    const start = this.starts[slot];
    for (let i = 0; i < count; i++) {
      const partner = partners[i];
      pool[start + i] = (partner << 10) | (stamps[partner] & VERSION_MASK);
    }
    this.owned[slot] = count;
    this.#usualRow += (count + this.theirs[slot] - this.#usualRow) / USUAL_OF;
  }

  #appendTheirs(slot: number, owner: number): void {
    if ((this.stamps[slot] & CROWDED) !== 0) return;
    if (!this.#reserve(slot, 1)) {
      this.#crowd(slot);
      return;
    }
    const theirs = ++this.theirs[slot];
    this.pool[this.endOf(slot) - theirs] = (owner << 10) | (this.stamps[owner] & VERSION_MASK);
  }

  #crowd(slot: number): void {
    this.#release(slot);
    this.stamps[slot] |= CROWDED;
    this.crowdedCount++;
  }

  /** Makes room for `count` more entries in a row; returns false if that exceeds the maximum of a row. */
  #reserve(slot: number, count: number): boolean {
    const room = this.#rooms[slot] === NO_BLOCK ? 0 : ROOMS[this.#rooms[slot]];
    if (this.owned[slot] + this.theirs[slot] + count <= room) return true;
    this.#sweep(slot);
    const needed = this.owned[slot] + this.theirs[slot] + count;
    // A row that is nearly full after removing invalid entries would need that again too soon.
    const likely = room === 0 && needed < this.#usualRow ? Math.ceil(this.#usualRow) : needed;
    const wanted = likely + (likely >> 3);
    if (wanted <= room) return true;
    if (needed > this.#longestRow) return false;
    let roomIndex = 0;
    while (ROOMS[roomIndex] < wanted && roomIndex < ROOMS.length - 1) roomIndex++;
    if (ROOMS[roomIndex] > room) this.#move(slot, roomIndex);
    return true;
  }

  /** Moves a row to a new block. */
  #move(slot: number, roomIndex: number): void {
    const from = this.starts[slot];
    const fromEnd = this.endOf(slot);
    const owned = this.owned[slot];
    const theirs = this.theirs[slot];
    const to = this.#take(roomIndex);
    const toEnd = to + ROOMS[roomIndex];
    const { pool } = this;
    pool.copyWithin(to, from, from + owned);
    pool.copyWithin(toEnd - theirs, fromEnd - theirs, fromEnd);
    this.#release(slot);
    this.starts[slot] = to;
    this.#rooms[slot] = roomIndex;
    this.owned[slot] = owned;
    this.theirs[slot] = theirs;
  }

  /** A block of a room: a free one, or a new one at the end of the pool. */
  #take(roomIndex: number): number {
    const free = this.#free[roomIndex];
    if (free !== NONE) {
      this.#free[roomIndex] = this.pool[free] - 1;
      return free;
    }
    const start = this.#poolEnd;
    const end = start + ROOMS[roomIndex];
    if (end > this.pool.length) {
      this.pool = grown(this.pool, Math.max(end, this.pool.length + (this.pool.length >> 2)));
    }
    this.#poolEnd = end;
    return start;
  }

  #release(slot: number): void {
    const roomIndex = this.#rooms[slot];
    if (roomIndex === NO_BLOCK) return;
    const start = this.starts[slot];
    this.pool[start] = this.#free[roomIndex] + 1;
    this.#free[roomIndex] = start;
    this.#rooms[slot] = NO_BLOCK;
    this.owned[slot] = 0;
    this.theirs[slot] = 0;
  }

  /** Removes invalid entries from a row. */
  #sweep(slot: number): void {
    this.ownedInto(slot, NO_STATES, NOWHERE, 0);
    this.theirsInto(slot, NO_STATES, NOWHERE, 0);
  }
}
