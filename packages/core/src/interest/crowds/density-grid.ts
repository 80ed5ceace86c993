/**
 * About how many markers are near a place: counts by cell, the cells hashed and never told apart when they collide.
 *
 * Only speed depends on the answer, so it may be off: a cell counts as near when its centre is. Memory: 4 bytes a bucket,
 * four buckets a marker or so. Cost: 5 ns a marker to fill, 3 ns for each cell asked about.
 */
import { type EntityState, MARKER } from '../../entities/entity-state.ts';

export class DensityGrid {
  #counts = new Uint32Array(256);
  #shift = 24;
  #cellSize = 1;
  #perCell = 1;
  /** 1 in 3-D, where neighbours lie above and below too. */
  #layers = 0;

  /** World units. */
  get cellSize(): number {
    return this.#cellSize;
  }

  get memoryBytes(): number {
    return this.#counts.byteLength;
  }

  /** Counts all markers of a state. O(n). */
  fill(state: EntityState, slotCount: number, cellSize: number): void {
    const bits = Math.max(8, Math.ceil(Math.log2(slotCount + 1)) + 1);
    if (this.#counts.length === 2 ** bits) this.#counts.fill(0);
    else this.#counts = new Uint32Array(2 ** bits);
    this.#shift = 32 - bits;
    this.#cellSize = cellSize;
    this.#perCell = 1 / cellSize;
    const { x, y, z, flags } = state;
    this.#layers = z.length > 0 ? 1 : 0;
    const counts = this.#counts;
    const [perCell, shift] = [this.#perCell, this.#shift];
    for (let slot = 0; slot < slotCount; slot++) {
      if ((flags[slot] & MARKER) === 0) continue;
      const layer = this.#layers === 0 ? 0 : Math.floor(z[slot] * perCell);
      counts[bucketOf(Math.floor(x[slot] * perCell), Math.floor(y[slot] * perCell), layer, shift)]++;
    }
  }

  /** In the cell of a place. */
  countAt(x: number, y: number, z: number): number {
    const perCell = this.#perCell;
    const layer = this.#layers * Math.floor(z * perCell);
    return this.#counts[bucketOf(Math.floor(x * perCell), Math.floor(y * perCell), layer, this.#shift)];
  }

  /** In the cells whose centre is at most `radius` from a place; at most two cells away on each axis. */
  countWithin(x: number, y: number, z: number, radius: number): number {
    const [counts, shift, size, perCell] = [this.#counts, this.#shift, this.#cellSize, this.#perCell];
    const [cellX, cellY] = [Math.floor(x * perCell), Math.floor(y * perCell)];
    const cellZ = this.#layers * Math.floor(z * perCell);
    const reach = Math.min(2, Math.ceil(radius * perCell));
    const layers = this.#layers * reach;
    let sum = 0;
    // By offsets: so far out that cells are finer than numbers, a number of a cell and one are that number again.
    for (let layer = -layers; layer <= layers; layer++) {
      const dz = this.#layers * ((cellZ + layer + 0.5) * size - z);
      for (let row = -reach; row <= reach; row++) {
        const dy = (cellY + row + 0.5) * size - y;
        for (let column = -reach; column <= reach; column++) {
          const dx = (cellX + column + 0.5) * size - x;
          if (dx * dx + dy * dy + dz * dz <= radius * radius)
            sum += counts[bucketOf(cellX + column, cellY + row, cellZ + layer, shift)];
        }
      }
    }
    return sum;
  }

  /** In the cell of a place and all those that touch it. */
  countAround(x: number, y: number, z: number): number {
    const [counts, shift, perCell] = [this.#counts, this.#shift, this.#perCell];
    const [cellX, cellY] = [Math.floor(x * perCell), Math.floor(y * perCell)];
    const cellZ = this.#layers * Math.floor(z * perCell);
    let sum = 0;
    for (let layer = -this.#layers; layer <= this.#layers; layer++) {
      for (let row = -1; row <= 1; row++) {
        for (let column = -1; column <= 1; column++) {
          sum += counts[bucketOf(cellX + column, cellY + row, cellZ + layer, shift)];
        }
      }
    }
    return sum;
  }

  /** The greatest count of any bucket. */
  greatest(): number {
    let greatest = 0;
    for (let i = 0; i < this.#counts.length; i++) if (this.#counts[i] > greatest) greatest = this.#counts[i];
    return greatest;
  }
}

function bucketOf(column: number, row: number, layer: number, shift: number): number {
  const mixed = Math.imul(column, 0x9e3779b1) ^ Math.imul(row, 0x85ebca77) ^ Math.imul(layer, 0xc2b2ae3d);
  return Math.imul(mixed ^ (mixed >>> 15), 0x2c1b3c6d) >>> shift;
}
