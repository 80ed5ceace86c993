/**
 * Which ranges most watchers have in common, sense by sense: those of the crowd, whose pairs the sweep tests once for both
 * directions, by constants. Everyone else is tested by itself.
 *
 * Counted in a sample of watchers. Ranges that few have in common are not worth a crowd; once chosen, others must be clearly
 * more frequent to take their place. The choice decides speed, never results.
 */
import type { EntityStore } from '../../entities/entity-store.ts';

/** Of the watchers in a sample, at least so many must be alike. */
const MIN_SHARE = 1 / 2;
/** So many times as frequent must others be. */
const TO_REPLACE = 1.25;

/** By sense; `undefined` where too few are alike, or nobody watches. `current`: those of before. */
export function crowdRangesOf(
  { now, settings }: EntityStore,
  watchers: readonly number[],
  current: readonly number[] | undefined,
): readonly number[] | undefined {
  const counts = new Map<string, { ranges: readonly number[]; count: number }>();
  for (const slot of watchers) {
    const ranges = now.ranges.map((range) => range.at(slot));
    const key = ranges.join();
    const known = counts.get(key);
    if (known === undefined) counts.set(key, { ranges, count: 1 });
    else known.count++;
  }
  const kept = current === undefined ? 0 : (counts.get(current.join())?.count ?? 0);
  let best = kept > 0 ? { ranges: current, count: kept * TO_REPLACE } : undefined;
  for (const candidate of counts.values()) if (candidate.count > (best?.count ?? 0)) best = candidate;
  if (best === undefined || best.count < watchers.length * MIN_SHARE) return undefined;
  return settings.senseCount > 0 ? best.ranges : undefined;
}
