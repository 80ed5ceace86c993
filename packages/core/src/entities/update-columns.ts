/**
 * Changes properties of many entities at once: columns beside a list of ids, one element each.
 *
 * Everything is checked before anything is written. Each property is written in a loop over plain arrays. Ranges are
 * written one by one if any watcher's own ranges are kept apart from those that detectors read: if any is hidden or
 * at rest (`watches: false`).
 *
 * Cost: that of a `moveMany` for typed arrays (plain-columns.ts), some 10 ns a value more for others; 30 a range if
 * they are written one by one.
 */
import { badOption, isRecord, rejectUnknownKeys, UmweltError } from '../errors.ts';
import type { Column } from '../kernels/heap.ts';
import { MAX_DISTANCE, MAX_GAIN, MIN_MAGNITUDE } from '../settings.ts';
import {
  checkedChannel,
  checkedGain,
  checkedGroup,
  checkedLayers,
  checkedRange,
  checkedWeight,
  emptyValues,
  groupKind,
  senseIndex,
} from './entity-init.ts';
import { type Property, SEES_SET } from './entity-state.ts';
import type { EntityStore } from './entity-store.ts';
import { CHANGED, STANDING_CHANGED } from './pending.ts';
import { flagsOfAll, isAnyResting, plainFloats, plainWords } from './plain-columns.ts';

/**
 * Values by index, or a record of columns by name. A bare column is for all senses or kinds that a number is for in
 * `EntityInit`.
 */
export type ValueColumns = ArrayLike<number> | Readonly<Record<string, ArrayLike<number>>>;

/**
 * What is changed, one column a property; units and limits are those of `EntityInit`. A property whose column is absent
 * does not change.
 */
export interface UpdateColumns {
  /** World units, 0 to 1e12. A bare column is for the first sense. */
  range?: ValueColumns;
  /** A bare column is for every sense. */
  gain?: ValueColumns;
  /** Masks of 32 bits. */
  layers?: ArrayLike<number>;
  /** Masks of 32 bits. */
  sees?: ArrayLike<number>;
  /** 0 to 65535. */
  channel?: ArrayLike<number>;
  /** 0 and up. */
  weight?: ArrayLike<number>;
  /** Whole numbers, 0 for none. A bare column is for the first kind. */
  group?: ValueColumns;
}

/** How many elements of a list are used. */
export interface CountOptions {
  /** Number of elements used, from the first on; columns may be longer. Default: all. */
  readonly count?: number;
}

const MOST_WORD = 0xffff_ffff;
const MAX_CHANNEL = 65_535;
const MOST_FLOAT32 = (2 - 2 ** -23) * 2 ** 127;

export const COLUMN_NAMES: ReadonlySet<string> = new Set([
  'range',
  'gain',
  'layers',
  'sees',
  'channel',
  'weight',
  'group',
]);
const COUNT_NAMES: ReadonlySet<string> = new Set(['count']);

/** The number of elements used of a list of `length`. Throws `BAD_OPTION`. */
export function readCount(options: CountOptions, length: number): number {
  if (!isRecord(options)) throw badOption('options', options, 'an object with a count');
  rejectUnknownKeys(options, COUNT_NAMES, 'the options');
  const { count = length } = options;
  if (!Number.isInteger(count) || count < 0 || count > length)
    throw badOption('count', count, `a whole number from 0 to ${length}, as long as the list`);
  return count;
}

/** One property of all entities, checked and rounded. */
interface Change {
  readonly property: Property;
  readonly values: Float32Array | Uint32Array;
  /** Pending bits for entities whose value changes. */
  readonly bits: number;
}

/** Throws the code of the first wrong column, with the index; then nothing is changed. */
export function updateAll(
  store: EntityStore,
  ids: Uint32Array,
  columns: UpdateColumns,
  options: CountOptions,
): void {
  if (!(ids instanceof Uint32Array)) throw badOption('ids', ids, 'a Uint32Array');
  if (!isRecord(columns)) throw badOption('columns', columns, 'an object of UpdateColumns');
  rejectUnknownKeys(columns as object, COLUMN_NAMES, 'UpdateColumns');
  const count = readCount(options, ids.length);
  const flags = flagsOfAll(store, ids, count);
  for (let k = 0; k < count && flags < 0; k++) store.slotOf(ids[k], k);
  if (options.count === undefined) checkNoneLonger(columns, count);
  const ranges = bySense(store, 'range', columns.range, count, checkedRange, MAX_DISTANCE, 1);
  const changes = changesOf(store, columns, count);
  if (ranges.length > 0) writeRanges(store, ids, ranges, count, isAnyResting(flags));
  for (const { property, values, bits } of changes) {
    if (property === (store.now.sees as Property)) setSees(store, ids, count);
    if (property !== (store.now.layers as Property)) writeMany(store, property, ids, values, count, bits, 0);
    else writeLayers(store, ids, values, count, columns.sees === undefined && (flags & SEES_SET) === 0);
  }
}

/** Without a count, columns are as long as the list of ids: a longer one is of another list. Shorter ones are reported later. */
function checkNoneLonger(columns: UpdateColumns, count: number): void {
  for (const [field, given] of Object.entries(columns) as [string, ValueColumns | undefined][]) {
    for (const [, column] of named(field, given)) {
      if (isArrayLike(column) && column.length > count)
        throw badOption(`${field}.length`, column.length, `${count}, as many as there are ids`);
    }
  }
}

/** Entities that never set `sees` see their own layers. `isEverybody`: this holds for all of them. */
function writeLayers(
  store: EntityStore,
  ids: Uint32Array,
  values: ArrayLike<number>,
  count: number,
  isEverybody: boolean,
): void {
  const [layers, sees] = [store.now.layers as Property, store.now.sees as Property];
  if (isEverybody && layers.column !== undefined && sees.column !== undefined) {
    writeBoth(store, layers.column, sees.column, ids, values, count);
    return;
  }
  writeMany(store, layers, ids, values, count, CHANGED, 0);
  writeMany(store, sees, ids, values, count, CHANGED, SEES_SET);
}

/** Same result as two passes, but finds each slot once, which takes most of the time. */
function writeBoth(
  store: EntityStore,
  { array: one }: Column,
  { array: other }: Column,
  ids: Uint32Array,
  values: ArrayLike<number>,
  count: number,
): void {
  const { pending, pendingSlots } = store;
  let { pendingCount } = store;
  for (let k = 0; k < count; k++) {
    const slot = ids[k] >>> 10;
    const value = values[k];
    if (one[slot] === value && other[slot] === value) continue;
    one[slot] = value;
    other[slot] = value;
    if (pending[slot] === 0) pendingSlots[pendingCount++] = slot;
    pending[slot] |= CHANGED;
  }
  store.pendingCount = pendingCount;
}

function changesOf(store: EntityStore, columns: UpdateColumns, count: number): Change[] {
  const { now, settings } = store;
  const all = (1 << settings.senseCount) - 1;
  const changes: Change[] = [];
  for (const { s, values } of bySense(store, 'gain', columns.gain, count, checkedGain, MAX_GAIN, all)) {
    changes.push({ property: now.gains[s] as Property, values, bits: CHANGED });
  }
  const plain = (
    field: 'layers' | 'sees' | 'channel',
    property: Property,
    check: Check,
    most = MOST_WORD,
  ) => {
    const column = columns[field];
    if (column === undefined) return;
    changes.push({ property, values: checkedWords(field, column, count, check, most), bits: CHANGED });
  };
  // `sees` comes first: it sets the flag that keeps `layers` from changing it.
  plain('sees', now.sees as Property, checkedLayers);
  plain('layers', now.layers as Property, checkedLayers);
  plain('channel', now.channels as Property, (_, value) => checkedChannel(value), MAX_CHANNEL);
  if (columns.weight !== undefined) {
    const check: Check = (_, value) => checkedWeight(value);
    const values = checkedFloats('weight', columns.weight, count, check, MOST_FLOAT32, 0);
    changes.push({ property: now.weights as Property, values, bits: STANDING_CHANGED });
  }
  // With `onlyGroup`, a change of groups changes perception.
  const groupBits = now.onlyGroups.column !== undefined ? STANDING_CHANGED | CHANGED : STANDING_CHANGED;
  for (const [kind, column] of named('group', columns.group)) {
    const index = kind === undefined ? 0 : groupKind(settings, kind, 'group');
    const values = checkedWords('group', column, count, checkedGroup, MOST_WORD);
    changes.push({ property: now.groups[index] as Property, values, bits: groupBits });
  }
  return changes;
}

type Check = (field: string, value: unknown) => number;

interface SenseColumn {
  readonly s: number;
  readonly values: Float32Array;
}

/** The columns of each sense; `numberMeans`: the senses that a bare column is for. */
function bySense(
  store: EntityStore,
  field: string,
  given: ValueColumns | undefined,
  count: number,
  check: Check,
  most: number,
  numberMeans: number,
): SenseColumn[] {
  const { settings, limits } = store;
  const columns: SenseColumn[] = [];
  for (const [sense, column] of named(field, given)) {
    const values = checkedFloats(field, column, count, check, most, MIN_MAGNITUDE);
    const senses = sense === undefined ? numberMeans : 1 << senseIndex(settings, field, sense);
    for (let s = 0; s < settings.senseCount; s++) if ((senses & (1 << s)) !== 0) columns.push({ s, values });
  }
  for (const { s, values } of columns) limits.includeLongest(field, s, values);
  return columns;
}

/** A bare column, without a name; or the columns of a record, by name. */
function named(field: string, given: ValueColumns | undefined): [string | undefined, ArrayLike<number>][] {
  if (given === undefined) return [];
  if (isArrayLike(given)) return [[undefined, given]];
  if (!isRecord(given)) throw badOption(field, given, 'an array of numbers, or a record of them');
  return Object.entries(given).filter(([, column]) => column !== undefined);
}

/** Whether it has elements by index, and a number of them. */
export function isArrayLike(value: unknown): value is ArrayLike<number> {
  if (typeof value !== 'object' || value === null) return false;
  const { length } = value as ArrayLike<number>;
  return Number.isInteger(length) && length >= 0;
}

function checkedFloats(
  field: string,
  column: ArrayLike<number>,
  count: number,
  check: Check,
  most: number,
  least: number,
): Float32Array {
  const plain = plainFloats(column, count, most, least);
  return plain ?? checkedInto(field, column, new Float32Array(count), check);
}

function checkedWords(
  field: string,
  column: ArrayLike<number>,
  count: number,
  check: Check,
  most: number,
): Uint32Array {
  return plainWords(column, count, most) ?? checkedInto(field, column, new Uint32Array(count), check);
}

function checkedInto<T extends Float32Array | Uint32Array>(
  field: string,
  column: ArrayLike<number>,
  out: T,
  check: Check,
): T {
  if (!isArrayLike(column)) throw badOption(field, column, 'an array of numbers');
  if (column.length < out.length)
    throw badOption(`${field}.length`, column.length, `at least ${out.length}, as many as there are ids`);
  let k = 0;
  try {
    for (; k < out.length; k++) out[k] = check(field, column[k]);
  } catch (error) {
    if (!(error instanceof UmweltError)) throw error;
    throw new UmweltError(error.code, `${error.message}, at index ${k}`, { ...error.details, index: k });
  }
  return out;
}

function writeRanges(
  store: EntityStore,
  ids: Uint32Array,
  ranges: readonly SenseColumn[],
  count: number,
  isAnyAtRest: boolean,
): void {
  const { now } = store;
  if (now.hidden.column === undefined && !isAnyAtRest) {
    for (const { s, values } of ranges)
      writeMany(store, now.ranges[s] as Property, ids, values, count, CHANGED, 0);
    return;
  }
  const given = emptyValues(store.settings);
  for (const { s } of ranges) given.rangesGiven |= 1 << s;
  for (let k = 0; k < count; k++) {
    for (const { s, values } of ranges) given.ranges[s] = values[k];
    store.update(ids[k] >>> 10, given);
  }
}

function setSees({ now }: EntityStore, ids: Uint32Array, count: number): void {
  const { flags } = now;
  for (let k = 0; k < count; k++) flags[ids[k] >>> 10] |= SEES_SET;
}

/**
 * Writes one property of many entities, except those with the flag `unless`. Changed entities get the pending bits.
 */
function writeMany(
  store: EntityStore,
  property: Property,
  ids: Uint32Array,
  values: ArrayLike<number>,
  count: number,
  bits: number,
  unless: number,
): void {
  if (property.column === undefined) {
    let k = 0;
    while (k < count && values[k] === property.fallback) k++;
    if (k === count) return;
    store.addColumn(property);
  }
  const { array } = property.column as unknown as Column;
  const { flags } = store.now;
  const { pending, pendingSlots } = store;
  let { pendingCount } = store;
  for (let k = 0; k < count; k++) {
    const slot = ids[k] >>> 10;
    if (array[slot] === values[k] || (unless !== 0 && (flags[slot] & unless) !== 0)) continue;
    array[slot] = values[k];
    if (pending[slot] === 0) pendingSlots[pendingCount++] = slot;
    pending[slot] |= bits;
  }
  store.pendingCount = pendingCount;
}
