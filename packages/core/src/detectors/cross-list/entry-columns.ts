/**
 * The values that a sweep reads of each entity, copied into the order of a list.
 *
 * A strip is a run of these columns, read sequentially instead of by slot. Positions are stored twice: in the state
 * by which the list is sorted, and in the other one. Memory: 20 bytes an entry (28 in 3-D), 4 more for each further
 * sense and for gains, minReaches and maxReaches in use. Cost: 20 ns an entry to copy.
 */
import type { Property } from '../../entities/entity-state.ts';
import type { EntityStore } from '../../entities/entity-store.ts';
import { Bands, UNUSED } from './bands.ts';

export class EntryColumns {
  /** Compares entries. */
  readonly bands: Bands;
  readonly #is3D: boolean;

  constructor({ settings }: EntityStore) {
    this.bands = new Bands(settings);
    this.#is3D = settings.dimensions === 3;
  }

  get memoryBytes(): number {
    const { x, ranges, gains, minReaches, maxReaches } = this.bands;
    let bytes = (this.#is3D ? 6 : 4) * x.byteLength;
    for (const column of [...ranges, ...gains, ...minReaches, ...maxReaches]) bytes += column.byteLength;
    return bytes;
  }

  /** Number of entries that there is room for: as many as slots. */
  get slotRoom(): number {
    return this.bands.otherY.length;
  }

  /** Makes room for `capacity` entries. Copied data is lost. */
  grow(capacity: number): void {
    if (capacity <= this.slotRoom) return;
    const { bands } = this;
    bands.x = new Float32Array(capacity);
    bands.y = new Float32Array(capacity);
    bands.z = this.#is3D ? new Float32Array(capacity) : bands.y;
    bands.otherX = new Float32Array(capacity);
    bands.otherY = new Float32Array(capacity);
    bands.otherZ = this.#is3D ? new Float32Array(capacity) : bands.otherY;
    for (const columns of [bands.ranges, bands.gains, bands.minReaches, bands.maxReaches])
      columns.fill(UNUSED);
  }

  /** World units: 0 x, 1 y, 2 z, in the state by which the list is sorted. */
  column(axis: number): Float32Array {
    return axis === 0 ? this.bands.x : axis === 1 ? this.bands.y : this.bands.z;
  }

  /** Copies the values of each slot; `isNow`: the list is sorted by the state now. */
  copy(store: EntityStore, slots: Int32Array, count: number, isNow: boolean): void {
    const { bands } = this;
    const state = isNow ? store.now : store.last;
    const other = isNow ? store.last : store.now;
    copyInto(bands.x, state.x, slots, count);
    copyInto(bands.y, state.y, slots, count);
    copyInto(bands.otherX, other.x, slots, count);
    copyInto(bands.otherY, other.y, slots, count);
    if (this.#is3D) {
      copyInto(bands.z, state.z, slots, count);
      copyInto(bands.otherZ, other.z, slots, count);
    }
    for (let s = 0; s < bands.ranges.length; s++) {
      bands.ranges[s] = this.#copyUsed(bands.ranges[s], state.ranges[s], slots, count);
      bands.gains[s] = this.#copyUsed(bands.gains[s], state.gains[s], slots, count);
      bands.minReaches[s] = this.#copyUsed(bands.minReaches[s], state.minReaches[s], slots, count);
      bands.maxReaches[s] = this.#copyUsed(bands.maxReaches[s], state.maxReaches[s], slots, count);
    }
  }

  /** Whether the entry has a range above 0 in the state by which the list is sorted. */
  isWatcher(i: number): boolean {
    const { ranges } = this.bands;
    for (let s = 0; s < ranges.length; s++) if (ranges[s].length > 0 && ranges[s][i] > 0) return true;
    return false;
  }

  /** Leaves every pair with this entry to the definition. */
  unsettle(i: number): void {
    this.bands.otherX[i] = Number.NaN;
  }

  #copyUsed(
    column: Float32Array,
    { column: given }: Property<'f32'>,
    slots: Int32Array,
    count: number,
  ): Float32Array {
    if (given === undefined) return column;
    const used = column.length === 0 ? new Float32Array(this.slotRoom) : column;
    copyInto(used, given.array, slots, count);
    return used;
  }
}

function copyInto(out: Float32Array, column: Float32Array, slots: Int32Array, count: number): void {
  for (let i = 0; i < count; i++) out[i] = column[slots[i]];
}
