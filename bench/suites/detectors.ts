/**
 * Every included detector on the same walkers, and the cost of adding an entity to a cross list with and without its
 * index.
 */
import { umwelt, umweltDetectors } from '../engines/umwelt.ts';
import { newcomerCases } from './newcomers.ts';
import { type Choice, populations, type Suite, walkersLane, walkersWork } from './suite.ts';

const ENTITIES = [1000, 10_000];

export const detectors: Suite = {
  name: 'detectors',
  summary: 'every detector on the same walkers; a new entity on a cross list',
  cases: (choice) => [...raceCases(choice), ...newcomerCases(choice)],
};

function raceCases(choice: Choice) {
  return populations(choice, ENTITIES).map((entities) => ({
    kind: 'race' as const,
    name: `${entities} walkers, every detector`,
    work: walkersWork(entities),
    lanes: [umwelt, ...umweltDetectors].map((engine) => walkersLane(entities, false, engine)),
  }));
}
