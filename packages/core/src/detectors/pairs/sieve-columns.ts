/**
 * The values by which a pair is dismissed (pair-sieve.ts): the entities' own columns, by slot, or copies in the order of a list.
 *
 * Many slots are tested against the same list; as a run of copies it is read sequentially. A property that nobody has has no copy.
 * Memory: none by slot; else 16 bytes an entry (24 in 3-D), and 4 for each sense and for each gain, minReach and maxReach in use. Cost:
 * some 5 ns an entry to copy.
 */
import { grown } from '../../columns.ts';
import type { Property } from '../../entities/entity-state.ts';
import type { EntityStore } from '../../entities/entity-store.ts';
import { columnZ } from './reach-norm.ts';

/** A column that is not in use: all entities have the default. */
const UNUSED: Float32Array = new Float32Array(0);

export class SieveColumns {
  /** Positions in one state and in the other, world units; in 2-D y is used for z. */
  x = UNUSED;
  y = UNUSED;
  z = UNUSED;
  otherX = UNUSED;
  otherY = UNUSED;
  otherZ = UNUSED;
  /** By sense, the same in both states; without elements if all have the default. */
  readonly ranges: Float32Array[];
  readonly gains: Float32Array[];
  readonly minReaches: Float32Array[];
  readonly maxReaches: Float32Array[];
  readonly #store: EntityStore;
  readonly #is3D: boolean;

  constructor(store: EntityStore) {
    const { senses, dimensions } = store.settings;
    this.#store = store;
    this.#is3D = dimensions === 3;
    this.ranges = senses.map(() => UNUSED);
    this.gains = senses.map(() => UNUSED);
    this.minReaches = senses.map(() => UNUSED);
    this.maxReaches = senses.map(() => UNUSED);
  }

  /** Bytes of copies. */
  get memoryBytes(): number {
    let bytes = (this.#is3D ? 6 : 4) * this.x.byteLength;
    for (const columns of [this.ranges, this.gains, this.minReaches, this.maxReaches])
      for (const column of columns) bytes += column.byteLength;
    return bytes;
  }

  /** Number of entries that there is room for. */
  get room(): number {
    return this.otherY.length;
  }

  /** Reads the entities' own columns, by slot, at their current place in the heap. */
  readSlots(): void {
    const { settings, last, now } = this.#store;
    this.x = now.x;
    this.y = now.y;
    this.z = columnZ(settings, now);
    this.otherX = last.x;
    this.otherY = last.y;
    this.otherZ = columnZ(settings, last);
    for (let s = 0; s < this.ranges.length; s++) {
      this.ranges[s] = now.ranges[s].column?.array ?? UNUSED;
      this.gains[s] = now.gains[s].column?.array ?? UNUSED;
      this.minReaches[s] = now.minReaches[s].column?.array ?? UNUSED;
      this.maxReaches[s] = now.maxReaches[s].column?.array ?? UNUSED;
    }
  }

  /** Makes room for copies of so many entries. */
  grow(capacity: number): void {
    if (capacity <= this.room) return;
    this.x = grown(this.x, capacity);
    this.y = grown(this.y, capacity);
    this.otherX = grown(this.otherX, capacity);
    this.otherY = grown(this.otherY, capacity);
    this.z = this.#is3D ? grown(this.z, capacity) : this.y;
    this.otherZ = this.#is3D ? grown(this.otherZ, capacity) : this.otherY;
  }

  /** Copies the values of `slots[from .. to)`. `isNow`: the first positions are those of now. There is room. */
  copy(slots: Int32Array, from: number, to: number, isNow: boolean): void {
    const { last, now } = this.#store;
    const [state, other] = isNow ? [now, last] : [last, now];
    copyInto(this.x, state.x, slots, from, to);
    copyInto(this.y, state.y, slots, from, to);
    copyInto(this.otherX, other.x, slots, from, to);
    copyInto(this.otherY, other.y, slots, from, to);
    if (this.#is3D) {
      copyInto(this.z, state.z, slots, from, to);
      copyInto(this.otherZ, other.z, slots, from, to);
    }
    for (let s = 0; s < this.ranges.length; s++) {
      this.ranges[s] = this.#copyUsed(this.ranges[s], state.ranges[s], slots, from, to);
      this.gains[s] = this.#copyUsed(this.gains[s], state.gains[s], slots, from, to);
      this.minReaches[s] = this.#copyUsed(this.minReaches[s], state.minReaches[s], slots, from, to);
      this.maxReaches[s] = this.#copyUsed(this.maxReaches[s], state.maxReaches[s], slots, from, to);
    }
  }

  /** Whether entry `i` has a range above 0. */
  isWatcher(i: number): boolean {
    const { ranges } = this;
    for (let s = 0; s < ranges.length; s++) if (ranges[s].length > 0 && ranges[s][i] > 0) return true;
    return false;
  }

  #copyUsed(
    column: Float32Array,
    { column: given }: Property<'f32'>,
    slots: Int32Array,
    from: number,
    to: number,
  ): Float32Array {
    if (given === undefined) return column;
    const used = grown(column, this.room);
    copyInto(used, given.array, slots, from, to);
    return used;
  }
}

function copyInto(
  out: Float32Array,
  column: Float32Array,
  slots: Int32Array,
  from: number,
  to: number,
): void {
  for (let i = from; i < to; i++) out[i] = column[slots[i]];
}
