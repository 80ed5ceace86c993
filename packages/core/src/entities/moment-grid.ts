/**
 * Positions of all entities at this moment: a spatial hash over the state `now`, for queries between two ticks.
 *
 * A detector's structure is as of the last tick. In this grid, each slot is in the cell of its current position. A
 * write marks its slot, and the next query first moves the marked slots to their cells: so a write costs a nanosecond
 * or two, a query costs what is near it, and a tick changes nothing. The grid is created at the first query, and
 * dropped after some ticks without one.
 *
 *   cell (i, j)  ->  bucket (i mod columns, j mod columns)      | head | --> slot --> slot --> slot
 *
 * Columns wrap around, so the grid has no borders: a bucket also holds slots of far cells, which the distance test
 * rejects. A query that spans more cells than there are columns visits each bucket once.
 *
 * The cell edge adapts to the queries: from the numbers of cells and entities that they visited, the grid computes
 * the edge with the lowest cost, and is rebuilt when another edge is much better.
 *
 * Memory: 13 bytes a slot and 4 to 16 an entity for buckets. Cost: 10 ns for each entity that moved to another cell.
 */
import { grown } from '../columns.ts';
import { LEAST_EDGE, limitedEdge, MOST_EDGE, spacingOf } from './cell-edge.ts';
import type { EntityState } from './entity-state.ts';

/** Number of ticks without a query after which the grid is dropped. */
const IDLE_TICKS = 64;
/** Number of queries after which the edge is checked: the first time, and from then on. */
const FIRST_LOOK = 32;
const NEXT_LOOK = 1024;
/** Relative cost of visiting a cell, and of visiting an entity in it. */
const CELL_COST = 3;
const ENTITY_COST = 1;
/** The edge is kept unless another one costs less than this share. */
const BETTER = 0.75;
/** Cells have distinct numbers up to this one; positions farther out are searched in all buckets. */
const FARTHEST_CELL = 2 ** 30;
const NOWHERE = -1;
/** Smallest number of entities that buckets are made for. */
const LEAST_ROOM = 64;
/** A circle of radius 0 contains entities whose squared distance is 0. */
const SMALLEST = 1e-30;

/** Called with a slot. */
type Visit = (slot: number) => void;

export class MomentGrid {
  /** Slots that the last query found; grows. */
  found = new Uint32Array(256);
  /**
   * State of `nearest`: squared distances, how many slots are wanted, found and visited, and the squared distance up
   * to which others may be.
   */
  #squares = new Float64Array(32);
  #wanted = 0;
  #count = 0;
  #seen = 0;
  #farthest = 0;
  /**
   * Whether the last `nearest` found fewer than wanted: then the next one first lists all entities within its
   * distance, in no order.
   */
  #isSparse = false;
  readonly #now: EntityState;
  readonly #is3D: boolean;
  /** By bucket: the first slot, or -1. */
  #heads = new Int32Array(0);
  /** By slot: the bucket, or -1; the next and the previous slot in it, or -1. */
  #buckets = new Int32Array(0);
  #next = new Int32Array(0);
  #previous = new Int32Array(0);
  /** Slots written since the last query, each once; and by slot whether it is in the list. */
  #noted: number[] = [];
  #isNoted = new Uint8Array(0);
  /** Whether all entities may have moved. */
  #areAllNoted = true;
  /** There are 2 ** bits columns on each axis. */
  #bits = 0;
  #edge = 0;
  #wantedEdge = 0;
  #inverse = 0;
  /** Number of entities for which buckets were made. */
  #room = 0;
  #idleTicks = 0;
  /** The column that `#spanOf` begins with. */
  #first = 0;
  // Since the edge was checked: queries, the sum of their radii, cells and entities visited.
  #questions = 0;
  #lookAfter = FIRST_LOOK;
  #radii = 0;
  #cells = 0;
  #entities = 0;

  constructor(now: EntityState, is3D: boolean) {
    this.#now = now;
    this.#is3D = is3D;
  }

  get memoryBytes(): number {
    return 4 * this.#heads.length + 13 * this.#buckets.length + this.found.byteLength;
  }

  /** Call this when a slot was written. */
  note(slot: number): void {
    if (this.#areAllNoted) return;
    if (slot >= this.#isNoted.length) {
      this.#areAllNoted = true;
      return;
    }
    if (this.#isNoted[slot] === 1) return;
    this.#isNoted[slot] = 1;
    this.#noted.push(slot);
  }

  /** Call this when the slots of these ids were written, or of those at the indices `at`. */
  noteMany(ids: Uint32Array, at: ArrayLike<number> | undefined, count: number): void {
    // Checking all entities costs less for each.
    if (count * 4 > this.#room) this.#areAllNoted = true;
    if (this.#areAllNoted) return;
    for (let k = 0; k < count; k++) this.note(ids[at === undefined ? k : at[k]] >>> 10);
  }

  /** Call this when a tick is over; returns whether the grid should be kept. */
  endTick(): boolean {
    return ++this.#idleTicks <= IDLE_TICKS;
  }

  /**
   * Updates the grid; call it before a query. `radius`: how far the query looks, world units; `undefined` if unknown.
   */
  refresh(slotCount: number, size: number, radius: number | undefined): void {
    this.#idleTicks = 0;
    if (radius !== undefined) {
      this.#radii += radius;
      if (++this.#questions >= this.#lookAfter) this.#chooseEdge();
    }
    const isRoomWrong = size > 2 * this.#room || (size * 8 < this.#room && this.#room > LEAST_ROOM);
    if (this.#edge === 0)
      this.#wantedEdge = radius ? limitedEdge(radius) : spacingOf(this.#now, slotCount, size);
    if (this.#edge !== this.#wantedEdge || isRoomWrong) this.#makeAnew(slotCount, size);
    else if (this.#areAllNoted) this.#placeAll(slotCount);
    else for (const slot of this.#noted) this.#place(slot);
    if (this.#noted.length === 0) return;
    for (const slot of this.#noted) this.#isNoted[slot] = 0;
    this.#noted.length = 0;
  }

  /** Fills `found` with the slots within a circle, or a sphere, in no order; returns how many. */
  within(x: number, y: number, z: number, radius: number): number {
    const half = radius * (1 + 2 ** -40) + SMALLEST;
    const columns = this.#spanOf(x - half, x + half);
    const firstColumn = this.#first;
    const rows = this.#spanOf(y - half, y + half);
    const firstRow = this.#first;
    const decks = this.#is3D ? this.#spanOf(z - half, z + half) : 1;
    const firstDeck = this.#is3D ? this.#first : 0;
    const bits = this.#bits;
    const mask = (1 << bits) - 1;
    let count = 0;
    for (let k = 0; k < decks; k++) {
      const deck = ((firstDeck + k) & mask) << bits;
      for (let j = 0; j < rows; j++) {
        const row = (deck | ((firstRow + j) & mask)) << bits;
        for (let i = 0; i < columns; i++) {
          const bucket = row | ((firstColumn + i) & mask);
          if (this.#heads[bucket] < 0) continue;
          count = this.#is3D
            ? this.#scanSolid(bucket, x, y, z, radius, count)
            : this.#scanFlat(bucket, x, y, radius, count);
        }
      }
    }
    this.#cells += columns * rows * decks;
    return count;
  }

  /** Visits all slots in the cells that a box touches, and some others. */
  each({ minX, maxX, minY, maxY, minZ, maxZ }: Box, visit: Visit): void {
    const columns = this.#spanOf(minX, maxX);
    const firstColumn = this.#first;
    const rows = this.#spanOf(minY, maxY);
    const firstRow = this.#first;
    const decks = this.#is3D ? this.#spanOf(minZ, maxZ) : 1;
    const firstDeck = this.#is3D ? this.#first : 0;
    for (let k = 0; k < decks; k++) {
      for (let j = 0; j < rows; j++) {
        for (let i = 0; i < columns; i++) {
          this.#eachOf(this.#bucketOf(firstColumn + i, firstRow + j, firstDeck + k), visit);
        }
      }
    }
    this.#cells += columns * rows * decks;
  }

  /**
   * Finds the `k` nearest to a position, no farther than `maxDistance`: fills `found` with their slots, nearest
   * first, ties by id; returns how many. Searches cells ring by ring, until no entity farther out can be nearer.
   * Returns -1 if the rings cover the whole grid before the search is complete.
   */
  nearest(
    x: number,
    y: number,
    z: number,
    k: number,
    maxDistance: number,
    size: number,
    idOf: Uint32Array,
  ): number {
    const column = Math.floor(x * this.#inverse);
    const row = Math.floor(y * this.#inverse);
    const is3D = this.#is3D;
    const deck = is3D ? Math.floor(z * this.#inverse) : 0;
    const farthest = Math.max(Math.abs(column), Math.abs(row), Math.abs(deck));
    if (farthest > FARTHEST_CELL) return -1;
    if (k > this.#squares.length) this.#squares = new Float64Array(2 * k);
    while (k > this.found.length) this.#growFound();
    if (this.#isSparse && maxDistance < Number.POSITIVE_INFINITY) {
      const count = this.within(x, y, z, maxDistance);
      if (count <= k) return this.#inOrder(x, y, z, count, idOf);
    }
    this.#wanted = k;
    this.#count = 0;
    this.#seen = 0;
    this.#farthest = maxDistance * maxDistance;
    // Cells beyond these limits are too far away, whatever the position within them.
    const reach = maxDistance * (1 + 2 ** -40) + SMALLEST;
    const left = this.#stepsTo(x - reach, column);
    const right = this.#stepsTo(x + reach, column);
    const down = this.#stepsTo(y - reach, row);
    const up = this.#stepsTo(y + reach, row);
    const below = is3D ? this.#stepsTo(z - reach, deck) : 0;
    const above = is3D ? this.#stepsTo(z + reach, deck) : 0;
    const heads = this.#heads;
    const bits = this.#bits;
    const mask = (1 << bits) - 1;
    for (let ring = 0; ; ring++) {
      if (2 * ring > mask) return -1;
      for (let h = Math.max(-ring, below); h <= Math.min(ring, above); h++) {
        for (let j = Math.max(-ring, down); j <= Math.min(ring, up); j++) {
          // In a row inside the ring, only the two ends are new.
          const isWhole = j === ring || j === -ring || (is3D && (h === ring || h === -ring));
          const step = isWhole ? 1 : 2 * ring;
          const begin = ((((deck + h) & mask) << bits) | ((row + j) & mask)) << bits;
          for (let i = isWhole ? Math.max(-ring, left) : -ring; i <= ring && i <= right; i += step) {
            if (i < left) continue;
            const bucket = (begin | ((column + i) & mask)) >>> 0;
            if (heads[bucket] >= 0) this.#listNearest(bucket, x, y, z, idOf);
          }
        }
      }
      const border = ring * this.#edge * (1 - 2 ** -40);
      const isOver = this.#seen === size || border > maxDistance;
      if (isOver || (this.#count === k && this.#farthest < border * border)) break;
    }
    this.#entities += this.#seen;
    this.#isSparse = this.#count < k;
    return this.#count;
  }

  /** Sorts the first `count` of `found`, nearest first, ties by id; returns `count`. */
  #inOrder(x: number, y: number, z: number, count: number, idOf: Uint32Array): number {
    const { x: xs, y: ys, z: zs } = this.#now;
    const { found } = this;
    const squares = this.#squares;
    for (let i = 0; i < count; i++) {
      const slot = found[i];
      const dx = xs[slot] - x;
      const dy = ys[slot] - y;
      const dz = this.#is3D ? zs[slot] - z : 0;
      const square = dx * dx + dy * dy + dz * dz;
      let at = i;
      for (; at > 0; at--) {
        const before = squares[at - 1];
        if (before < square || (before === square && idOf[found[at - 1]] < idOf[slot])) break;
        squares[at] = before;
        found[at] = found[at - 1];
      }
      squares[at] = square;
      found[at] = slot;
    }
    return count;
  }

  /** Number of cells from a cell to that of a coordinate, on one axis. */
  #stepsTo(at: number, cell: number): number {
    return Math.floor(at * this.#inverse) - cell;
  }

  /** Merges the slots of a bucket into the nearest found so far. */
  #listNearest(bucket: number, x: number, y: number, z: number, idOf: Uint32Array): void {
    const { x: xs, y: ys, z: zs } = this.#now;
    const { found } = this;
    const next = this.#next;
    const is3D = this.#is3D;
    const squares = this.#squares;
    const wanted = this.#wanted;
    let count = this.#count;
    let most = this.#farthest;
    let seen = 0;
    for (let slot = this.#heads[bucket]; slot >= 0; slot = next[slot]) {
      seen++;
      const dx = xs[slot] - x;
      const dy = ys[slot] - y;
      const dz = is3D ? zs[slot] - z : 0;
      const square = dx * dx + dy * dy + dz * dz;
      if (square > most) continue;
      let at = count;
      if (count < wanted) count++;
      else if (square < most || idOf[slot] < idOf[found[wanted - 1]]) at = wanted - 1;
      else continue;
      for (; at > 0; at--) {
        const before = squares[at - 1];
        if (before < square || (before === square && idOf[found[at - 1]] < idOf[slot])) break;
        squares[at] = before;
        found[at] = found[at - 1];
      }
      squares[at] = square;
      found[at] = slot;
      if (count === wanted) most = squares[wanted - 1];
    }
    this.#count = count;
    this.#farthest = most;
    this.#seen += seen;
  }

  /** Throws unless every present slot that was not marked is in its cell, and no other slot is in any. For tests. */
  validate(slotCount: number): void {
    if (this.#areAllNoted || this.#edge === 0) return;
    let listed = 0;
    for (let bucket = 0; bucket < this.#heads.length; bucket++) {
      this.#eachOf(bucket, (slot) => {
        listed++;
        if (this.#buckets[slot] !== bucket)
          throw new Error('umwelt: broken invariant: a slot is in its bucket');
      });
    }
    let placed = 0;
    for (let slot = 0; slot < this.#buckets.length; slot++) {
      if (this.#buckets[slot] !== NOWHERE) placed++;
      const expected = slot < slotCount ? this.#bucketAt(slot) : NOWHERE;
      if (this.#isNoted[slot] === 0 && this.#buckets[slot] !== expected)
        throw new Error(`umwelt: broken invariant: slot ${slot} is in the cell of its position, or noted`);
    }
    if (placed !== listed) throw new Error('umwelt: broken invariant: all that are placed are listed');
  }

  /** Number of columns that cover `low` to `high`; the first of them goes to `#first`. */
  #spanOf(low: number, high: number): number {
    const columns = 1 << this.#bits;
    const first = Math.floor(low * this.#inverse);
    const last = Math.floor(high * this.#inverse);
    // NaN and infinities fail the comparison.
    const isNear = first >= -FARTHEST_CELL && last <= FARTHEST_CELL && last - first < columns;
    this.#first = isNear ? first : 0;
    return isNear ? last - first + 1 : columns;
  }

  #scanFlat(bucket: number, x: number, y: number, radius: number, from: number): number {
    const { x: xs, y: ys } = this.#now;
    const next = this.#next;
    const squared = radius * radius;
    let { found } = this;
    let count = from;
    let seen = 0;
    for (let slot = this.#heads[bucket]; slot >= 0; slot = next[slot]) {
      seen++;
      const dx = xs[slot] - x;
      const dy = ys[slot] - y;
      if (dx * dx + dy * dy > squared) continue;
      if (count === found.length) found = this.#growFound();
      found[count++] = slot;
    }
    this.#entities += seen;
    return count;
  }

  #scanSolid(bucket: number, x: number, y: number, z: number, radius: number, from: number): number {
    const { x: xs, y: ys, z: zs } = this.#now;
    const next = this.#next;
    const squared = radius * radius;
    let { found } = this;
    let count = from;
    let seen = 0;
    for (let slot = this.#heads[bucket]; slot >= 0; slot = next[slot]) {
      seen++;
      const dx = xs[slot] - x;
      const dy = ys[slot] - y;
      const dz = zs[slot] - z;
      if (dx * dx + dy * dy + dz * dz > squared) continue;
      if (count === found.length) found = this.#growFound();
      found[count++] = slot;
    }
    this.#entities += seen;
    return count;
  }

  #eachOf(bucket: number, visit: Visit): void {
    for (let slot = this.#heads[bucket]; slot >= 0; slot = this.#next[slot]) {
      this.#entities++;
      visit(slot);
    }
  }

  #growFound(): Uint32Array<ArrayBuffer> {
    this.found = grown(this.found, 2 * this.found.length);
    return this.found;
  }

  /** Cell numbers are whole numbers of at most 2 ** 30. Those of positions farther out wrap around in some way. */
  #bucketOf(column: number, row: number, deck: number): number {
    const mask = (1 << this.#bits) - 1;
    return (((((deck & mask) << this.#bits) | (row & mask)) << this.#bits) | (column & mask)) >>> 0;
  }

  #bucketAt(slot: number): number {
    const { x, y, z, flags } = this.#now;
    // Columns may have shrunk since.
    if (slot >= flags.length || flags[slot] === 0) return NOWHERE;
    const inverse = this.#inverse;
    const deck = this.#is3D ? Math.floor(z[slot] * inverse) : 0;
    return this.#bucketOf(Math.floor(x[slot] * inverse), Math.floor(y[slot] * inverse), deck);
  }

  #place(slot: number): void {
    const bucket = this.#bucketAt(slot);
    const before = this.#buckets[slot];
    if (bucket === before) return;
    const [next, previous] = [this.#next[slot], this.#previous[slot]];
    if (before !== NOWHERE) {
      if (previous >= 0) this.#next[previous] = next;
      else this.#heads[before] = next;
      if (next >= 0) this.#previous[next] = previous;
    }
    this.#buckets[slot] = bucket;
    if (bucket === NOWHERE) return;
    const head = this.#heads[bucket];
    this.#next[slot] = head;
    this.#previous[slot] = NOWHERE;
    if (head >= 0) this.#previous[head] = slot;
    this.#heads[bucket] = slot;
  }

  #placeAll(slotCount: number): void {
    this.#growSlots(slotCount);
    for (let slot = 0; slot < slotCount; slot++) this.#place(slot);
    // Slots above all those in use hold no entity.
    for (let slot = slotCount; slot < this.#buckets.length; slot++) this.#place(slot);
    this.#areAllNoted = false;
  }

  #growSlots(slotCount: number): void {
    if (slotCount <= this.#buckets.length) return;
    const length = Math.max(slotCount, Math.min(2 * this.#buckets.length, slotCount + 65_536));
    this.#buckets = grown(this.#buckets, length, NOWHERE);
    this.#next = grown(this.#next, length, NOWHERE);
    this.#previous = grown(this.#previous, length, NOWHERE);
    this.#isNoted = grown(this.#isNoted, length);
  }

  /** Creates buckets for `size` entities, with cells of the wanted edge, and places all entities. */
  #makeAnew(slotCount: number, size: number): void {
    this.#room = Math.max(size, LEAST_ROOM);
    const dimensions = this.#is3D ? 3 : 2;
    this.#bits = Math.ceil(Math.log2(this.#room) / dimensions);
    this.#edge = this.#wantedEdge;
    this.#inverse = 1 / this.#edge;
    this.#heads = new Int32Array(1 << (this.#bits * dimensions)).fill(NOWHERE);
    this.#buckets.fill(NOWHERE);
    this.#placeAll(slotCount);
  }

  /** Chooses the edge with which the queries since the last check would have cost least. */
  #chooseEdge(): void {
    const radius = this.#radii / this.#questions;
    const edge = this.#edge;
    const dimensions = this.#is3D ? 3 : 2;
    const density = this.#entities / Math.max(1, this.#cells * edge ** dimensions);
    this.#questions = this.#cells = this.#entities = this.#radii = 0;
    this.#lookAfter = NEXT_LOOK;
    const costOf = (each: number) => {
      const reach = (2 * radius + each) ** dimensions;
      return (CELL_COST * reach) / each ** dimensions + ENTITY_COST * density * reach;
    };
    let best = edge;
    for (let factor = 1 / 16; factor <= 16; factor *= 2) {
      const other = edge * factor;
      if (other >= LEAST_EDGE && other <= MOST_EDGE && costOf(other) < costOf(best)) best = other;
    }
    if (costOf(best) < BETTER * costOf(edge)) this.#wantedEdge = best;
  }
}

/** The region that a query covers. */
interface Box {
  readonly minX: number;
  readonly maxX: number;
  readonly minY: number;
  readonly maxY: number;
  readonly minZ: number;
  readonly maxZ: number;
}
