/**
 * Adding, moving and removing many at once: everything is checked before anything is written, and loops read plain
 * columns.
 */
import { badOption, UmweltError } from '../errors.ts';
import { checkPosition, isCoordinate, type PropertyValues } from './entity-init.ts';
import { type EntityStore, MOVED } from './entity-store.ts';

/** Coordinates by index, world units; `z` is needed in 3-D. */
export interface PositionColumns {
  readonly x: ArrayLike<number>;
  readonly y: ArrayLike<number>;
  readonly z?: ArrayLike<number> | undefined;
}

/** Adds one entity for each position. Answers the ids, in `out` where they fit. */
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
  for (let i = 0; i < count; i++) ids[i] = store.add(x[i], y[i], z[i], values);
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
  if (at === undefined) {
    checkLengths(ids.length, positions, store);
    for (let k = 0; k < ids.length; k++) checkMove(store, ids[k], x[k], y[k], z[k], k);
    for (let k = 0; k < ids.length; k++) writeMove(store, ids[k], x[k], y[k], z[k]);
    return;
  }
  if (!isArrayLike(at)) throw badOption('at', at, 'an array of indices');
  const limit = Math.min(ids.length, x.length, y.length, z.length);
  for (let k = 0; k < at.length; k++) {
    const i = at[k];
    if (!(Number.isInteger(i) && i >= 0 && i < limit))
      throw badOption(`at[${k}]`, i, `an index below ${limit}`);
    checkMove(store, ids[i], x[i], y[i], z[i], k);
  }
  for (let k = 0; k < at.length; k++) {
    const i = at[k];
    writeMove(store, ids[i], x[i], y[i], z[i]);
  }
}

/** Calls `remove` with the slot of each id, once each. */
export function removeAll(store: EntityStore, ids: Uint32Array, remove: (slot: number) => void): void {
  if (!(ids instanceof Uint32Array)) throw badOption('ids', ids, 'a Uint32Array');
  for (let k = 0; k < ids.length; k++) store.slotOf(ids[k], k);
  for (let k = 0; k < ids.length; k++) if (store.has(ids[k])) remove(ids[k] >>> 10);
}

function checkMove(store: EntityStore, id: number, x: number, y: number, z: number, k: number): void {
  if (!store.has(id)) throw store.ids.errorFor(id, k);
  // The common case first; `checkPosition` finds out which coordinate is wrong.
  if (!(isCoordinate(x) && isCoordinate(y) && isCoordinate(z))) checkPosition(store.settings, x, y, z, k);
}

function writeMove(store: EntityStore, id: number, x: number, y: number, z: number): void {
  const slot = id >>> 10;
  const { now } = store;
  now.x[slot] = x + 0;
  now.y[slot] = y + 0;
  if (store.settings.dimensions === 3) now.z[slot] = z + 0;
  store.note(slot, MOVED);
}

/** The three columns; in 2-D `z` is `y` once more, so that loops need no branch and checks pass or fail alike. */
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

function isArrayLike(value: unknown): value is ArrayLike<number> {
  return typeof value === 'object' && value !== null && Number.isInteger((value as ArrayLike<number>).length);
}
