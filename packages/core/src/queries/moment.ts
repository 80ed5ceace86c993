/**
 * The most common queries as of now, with as little overhead as possible: the entities within a circle, and the
 * nearest ones.
 *
 * Game code makes thousands of them a tick, each with a handful of results, so the fixed cost of a query matters.
 * This code builds no list except the result, and only checks that the options are simple. A query with more options
 * (layers, an order, a function) goes to query.ts, with the same result.
 *
 * Cost: 0.2 us a query, and some 5 ns for each entity nearby. `nearest` searches the cells around the position, ring
 * by ring, until no entity farther out can be nearer.
 */
import type { Detector } from '../detectors/detector.ts';
import { isCoordinate } from '../entities/entity-init.ts';
import type { EntityStore } from '../entities/entity-store.ts';
import { MAX_DISTANCE } from '../settings.ts';
import { checkOut, sortIds } from './id-list.ts';
import { type NearestOptions, nearest, type QueryOptions, query } from './query.ts';
import type { Shape } from './shape.ts';

/** Maximum `k` of `nearestNow`: results are sorted by insertion. */
const MOST_NEAREST = 32;

/**
 * From this many slots on, in worlds of at most this many slots, marking them in a bitmap and reading it costs half
 * as much as sorting by comparison.
 */
const LEAST_MARKED = 8;
const MOST_MARKED_SLOTS = 32 * 1024;
/** A bit by slot, and one for each 32 of these; all are clear between two queries. */
const marks = new Uint32Array(MOST_MARKED_SLOTS / 32);
const marksOfMarks = new Uint32Array(MOST_MARKED_SLOTS / 1024);

/** Ids of the last result, in its order. */
let answer = new Uint32Array(256);

/** `query` as an array, in `options.out` if it fits. */
export function queryArray(
  store: EntityStore,
  detector: Detector,
  shape: Shape,
  options: QueryOptions | undefined,
): Uint32Array {
  const count = circleNow(store, shape, options);
  return count >= 0
    ? answerArray(count, options?.out)
    : query(store, detector, shape, options).toArray(options?.out);
}

/** Writes as much as fits into `out`; returns how many there are. */
export function queryInto(
  store: EntityStore,
  detector: Detector,
  shape: Shape,
  options: QueryOptions | undefined,
  out: Uint32Array,
): number {
  const count = circleNow(store, shape, options);
  return count >= 0 ? answerInto(count, out) : query(store, detector, shape, options).into(out);
}

/** `nearest` as an array, in `options.out` if it fits. */
export function nearestArray(
  store: EntityStore,
  detector: Detector,
  x: number,
  y: number,
  k: number,
  options: NearestOptions | undefined,
): Uint32Array {
  const count = nearestNow(store, x, y, k, options);
  return count >= 0
    ? answerArray(count, options?.out)
    : nearest(store, detector, x, y, k, options).toArray(options?.out);
}

/** Writes as much as fits into `out`; returns how many there are. */
export function nearestInto(
  store: EntityStore,
  detector: Detector,
  x: number,
  y: number,
  k: number,
  options: NearestOptions | undefined,
  out: Uint32Array,
): number {
  const count = nearestNow(store, x, y, k, options);
  return count >= 0 ? answerInto(count, out) : nearest(store, detector, x, y, k, options).into(out);
}

/** A result as an array: in `out` if it fits. */
function answerArray(count: number, out: Uint32Array | undefined): Uint32Array {
  if (out === undefined || out.length < count) return answer.slice(0, count);
  for (let i = 0; i < count; i++) out[i] = answer[i];
  // Twice as fast as `subarray`.
  return new Uint32Array(out.buffer, out.byteOffset, count);
}

/** Writes as much of a result as fits; returns the count. */
function answerInto(count: number, out: Uint32Array): number {
  checkOut(out);
  const written = Math.min(count, out.length);
  for (let i = 0; i < written; i++) out[i] = answer[i];
  return count;
}

/** Entities within a circle or a sphere now: how many, by ascending id; -1 if the query needs query.ts. */
function circleNow(store: EntityStore, shape: Shape, options: QueryOptions | undefined): number {
  if (options?.now !== true || !isOnlyNow(options, false)) return -1;
  if (options.out !== undefined && !(options.out instanceof Uint32Array)) return -1;
  const is3D = store.settings.dimensions === 3;
  if (typeof shape !== 'object' || shape === null || shape.kind !== (is3D ? 'sphere' : 'circle')) return -1;
  const { x, y, z, radius } = shape as { x: number; y: number; z?: number; radius: number };
  const isPlace = isCoordinate(x) && isCoordinate(y) && (is3D ? isCoordinate(z) : z === undefined);
  if (!isPlace || !(typeof radius === 'number' && radius >= 0 && radius <= MAX_DISTANCE)) return -1;
  if (!isOnlyRound(shape)) return -1;
  const grid = store.momentGrid(radius);
  const count = grid.within(x, y, z ?? 0, radius);
  const { idOf } = store.ids;
  const { found } = grid;
  if (count > answer.length) answer = new Uint32Array(2 * count);
  const isMarked = count >= LEAST_MARKED && store.slotCount <= MOST_MARKED_SLOTS;
  if (isMarked) sortSlots(found, count, store.slotCount);
  for (let i = 0; i < count; i++) answer[i] = idOf[found[i]];
  if (!isMarked) sortIds(answer, count);
  return count;
}

/** Sorts the first `count` slots ascending, in place; they are distinct. */
function sortSlots(slots: Uint32Array, count: number, slotCount: number): void {
  for (let i = 0; i < count; i++) {
    const slot = slots[i];
    marks[slot >>> 5] |= 1 << (slot & 31);
    marksOfMarks[slot >>> 10] |= 1 << ((slot >>> 5) & 31);
  }
  let at = 0;
  for (let group = 0; group << 10 < slotCount; group++) {
    let words = marksOfMarks[group];
    marksOfMarks[group] = 0;
    while (words !== 0) {
      const word = (group << 5) | (31 - Math.clz32(words & -words));
      words &= words - 1;
      let bits = marks[word];
      marks[word] = 0;
      while (bits !== 0) {
        slots[at++] = (word << 5) | (31 - Math.clz32(bits & -bits));
        bits &= bits - 1;
      }
    }
  }
}

/** The nearest entities now: how many, nearest first, ties by id; -1 if the query needs query.ts. */
function nearestNow(
  store: EntityStore,
  x: number,
  y: number,
  k: number,
  options: NearestOptions | undefined,
): number {
  if (options?.now !== true || !isOnlyNow(options, true)) return -1;
  if (options.out !== undefined && !(options.out instanceof Uint32Array)) return -1;
  const { z = 0, maxDistance = Number.POSITIVE_INFINITY } = options;
  if (!(isCoordinate(x) && isCoordinate(y) && isCoordinate(z)) || !(maxDistance >= 0)) return -1;
  if (store.settings.dimensions === 3 && options.z === undefined) return -1;
  if (typeof maxDistance !== 'number' || !Number.isInteger(k) || k < 1 || k > MOST_NEAREST) return -1;
  const { idOf } = store.ids;
  const grid = store.momentGrid(undefined);
  const height = store.settings.dimensions === 3 ? z : 0;
  const count = grid.nearest(x, y, height, k, maxDistance, store.size, idOf);
  const { found } = grid;
  for (let i = 0; i < count; i++) answer[i] = idOf[found[i]];
  return count;
}

// Names are compared one by one, which takes a tenth of the time of a look-up in a Set.

/** Whether options contain only `now` and `out`; for `nearest`, also `z` and `maxDistance`. */
function isOnlyNow(options: object, isNearest: boolean): boolean {
  for (const key in options) {
    if (key === 'now' || key === 'out' || (isNearest && (key === 'z' || key === 'maxDistance'))) continue;
    if ((options as Record<string, unknown>)[key] !== undefined) return false;
  }
  return true;
}

/** Whether a shape contains only the fields of a circle or a sphere. In 2-D, the caller has checked `z`. */
function isOnlyRound(shape: object): boolean {
  for (const key in shape) {
    if (key === 'kind' || key === 'x' || key === 'y' || key === 'z' || key === 'radius') continue;
    if ((shape as Record<string, unknown>)[key] !== undefined) return false;
  }
  return true;
}
