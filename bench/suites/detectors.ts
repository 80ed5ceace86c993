/** Every detector that ships, on the same walkers. */
import { umwelt, umweltDetectors } from '../engines/umwelt.ts';
import { populations, type Suite, walkersLane, walkersWork } from './suite.ts';

const ENTITIES = [1000, 10_000];

export const detectors: Suite = {
  name: 'detectors',
  summary: 'every detector on the same walkers',
  cases: (choice) =>
    populations(choice, ENTITIES).map((entities) => ({
      kind: 'race' as const,
      name: `${entities} walkers, every detector`,
      work: walkersWork(entities),
      lanes: [umwelt, ...umweltDetectors].map((engine) => walkersLane(entities, false, engine)),
    })),
};
