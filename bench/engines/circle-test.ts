/**
 * The exact test that every peer applies to what its index finds: inside the watcher's range, in float32.
 *
 * Indices compute distances in float64, where a pair on the very edge may come out on the other side. To report the
 * same pairs as everybody else here, a peer searches a hair too far and then asks this. The watcher itself is not a
 * marker to itself.
 */
const f32 = Math.fround;

/** Rounded squares may admit a hair more than the range: search this many times as far. */
export const SEARCH_FACTOR = 1 + 2 ** -22;

/** Both columns' entries, and a range: all float32. The edge is inside. */
export function isInCircle(dx: number, dy: number, range: number): boolean {
  return f32(f32(dx * dx) + f32(dy * dy)) <= f32(range * range);
}

/** Drops from the first `count` of `found` the watcher and those beyond its range; answers how many remain. */
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
