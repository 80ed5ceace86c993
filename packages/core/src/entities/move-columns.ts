/**
 * Many moves at once, given as columns of float32: copied into the heap, checked and written there by kernels
 * (kernels/moves.ts), on all threads.
 *
 * Where an id is repeated the last one wins, so threads share the writing only when ids ascend, as they do where all of a
 * world move. Cost: some 5 ns a move, of which 2 are for copying.
 */
import type { Column, Heap } from '../kernels/heap.ts';
import { MOVE_FOUND_WORDS, MOVE_JOB_WORDS } from '../kernels/moves.ts';
import type { WorldSettings } from '../settings.ts';
import type { EntityIds } from './entity-ids.ts';
import type { EntityState } from './entity-state.ts';
import { listPending } from './pending.ts';

/** Below this a plain loop is as good. */
const LEAST_MOVES = 64;

/** What of a population is looked at, and written. */
interface Population {
  readonly settings: WorldSettings;
  readonly ids: EntityIds;
  readonly now: EntityState;
  readonly slotCount: number;
  readonly pendingColumn: Column<'u8'>;
  readonly pendingSlots: Uint32Array;
  pendingCount: number;
}

export class MoveColumns {
  readonly #heap: Heap;
  readonly #job: Column<'u32'>;

  constructor(heap: Heap) {
    this.#heap = heap;
    this.#job = heap.column('u32', MOVE_JOB_WORDS + MOVE_FOUND_WORDS * heap.crew.jobCount);
  }

  /**
   * Moves all; false when that is not for it to do, one of them may not move, or a worker failed, of which the next tick
   * tells: then whoever asked has to move them one by one.
   */
  move(
    store: Population,
    ids: Uint32Array,
    x: ArrayLike<number>,
    y: ArrayLike<number>,
    z: ArrayLike<number>,
  ): boolean {
    try {
      return this.#move(store, ids, x, y, z);
    } catch (error) {
      this.#heap.crew.tellLater(error);
      store.pendingCount = listPending(store.pendingColumn.array, store.pendingSlots, store.slotCount);
      return false;
    }
  }

  #move(
    store: Population,
    ids: Uint32Array,
    x: ArrayLike<number>,
    y: ArrayLike<number>,
    z: ArrayLike<number>,
  ): boolean {
    if (ids.length < LEAST_MOVES) return false;
    if (!(x instanceof Float32Array && y instanceof Float32Array && z instanceof Float32Array)) return false;
    const { crew, staging } = this.#heap;
    const { dimensions } = store.settings;
    const count = ids.length;
    staging.makeRoom(count, dimensions);
    staging.words.array.set(ids);
    staging.x.array.set(x);
    staging.y.array.set(y);
    if (dimensions === 3) staging.z.array.set(z);
    const partSize = Math.ceil(count / crew.partsOf(count));
    this.#write(store, partSize);
    if (!this.#work('checkMoves', count, partSize)) return false;
    const writtenSize = this.#doAscend(ids, partSize) ? partSize : count;
    this.#job.array[13] = writtenSize;
    this.#work('writeMoves', count, writtenSize);
    for (let part = 0; part * writtenSize < count; part++) {
      const from = part * writtenSize;
      const listed = this.#job.array[MOVE_JOB_WORDS + part * MOVE_FOUND_WORDS + 1];
      store.pendingSlots.set(staging.words.array.subarray(from, from + listed), store.pendingCount);
      store.pendingCount += listed;
    }
    return true;
  }

  #write({ now, ids, slotCount, pendingColumn, settings }: Population, partSize: number): void {
    const { staging } = this.#heap;
    const { x, y, z, flags } = now.offsets;
    this.#job.array.set([
      staging.words.offset,
      staging.x.offset,
      staging.y.offset,
      staging.z.offset,
      ids.idColumn.offset,
      flags,
      slotCount,
      x,
      y,
      z,
      pendingColumn.offset,
      0,
      0,
      partSize,
      settings.dimensions,
    ]);
  }

  #work(kernel: 'checkMoves' | 'writeMoves', total: number, partSize: number): boolean {
    const { crew } = this.#heap;
    crew.begin(total, partSize);
    return this.#heap.workAtTask(kernel, this.#job.offset, 0, crew.taskJobs);
  }

  /** Whether ids ascend, within each part and from one to the next. */
  #doAscend(ids: Uint32Array, partSize: number): boolean {
    for (let part = 0; part * partSize < ids.length; part++) {
      const from = part * partSize;
      if (this.#job.array[MOVE_JOB_WORDS + part * MOVE_FOUND_WORDS] === 0) return false;
      if (part > 0 && ids[from - 1] >= ids[from]) return false;
    }
    return true;
  }
}
