/**
 * A growing list of ids, and the ways in which a query returns it.
 *
 * It is a plain array: a typed array of more than 64 bytes has its own buffer, which costs more than most queries.
 */
import { sortBySlot } from '../columns.ts';
import type { EntityId } from '../entities/entity-ids.ts';
import { badOption } from '../errors.ts';

/** From this many ids on, a radix sort is faster than comparisons. */
const MANY = 400;
/** Up to this many ids, insertion sort is used. */
const FEW = 16;
/**
 * Buffers for sorting lists of usual length: typed arrays sort several times as fast as plain ones with a comparison
 * function.
 */
const SCRATCH_LENGTH = 4096;
const scratchIds = new Uint32Array(SCRATCH_LENGTH);
const scratchKeys = new Float64Array(SCRATCH_LENGTH);

export class IdList {
  #ids: EntityId[] = [];

  get length(): number {
    return this.#ids.length;
  }

  push(id: EntityId): void {
    this.#ids.push(id);
  }

  at(i: number): EntityId {
    return this.#ids[i];
  }

  /** Sorts ascending, in place. All ids have different slots. */
  sorted(): this {
    const ids = this.#ids;
    const typed = ids.length <= SCRATCH_LENGTH ? scratchIds : new Uint32Array(ids.length);
    for (let i = 0; i < ids.length; i++) typed[i] = ids[i];
    sortIds(typed, ids.length);
    for (let i = 0; i < ids.length; i++) ids[i] = typed[i];
    return this;
  }

  /** Sorts by `keyOf`, least first, ties by id; keeps the first `wanted`. Keys must not be NaN. In place. */
  sortedBy(keyOf: (id: EntityId) => number, wanted: number): this {
    const ids = this.#ids;
    const keys: number[] = [];
    for (let i = 0; i < ids.length; i++) keys.push(keyOf(ids[i]));
    const limit = nthOf(keys, Math.min(wanted, ids.length));
    const order: number[] = [];
    for (let i = 0; i < keys.length; i++) if (keys[i] <= limit) order.push(i);
    order.sort((a, b) => keys[a] - keys[b] || ids[a] - ids[b]);
    this.#ids = order.map((i) => ids[i]);
    return this.truncate(wanted);
  }

  /** The ids that pass, as a new list. */
  filtered(passes: (id: EntityId) => boolean): IdList {
    const list = new IdList();
    list.#ids = this.#ids.filter((id) => passes(id));
    return list;
  }

  /** Keeps the first `limit`. */
  truncate(limit: number): this {
    if (limit < this.#ids.length) this.#ids.length = limit;
    return this;
  }

  /** All ids: in `out` if they fit, else in a new array. Throws `BAD_OPTION` for another kind of `out`. */
  toArray(out: Uint32Array | undefined): Uint32Array {
    if (out !== undefined) checkOut(out);
    const { length } = this.#ids;
    if (out === undefined || out.length < length) return new Uint32Array(this.#ids);
    this.#write(out, length);
    return out.subarray(0, length);
  }

  /** Writes as many as fit into `out`; returns how many there are. Throws as `toArray`. */
  into(out: Uint32Array): number {
    checkOut(out);
    this.#write(out, Math.min(this.#ids.length, out.length));
    return this.#ids.length;
  }

  #write(out: Uint32Array, count: number): void {
    const ids = this.#ids;
    for (let i = 0; i < count; i++) out[i] = ids[i];
  }
}

/**
 * As `IdList.toArray`, also for ids in a window on a buffer that will be overwritten: always a copy. Throws
 * `BAD_OPTION`.
 */
export function idsToArray(ids: IdList | Uint32Array, out: Uint32Array | undefined): Uint32Array {
  if (ids instanceof IdList) return ids.toArray(out);
  if (out !== undefined) checkOut(out);
  if (out === undefined || out.length < ids.length) return ids.slice();
  for (let i = 0; i < ids.length; i++) out[i] = ids[i];
  // Twice as fast as `subarray`.
  return new Uint32Array(out.buffer, out.byteOffset, ids.length);
}

/** As `IdList.into`. Throws `BAD_OPTION`. */
export function idsInto(ids: IdList | Uint32Array, out: Uint32Array): number {
  if (ids instanceof IdList) return ids.into(out);
  checkOut(out);
  const written = Math.min(ids.length, out.length);
  for (let i = 0; i < written; i++) out[i] = ids[i];
  return ids.length;
}

/** The nth least key, from 1 on: so only ids with keys up to it are compared further. */
function nthOf(keys: readonly number[], n: number): number {
  if (n === 0) return Number.NEGATIVE_INFINITY;
  const typed = keys.length <= SCRATCH_LENGTH ? scratchKeys : new Float64Array(keys.length);
  for (let i = 0; i < keys.length; i++) typed[i] = keys[i];
  return typed.subarray(0, keys.length).sort()[n - 1];
}

/** Sorts the first `count` ids ascending, in place. All ids have different slots. */
export function sortIds(ids: Uint32Array, count: number): void {
  if (count >= MANY) sortBySlot(ids, new Uint32Array(count), count, (id) => id >>> 10);
  else if (count > FEW) ids.subarray(0, count).sort();
  else {
    for (let i = 1; i < count; i++) {
      const id = ids[i];
      let at = i;
      for (; at > 0 && ids[at - 1] > id; at--) ids[at] = ids[at - 1];
      ids[at] = id;
    }
  }
}

export function checkOut(out: unknown): void {
  if (!(out instanceof Uint32Array)) throw badOption('out', out, 'a Uint32Array');
}
