/**
 * When a change of a marker is told to one watcher.
 *
 * Near markers at each tick, far ones now and then: the rings of the watcher's rules are multiples of its largest range.
 * A change waits until its turn, which the marker's slot shifts, and never longer than its ring allows. Cost: O(rings).
 */
import { type Figure, type ModelOptions, squaredDistance } from '../perception.ts';
import type { Rules } from './rules.ts';

const f32 = Math.fround;

/** Whether what changed since `lastReported` is told at `tick`. `slot`: the marker's. */
export function isDue(tick: number, lastReported: number, slot: number, everyTicks: number): boolean {
  return (tick + slot) % everyTicks === 0 || tick - lastReported >= everyTicks;
}

/** Every how many ticks the watcher hears of a marker that stands there. */
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
