/**
 * The sorted entries of a sweep, and the tables of which entries lie in which cell: see kernels/layouts/sweep-job.ts
 * for a drawing.
 *
 * Positions and refs are double-buffered: sorting reads those of the tick before and writes the others, then the two
 * are swapped.
 *
 * Memory: 32 bytes an entry (44 in 3-D), 16 more for each sense of an odd one (of all entries, if any is odd and they stay in
 * cells with gaps), 8 a cell.
 */
import type { Column, Heap } from '../../kernels/heap.ts';
import * as job from '../../kernels/layouts/sweep-job.ts';

const FIRST_ENTRIES = 256;
/** Kernels may read this many entries past the last. */
const READ_AHEAD = 16;

interface Twice {
  newX: Column<'f32'>;
  newY: Column<'f32'>;
  newZ: Column<'f32'>;
  ref: Column<'u32'>;
}

export class EntryColumns {
  newX: Column<'f32'>;
  newY: Column<'f32'>;
  newZ: Column<'f32'>;
  readonly oldX: Column<'f32'>;
  readonly oldY: Column<'f32'>;
  readonly oldZ: Column<'f32'>;
  /** Profiles of odd entries: planes, see the layout. */
  readonly #profiles: Column<'f32'>;
  /** The first entry with a profile; values in a plane, 0 if there are no planes. */
  #firstProfile = 0;
  #planeLength = 0;
  /** Slot, and `GHOST_BIT` for a ghost. */
  ref: Column<'u32'>;
  /** Start of each cell's room; one element more than there are cells. */
  readonly table: Column<'u32'>;
  /** End of each cell's entries. */
  readonly ends: Column<'u32'>;
  readonly #heap: Heap;
  /** The other set of the double-buffered columns. */
  #spare: Twice;

  constructor(heap: Heap) {
    this.#heap = heap;
    // The spare set of the double-buffered columns need not be copied when the heap moves.
    const keep = (column: Column) =>
      Object.values<Column>({ ...this.#spare }).includes(column) ? 0 : column.length;
    this.newX = heap.column('f32', 0, keep);
    this.newY = heap.column('f32', 0, keep);
    this.newZ = heap.column('f32', 0, keep);
    this.oldX = heap.column('f32', 0);
    this.oldY = heap.column('f32', 0);
    this.oldZ = heap.column('f32', 0);
    this.#profiles = heap.column('f32', 0);
    this.ref = heap.column('u32', 0, keep);
    this.table = heap.column('u32', 1);
    this.ends = heap.column('u32', 1);
    this.#spare = {
      newX: heap.column('f32', 0, keep),
      newY: heap.column('f32', 0, keep),
      newZ: heap.column('f32', 0, keep),
      ref: heap.column('u32', 0, keep),
    };
  }

  /** Makes room; returns false if there was enough, else the heap may have moved. */
  makeRoom(entryCount: number, cellCount: number, dimensions: 2 | 3): boolean {
    const sizes: [Column, number][] = [];
    if (cellCount + 1 > this.table.length) {
      const room = cellCount + 1 + (cellCount >> 2);
      sizes.push([this.table, room], [this.ends, room]);
    }
    let room = this.ref.length;
    if (entryCount + READ_AHEAD > room) {
      room = Math.max(FIRST_ENTRIES, entryCount + (entryCount >> 6) + READ_AHEAD);
      const { newX, newY, newZ, ref } = this.#spare;
      const flat = [this.newX, this.newY, this.oldX, this.oldY, this.ref, newX, newY, ref];
      for (const column of dimensions === 3 ? [...flat, this.newZ, this.oldZ, newZ] : flat) {
        sizes.push([column, room]);
      }
    }
    this.#heap.resize(sizes);
    return sizes.length > 0;
  }

  /** Makes room for the profiles of the entries from `first` to `end`, of undefined content. The heap may have moved. */
  makeProfiles(first: number, end: number, senseCount: number): void {
    const count = end - first + READ_AHEAD;
    this.#firstProfile = first;
    this.#planeLength = count + (-count & 3);
    const room = this.#planeLength * job.PLANES_OF_SENSE * senseCount;
    if (this.#profiles.length < room) this.#heap.resize([[this.#profiles, room + (room >> 3)]]);
  }

  /** The value of an odd entry in a plane; `undefined` if there are no planes. */
  profileAt(entry: number, plane: number): number | undefined {
    if (this.#planeLength === 0) return undefined;
    return this.#profiles.array[plane * this.#planeLength + entry - this.#firstProfile];
  }

  /** Whether profiles were laid since entries were sorted. */
  get hasProfiles(): boolean {
    return this.#planeLength > 0;
  }

  /**
   * Turns all entries of the spare set into gaps: with no position, and with slot 0, whose position may safely be
   * read.
   */
  clearSpare(): void {
    const { newX, newY, ref } = this.#spare;
    ref.array.fill(0);
    for (const { array } of [newX, newY, this.oldX, this.oldY]) array.fill(Number.NaN);
  }

  /** Writes to the job that sorting reads the set in use, and writes the other. */
  writeSorting(words: Uint32Array): void {
    const { newX, newY, newZ, ref } = this.#spare;
    words[job.SOURCE_X] = this.newX.offset;
    words[job.SOURCE_Y] = this.newY.offset;
    words[job.SOURCE_Z] = this.newZ.offset;
    words[job.SOURCE_REF] = this.ref.offset;
    words[job.NEW_X] = newX.offset;
    words[job.NEW_Y] = newY.offset;
    words[job.NEW_Z] = newZ.offset;
    words[job.REF] = ref.offset;
  }

  /** Swaps the sets: the sorted set is now in use. Profiles must be laid again, because they were those of the other order. */
  swap(): void {
    this.#planeLength = 0;
    const { newX, newY, newZ, ref } = this;
    Object.assign(this, this.#spare);
    this.#spare = { newX, newY, newZ, ref };
  }

  /** Writes the column offsets into a job. */
  writeOffsets(words: Uint32Array): void {
    words[job.NEW_X] = this.newX.offset;
    words[job.NEW_Y] = this.newY.offset;
    words[job.NEW_Z] = this.newZ.offset;
    words[job.OLD_X] = this.oldX.offset;
    words[job.OLD_Y] = this.oldY.offset;
    words[job.OLD_Z] = this.oldZ.offset;
    words[job.PROFILES] = this.#profiles.offset - 4 * this.#firstProfile;
    words[job.PROFILE_BYTES] = 4 * this.#planeLength;
    words[job.REF] = this.ref.offset;
    words[job.TABLE] = this.table.offset;
    words[job.ENDS] = this.ends.offset;
  }

  dispose(): void {
    const { newX, newY, newZ, oldX, oldY, oldZ, ref, table, ends } = this;
    const spare = Object.values(this.#spare);
    for (const column of [newX, newY, newZ, oldX, oldY, oldZ, ref, table, ends, this.#profiles, ...spare]) {
      this.#heap.release(column);
    }
  }
}
