/**
 * A grid without borders: cells are created on first use, freed when empty, found by hash; each has lists of its
 * occupants.
 *
 * Problem: a grid over a map costs memory for the whole map, and a world has no borders. Method: a cell is a row of
 * columns, found by open addressing over its three numbers. These are doubles, so a world of 1e12 units with cells of
 * a micron still has distinct cells. Occupants are on two doubly linked lists per cell, one of watchers and one of
 * all others, whose links are columns by slot: most searches need only watchers, and a pile of things does not slow
 * them down.
 *
 *   cell    x, y, z | first watcher, first other | how many of each, of those staying | hash
 *   slot    cell | list | next | previous
 *   order   | cells in use ... | free cells ... |     rank: where in `order` a cell is
 *
 * Memory: 13 bytes a slot, about 70 a cell in use. Cost: a cell is found in some ten nanoseconds; link and unlink are
 * O(1). For a window with more cells than are in use, the cells in use are scanned, so a range wider than the world
 * costs no more than the world.
 */
import { grown } from '../../columns.ts';
import { cellOf } from '../../entities/perception.ts';
import { assert, broken } from '../../errors.ts';
import type { Bounds, SlotVisitor } from '../detector.ts';

/** The two lists of a cell. */
export const WATCHERS = 0;
export const OTHERS = 1;
export const NONE = -1;

const FIRST_CELLS = 64;
/**
 * Beyond this, a double plus one is no longer the next whole number, so cells are scanned instead of counted through.
 */
const COUNTABLE = 2 ** 52;
/** Looking up a cell costs about as much as checking four. */
const GLANCES = 4;

export class CellTable {
  readonly sizeX: number;
  readonly sizeY: number;
  readonly sizeZ: number;
  /** In 2-D every cell's z is 0. */
  readonly is3D: boolean;
  /** Number of cells in use. */
  cellCount = 0;
  /** By cell: its number on each axis, floor(coordinate / size). */
  keyX = new Float64Array(FIRST_CELLS);
  keyY = new Float64Array(FIRST_CELLS);
  keyZ = new Float64Array(FIRST_CELLS);
  /** First occupant's slot at 2 * cell + list, or NONE. */
  heads = new Int32Array(2 * FIRST_CELLS).fill(NONE);
  /** Number of occupants at 2 * cell + list. */
  counts = new Uint32Array(2 * FIRST_CELLS);
  /** Scratch for a tick, at 2 * cell + list: number of occupants that move inside the cell. 0 between ticks. */
  staying = new Uint32Array(2 * FIRST_CELLS);
  /** The cells in use are `order[0 .. cellCount)`, in no order. */
  order = new Int32Array(FIRST_CELLS);
  /** The cells that `cellsIn` found. */
  found = new Int32Array(FIRST_CELLS);
  /** By slot: its cell, or NONE. */
  cellOf: Int32Array;
  /** By slot: which of the cell's lists it is on. */
  listOf: Uint8Array;
  /** By slot: the next on its list, or NONE. */
  next: Int32Array;
  previous: Int32Array;
  #rank = new Int32Array(FIRST_CELLS);
  #hashes = new Int32Array(FIRST_CELLS);
  /** Cell + 1, or 0; twice as many as there is room for cells. */
  #buckets = new Int32Array(2 * FIRST_CELLS);

  constructor(sizes: readonly [x: number, y: number, z: number], is3D: boolean, slotCapacity: number) {
    [this.sizeX, this.sizeY, this.sizeZ] = sizes;
    this.is3D = is3D;
    this.cellOf = new Int32Array(slotCapacity).fill(NONE);
    this.listOf = new Uint8Array(slotCapacity);
    this.next = new Int32Array(slotCapacity);
    this.previous = new Int32Array(slotCapacity);
    for (let cell = 0; cell < FIRST_CELLS; cell++) this.order[cell] = this.#rank[cell] = cell;
  }

  /** Number of cells that there is room for; indices of cells are below it. */
  get cellCapacity(): number {
    return this.order.length;
  }

  get memoryBytes(): number {
    const perCell = [
      this.keyX,
      this.keyY,
      this.keyZ,
      this.heads,
      this.counts,
      this.staying,
      this.order,
      this.found,
    ];
    const perSlot = [this.cellOf, this.listOf, this.next, this.previous];
    let bytes = this.#rank.byteLength + this.#hashes.byteLength + this.#buckets.byteLength;
    for (const column of [...perCell, ...perSlot]) bytes += column.byteLength;
    return bytes;
  }

  numberX(x: number): number {
    return cellOf(x, this.sizeX);
  }

  numberY(y: number): number {
    return cellOf(y, this.sizeY);
  }

  numberZ(z: number): number {
    return this.is3D ? cellOf(z, this.sizeZ) : 0;
  }

  /** Number of slots that the columns hold. */
  get slotRoom(): number {
    return this.previous.length;
  }

  growSlots(capacity: number): void {
    this.cellOf = grown(this.cellOf, capacity, NONE);
    this.listOf = grown(this.listOf, capacity);
    this.next = grown(this.next, capacity);
    this.previous = grown(this.previous, capacity);
  }

  /** The cell with these numbers, or NONE. */
  find(x: number, y: number, z: number): number {
    const mask = this.#buckets.length - 1;
    for (let bucket = hashOf(x, y, z) & mask; ; bucket = (bucket + 1) & mask) {
      const cell = this.#buckets[bucket] - 1;
      if (cell < 0) return NONE;
      if (this.keyX[cell] === x && this.keyY[cell] === y && this.keyZ[cell] === z) return cell;
    }
  }

  /** Creates an empty cell with these numbers; there must be none yet. Indices of other cells do not change. */
  make(x: number, y: number, z: number): number {
    if (this.cellCount === this.cellCapacity) this.#growCells();
    const cell = this.order[this.cellCount++];
    this.keyX[cell] = x;
    this.keyY[cell] = y;
    this.keyZ[cell] = z;
    this.#hashes[cell] = hashOf(x, y, z);
    this.#enter(cell);
    return cell;
  }

  /** Frees a cell without occupants. */
  free(cell: number): void {
    this.#leave(cell);
    const rank = this.#rank[cell];
    const lastCell = this.order[--this.cellCount];
    this.order[rank] = lastCell;
    this.#rank[lastCell] = rank;
    this.order[this.cellCount] = cell;
    this.#rank[cell] = this.cellCount;
  }

  isEmpty(cell: number): boolean {
    return this.counts[2 * cell] + this.counts[2 * cell + 1] === 0;
  }

  link(slot: number, cell: number, list: number): void {
    const at = 2 * cell + list;
    const head = this.heads[at];
    this.next[slot] = head;
    this.previous[slot] = NONE;
    if (head !== NONE) this.previous[head] = slot;
    this.heads[at] = slot;
    this.counts[at]++;
    this.cellOf[slot] = cell;
    this.listOf[slot] = list;
  }

  /** Removes a slot from its list; the cell stays, even if it is empty. */
  unlink(slot: number): void {
    const at = 2 * this.cellOf[slot] + this.listOf[slot];
    const next = this.next[slot];
    const previous = this.previous[slot];
    if (previous === NONE) this.heads[at] = next;
    else this.next[previous] = next;
    if (next !== NONE) this.previous[next] = previous;
    this.counts[at]--;
    this.cellOf[slot] = NONE;
  }

  /**
   * Whether looking up `cells` cells is cheaper than scanning all cells in use. False if cell numbers are too large
   * to count through: `farthest` is the largest of them on any axis.
   */
  isLookupCheaper(cells: number, farthest: number): boolean {
    return cells <= GLANCES * this.cellCount && farthest <= COUNTABLE;
  }

  /**
   * Writes the cells in use whose numbers lie in a window, edges included, to `found`, each once; returns how many.
   * Infinite edges are allowed. Valid until the next call.
   */
  cellsIn(minX: number, minY: number, minZ: number, maxX: number, maxY: number, maxZ: number): number {
    const wide = maxX - minX + 1;
    const high = maxY - minY + 1;
    const deep = this.is3D ? maxZ - minZ + 1 : 1;
    if (!(wide > 0 && high > 0 && deep > 0)) return 0;
    const farthest = Math.max(-minX, maxX, -minY, maxY, this.is3D ? Math.max(-minZ, maxZ) : 0);
    if (!this.isLookupCheaper(wide * high * deep, farthest)) {
      return this.#cellsAmong(minX, minY, minZ, maxX, maxY, maxZ);
    }
    let count = 0;
    const fromZ = this.is3D ? minZ : 0;
    for (let z = fromZ; z < fromZ + deep; z++) {
      for (let y = minY; y <= maxY; y++) {
        for (let x = minX; x <= maxX; x++) {
          const cell = this.find(x, y, z);
          if (cell !== NONE) this.found[count++] = cell;
        }
      }
    }
    return count;
  }

  /** Visits all slots in the cells that a box touches, world units. */
  eachIn({ minX, minY, minZ, maxX, maxY, maxZ }: Bounds, visit: SlotVisitor): void {
    const count = this.cellsIn(
      this.numberX(minX),
      this.numberY(minY),
      this.numberZ(minZ),
      this.numberX(maxX),
      this.numberY(maxY),
      this.numberZ(maxZ),
    );
    // The visitor may start another search, so the result is copied.
    for (const cell of this.found.slice(0, count)) {
      for (let list = WATCHERS; list <= OTHERS; list++) {
        for (let slot = this.heads[2 * cell + list]; slot !== NONE; slot = this.next[slot]) visit(slot);
      }
    }
  }

  /**
   * Throws at the first broken invariant: every slot below `slotCount` must be on the list that its cell's links say.
   */
  validate(slotCount: number): void {
    let linked = 0;
    for (let i = 0; i < this.cellCount; i++) {
      const cell = this.order[i];
      if (this.#rank[cell] !== i) broken(`cell ${cell} knows its place among the cells in use`);
      if (this.find(this.keyX[cell], this.keyY[cell], this.keyZ[cell]) !== cell)
        broken(`cell ${cell} is found by its numbers`);
      if (this.isEmpty(cell)) broken(`cell ${cell} is freed when empty`);
      for (let list = WATCHERS; list <= OTHERS; list++) {
        let count = 0;
        let previous = NONE;
        for (let slot = this.heads[2 * cell + list]; slot !== NONE; slot = this.next[slot]) {
          if (this.cellOf[slot] !== cell || this.listOf[slot] !== list)
            broken(`slot ${slot} knows its cell and list`);
          if (this.previous[slot] !== previous) broken(`slot ${slot} is linked both ways`);
          previous = slot;
          count++;
        }
        if (count !== this.counts[2 * cell + list]) broken(`cell ${cell} counts its occupants`);
        if (this.staying[2 * cell + list] !== 0) broken(`no slot moves in cell ${cell} between ticks`);
        linked += count;
      }
    }
    // An entity added and removed between two ticks may have a slot that the table never saw.
    const known = Math.min(slotCount, this.cellOf.length);
    for (let slot = 0; slot < known; slot++) if (this.cellOf[slot] !== NONE) linked--;
    assert(linked === 0, 'as many slots are linked as have a cell');
    let used = 0;
    for (const entry of this.#buckets) if (entry !== 0) used++;
    assert(used === this.cellCount, 'every bucket in use is of a cell in use');
  }

  #cellsAmong(minX: number, minY: number, minZ: number, maxX: number, maxY: number, maxZ: number): number {
    const { keyX, keyY, keyZ, order, found, cellCount } = this;
    const fromZ = this.is3D ? minZ : 0;
    const toZ = this.is3D ? maxZ : 0;
    let count = 0;
    for (let i = 0; i < cellCount; i++) {
      const cell = order[i];
      const x = keyX[cell];
      const y = keyY[cell];
      const z = keyZ[cell];
      if (x >= minX && x <= maxX && y >= minY && y <= maxY && z >= fromZ && z <= toZ) found[count++] = cell;
    }
    return count;
  }

  #growCells(): void {
    const from = this.cellCapacity;
    const capacity = 2 * from;
    this.keyX = grown(this.keyX, capacity);
    this.keyY = grown(this.keyY, capacity);
    this.keyZ = grown(this.keyZ, capacity);
    this.heads = grown(this.heads, 2 * capacity, NONE);
    this.counts = grown(this.counts, 2 * capacity);
    this.staying = grown(this.staying, 2 * capacity);
    this.order = grown(this.order, capacity);
    this.found = new Int32Array(capacity);
    this.#rank = grown(this.#rank, capacity);
    this.#hashes = grown(this.#hashes, capacity);
    for (let cell = from; cell < capacity; cell++) this.order[cell] = this.#rank[cell] = cell;
    this.#buckets = new Int32Array(2 * capacity);
    for (let i = 0; i < this.cellCount; i++) this.#enter(this.order[i]);
  }

  #enter(cell: number): void {
    const mask = this.#buckets.length - 1;
    let bucket = this.#hashes[cell] & mask;
    while (this.#buckets[bucket] !== 0) bucket = (bucket + 1) & mask;
    this.#buckets[bucket] = cell + 1;
  }

  /** Empties the cell's bucket and moves up later entries that would no longer be found across the gap. */
  #leave(cell: number): void {
    const buckets = this.#buckets;
    const mask = buckets.length - 1;
    let gap = this.#hashes[cell] & mask;
    while (buckets[gap] !== cell + 1) gap = (gap + 1) & mask;
    for (let bucket = (gap + 1) & mask; buckets[bucket] !== 0; bucket = (bucket + 1) & mask) {
      const home = this.#hashes[buckets[bucket] - 1] & mask;
      if (((bucket - home) & mask) < ((bucket - gap) & mask)) continue;
      buckets[gap] = buckets[bucket];
      gap = bucket;
    }
    buckets[gap] = 0;
  }
}

/** All 64 bits of each number are used: below 2^31 the high part is 0 and costs almost nothing. */
function hashOf(x: number, y: number, z: number): number {
  let hash = Math.imul((x | 0) ^ Math.imul((x * 2 ** -32) | 0, 0x27d4eb2f), 0x9e3779b1);
  hash = Math.imul(hash ^ (hash >>> 15) ^ (y | 0) ^ Math.imul((y * 2 ** -32) | 0, 0x27d4eb2f), 0x85ebca77);
  hash = Math.imul(hash ^ (hash >>> 13) ^ (z | 0) ^ Math.imul((z * 2 ** -32) | 0, 0x27d4eb2f), 0xc2b2ae3d);
  return hash ^ (hash >>> 16);
}
