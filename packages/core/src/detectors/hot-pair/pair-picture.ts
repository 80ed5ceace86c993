/**
 * Hot pairs as lines, for people.
 *
 * Problem: a crowd has millions of pairs; a picture can show thousands, and a world cannot spend a tenth of a second
 * on it. Method: only the rows of slots in sight are read, and an even share of these if they are long; of the pairs
 * found, an even share is drawn. The choice depends only on the slots, so that a line stays while its pair does.
 *
 * Cost: two readings of at most some 300,000 entries, and a look at each slot.
 */
import type { StructureSketch } from '../structure-sketch.ts';
import { CROWDED, type PairRows, VERSION_MASK } from './pair-rows.ts';

/** Number of lines among which a single one can still be followed. */
const PAIRS_DRAWN = 4000;
const ENTRIES_READ = 300_000;

/** Adds pairs with one side in the sketch's window, as lines between the positions of their slots. */
export function sketchPairs(rows: PairRows, x: Float32Array, y: Float32Array, sketch: StructureSketch): void {
  const { minX, minY, maxX, maxY } = sketch.window;
  const { stamps, starts, owned, theirs, pool } = rows;
  const isInSight = (slot: number) =>
    x[slot] >= minX && x[slot] <= maxX && y[slot] >= minY && y[slot] <= maxY;
  let entries = 0;
  for (let slot = 0; slot < starts.length; slot++) {
    const size = owned[slot] + theirs[slot];
    if (size > 0 && isInSight(slot)) entries += size;
  }
  const rowStride = strideFor(entries, ENTRIES_READ);
  const eachPairIn = (
    slot: number,
    from: number,
    to: number,
    visit: (slot: number, other: number) => void,
  ) => {
    for (let i = from; i < to; i++) {
      const other = pool[i] >>> 10;
      if (((pool[i] ^ stamps[other]) & VERSION_MASK) !== 0) continue;
      // Both sides have an entry of a pair: the one of the lower slot is used, if it is read.
      if (slot < other || !isInSight(other) || (stamps[other] & CROWDED) !== 0) visit(slot, other);
    }
  };
  const eachPair = (visit: (slot: number, other: number) => void) => {
    for (let slot = 0; slot < starts.length; slot++) {
      if (owned[slot] + theirs[slot] === 0 || mixed(slot, 0) % rowStride !== 0 || !isInSight(slot)) continue;
      eachPairIn(slot, starts[slot], starts[slot] + owned[slot], visit);
      eachPairIn(slot, rows.endOf(slot) - theirs[slot], rows.endOf(slot), visit);
    }
  };
  let found = 0;
  eachPair(() => found++);
  const stride = strideFor(found, PAIRS_DRAWN);
  eachPair((slot, other) => {
    if (mixed(slot, other) % stride === 0) sketch.line(x[slot], y[slot], x[other], y[other]);
  });
  const share = stride * rowStride;
  sketch.isCutShort ||= share > 1;
  const drawn = share === 1 ? 'Lines join hot pairs' : `Lines join one hot pair in ${share}`;
  sketch.caption = `${drawn}; cells show how many entities were placed there.`;
}

/** Takes one in this many: a power of two, so that it rarely changes while pairs come and go. */
function strideFor(count: number, wanted: number): number {
  return 2 ** Math.max(0, Math.ceil(Math.log2(count / wanted)));
}

/** A pseudo-random number, the same for both orders. */
function mixed(slot: number, other: number): number {
  const product = Math.imul(slot ^ other, 0x9e3779b1) ^ Math.imul(slot + other, 0x85ebca77);
  return (product ^ (product >>> 15)) >>> 8;
}
