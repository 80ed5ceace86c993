/**
 * Which watchers are derived, and how many relations each of them has: they have no row, so only a count shows
 * when a cap may be reached.
 *
 * Memory: 9 bytes a slot. Cost: some 3 ns a crossing. Whether a pair enters or leaves is unpredictable, so few
 * branches depend on it.
 */
import type { ByteReader } from '../../bytes/byte-reader.ts';
import type { ByteWriter } from '../../bytes/byte-writer.ts';
import { type Crossings, RELATED_AFTER, RELATED_BEFORE } from '../../detectors/crossings.ts';
import { assert } from '../../errors.ts';
import type { Column, Heap } from '../../kernels/heap.ts';

export class RelationCounts {
  /** By slot: 1 for a derived watcher. */
  readonly derivedColumn: Column<'u8'>;
  readonly #countColumn: Column<'u32'>;
  readonly limitColumn: Column<'u32'>;
  #derivedCount = 0;

  constructor(heap: Heap) {
    this.derivedColumn = heap.column('u8', 0);
    this.#countColumn = heap.column('u32', 0);
    this.limitColumn = heap.column('u32', 0);
  }

  /** The columns that have one element for each slot. */
  get columns(): readonly Column[] {
    return [this.derivedColumn, this.#countColumn, this.limitColumn];
  }

  get isDerived(): Uint8Array {
    return this.derivedColumn.array;
  }

  get hasDerived(): boolean {
    return this.#derivedCount > 0;
  }

  /** By slot: number of seats of a derived watcher, relations by force included. */
  get count(): Uint32Array {
    return this.#countColumn.array;
  }

  /** By slot: most relations with which the watcher stays derived, or each pair of its row has its seat; 0 if neither holds. */
  get roomLimit(): Uint32Array {
    return this.limitColumn.array;
  }

  /** The watcher, which was not derived, is derived from now on and has so many relations. */
  begin(watcher: number, count: number): void {
    this.isDerived[watcher] = 1;
    this.count[watcher] = count;
    this.#derivedCount++;
  }

  /** The watcher is not derived any more, if it was. */
  end(watcher: number): void {
    if (this.isDerived[watcher] === 0) return;
    this.isDerived[watcher] = 0;
    this.count[watcher] = 0;
    this.#derivedCount--;
  }

  /**
   * Before any is decided: index of the first crossing from `from` on with which a derived watcher might
   * reach its cap, or their count.
   */
  nextReached(crossings: Crossings, from: number): number {
    const { isDerived, count, roomLimit } = this;
    const { words, count: end } = crossings;
    let previous = -1;
    let entered = 0;
    for (let i = from; i < end; i++) {
      const watcher = words[2 * i + 1] >>> 10;
      if (watcher !== previous) entered = 0;
      previous = watcher;
      // Only a pair that was not perceived before can add a relation.
      entered += Number((words[2 * i] & RELATED_BEFORE) === 0);
      if (count[watcher] + entered > roomLimit[watcher] && isDerived[watcher] === 1) return i;
    }
    return end;
  }

  /**
   * Counts the relations of derived watchers by the crossings from `from` on. Returns the index of the first
   * one that brings a watcher near its cap, or their count.
   */
  countRelations(crossings: Crossings, from: number): number {
    const { isDerived, count, roomLimit } = this;
    const { words, count: end } = crossings;
    for (let i = from; i < end; i++) {
      const watcher = words[2 * i + 1] >>> 10;
      if (isDerived[watcher] === 0) continue;
      const entered = Number((words[2 * i] & RELATED_BEFORE) === 0);
      const related = count[watcher] + entered - Number((words[2 * i] & RELATED_AFTER) === 0);
      count[watcher] = related;
      const limit = roomLimit[watcher];
      if (related > limit - (limit >>> 2) && entered === 1) return i;
    }
    return end;
  }

  save(writer: ByteWriter): void {
    const derived = Uint32Array.from(this.#derivedSlots());
    writer.column(derived);
    writer.elements(derived.map((watcher) => this.roomLimit[watcher]));
    writer.elements(derived.map((watcher) => this.count[watcher]));
  }

  /**
   * Into a new instance with room for all slots. `mayBe`: whether element i of a list of slots may be that of a derived
   * watcher.
   */
  load(reader: ByteReader, slotCount: number, mayBe: (slots: Uint32Array, i: number) => boolean): void {
    const derived = reader.column('u32');
    const limits = reader.elements('u32', derived.length);
    const counts = reader.elements('u32', derived.length);
    derived.forEach((watcher, i) => {
      reader.check(mayBe(derived, i) && counts[i] <= slotCount, 'watchers without a row, ascending');
      this.begin(watcher, counts[i]);
      this.roomLimit[watcher] = limits[i];
    });
  }

  /** Throws at the first broken invariant. For tests. */
  validate(): void {
    assert(this.#derivedSlots().length === this.#derivedCount, 'watchers without a row are counted');
  }

  #derivedSlots(): number[] {
    const derived: number[] = [];
    const { isDerived } = this;
    for (let slot = 0; slot < isDerived.length; slot++) if (isDerived[slot] === 1) derived.push(slot);
    return derived;
  }
}
