/**
 * The cost of `updated`, and of reading reports watcher by watcher: fan-out is more than half of a busy tick.
 */
import { umwelt, umweltByViews } from '../engines/umwelt.ts';
import type { RaceCase, RaceRow } from '../measure/race.ts';
import { populations, type Suite, walkersLane, walkersWork } from './suite.ts';

const ENTITIES = [100_000, 1_000_000];

export const updates: Suite = {
  name: 'updates',
  summary: 'with and without updated lists, read by columns and by views',
  cases: (choice) => populations(choice, ENTITIES).map(updatesCase),
};

function updatesCase(entities: number): RaceCase {
  return {
    kind: 'race',
    name: `${entities} walkers with and without updated`,
    work: walkersWork(entities),
    lanes: [
      walkersLane(entities, false, umwelt, 'umwelt, entered and left'),
      walkersLane(entities, true, umwelt, 'umwelt, and updated'),
      walkersLane(entities, false, umweltByViews, 'umwelt, entered and left, by views'),
      walkersLane(entities, true, umweltByViews, 'umwelt, and updated, by views'),
    ],
    remarks: (rows) => costAPair(rows),
  };
}

function costAPair(rows: readonly RaceRow[]): string[] {
  const [without, withUpdates] = rows;
  if (without === undefined || withUpdates === undefined || withUpdates.updated === 0) return [];
  const pairNs = ((withUpdates.medianMs - without.medianMs) * 1e6) / withUpdates.updated;
  return [`updated adds ${pairNs.toFixed(2)} ns a pair`];
}
