/**
 * The ranges that most watchers share, sense by sense: those of the crowd, whose pairs the sweep tests once for both
 * directions, with constants. All other watchers are odd: they are tested with profiles (entry-classes.ts).
 *
 * They are counted in a sample of watchers. Ranges that few watchers share are not worth a crowd; once chosen, they
 * are replaced only by ranges that are clearly more frequent (hysteresis). The choice affects speed, never results.
 */
import type { EntityStore } from '../../entities/entity-store.ts';

/** Minimum share of the watchers in a sample that must have the same ranges. */
const MIN_SHARE = 1 / 2;
/** Other ranges must be this many times as frequent to replace the current ones. */
const TO_REPLACE = 1.25;

/** By sense; `undefined` if too few are equal, or there are no watchers. `current`: the previous ranges. */
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
