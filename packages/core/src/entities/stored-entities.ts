/**
 * The entities of a world as bytes: ids, the state at the last tick, and pending changes.
 *
 * Only pending slots differ between `last` and `now`, so `now` is written only for those. The exception is its flags,
 * of which one bit (SEES_SET) may change without a pending bit. Limits of reach and similar values are recomputed.
 *
 *   slots, properties in use | ids | last, column by column | flags now | pending slots, bits | now, at those
 *
 * Loaded data must satisfy what checked calls would have produced: numbers within the limits of the world; presence,
 * free slots and pending bits in agreement. Cost: a copy of the columns, and a look at each element when loading.
 */
import type { ByteReader } from '../bytes/byte-reader.ts';
import type { ByteWriter, ColumnArray } from '../bytes/byte-writer.ts';
import { MAX_DISTANCE, MAX_GAIN, MIN_MAGNITUDE, type WorldSettings } from '../settings.ts';
import { isDistinct, MAX_SLOTS } from './entity-ids.ts';
import {
  ALWAYS,
  CARRIED,
  type EntityState,
  MARKER,
  PRESENT,
  type Property,
  RESTING,
  SEES_SET,
  UPDATES,
  VOLATILE,
} from './entity-state.ts';
import type { EntityStore } from './entity-store.ts';
import {
  ADDED,
  CHANGED,
  INTEREST_CHANGED,
  MOVED,
  REMOVED,
  STANDING_CHANGED,
  UPDATES_CHANGED,
} from './pending.ts';

const ALL_FLAGS = PRESENT | MARKER | UPDATES | SEES_SET | ALWAYS | RESTING | CARRIED | VOLATILE;

/** `isAtRest`: writes the entities as if all of them had had `watches: false` since before the last tick. */
export function saveEntities(store: EntityStore, writer: ByteWriter, isAtRest: boolean): void {
  const { slotCount, settings, pending } = store;
  const pendingSlots = store.pendingSlots.subarray(0, store.pendingCount);
  const [last, now] = [store.last, store.now].map((state) => savedState(state, settings, isAtRest));
  writer.u32(slotCount);
  writer.u32(store.ids.handedOut);
  writer.column(Uint8Array.from(now.properties, (column) => (column === undefined ? 0 : 1)));
  store.ids.save(writer);
  for (const column of columnsOf(last)) writer.elements(column.subarray(0, slotCount));
  writer.elements(now.flags.subarray(0, slotCount));
  writer.column(pendingSlots);
  const bits = gathered(pending, pendingSlots);
  writer.elements(isAtRest ? bits.map(bitsAtRest) : bits);
  for (const column of columnsOf(now)) writer.elements(gathered(column, pendingSlots));
}

/** The columns of a state as they are stored. */
interface SavedState {
  readonly positions: readonly ColumnArray[];
  readonly flags: Uint8Array;
  /** `undefined` for a property without a column. */
  readonly properties: readonly (ColumnArray | undefined)[];
}

function savedState(state: EntityState, settings: WorldSettings, isAtRest: boolean): SavedState {
  const { x, y, z, flags, ranges, ownRanges, restRanges, hidden } = state;
  const positions = settings.dimensions === 3 ? [x, y, z] : [x, y];
  const all = allProperties(state);
  if (!isAtRest) return { positions, flags, properties: all.map(({ column }) => column?.array) };
  // Ranges go to `restRanges`, and no watcher is hidden.
  const emptied = new Set([...ranges, ...ownRanges, hidden] as Property[]);
  const properties = all.map((property) => {
    const s = restRanges.indexOf(property as Property<'f32'>);
    if (s >= 0) return rangesGiven(ownRanges[s], restRanges[s]);
    return emptied.has(property) ? undefined : property.column?.array;
  });
  const resting = flags.map((each) => ((each & PRESENT) === 0 ? each : each | RESTING));
  return { positions, flags: resting, properties };
}

/** In the order of `EntityState.columns`. */
function columnsOf({ positions: [x, y, ...z], flags, properties }: SavedState): ColumnArray[] {
  return [x, y, flags, ...z, ...properties.filter((column) => column !== undefined)];
}

/** The given ranges of all entities in a sense, watching or not: one of the two is 0. */
function rangesGiven(own: Property<'f32'>, beside: Property<'f32'>): Float32Array | undefined {
  const [ranges, others] = [own.column?.array, beside.column?.array];
  if (ranges === undefined || others === undefined) return ranges ?? others;
  return ranges.map((range, slot) => range + others[slot]);
}

/** Pending bits with `watches: false`: a changed range is in `restRanges`. */
function bitsAtRest(bits: number): number {
  return (bits & CHANGED) === 0 ? bits : bits | STANDING_CHANGED;
}

/** Whether no present entity watches, in either state. */
export function isEveryoneAtRest({ last, now, slotCount }: EntityStore): boolean {
  for (let slot = 0; slot < slotCount; slot++) {
    if (last.isPresent(slot) && !last.isResting(slot)) return false;
    if (now.isPresent(slot) && !now.isResting(slot)) return false;
  }
  return true;
}

/** Loads into a store that was never used. `interestCount`: number of interests at the last tick. */
export function loadEntities(store: EntityStore, reader: ByteReader, interestCount: number): void {
  const { last, now, settings } = store;
  const slotCount = reader.below(MAX_SLOTS + 1, 'a count of slots');
  const handedOut = reader.below(MAX_SLOTS + 1, 'a count of slots ever handed out');
  reader.check(slotCount <= handedOut, 'no more slots in use than were handed out');
  const inUse = reader.column('u8');
  const properties = allProperties(now);
  reader.check(inUse.length === properties.length, 'the properties of this world');
  // Ids and positions alone take this many bytes, so the bytes must be as long as the claimed slots require.
  reader.expect(slotCount * 4 * settings.dimensions + handedOut * 4);
  store.prepare(
    slotCount,
    handedOut,
    properties.filter((_, i) => inUse[i] === 1),
  );
  store.ids.load(reader, handedOut);
  for (const { array } of last.columns(settings.dimensions)) {
    reader.elementsInto(array.subarray(0, slotCount));
  }
  checkState(reader, last, slotCount, settings.dimensions, interestCount);
  const lastColumns = last.columns(settings.dimensions);
  now.columns(settings.dimensions).forEach(({ array }, i) => {
    array.set(lastColumns[i].array.subarray(0, slotCount));
  });
  reader.elementsInto(now.flags.subarray(0, slotCount));
  const pendingSlots = reader.column('u32');
  reader.check(isDistinct(pendingSlots, slotCount), 'distinct pending slots');
  const bits = reader.elements('u8', pendingSlots.length);
  const { pending } = store;
  pendingSlots.forEach((slot, i) => {
    pending[slot] = bits[i];
  });
  store.pendingSlots.set(pendingSlots);
  store.pendingCount = pendingSlots.length;
  for (const { kind, array } of now.columns(settings.dimensions)) {
    const values = reader.elements(kind, pendingSlots.length);
    for (let i = 0; i < values.length; i++) array[pendingSlots[i]] = values[i];
  }
  checkState(reader, now, slotCount, settings.dimensions, settings.interestNames.size);
  checkPending(reader, store);
  store.attachments.load((expected) => reader.fault(expected));
  measure(store);
}

function allProperties({ properties, standings }: EntityState): Property[] {
  return [...properties, ...standings];
}

function gathered<T extends ColumnArray>(column: T, slots: Uint32Array): T {
  const values = new (column.constructor as new (length: number) => T)(slots.length);
  for (let i = 0; i < slots.length; i++) values[i] = column[slots[i]];
  return values;
}

/** As float32. */
const LEAST_MAGNITUDE = Math.fround(MIN_MAGNITUDE);

/** Throws unless every number is one that a checked call could have stored. */
function checkState(
  reader: ByteReader,
  state: EntityState,
  slotCount: number,
  dimensions: 2 | 3,
  interestCount: number,
): void {
  const check = (column: ColumnArray | undefined, min: number, max: number, what: string) => {
    if (column === undefined || isWithin(column, slotCount, min, max)) return;
    throw reader.fault(`${what} from ${min} to ${max}`);
  };
  check(state.x, -MAX_DISTANCE, MAX_DISTANCE, 'x');
  check(state.y, -MAX_DISTANCE, MAX_DISTANCE, 'y');
  if (dimensions === 3) check(state.z, -MAX_DISTANCE, MAX_DISTANCE, 'z');
  check(state.flags, 0, ALL_FLAGS, 'flags');
  // Smaller values are stored as 0, because searches need not find that they reach anything.
  const checkMagnitudes = (column: ColumnArray | undefined, max: number, what: string) => {
    check(column, 0, max, what);
    for (let slot = 0; column !== undefined && slot < slotCount; slot++)
      if (column[slot] !== 0 && column[slot] < LEAST_MAGNITUDE)
        throw reader.fault(`${what} of 0, or from ${MIN_MAGNITUDE}`);
  };
  for (const ranges of [state.ranges, state.ownRanges, state.restRanges])
    for (const { column } of ranges) checkMagnitudes(column?.array, MAX_DISTANCE, 'ranges');
  check(state.hidden.column?.array, 0, 1, 'hidden');
  for (const { column } of state.gains) checkMagnitudes(column?.array, MAX_GAIN, 'gains');
  for (const { column } of state.minReaches) checkMagnitudes(column?.array, MAX_DISTANCE, 'minReaches');
  state.maxReaches.forEach((maxReach, s) => {
    check(maxReach.column?.array, 0, Number.POSITIVE_INFINITY, 'maxReaches');
    if (maxReach.column === undefined) return;
    for (let slot = 0; slot < slotCount; slot++) {
      const isFarEnough = maxReach.at(slot) >= state.minReaches[s].at(slot);
      if (!isFarEnough) throw reader.fault('no maxReach below the minReach');
    }
  });
  check(state.onlyGroups.column?.array, 0, (1 << state.groups.length) - 1, 'onlyGroups');
  for (const { column } of state.parentOffsets) check(column?.array, -MAX_DISTANCE, MAX_DISTANCE, 'offsets');
  check(state.weights.column?.array, 0, Number.MAX_VALUE, 'weights');
  check(state.interests.column?.array, 0, interestCount - 1, 'interests');
  for (let slot = 0; slot < slotCount; slot++) {
    const flags = state.flags[slot];
    if (flags !== 0 && (flags & PRESENT) === 0) throw reader.fault('flags with PRESENT, or 0');
  }
  checkHidden(reader, state, slotCount);
  checkResting(reader, state, slotCount);
}

/** Throws unless a slot that does not watch has its ranges in `restRanges`, and all others have none there. */
function checkResting(reader: ByteReader, state: EntityState, slotCount: number): void {
  state.restRanges.forEach((beside, s) => {
    for (let slot = 0; slot < slotCount; slot++) {
      if (!state.isPresent(slot)) continue;
      const wrong = state.isResting(slot) ? state.ownRanges[s].at(slot) : beside.at(slot);
      if (wrong !== 0) throw reader.fault(`the range of slot ${slot}, at rest or not`);
    }
  });
}

/**
 * Throws unless detectors read a range of 0 for hidden watchers and the own range for all others; and unless no other
 * range is kept.
 */
function checkHidden(reader: ByteReader, state: EntityState, slotCount: number): void {
  const { hidden, ranges, standings } = state;
  ranges.forEach((range, s) => {
    const kept = standings[standings.length - ranges.length + s];
    if (hidden.column === undefined) {
      reader.check(kept.column === undefined, 'ranges to be kept once anyone was hidden');
      return;
    }
    if (range.column === undefined && kept.column === undefined) return;
    for (let slot = 0; slot < slotCount; slot++) {
      const expected = hidden.at(slot) === 1 ? 0 : kept.at(slot);
      if (range.at(slot) !== expected) throw reader.fault(`the range of slot ${slot}, hidden or not`);
    }
  });
}

/** NaN is never within. */
function isWithin(column: ColumnArray, count: number, min: number, max: number): boolean {
  for (let i = 0; i < count; i++) if (!(column[i] >= min && column[i] <= max)) return false;
  return true;
}

/** Throws unless pending bits, presence and differences agree, and free slots hold no entity. */
function checkPending(reader: ByteReader, store: EntityStore): void {
  const { last, now, pending, pendingSlots, pendingCount, slotCount } = store;
  let present = 0;
  for (let slot = 0; slot < slotCount; slot++) {
    const [before, after] = [last.flags[slot], now.flags[slot]];
    if (after !== 0) present++;
    if (pending[slot] === 0 && ((before ^ after) & ~SEES_SET) !== 0) {
      throw reader.fault(`slot ${slot} to be pending`);
    }
  }
  // There are as many present slots as slots that are not free, and no free slot is present: so each slot is one or
  // the other.
  reader.check(present === store.size, 'as many present as slots in use');
  reader.check(
    !store.ids.isAnyFree((slot) => slot < slotCount && now.flags[slot] !== 0),
    'free slots without entities',
  );
  for (let i = 0; i < pendingCount; i++) {
    const slot = pendingSlots[i];
    const bits = pending[slot];
    const wasPresent = (bits & ADDED) === 0;
    const isPresent = (bits & REMOVED) === 0;
    const agrees = (last.flags[slot] !== 0) === wasPresent && (now.flags[slot] !== 0) === isPresent;
    const covers = bits !== 0 && (!wasPresent || !isPresent || (differenceAt(store, slot) & ~bits) === 0);
    if (!agrees || !covers) throw reader.fault(`slot ${slot} to be pending as it changed`);
  }
}

/** The pending bits of what differs between last and now, for a slot that is present in both. */
function differenceAt({ last, now, settings }: EntityStore, slot: number): number {
  const flipped = last.flags[slot] ^ now.flags[slot];
  let bits = 0;
  if (last.x[slot] !== now.x[slot] || last.y[slot] !== now.y[slot]) bits |= MOVED;
  if (settings.dimensions === 3 && last.z[slot] !== now.z[slot]) bits |= MOVED;
  if ((flipped & (MARKER | CARRIED)) !== 0) bits |= CHANGED;
  if ((flipped & UPDATES) !== 0) bits |= UPDATES_CHANGED;
  if ((flipped & (ALWAYS | RESTING | VOLATILE)) !== 0) bits |= STANDING_CHANGED;
  for (let i = 0; i < now.properties.length; i++) {
    if (last.properties[i].at(slot) !== now.properties[i].at(slot)) bits |= CHANGED;
  }
  for (let i = 0; i < now.standings.length; i++) {
    if (last.standings[i].at(slot) === now.standings[i].at(slot)) continue;
    if (now.standings[i] === (now.interests as Property)) bits |= INTEREST_CHANGED;
    // Ranges may have changed before they were kept.
    else bits |= i >= now.standings.length - now.ranges.length ? CHANGED : STANDING_CHANGED;
  }
  return bits;
}

/** Recomputes what follows from the columns. */
function measure(store: EntityStore): void {
  const { last, now, slotCount, limits } = store;
  store.sizeAtLastTick = 0;
  for (let slot = 0; slot < slotCount; slot++) {
    if (last.isPresent(slot)) store.sizeAtLastTick++;
    store.noteFlags(last.flags[slot]);
    store.noteFlags(now.flags[slot]);
    if (last.perceives(slot) || now.perceives(slot)) store.watchers.add(slot);
  }
  limits.includeAll(last, slotCount);
  limits.includeAll(now, slotCount);
  limits.markStale();
}
