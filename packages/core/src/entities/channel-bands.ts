/**
 * In how many bands the cells of a grid are divided, for entities in channels: each band has the cells of one channel, or of some of them.
 *
 * With few bands, copies of a crowd that lie at the same place are tested against each other; with many, there are not enough cells for each,
 * and they are wide. So the number is chosen for which the fewest pairs of a sample are near enough to be tested, and in one band. Cost: some
 * 0.3 ms, where anything is in a channel.
 */
import { evenly } from '../columns.ts';
import type { Property } from './entity-state.ts';
import type { EntityStore } from './entity-store.ts';

/** Entities that are looked at, and of those in channels, so many of which pairs are counted. */
const LOOKS = 1024;
const SAMPLE = 256;
/** At most 1,024 bands. */
const MOST_BANDS_BITS = 10;
/** More bands must save one pair in so many. */
const WORTH = 16;
/** How far bands are worth it. For tests. */
export const bandShares = {
  /** With so few tests for each entity, more bands cost more than they save. */
  fewTests: 64,
};

/**
 * The number of bands, a power of two. `slots`: a sample of those that the grid is of, or all of them; `entities`: how many these are;
 * `reach`: how far pairs are searched for, in world units; `sizeFor`: how wide cells are with so many bands, in world units.
 */
export function chooseBands(
  { now, settings }: EntityStore,
  slots: ArrayLike<number>,
  entities: number,
  reach: number,
  sizeFor: (bands: number) => number,
): number {
  if (now.channels.column === undefined) return 1;
  const looks = evenly(slots, LOOKS);
  const inChannels = looks.filter((slot) => now.channels.at(slot) !== 0);
  const sample = evenly(inChannels, SAMPLE);
  const axes = settings.dimensions === 3 ? [now.x, now.y, now.z] : [now.x, now.y];
  const farthest = Array.from({ length: MOST_BANDS_BITS + 1 }, (_, bits) => reach + sizeFor(2 ** bits));
  const counts = countPairs(sample, now.channels, axes, farthest);
  // From pairs of the sample to tests of an entity.
  const scale = (2 * inChannels.length * entities) / (looks.length * sample.length ** 2);
  let best = 0;
  for (let bits = 1; bits <= MOST_BANDS_BITS && counts[best] * scale > bandShares.fewTests; bits++)
    if (counts[bits] < counts[best] * (1 - 1 / WORTH)) best = bits;
  return 2 ** best;
}

/** By number of bands, as a power of two: how many pairs are in one band, and no farther apart along any axis than that says. */
function countPairs(
  slots: readonly number[],
  channels: Property,
  axes: readonly Float32Array[],
  farthest: readonly number[],
): Uint32Array {
  const counts = new Uint32Array(farthest.length);
  for (let i = 0; i < slots.length; i++) {
    const channel = channels.at(slots[i]);
    for (let j = 0; j < i; j++) {
      let away = 0;
      for (const axis of axes) away = Math.max(away, Math.abs(axis[slots[i]] - axis[slots[j]]));
      const differ = channel ^ channels.at(slots[j]);
      for (let bits = 0; bits < farthest.length && (differ & (2 ** bits - 1)) === 0; bits++)
        if (away <= farthest[bits]) counts[bits]++;
    }
  }
  return counts;
}
