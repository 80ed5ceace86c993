// How far markers are from where a sense, or the margin, begins or ceases to include them. Part of seat-search.ts.
import { CIRCLE } from '../layouts/perception';
import {
  Floats, Words, absolute, add, allFloats, chosen, isAtLeast, mul, raised, sub,
} from './lanes';
import { areEven, isEvenAt, isMarker, margin, meets, reachTo, reachesTo, senseCount, senseRange, shape } from './seat-watcher';

/** What rounding may lose of a distance. */
const LOST: f32 = 4e-6;

/**
 * Raises lanes to the negative difference between each distance and the nearest one at which a sense, or the margin, begins or
 * ceases to include a usual marker. For circles.
 */
@inline
export function raisedByEnds(lanes: Floats, distances: Floats, markers: Words): Floats {
  const isEven = areEven(markers);
  for (let s = 0; s < senseCount; s++) {
    const range = senseRange(s);
    if (range == 0) continue;
    const reach = isEven ? allFloats(range) : reachesTo(markers, s);
    const lost = mul(add(distances, add(reach, allFloats(margin))), allFloats(LOST));
    const isReached = isAtLeast(reach, allFloats(0));
    lanes = raised(lanes, chosen(isReached, sub(lost, absolute(sub(distances, reach))), allFloats(-Infinity)));
    if (margin == 0) continue;
    const toMargin = sub(lost, absolute(sub(distances, add(reach, allFloats(margin)))));
    lanes = raised(lanes, chosen(isReached, toMargin, allFloats(-Infinity)));
  }
  return lanes;
}

/** How much a marker's distance may change before it is perceived otherwise. Infinite where ranges are no circles: nothing is known. */
export function slackOf(slot: u32, distance: f32): f64 {
  if (shape != CIRCLE || !isMarker(slot) || (!isEvenAt(slot) && !meets(slot))) return Infinity;
  let least: f32 = Infinity;
  for (let s = 0; s < senseCount; s++) {
    const reach = isEvenAt(slot) ? senseRange(s) : reachTo(slot, s);
    if (reach < 0 || senseRange(s) == 0) continue;
    const lost: f32 = (distance + reach + margin) * LOST;
    least = min(least, abs(distance - reach) - lost);
    if (margin > 0) least = min(least, abs(distance - (reach + margin)) - lost);
  }
  return <f64>least;
}

/** How much a marker's distance may change before the margin ends in one of these senses. Not above 0 where ranges are no circles: nothing is known. */
export function slackInMargin(slot: u32, distance: f32, senses: u32): f64 {
  if (shape != CIRCLE) return 0;
  let least: f32 = Infinity;
  for (let s = 0; s < senseCount; s++) {
    if (((senses >>> s) & 1) == 0) continue;
    const end: f32 = reachTo(slot, s) + margin;
    least = min(least, end - distance - (distance + end) * LOST);
  }
  return <f64>least;
}
