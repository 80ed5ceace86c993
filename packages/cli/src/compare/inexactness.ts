/**
 * How inexact an answer by cells is: the pairs that it reports, compared with the pairs that are perceived.
 *
 * Both worlds get the same crowd in the same order, so their ids are equal, and each reports all its pairs in its first tick.
 * Both lists are sorted and are merged.
 */
import type { World } from 'umwelt';
import type { Inexactness } from './comparison.ts';
import type { Contender } from './contender.ts';
import type { CrowdScript } from './crowd-script.ts';
import { worldFor } from './life.ts';

export function inexactnessOf(contender: Contender, script: CrowdScript): Inexactness {
  const exact = pairsOf(worldFor({ name: 'sweep', detector: 'sweep' }, script), script);
  const reported = pairsOf(worldFor(contender, script), script);
  let shared = 0;
  let i = 0;
  let j = 0;
  while (i < exact.length && j < reported.length) {
    const one = exact[i] as number;
    const other = reported[j] as number;
    if (one === other) shared++;
    if (one <= other) i++;
    if (other <= one) j++;
  }
  return {
    exact: exact.length,
    reported: reported.length,
    extra: reported.length - shared,
    missed: exact.length - shared,
  };
}

/** All pairs of the crowd's first tick, ascending; each as one number, since slots stay far below 2^26. */
function pairsOf(world: World, script: CrowdScript): Float64Array {
  for (const { init, x, y, z } of script.arrivals) world.addMany({ ...init, x, y, z });
  const changes = world.tick();
  const { count, watchers, offsets, markers } = changes.columns('entered');
  const pairs = new Float64Array(changes.enteredCount);
  for (let row = 0; row < count; row++) {
    const watcher = world.slotOf(watchers[row] as number) * 2 ** 26;
    for (let i = offsets[row] as number; i < (offsets[row + 1] as number); i++) {
      pairs[i] = watcher + world.slotOf(markers[i] as number);
    }
  }
  void world.dispose();
  return pairs;
}
