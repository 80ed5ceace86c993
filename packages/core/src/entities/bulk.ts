/**
 * Adds, moves and removes many entities at once. All input is checked before anything is written, and the loops read
 * plain columns.
 */
import { badOption, UmweltError } from '../errors.ts';
import { carriedError } from './attachments.ts';
import { checkPosition, isCoordinate, type PropertyValues } from './entity-init.ts';
import type { EntityStore } from './entity-store.ts';
import { MOVED } from './pending.ts';
import { type CountOptions, isArrayLike, readCount } from './update-columns.ts';

/** Coordinates by index, world units; `z` is required in 3-D. */
export interface PositionColumns {
  /** By index; all columns have the same length. */
  readonly x: ArrayLike<number>;
  readonly y: ArrayLike<number>;
  /** Required in 3-D, ignored in 2-D. */
  readonly z?: ArrayLike<number> | undefined;
}

/** Adds one entity for each position. Returns the ids, in `out` if they fit. */
export function addAll(
  store: EntityStore,
  positions: PositionColumns,
  values: PropertyValues,
  out: Uint32Array | undefined,
): Uint32Array {
  const { x, y, z } = checkedColumns(store, positions);
  const count = x.length;
  checkLengths(count, positions, store);
  if (out !== undefined && !(out instanceof Uint32Array)) throw badOption('out', out, 'a Uint32Array');
  for (let i = 0; i < count; i++) checkPosition(store.settings, x[i], y[i], z[i], i);
  store.reserve(count);
  const ids = out !== undefined && out.length >= count ? out : new Uint32Array(count);
  if (count > 0) {
    // Adds the first one the usual way, which creates the columns that all need; copies it for the rest.
    ids[0] = store.add(x[0], y[0], z[0], values);
    store.addLike(ids[0], x, y, z, ids, count);
  }
  return ids.length === count ? ids : ids.subarray(0, count);
}

/** Moves `ids[k]`, or with `at` `ids[at[k]]`, to the position at the same index. */
export function moveAll(
  store: EntityStore,
  ids: Uint32Array,
  positions: PositionColumns,
  at: ArrayLike<number> | undefined,
): void {
  if (!(ids instanceof Uint32Array)) throw badOption('ids', ids, 'a Uint32Array');
  const { x, y, z } = checkedColumns(store, positions);
  if (at !== undefined && !isArrayLike(at)) throw badOption('at', at, 'an array of indices');
  if (store.attachments.count > 0) checkFree(store, ids, at);
  if (at === undefined) checkLengths(ids.length, positions, store);
  if (!store.moveColumns.move(store, ids, x, y, z, at)) moveEach(store, ids, x, y, z, at);
  store.noteMoves(ids, at, at?.length ?? ids.length);
}

/** Checks all moves, then writes them, one by one. A million moves a tick may pass here, so columns are read once, into locals. */
function moveEach(
  store: EntityStore,
  ids: Uint32Array,
  x: ArrayLike<number>,
  y: ArrayLike<number>,
  z: ArrayLike<number>,
  at: ArrayLike<number> | undefined,
): void {
  const count = at?.length ?? ids.length;
  const { now, pending, pendingSlots, slotCount, settings } = store;
  const { idOf } = store.ids;
  const { flags, x: nowX, y: nowY, z: nowZ } = now;
  const limit = Math.min(ids.length, x.length, y.length, z.length);
  for (let k = 0; k < count; k++) {
    const i = at === undefined ? k : at[k];
    if (at !== undefined && !(Number.isInteger(i) && i >= 0 && i < limit))
      throw badOption(`at[${k}]`, i, `an index below ${limit}`, k);
    const id = ids[i];
    const slot = id >>> 10;
    if (slot >= slotCount || idOf[slot] !== id || flags[slot] === 0) throw store.ids.errorFor(id, k);
    if (!(isCoordinate(x[i]) && isCoordinate(y[i]) && isCoordinate(z[i])))
      checkPosition(settings, x[i], y[i], z[i], k);
  }
  const is3D = settings.dimensions === 3;
  let { pendingCount } = store;
  for (let k = 0; k < count; k++) {
    const i = at === undefined ? k : at[k];
    const slot = ids[i] >>> 10;
    // Adding 0 turns -0 into 0, also where rounding gives it.
    nowX[slot] = Math.fround(x[i]) + 0;
    nowY[slot] = Math.fround(y[i]) + 0;
    if (is3D) nowZ[slot] = Math.fround(z[i]) + 0;
    if (pending[slot] === 0) pendingSlots[pendingCount++] = slot;
    pending[slot] |= MOVED;
  }
  store.pendingCount = pendingCount;
}

/** As `moveAll`, for the first `count` ids, or indices. */
export function moveFirst(
  store: EntityStore,
  ids: Uint32Array,
  { x, y, z }: PositionColumns,
  at: ArrayLike<number> | undefined,
  options: CountOptions,
): void {
  if (!(ids instanceof Uint32Array)) throw badOption('ids', ids, 'a Uint32Array');
  if (at !== undefined) {
    if (!isArrayLike(at)) throw badOption('at', at, 'an array of indices');
    moveAll(store, ids, { x, y, z }, firstOf(at, readCount(options, at.length)));
    return;
  }
  const count = readCount(options, ids.length);
  const columns = { x: firstOf(x, count), y: firstOf(y, count), z: z === undefined ? z : firstOf(z, count) };
  moveAll(store, ids.subarray(0, count), columns, undefined);
}

/** A typed array gives a window. A value that is no array is returned as it is; later checks report it. */
function firstOf(column: ArrayLike<number>, count: number): ArrayLike<number> {
  if (!isArrayLike(column) || column.length <= count) return column;
  if (column instanceof Float32Array || column instanceof Uint32Array) return column.subarray(0, count);
  return Array.prototype.slice.call(column, 0, count);
}

/** Calls `remove` with the slot of each id, once each. */
export function removeAll(store: EntityStore, ids: Uint32Array, remove: (slot: number) => void): void {
  if (!(ids instanceof Uint32Array)) throw badOption('ids', ids, 'a Uint32Array');
  for (let k = 0; k < ids.length; k++) store.slotOf(ids[k], k);
  for (let k = 0; k < ids.length; k++) if (store.has(ids[k])) remove(ids[k] >>> 10);
}

/**
 * Throws `UNSUPPORTED` at the first attached entity. Ids of no present entity are skipped; later checks report them.
 */
function checkFree(store: EntityStore, ids: Uint32Array, at: ArrayLike<number> | undefined): void {
  const parents = store.now.parents.column?.array;
  if (parents === undefined) return;
  const count = at === undefined ? ids.length : at.length;
  for (let k = 0; k < count; k++) {
    const id = ids[at === undefined ? k : at[k]];
    // Few entities are attached, so presence is checked for those alone. Beyond the column there is no entity.
    if (parents[id >>> 10] !== 0 && store.has(id)) throw carriedError(id, k);
  }
}

/** The three columns; in 2-D `z` is `y` again, so that loops need no branch and checks give the same result. */
function checkedColumns(
  store: EntityStore,
  positions: PositionColumns,
): Required<{ x: ArrayLike<number>; y: ArrayLike<number>; z: ArrayLike<number> }> {
  const { x, y } = positions;
  const z = store.settings.dimensions === 3 ? positions.z : y;
  if (!isArrayLike(x)) throw badOption('x', x, 'an array of numbers');
  if (!isArrayLike(y)) throw badOption('y', y, 'an array of numbers');
  if (z === undefined) {
    throw new UmweltError('BAD_POSITION', 'z is missing, expected an array of numbers in a 3-D world', {
      field: 'z',
    });
  }
  if (!isArrayLike(z)) throw badOption('z', z, 'an array of numbers in a 3-D world');
  return { x, y, z };
}

function checkLengths(count: number, { x, y, z }: PositionColumns, store: EntityStore): void {
  if (x.length !== count) throw badOption('x.length', x.length, `${count}, as many as the other columns`);
  if (y.length !== count) throw badOption('y.length', y.length, `${count}, as many as the other columns`);
  if (store.settings.dimensions === 3 && z?.length !== count) {
    throw badOption('z.length', z?.length, `${count}, as many as the other columns`);
  }
}
