/**
 * The exact test that every peer applies to what its index finds: inside the watcher's range, in float32.
 *
 * Indexes compute distances in float64, where a pair on the very edge may get the other result. To report the same pairs
 * as the other engines, a peer searches slightly too far and then applies this test. A watcher is not a marker to itself.
 */
const f32 = Math.fround;

/** The factor by which a search is wider than the range: rounded squares may admit slightly more than the range. */
export const SEARCH_FACTOR = 1 + 2 ** -22;

/** Coordinates and range are float32. The edge is inside. */
export function isInCircle(dx: number, dy: number, range: number): boolean {
  return f32(f32(dx * dx) + f32(dy * dy)) <= f32(range * range);
}

/** Removes the watcher and all markers beyond its range from the first `count` of `found`; returns how many remain. */
export function keepInCircle(
  found: Uint32Array,
  count: number,
  watcher: number,
  x: Float32Array,
  y: Float32Array,
  range: number,
): number {
  const watcherX = x[watcher]!;
  const watcherY = y[watcher]!;
  let kept = 0;
  for (let i = 0; i < count; i++) {
    const marker = found[i]!;
    if (marker === watcher || !isInCircle(f32(x[marker]! - watcherX), f32(y[marker]! - watcherY), range))
      continue;
    found[kept++] = marker;
  }
  return kept;
}
