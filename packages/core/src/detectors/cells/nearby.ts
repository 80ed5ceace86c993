/**
 * The entities near one cell, copied into flat arrays so that many can be tested against them.
 *
 * Problem: the links of a grid are scattered in memory, and all entities in a cell test the same neighbours; almost
 * none of them crossed, and that must be found in a few operations. Method: they are copied once a cell, positions
 * before and now as doubles, and each entity is tested against the copy: first the squared distances, then the reach
 * for each sense. With squares d and d' before and now, and r the square of the reach, a pair crossed only if (d -
 * r)(d' - r) is below 0, or so near 0 that rounding may matter. Such a pair is decided by the definition.
 *
 *   float32 errs by less than 2^-20 of a square; |d - r| is at most `farthest`, the square of the widest offset in
 *   the window: so (d - r)(d' - r) > r * farthest * 2^-19 puts both on one side beyond doubt.
 *
 * The distance depends on the shape: for a box the longest side, for a cylinder the longer of radius and height, each
 * as the reach that would just span it. A marker with its own gains, minReach or maxReach has no single reach: its
 * position is copied as NaN, so that it is never dismissed. All of this holds for entities that only moved; others
 * must be tested without it.
 *
 * Memory: 76 bytes an entity in the fullest window, and 8 for each sense after the first. Cost: some 5 ns to copy
 * one, 2 ns to dismiss a pair in one sense.
 */
import { grown } from '../../columns.ts';
import type { EntityStore } from '../../entities/entity-store.ts';
import type { WorldSettings } from '../../settings.ts';
import { NONE } from './cell-table.ts';
import type { PairTest } from './pair-test.ts';

/** Role of an entity in this tick, by slot: it does not change. */
export const RESTS = 0;
/** It moved within its cell, and nothing else. */
export const STAYS = 1;
/** It was added, removed or changed, or it moved to another cell. */
export const CROSSES = 2;

const DOUBT = 2 ** -19;
const FIRST_ROOM = 256;
const NO_RANGE: Float32Array = new Float32Array(0);

export class Nearby {
  count = 0;
  slots = new Int32Array(FIRST_ROOM);
  /** Positions in reaches: divided by the shape's ratio on the axis. NaN for a marker that has no single reach. */
  lastX = new Float64Array(FIRST_ROOM);
  lastY = new Float64Array(FIRST_ROOM);
  lastZ = new Float64Array(FIRST_ROOM);
  nowX = new Float64Array(FIRST_ROOM);
  nowY = new Float64Array(FIRST_ROOM);
  nowZ = new Float64Array(FIRST_ROOM);
  /**
   * By sense: the squared reach of each as a watcher; -1 if it lacks the sense, so that no product dismisses it
   * wrongly.
   */
  readonly reaches: Float64Array[];
  /** Scratch: the squared distances of one slot to each, before and now. */
  before = new Float64Array(FIRST_ROOM);
  after = new Float64Array(FIRST_ROOM);
  /**
   * Times the squared reach: the limit below which a product leaves doubt. Set it for each window: see `doubtWithin`.
   */
  doubt = 0;
  readonly settings: WorldSettings;
  #copied = 0;
  readonly #store: EntityStore;

  constructor(store: EntityStore) {
    this.#store = store;
    this.settings = store.settings;
    this.reaches = store.settings.senses.map(() => new Float64Array(FIRST_ROOM));
  }

  get memoryBytes(): number {
    return this.slots.length * (4 + 8 * (8 + this.reaches.length));
  }

  /** The `doubt` for a window in which two slots are at most this far apart, per axis, in reaches. */
  doubtWithin(offset: readonly [x: number, y: number, z: number]): number {
    const [x, y, z] = offset;
    return DOUBT * (x * x + y * y + (this.settings.dimensions === 3 ? z * z : 0));
  }

  clear(): void {
    this.truncate(0);
  }

  /**
   * Appends the slots on a list, at most `room`, whose role is one of `accepted` (bit i for role i). `copy` then
   * copies their positions.
   */
  append(head: number, room: number, next: Int32Array, roles: Uint8Array, accepted: number): void {
    let count = this.count;
    if (count + room > this.slots.length) this.#grow(count + room);
    const { slots } = this;
    for (let slot = head; slot !== NONE; slot = next[slot]) {
      slots[count] = slot;
      count += (accepted >> roles[slot]) & 1;
    }
    this.count = count;
  }

  /** Appends one slot. */
  push(slot: number): void {
    if (this.count === this.slots.length) this.#grow(this.count + 1);
    this.slots[this.count++] = slot;
  }

  /** Drops all but the first `count`. */
  truncate(count: number): void {
    this.count = count;
    this.#copied = Math.min(this.#copied, count);
  }

  /** Copies positions and reaches of the slots appended since the last call. */
  copy(): void {
    const { slots, count, settings } = this;
    const from = this.#copied;
    const { last, now } = this.#store;
    const ratioX = settings.rangeShape === 'box' ? settings.ratioX : 1;
    const ratioY = settings.rangeShape === 'box' ? settings.ratioY : 1;
    copyInto(this.lastX, slots, from, count, last.x, ratioX);
    copyInto(this.nowX, slots, from, count, now.x, ratioX);
    copyInto(this.lastY, slots, from, count, last.y, ratioY);
    copyInto(this.nowY, slots, from, count, now.y, ratioY);
    if (settings.dimensions === 3) {
      const ratioZ = settings.rangeShape === 'circle' ? 1 : settings.ratioZ;
      copyInto(this.lastZ, slots, from, count, last.z, ratioZ);
      copyInto(this.nowZ, slots, from, count, now.z, ratioZ);
    }
    for (let s = 0; s < this.reaches.length; s++) {
      copyReachesInto(this.reaches[s], slots, from, count, now.ranges[s].column?.array ?? NO_RANGE);
      const gains = now.gains[s].column?.array;
      const minReaches = now.minReaches[s].column?.array;
      const maxReaches = now.maxReaches[s].column?.array;
      if (gains === undefined && minReaches === undefined && maxReaches === undefined) continue;
      for (let i = from; i < count; i++) {
        const hasOneReach =
          (gains === undefined || gains[slots[i]] === 1) &&
          (minReaches === undefined || minReaches[slots[i]] === 0) &&
          (maxReaches === undefined || maxReaches[slots[i]] === Number.POSITIVE_INFINITY);
        if (!hasOneReach) this.lastX[i] = this.nowX[i] = Number.NaN;
      }
    }
    this.#copied = count;
  }

  #grow(room: number): void {
    const length = Math.max(room, 2 * this.slots.length);
    const slots = new Int32Array(length);
    slots.set(this.slots);
    this.slots = slots;
    for (const name of ['lastX', 'lastY', 'lastZ', 'nowX', 'nowY', 'nowZ', 'before', 'after'] as const) {
      this[name] = grown(this[name], length);
    }
    for (let s = 0; s < this.reaches.length; s++) this.reaches[s] = grown(this.reaches[s], length);
  }
}

/** Tests the i-th slot with each from `from` to below `to`, both ways. All of them only moved, or rest. */
export function testBothWays(near: Nearby, i: number, from: number, to: number, test: PairTest): void {
  if (from >= to) return;
  measure(near, i, from, to);
  const { slots, before, after, doubt } = near;
  const slot = slots[i];
  for (let s = 0; s < near.reaches.length; s++) {
    const reaches = near.reaches[s];
    const own = reaches[i];
    const ownDoubt = own * doubt;
    for (let j = from; j < to; j++) {
      const other = reaches[j];
      const isSure =
        (before[j] - own) * (after[j] - own) > ownDoubt &&
        (before[j] - other) * (after[j] - other) > other * doubt;
      if (!isSure) test.both(slot, slots[j]);
    }
  }
}

/** As `testBothWays`, but only whether the i-th perceives the others. */
export function testAsWatcher(near: Nearby, i: number, from: number, to: number, test: PairTest): void {
  if (from >= to) return;
  measure(near, i, from, to);
  const { slots, before, after } = near;
  const slot = slots[i];
  for (let s = 0; s < near.reaches.length; s++) {
    const own = near.reaches[s][i];
    const doubt = own * near.doubt;
    if (own < 0) continue;
    for (let j = from; j < to; j++) {
      if (!((before[j] - own) * (after[j] - own) > doubt)) test.oneWay(slot, slots[j]);
    }
  }
}

/** As `testBothWays`, but only whether the others perceive the i-th. */
export function testAsMarker(near: Nearby, i: number, from: number, to: number, test: PairTest): void {
  if (from >= to) return;
  measure(near, i, from, to);
  const { slots, before, after, doubt } = near;
  const slot = slots[i];
  for (let s = 0; s < near.reaches.length; s++) {
    const reaches = near.reaches[s];
    for (let j = from; j < to; j++) {
      const other = reaches[j];
      if (!((before[j] - other) * (after[j] - other) > other * doubt)) test.oneWay(slots[j], slot);
    }
  }
}

/** As `testAsMarker`, for others at any distance: each of their reaches is compared separately. */
export function testAsFarMarker(near: Nearby, i: number, from: number, to: number, test: PairTest): void {
  if (from >= to) return;
  measure(near, i, from, to);
  const { slots, before, after } = near;
  const slot = slots[i];
  for (let s = 0; s < near.reaches.length; s++) {
    const reaches = near.reaches[s];
    for (let j = from; j < to; j++) {
      const surelyIn = reaches[j] * (1 - DOUBT);
      const surelyOut = reaches[j] * (1 + DOUBT);
      const isSure =
        (before[j] < surelyIn && after[j] < surelyIn) || (before[j] > surelyOut && after[j] > surelyOut);
      if (!isSure) test.oneWay(slots[j], slot);
    }
  }
}

/** Fills `before` and `after` with the squared distances of the i-th, by the shape. */
function measure(near: Nearby, i: number, from: number, to: number): void {
  const { lastX, lastY, lastZ, nowX, nowY, nowZ, before, after, settings } = near;
  if (settings.rangeShape === 'box') {
    measureBox(lastX, lastY, lastZ, i, from, to, before);
    measureBox(nowX, nowY, nowZ, i, from, to, after);
  } else if (settings.rangeShape === 'cylinder') {
    measureCylinder(lastX, lastY, lastZ, i, from, to, before);
    measureCylinder(nowX, nowY, nowZ, i, from, to, after);
  } else if (settings.dimensions === 3) {
    measureSphere(lastX, lastY, lastZ, i, from, to, before);
    measureSphere(nowX, nowY, nowZ, i, from, to, after);
  } else {
    measureCircle(lastX, lastY, i, from, to, before);
    measureCircle(nowX, nowY, i, from, to, after);
  }
}

function measureCircle(
  x: Float64Array,
  y: Float64Array,
  i: number,
  from: number,
  to: number,
  out: Float64Array,
): void {
  const ownX = x[i];
  const ownY = y[i];
  for (let j = from; j < to; j++) {
    const dx = x[j] - ownX;
    const dy = y[j] - ownY;
    out[j] = dx * dx + dy * dy;
  }
}

function measureSphere(
  x: Float64Array,
  y: Float64Array,
  z: Float64Array,
  i: number,
  from: number,
  to: number,
  out: Float64Array,
): void {
  const ownX = x[i];
  const ownY = y[i];
  const ownZ = z[i];
  for (let j = from; j < to; j++) {
    const dx = x[j] - ownX;
    const dy = y[j] - ownY;
    const dz = z[j] - ownZ;
    out[j] = dx * dx + dy * dy + dz * dz;
  }
}

/** In 2-D all z are 0. */
function measureBox(
  x: Float64Array,
  y: Float64Array,
  z: Float64Array,
  i: number,
  from: number,
  to: number,
  out: Float64Array,
): void {
  const ownX = x[i];
  const ownY = y[i];
  const ownZ = z[i];
  for (let j = from; j < to; j++) {
    const longest = Math.max(Math.abs(x[j] - ownX), Math.abs(y[j] - ownY), Math.abs(z[j] - ownZ));
    out[j] = longest * longest;
  }
}

function measureCylinder(
  x: Float64Array,
  y: Float64Array,
  z: Float64Array,
  i: number,
  from: number,
  to: number,
  out: Float64Array,
): void {
  const ownX = x[i];
  const ownY = y[i];
  const ownZ = z[i];
  for (let j = from; j < to; j++) {
    const dx = x[j] - ownX;
    const dy = y[j] - ownY;
    const dz = z[j] - ownZ;
    out[j] = Math.max(dx * dx + dy * dy, dz * dz);
  }
}

function copyInto(
  target: Float64Array,
  slots: Int32Array,
  from: number,
  to: number,
  column: Float32Array,
  ratio: number,
): void {
  for (let i = from; i < to; i++) target[i] = column[slots[i]] / ratio;
}

function copyReachesInto(
  target: Float64Array,
  slots: Int32Array,
  from: number,
  to: number,
  ranges: Float32Array,
): void {
  for (let i = from; i < to; i++) {
    const range = ranges[slots[i]];
    target[i] = range > 0 ? range * range : -1;
  }
}
