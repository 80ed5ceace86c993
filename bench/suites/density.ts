/**
 * The same walkers, closer together: each perceives 10, 30 or 100 others.
 *
 * The size of the reports and the number of pair tests grow with the number perceived. The cost of sorting the entities
 * does not.
 */
import { createWalkers } from '@umwelt/scenarios';
import { kdbush } from '../engines/kdbush.ts';
import { native } from '../engines/native.ts';
import { umwelt } from '../engines/umwelt.ts';
import type { RaceCase } from '../measure/race.ts';
import { populations, type Suite } from './suite.ts';

const ENTITIES = [100_000];
const DENSITIES = [10, 30, 100];

export const density: Suite = {
  name: 'density',
  summary: 'walkers that perceive 10, 30 and 100 others',
  cases: (choice) =>
    populations(choice, ENTITIES).flatMap((entities) =>
      DENSITIES.map((perceived) => densityCase(entities, perceived)),
    ),
};

function densityCase(entities: number, perceived: number): RaceCase {
  return {
    kind: 'race',
    name: `${entities} walkers who perceive ${perceived}`,
    work: { entities, perceived },
    lanes: [umwelt, native, kdbush].map((engine) => ({
      label: engine.title,
      engine,
      updates: false,
      work: 'walkers',
      simulate: () => createWalkers({ entities, perceived }),
    })),
  };
}
