/**
 * Dismisses pairs that did not cross, and decides the few others by the definition.
 *
 * Problem: of the pairs near each other, one in a few hundred crosses in a tick; the others must cost as little as
 * possible. Method: let b and a be the squared distances before and now, in the norm of the reach, and r the squared
 * reach. Both are on one side if (b - r)(a - r) > 0. The definition rounds to float32, so this code must not decide
 * pairs close to the boundary. If the product exceeds E r (b + a + r), each factor exceeds E r, since neither is more
 * than b + a + r; and its eight roundings of 2^-24 move a square by less than E = 2^-19 of itself. So a pair that
 * passes this test certainly did not cross; the others are tested. One comparison serves both directions.
 *
 * In a world with more than ranges in a single sense, each sense is compared, both ways. Pairs dismissed here must
 * have the same properties in both states. The sieve takes slots and reads the columns directly.
 *
 * Memory: 8 bytes a slot, in worlds with more than ranges. Cost: some 3 ns a pair, 8 ns a sense in such worlds.
 */
import type { EntityStore } from '../../entities/entity-store.ts';
import { PairTest } from '../cells/pair-test.ts';
import type { Crossings } from '../crossings.ts';
import { columnZ, GREATEST, type ReachNorm, reachNorm, SUM } from './reach-norm.ts';

/** E above. */
const DOUBT = 2 ** -19;
/** Used instead of the square of a reach of 0: every distance is beyond it. */
const NO_REACH = -1;
const NOTHING: Float32Array = new Float32Array(0);

export class PairSieve {
  readonly test: PairTest;
  readonly #norm: ReachNorm;
  readonly #look = new Look();
  #isPlain = false;
  #undecided = new Int32Array(0);
  #zeros = new Float32Array(0);
  #ones = new Float32Array(0);
  #infinities = new Float32Array(0);

  constructor(store: EntityStore) {
    this.test = new PairTest(store);
    this.#norm = reachNorm(store.settings);
  }

  get memoryBytes(): number {
    return this.#undecided.byteLength + 3 * this.#zeros.byteLength;
  }

  /** Looks up the columns for a tick. Call it before the first pair of each tick, because columns move. */
  load(store: EntityStore, out: Crossings): void {
    const { settings, last, now } = store;
    this.test.load(out);
    const look = this.#look;
    look.norm = this.#norm;
    look.lastX = last.x;
    look.lastY = last.y;
    look.lastZ = columnZ(settings, last);
    look.nowX = now.x;
    look.nowY = now.y;
    look.nowZ = columnZ(settings, now);
    const [range] = now.ranges;
    this.#isPlain =
      settings.senseCount === 1 &&
      this.#norm.kind === SUM &&
      range.column !== undefined &&
      now.gains[0].column === undefined &&
      now.minReaches[0].column === undefined &&
      now.maxReaches[0].column === undefined;
    if (this.#undecided.length < store.capacity) this.#undecided = new Int32Array(store.capacity);
    if (this.#isPlain) {
      look.ranges = [range.column?.array ?? this.#zeros];
      return;
    }
    if (this.#zeros.length < store.capacity) {
      this.#zeros = new Float32Array(store.capacity);
      this.#ones = new Float32Array(store.capacity).fill(1);
      this.#infinities = new Float32Array(store.capacity).fill(Number.POSITIVE_INFINITY);
    }
    look.ranges = now.ranges.map(({ column }) => column?.array ?? this.#zeros);
    look.gains = now.gains.map(({ column }) => column?.array ?? this.#ones);
    look.minReaches = now.minReaches.map(({ column }) => column?.array ?? this.#zeros);
    look.maxReaches = now.maxReaches.map(({ column }) => column?.array ?? this.#infinities);
  }

  /**
   * Reports what changed between `slot` and each of `others[from .. to)`, both ways. Repeated slots are decided
   * twice.
   */
  sift(slot: number, others: Int32Array, from: number, to: number): void {
    const { test } = this;
    const undecided = this.#undecided;
    for (let begin = from; begin < to; begin += undecided.length) {
      const end = Math.min(to, begin + undecided.length);
      const count = this.#isPlain
        ? siftPlain(this.#look, slot, others, begin, end, undecided)
        : siftSenses(this.#look, slot, others, begin, end, undecided);
      for (let i = 0; i < count; i++) test.both(slot, undecided[i]);
    }
  }
}

/** The columns that are read. */
class Look {
  norm: ReachNorm = { kind: SUM, scaleX: 1, scaleY: 1, scaleZ: 0, extents: [1, 1, 1] };
  lastX = NOTHING;
  lastY = NOTHING;
  lastZ = NOTHING;
  nowX = NOTHING;
  nowY = NOTHING;
  nowZ = NOTHING;
  ranges: Float32Array[] = [];
  gains: Float32Array[] = [];
  minReaches: Float32Array[] = [];
  maxReaches: Float32Array[] = [];
}

/** For one sense, circles or spheres, and only ranges. Writes the undecided slots to `out` and returns how many. */
function siftPlain(
  look: Look,
  slot: number,
  others: Int32Array,
  from: number,
  to: number,
  out: Int32Array,
): number {
  const { lastX, lastY, lastZ, nowX, nowY, nowZ } = look;
  const ranges = look.ranges[0];
  // A branch with a constant outcome costs less here than reading the columns of z in 2-D.
  const is3D = look.norm.scaleZ > 0;
  const oldX = lastX[slot];
  const oldY = lastY[slot];
  const oldZ = lastZ[slot];
  const newX = nowX[slot];
  const newY = nowY[slot];
  const newZ = nowZ[slot];
  const range = ranges[slot];
  const own = range > 0 ? range * range : NO_REACH;
  const ownDoubt = own * DOUBT;
  let count = 0;
  for (let i = from; i < to; i++) {
    const j = others[i];
    let dx = lastX[j] - oldX;
    let dy = lastY[j] - oldY;
    let before = dx * dx + dy * dy;
    dx = nowX[j] - newX;
    dy = nowY[j] - newY;
    let after = dx * dx + dy * dy;
    if (is3D) {
      const oldDz = lastZ[j] - oldZ;
      const newDz = nowZ[j] - newZ;
      before += oldDz * oldDz;
      after += newDz * newDz;
    }
    const sum = before + after;
    if ((before - own) * (after - own) <= ownDoubt * (sum + own)) {
      out[count++] = j;
      continue;
    }
    const otherRange = ranges[j];
    if (otherRange === range) continue;
    const other = otherRange > 0 ? otherRange * otherRange : NO_REACH;
    if ((before - other) * (after - other) <= other * DOUBT * (sum + other)) out[count++] = j;
  }
  return count;
}

/** As `siftPlain`, for any world. */
function siftSenses(
  look: Look,
  slot: number,
  others: Int32Array,
  from: number,
  to: number,
  out: Int32Array,
): number {
  const { lastX, lastY, lastZ, nowX, nowY, nowZ, ranges, gains, minReaches, maxReaches } = look;
  const { kind, scaleX, scaleY, scaleZ } = look.norm;
  const isBox = kind === GREATEST;
  const isSum = kind === SUM;
  const senseCount = ranges.length;
  let count = 0;
  for (let i = from; i < to; i++) {
    const j = others[i];
    let dx = (lastX[j] - lastX[slot]) * scaleX;
    let dy = (lastY[j] - lastY[slot]) * scaleY;
    let dz = (lastZ[j] - lastZ[slot]) * scaleZ;
    dx *= dx;
    dy *= dy;
    dz *= dz;
    let plane = isBox ? (dx > dy ? dx : dy) : dx + dy;
    const before = isSum ? plane + dz : plane > dz ? plane : dz;
    dx = (nowX[j] - nowX[slot]) * scaleX;
    dy = (nowY[j] - nowY[slot]) * scaleY;
    dz = (nowZ[j] - nowZ[slot]) * scaleZ;
    dx *= dx;
    dy *= dy;
    dz *= dz;
    plane = isBox ? (dx > dy ? dx : dy) : dx + dy;
    const after = isSum ? plane + dz : plane > dz ? plane : dz;
    const sum = before + after;
    for (let s = 0; s < senseCount; s++) {
      const own = reachSquared(ranges[s][slot] * gains[s][j], minReaches[s][j], maxReaches[s][j]);
      const other = reachSquared(ranges[s][j] * gains[s][slot], minReaches[s][slot], maxReaches[s][slot]);
      if (
        (before - own) * (after - own) <= own * DOUBT * (sum + own) ||
        (before - other) * (after - other) <= other * DOUBT * (sum + other)
      ) {
        out[count++] = j;
        break;
      }
    }
  }
  return count;
}

function reachSquared(base: number, minReach: number, maxReach: number): number {
  if (!(base > 0)) return NO_REACH;
  const atLeast = base > minReach ? base : minReach;
  return atLeast < maxReach ? atLeast * atLeast : maxReach * maxReach;
}
