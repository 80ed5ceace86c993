/**
 * Settles and ends pending changes with the kernels of kernels/layouts/pending-slots.ts, on all threads.
 *
 * Memory: some words, and eight a thread.
 */
import type { Column, Heap } from '../kernels/heap.ts';
import { FOUND_WORDS, PENDING_JOB_WORDS } from '../kernels/layouts/pending-slots.ts';
import { isWorthSorting, SORT_WORDS } from '../kernels/layouts/sort-words.ts';
import type { EntityState } from './entity-state.ts';
import type { ChangeCounts } from './pending.ts';

export class PendingJob {
  readonly #heap: Heap;
  readonly #words: Column<'u32'>;

  constructor(heap: Heap) {
    this.#heap = heap;
    this.#words = heap.column('u32', PENDING_JOB_WORDS + FOUND_WORDS * heap.crew.jobCount);
  }

  /** Writes the column offsets. Call it before either of the others, because the heap may have moved. */
  write(
    pending: Column<'u8'>,
    slots: Column<'u32'>,
    now: EntityState,
    last: EntityState,
    dimensions: 2 | 3,
  ): void {
    const words = this.#words.array;
    const [from, to] = [now.offsets, last.offsets];
    words[0] = pending.offset;
    words[1] = slots.offset;
    words[2] = from.x;
    words[3] = from.y;
    words[4] = dimensions === 3 ? from.z : from.y;
    words[5] = to.x;
    words[6] = to.y;
    words[7] = dimensions === 3 ? to.z : to.y;
  }

  /** Sorts the list if that pays. The heap may move. */
  sort(slots: Column<'u32'>, count: number, slotCount: number): void {
    if (!isWorthSorting(count, slotCount)) return;
    const { staging } = this.#heap;
    staging.makeRoom(count + SORT_WORDS, 0);
    this.#heap.kernels.sortWords(slots.offset, staging.words.offset, count, slotCount);
  }

  /** Settles the first `count` slots of the list; returns how many remain, and counts their changes in `counts`. */
  settle(count: number, slots: Uint32Array, counts: ChangeCounts): number {
    const { crew } = this.#heap;
    const words = this.#words.array;
    const partSize = Math.max(1, Math.ceil(count / crew.partsOf(count)));
    words[8] = partSize;
    this.#work('settlePending', count, partSize);
    counts.added = counts.removed = counts.moved = counts.onlyMoved = counts.changed = counts.touched = 0;
    let kept = 0;
    for (let part = 0; part * partSize < count; part++) {
      const found = PENDING_JOB_WORDS + part * FOUND_WORDS;
      const from = part * partSize;
      if (from > kept) slots.copyWithin(kept, from, from + words[found]);
      kept += words[found];
      counts.added += words[found + 1];
      counts.removed += words[found + 2];
      counts.moved += words[found + 3];
      counts.onlyMoved += words[found + 4];
      counts.changed += words[found + 5];
      counts.touched += words[found + 6];
    }
    return kept;
  }

  /** Ends a tick in which the pending slots, out of `slotCount` slots, only moved. */
  endMoves(slotCount: number): void {
    const { crew } = this.#heap;
    this.#work('endMoves', slotCount, Math.max(1, Math.ceil(slotCount / crew.partsOf(slotCount))));
  }

  #work(kernel: 'settlePending' | 'endMoves', total: number, partSize: number): void {
    const { crew } = this.#heap;
    crew.begin(total, partSize);
    this.#heap.workAtTask(kernel, this.#words.offset, 0, crew.taskJobs);
  }
}
