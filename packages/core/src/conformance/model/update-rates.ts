/**
 * When a change of a marker is reported to one watcher.
 *
 * Near markers at each tick, far ones less often: the rings of the watcher's rules are multiples of its largest
 * range. A change waits until its turn, which depends on the marker's slot, and never longer than its ring allows.
 * Cost: O(rings).
 */
import { type Figure, type ModelOptions, squaredDistance } from '../perception.ts';
import type { Rules } from './rules.ts';

const f32 = Math.fround;

/** Whether changes since `lastReported` are reported at `tick`. `slot`: the marker's. */
export function isDue(tick: number, lastReported: number, slot: number, everyTicks: number): boolean {
  return (tick + slot) % everyTicks === 0 || tick - lastReported >= everyTicks;
}

/** The interval in ticks at which the watcher gets updates of a marker at this distance. */
export function everyTicksOf(
  watcher: Figure,
  marker: Figure,
  { updateRates }: Rules,
  options: ModelOptions,
): number {
  const range = Math.max(...watcher.ranges);
  const squared = squaredDistance(watcher, marker, options);
  for (const [fraction, everyTicks] of updateRates) {
    const edge = f32(fraction * range);
    if (squared <= f32(edge * edge)) return everyTicks;
  }
  return updateRates.at(-1)?.[1] ?? 1;
}
