/**
 * How far the watchers in each cell see: the number of watchers at each level, and their smallest reach.
 *
 * Problem: a cell must know how far its farthest-seeing occupant sees, after any of them left, and this must not need
 * a look at every occupant. Method: occupants are counted by level, so that the counts show the highest level in use.
 * The smallest reach is kept as a bound: adding an occupant only lowers it; after one has left, it is computed again
 * from the occupants on the next read. That costs no more than the tests that it may save.
 *
 * Memory: 6 bytes a cell, and 4 for each level; 9 a slot. Cost: O(1), except for computing the smallest reach again.
 */
import { grown } from '../../columns.ts';
import { broken } from '../../errors.ts';
import { type CellTable, NONE, WATCHERS } from '../cells/cell-table.ts';

export class CellSight {
  /** By slot: its level; 0 if it watches nothing or is far-sighted. */
  levels: Uint8Array;
  /** By slot with a level: the longest distance from which it perceives a usual marker; world units. */
  longest: Float32Array;
  /** By slot with a level: its shortest range above 0 in any sense, world units. */
  shortest: Float32Array;
  /** By cell: the highest level of its occupants. */
  viewLevel = new Uint8Array(0);
  /** The highest level of any cell. */
  highestLevel = 0;
  readonly #levelCount: number;
  /** Number of occupants of a cell at cell * (levels + 1) + level. */
  #counts = new Uint32Array(0);
  readonly #cellsAtLevel: Uint32Array;
  #smallest = new Float32Array(0);
  /** By cell: 1 if the above is known; 0 if it must be computed again. */
  #known = new Uint8Array(0);

  constructor(levelCount: number, slotCapacity: number) {
    this.#levelCount = levelCount;
    this.#cellsAtLevel = new Uint32Array(levelCount + 1);
    this.levels = new Uint8Array(slotCapacity);
    this.longest = new Float32Array(slotCapacity);
    this.shortest = new Float32Array(slotCapacity);
  }

  get memoryBytes(): number {
    const perCell = [this.viewLevel, this.#counts, this.#smallest, this.#known];
    let bytes = 0;
    for (const column of [...perCell, this.levels, this.longest, this.shortest]) bytes += column.byteLength;
    return bytes;
  }

  get slotRoom(): number {
    return this.shortest.length;
  }

  growSlots(capacity: number): void {
    this.levels = grown(this.levels, capacity);
    this.longest = grown(this.longest, capacity);
    this.shortest = grown(this.shortest, capacity);
  }

  growCells(capacity: number): void {
    this.viewLevel = grown(this.viewLevel, capacity);
    this.#counts = grown(this.#counts, capacity * (this.#levelCount + 1));
    this.#smallest = grown(this.#smallest, capacity);
    this.#known = grown(this.#known, capacity);
  }

  /** Counts a slot in; its columns are set. Returns whether the cell now sees farther than before. */
  enter(slot: number, cell: number): boolean {
    const level = this.levels[slot];
    if (level === 0) return false;
    const isFirst = this.viewLevel[cell] === 0;
    this.#counts[cell * (this.#levelCount + 1) + level]++;
    if (isFirst || this.#known[cell] > 0) this.#widen(cell, slot);
    if (level <= this.viewLevel[cell]) return false;
    this.#setViewLevel(cell, level);
    return true;
  }

  /** Counts a slot out. Returns whether the cell now sees less far than before. */
  leave(slot: number, cell: number): boolean {
    const level = this.levels[slot];
    if (level === 0) return false;
    const at = cell * (this.#levelCount + 1);
    this.#counts[at + level]--;
    this.#known[cell] = 0;
    let highest = this.viewLevel[cell];
    while (highest > 0 && this.#counts[at + highest] === 0) highest--;
    if (highest === this.viewLevel[cell]) return false;
    this.#setViewLevel(cell, highest);
    return true;
  }

  /** The smallest reach of the watchers with a level in a cell that has any; world units. */
  smallestReach(cell: number, table: CellTable): number {
    if (this.#known[cell] === 0) this.#read(cell, table);
    return this.#smallest[cell];
  }

  /** Throws unless the counts of a cell match its occupants, and none sees less far than its smallest reach. */
  validate(cell: number, table: CellTable): void {
    const at = cell * (this.#levelCount + 1);
    const counts = new Uint32Array(this.#levelCount + 1);
    for (let slot = table.heads[2 * cell + WATCHERS]; slot !== NONE; slot = table.next[slot]) {
      const level = this.levels[slot];
      if (level === 0) continue;
      counts[level]++;
      if (this.#known[cell] === 0) continue;
      if (!(this.shortest[slot] >= this.#smallest[cell])) broken(`cell ${cell} knows its smallest reach`);
    }
    let highest = 0;
    for (let level = 1; level <= this.#levelCount; level++) {
      if (counts[level] !== this.#counts[at + level])
        broken(`cell ${cell} counts its watchers of level ${level}`);
      if (counts[level] > 0) highest = level;
    }
    if (highest !== this.viewLevel[cell]) broken(`cell ${cell} knows its highest level`);
  }

  #setViewLevel(cell: number, level: number): void {
    const before = this.viewLevel[cell];
    if (before > 0) this.#cellsAtLevel[before]--;
    if (level > 0) this.#cellsAtLevel[level]++;
    this.viewLevel[cell] = level;
    this.highestLevel = Math.max(this.highestLevel, level);
    while (this.highestLevel > 0 && this.#cellsAtLevel[this.highestLevel] === 0) this.highestLevel--;
  }

  #widen(cell: number, slot: number): void {
    const shortest = this.shortest[slot];
    this.#smallest[cell] = this.#known[cell] === 0 ? shortest : Math.min(this.#smallest[cell], shortest);
    this.#known[cell] = 1;
  }

  #read(cell: number, table: CellTable): void {
    this.#known[cell] = 0;
    for (let slot = table.heads[2 * cell + WATCHERS]; slot !== NONE; slot = table.next[slot]) {
      if (this.levels[slot] !== 0) this.#widen(cell, slot);
    }
  }
}
