/**
 * Many moves at once, given as columns of float32. They are copied into the heap, then kernels
 * (kernels/layouts/moves.ts) check and write them, on all threads.
 *
 * If an id is repeated, the last one wins; so threads share the writing only if ids ascend, as they do when a whole
 * world moves. Cost: some 5 ns a move, of which 2 are for copying. With a list of ids in random order, some 70 ns,
 * all of it cache misses: so each step is a separate loop, in which many memory accesses overlap. A long list of indices
 * in no order is sorted first; if the ids then ascend, no id is repeated, and the order did not matter.
 */
import { type Column, Heap } from '../kernels/heap.ts';
import { MOVE_FOUND_WORDS, MOVE_JOB_WORDS } from '../kernels/layouts/moves.ts';
import { isWorthSorting, SORT_WORDS } from '../kernels/layouts/sort-words.ts';
import type { WorldSettings } from '../settings.ts';
import type { EntityIds } from './entity-ids.ts';
import type { EntityState } from './entity-state.ts';
import { listPending } from './pending.ts';

/** Below this number, a plain loop is as fast. */
const LEAST_MOVES = 64;
/** Calls before indices are sorted again, after ids did not ascend with them. */
const CALLS_TO_RETRY = 64;

/** What is read and written of the entity store. */
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
  /** Indices, sorted, and scratch. */
  readonly #order: Column<'u32'>;
  #callsToRetry = 0;

  constructor(heap: Heap) {
    this.#heap = heap;
    this.#order = heap.column('u32', 0, Heap.scratch);
    this.#job = heap.column('u32', MOVE_JOB_WORDS + MOVE_FOUND_WORDS * heap.crew.jobCount);
  }

  /**
   * Moves all ids, or those with the indices `at`. Returns false if the input does not suit the kernels, if one move
   * is invalid, or if a worker failed (the next tick throws that error): then the caller has to move them one by one.
   */
  move(
    store: Population,
    ids: Uint32Array,
    x: ArrayLike<number>,
    y: ArrayLike<number>,
    z: ArrayLike<number>,
    at: ArrayLike<number> | undefined,
  ): boolean {
    try {
      return this.#move(store, ids, x, y, z, at);
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
    at: ArrayLike<number> | undefined,
  ): boolean {
    const count = at === undefined ? ids.length : at.length;
    if (count < LEAST_MOVES) return false;
    if (!(x instanceof Float32Array && y instanceof Float32Array && z instanceof Float32Array)) return false;
    const { crew, staging } = this.#heap;
    const { dimensions } = store.settings;
    staging.makeRoom(count, dimensions);
    const { words, x: stagedX, y: stagedY, z: stagedZ } = staging;
    const limit = Math.min(ids.length, x.length, y.length, z.length);
    const stage = (indices: Uint32Array) => {
      if (!gather(indices, limit, ids, x, y, words.array, stagedX.array, stagedY.array)) return false;
      if (dimensions === 3) for (let k = 0; k < count; k++) stagedZ.array[k] = z[indices[k]];
      return true;
    };
    let isSorted = false;
    if (at === undefined) {
      words.array.set(ids);
      stagedX.array.set(x);
      stagedY.array.set(y);
      if (dimensions === 3) stagedZ.array.set(z);
    } else {
      if (!(at instanceof Uint32Array)) return false;
      isSorted = this.#sort(at, limit);
      if (!stage(isSorted ? this.#order.array.subarray(0, count) : at)) return false;
    }
    const partSize = Math.ceil(count / crew.partsOf(count));
    this.#write(store, partSize);
    if (!this.#work('checkMoves', count, partSize)) return false;
    const doAscend = this.#doAscend(words.array, count, partSize);
    if (isSorted && !doAscend) {
      // An id may be repeated: the order counts.
      stage(at as Uint32Array);
      this.#callsToRetry = CALLS_TO_RETRY;
    }
    const writtenSize = doAscend ? partSize : count;
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

  /** Writes the indices to `#order`, sorted; returns false if that would not pay. The heap may move. */
  #sort(at: Uint32Array, limit: number): boolean {
    if (!isWorthSorting(at.length, limit) || this.#callsToRetry-- > 0) return false;
    this.#callsToRetry = 0;
    const room = 2 * at.length + SORT_WORDS;
    if (this.#order.length < room) this.#heap.resize([[this.#order, room]]);
    this.#order.array.set(at);
    const { offset } = this.#order;
    this.#heap.kernels.sortWords(offset, offset + 4 * at.length, at.length, limit);
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

  /** Whether ids ascend, within each part and from one part to the next. */
  #doAscend(ids: Uint32Array, count: number, partSize: number): boolean {
    for (let part = 0; part * partSize < count; part++) {
      const from = part * partSize;
      if (this.#job.array[MOVE_JOB_WORDS + part * MOVE_FOUND_WORDS] === 0) return false;
      if (part > 0 && ids[from - 1] >= ids[from]) return false;
    }
    return true;
  }
}

/** Copies the elements at the indices `at`; returns false if an index is not below `limit`. */
function gather(
  at: Uint32Array,
  limit: number,
  ids: Uint32Array,
  x: Float32Array,
  y: Float32Array,
  outIds: Uint32Array,
  outX: Float32Array,
  outY: Float32Array,
): boolean {
  for (let k = 0; k < at.length; k++) {
    const i = at[k];
    if (i >= limit) return false;
    outIds[k] = ids[i];
    outX[k] = x[i];
    outY[k] = y[i];
  }
  return true;
}
