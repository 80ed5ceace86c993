/**
 * Hot pairs as lines, for people. Past what can be told apart they are thinned out evenly: whether a pair is drawn
 * depends on its two slots alone, so that a line stays while its pair does.
 *
 * Cost: two passes over the pairs.
 */
import type { StructureSketch } from '../structure-sketch.ts';
import { type PairRows, VERSION_MASK } from './pair-rows.ts';

/** Lines among which a single one can still be followed. */
const PAIRS_DRAWN = 4000;

/** Adds the pairs that touch the sketch's window, between the places of their slots. */
export function sketchPairs(rows: PairRows, x: Float32Array, y: Float32Array, sketch: StructureSketch): void {
  const { minX, minY, maxX, maxY } = sketch.window;
  const isInSight = (slot: number, other: number) =>
    Math.min(x[slot], x[other]) <= maxX &&
    Math.max(x[slot], x[other]) >= minX &&
    Math.min(y[slot], y[other]) <= maxY &&
    Math.max(y[slot], y[other]) >= minY;
  let count = 0;
  eachPair(rows, (slot, other) => {
    if (isInSight(slot, other)) count++;
  });
  // A power of two stays as it is while pairs come and go.
  const stride = 2 ** Math.max(0, Math.ceil(Math.log2(count / PAIRS_DRAWN)));
  eachPair(rows, (slot, other) => {
    if (mixed(slot, other) % stride === 0) sketch.line(x[slot], y[slot], x[other], y[other]);
  });
  sketch.isCutShort ||= stride > 1;
  const drawn = stride === 1 ? 'Lines join hot pairs' : `Lines join one hot pair in ${stride}`;
  sketch.caption = `${drawn}; cells count who was placed there.`;
}

function eachPair(
  { starts, owned, pool, stamps }: PairRows,
  visit: (slot: number, other: number) => void,
): void {
  for (let slot = 0; slot < starts.length; slot++) {
    for (let i = starts[slot]; i < starts[slot] + owned[slot]; i++) {
      const other = pool[i] >>> 10;
      if (((pool[i] ^ stamps[other]) & VERSION_MASK) === 0) visit(slot, other);
    }
  }
}

/** A number that looks like chance, the same for both orders. */
function mixed(slot: number, other: number): number {
  const product = Math.imul(slot ^ other, 0x9e3779b1) ^ Math.imul(slot + other, 0x85ebca77);
  return (product ^ (product >>> 15)) >>> 8;
}
