/**
 * The cost of more senses: walkers with one sense, and with three of different ranges.
 *
 * Three senses have about twice the crossings of one, because a pair also crosses the nearer ranges; the number of pairs
 * to test is the same. The ratio is between our own times, relative to one sense.
 */
import {
  threeSensesJudge,
  umwelt,
  umweltThreeSenses,
  umweltThreeSensesTypeScript,
  umweltTypeScript,
} from '../engines/umwelt.ts';
import { populations, type Suite, walkersLane, walkersWork } from './suite.ts';

const ENTITIES = [100_000];

export const senses: Suite = {
  name: 'senses',
  summary: 'three senses against one',
  cases: (choice) =>
    populations(choice, ENTITIES).flatMap((entities) => [
      {
        kind: 'race',
        name: `${entities} walkers with one sense and with three`,
        work: walkersWork(entities),
        lanes: [walkersLane(entities, false, umwelt), threeSenses(entities, umweltThreeSenses)],
      },
      {
        kind: 'race',
        name: `${entities} walkers with one sense and with three, TypeScript kernels`,
        work: walkersWork(entities),
        lanes: [
          walkersLane(entities, false, umweltTypeScript),
          threeSenses(entities, umweltThreeSensesTypeScript),
        ],
      },
    ]),
};

function threeSenses(entities: number, engine: typeof umwelt) {
  return {
    ...walkersLane(entities, false, engine),
    work: 'walkers with three senses',
    judge: threeSensesJudge,
  };
}
