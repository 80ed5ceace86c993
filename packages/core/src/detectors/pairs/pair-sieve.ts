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
 * have the same properties in both states. The sieve reads the entities' columns by slot, or copies of them in
 * another order.
 *
 * Memory: 22 kilobytes for all. Cost: some 3 ns a pair, 5 ns a sense in worlds with more than ranges.
 */
import type { EntityStore } from '../../entities/entity-store.ts';
import type { Crossings } from '../crossings.ts';
import { PairTest } from './pair-test.ts';
import { normSquared, type ReachNorm, reachNorm, SUM } from './reach-norm.ts';
import { SieveColumns } from './sieve-columns.ts';

/** E above. */
const DOUBT = 2 ** -19;
/** Used instead of the square of a reach of 0: every distance is beyond it. */
const NO_REACH = -1;

/** Number of pairs that are compared at once. */
const BLOCK = 1024;
/** Of a block: squared distances in both states, and whether the definition must decide. */
const here = new Float64Array(BLOCK);
const there = new Float64Array(BLOCK);
const isDoubtful = new Uint8Array(BLOCK);
const undecided = new Int32Array(BLOCK);

export class PairSieve {
  readonly test: PairTest;
  readonly #norm: ReachNorm;
  readonly #columns: SieveColumns;
  /** With granularity 'cell' distances say nothing. */
  readonly #isExact: boolean;

  constructor(store: EntityStore) {
    this.test = new PairTest(store);
    this.#norm = reachNorm(store.settings);
    this.#columns = new SieveColumns(store);
    this.#isExact = store.settings.granularity === 'exact';
  }

  /** Looks up the columns for a tick. Call it before the first pair of each tick, because columns move. */
  load(out: Crossings): void {
    this.test.load(out);
    this.#columns.readSlots();
  }

  /**
   * Reports what changed between `slot` and each of `others[from .. to)`, both ways. Repeated slots are decided
   * twice.
   */
  sift(slot: number, others: Int32Array, from: number, to: number): void {
    const { test } = this;
    for (let begin = from; begin < to; begin += BLOCK) {
      const end = Math.min(to, begin + BLOCK);
      const count = this.doubtfulInto(this.#columns, slot, others, begin, end, undecided);
      for (let i = 0; i < count; i++) test.both(slot, undecided[i]);
    }
  }

  /**
   * Writes those of `others[from .. to)` to `out` that may have crossed with entry `i`, and returns how many. `out` may be `others`, if
   * `from` is 0.
   */
  doubtfulInto(
    columns: SieveColumns,
    i: number,
    others: Int32Array,
    from: number,
    to: number,
    out: Int32Array,
  ): number {
    if (!this.#isExact) {
      out.set(others.subarray(from, to));
      return to - from;
    }
    const norm = this.#norm;
    if (norm.kind === SUM && columns.ranges.length === 1 && columns.ranges[0].length > 0)
      return siftOne(columns, norm, i, others, from, to, out);
    let count = 0;
    for (let begin = from; begin < to; begin += BLOCK) {
      const end = Math.min(to, begin + BLOCK);
      measure(columns, norm, i, others, begin, end);
      isDoubtful.fill(0, 0, end - begin);
      for (let s = 0; s < columns.ranges.length; s++)
        if (columns.ranges[s].length > 0) siftSense(columns, s, i, others, begin, end);
      for (let k = begin; k < end; k++) if (isDoubtful[k - begin] === 1) out[count++] = others[k];
    }
    return count;
  }
}

/** For one sense, and circles or spheres. Arguments as for `doubtfulInto`. */
function siftOne(
  columns: SieveColumns,
  norm: ReachNorm,
  i: number,
  others: Int32Array,
  from: number,
  to: number,
  out: Int32Array,
): number {
  const { x, y, z, otherX, otherY, otherZ } = columns;
  const ranges = columns.ranges[0];
  const gains = columns.gains[0];
  const minReaches = columns.minReaches[0];
  const maxReaches = columns.maxReaches[0];
  const isByRange = gains.length + minReaches.length + maxReaches.length === 0;
  // A branch with a constant outcome costs less here than reading the columns of z in 2-D.
  const is3D = norm.scaleZ > 0;
  const ownX = x[i];
  const ownY = y[i];
  const ownZ = z[i];
  const ownOtherX = otherX[i];
  const ownOtherY = otherY[i];
  const ownOtherZ = otherZ[i];
  const range = ranges[i];
  let own = range > 0 ? range * range : NO_REACH;
  let ownDoubt = own * DOUBT;
  let count = 0;
  for (let k = from; k < to; k++) {
    const j = others[k];
    let dx = x[j] - ownX;
    let dy = y[j] - ownY;
    let now = dx * dx + dy * dy;
    dx = otherX[j] - ownOtherX;
    dy = otherY[j] - ownOtherY;
    let before = dx * dx + dy * dy;
    if (is3D) {
      const dz = z[j] - ownZ;
      const otherDz = otherZ[j] - ownOtherZ;
      now += dz * dz;
      before += otherDz * otherDz;
    }
    if (!isByRange) {
      own = reachSquared(range, gains, minReaches, maxReaches, j);
      ownDoubt = own * DOUBT;
    }
    const sum = before + now;
    if ((before - own) * (now - own) <= ownDoubt * (sum + own)) {
      out[count++] = j;
      continue;
    }
    const otherRange = ranges[j];
    if (isByRange && otherRange === range) continue;
    const other = reachSquared(otherRange, gains, minReaches, maxReaches, i);
    if ((before - other) * (now - other) <= other * DOUBT * (sum + other)) out[count++] = j;
  }
  return count;
}

/** Fills `here` and `there`. */
function measure(
  { x, y, z, otherX, otherY, otherZ }: SieveColumns,
  { kind, scaleX, scaleY, scaleZ }: ReachNorm,
  i: number,
  others: Int32Array,
  from: number,
  to: number,
): void {
  const [ownX, ownY, ownZ] = [x[i], y[i], z[i]];
  const [ownOtherX, ownOtherY, ownOtherZ] = [otherX[i], otherY[i], otherZ[i]];
  const is3D = scaleZ > 0;
  for (let k = from; k < to; k++) {
    const j = others[k];
    let dx = (x[j] - ownX) * scaleX;
    let dy = (y[j] - ownY) * scaleY;
    let dz = is3D ? (z[j] - ownZ) * scaleZ : 0;
    here[k - from] = normSquared(kind, dx, dy, dz);
    dx = (otherX[j] - ownOtherX) * scaleX;
    dy = (otherY[j] - ownOtherY) * scaleY;
    dz = is3D ? (otherZ[j] - ownOtherZ) * scaleZ : 0;
    there[k - from] = normSquared(kind, dx, dy, dz);
  }
}

/** Marks the measured pairs that may have crossed in a sense that is in use. */
function siftSense(
  columns: SieveColumns,
  s: number,
  i: number,
  others: Int32Array,
  from: number,
  to: number,
): void {
  const ranges = columns.ranges[s];
  const gains = columns.gains[s];
  const minReaches = columns.minReaches[s];
  const maxReaches = columns.maxReaches[s];
  const range = ranges[i];
  const square = range > 0 ? range * range : NO_REACH;
  const isByRange = gains.length + minReaches.length + maxReaches.length === 0;
  for (let k = from; k < to; k++) {
    const j = others[k];
    const now = here[k - from];
    const before = there[k - from];
    const sum = now + before;
    const own = isByRange ? square : reachSquared(range, gains, minReaches, maxReaches, j);
    if ((before - own) * (now - own) > own * DOUBT * (sum + own)) {
      const otherRange = ranges[j];
      if (isByRange && otherRange === range) continue;
      const other = reachSquared(otherRange, gains, minReaches, maxReaches, i);
      if ((before - other) * (now - other) > other * DOUBT * (sum + other)) continue;
    }
    isDoubtful[k - from] = 1;
  }
}

/** The squared reach of a range towards marker `j`. */
function reachSquared(
  range: number,
  gains: Float32Array,
  minReaches: Float32Array,
  maxReaches: Float32Array,
  j: number,
): number {
  let reach = gains.length > 0 ? range * gains[j] : range;
  if (!(reach > 0)) return NO_REACH;
  if (minReaches.length > 0 && minReaches[j] > reach) reach = minReaches[j];
  if (maxReaches.length > 0 && maxReaches[j] < reach) reach = maxReaches[j];
  return reach * reach;
}
