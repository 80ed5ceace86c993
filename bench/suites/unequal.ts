/**
 * Unequal ranges: the cost of a few watchers that see much farther than the rest.
 *
 * Nine in ten walkers see to two fifths of the usual range, most of the others a little farther than usual, and one in a
 * hundred six times as far. An index with one cell size for all, or with one search radius for all, pays for those few
 * everywhere.
 */
import { createWalkers, type Simulation } from '@umwelt/scenarios';
import { kdbush } from '../engines/kdbush.ts';
import { native } from '../engines/native.ts';
import { umwelt, umweltTypeScript } from '../engines/umwelt.ts';
import { PERCEIVED, populations, type Suite, walkersWork } from './suite.ts';

const ENTITIES = [10_000, 100_000];
const RANGE = 50;
const SHORT = 20;
const LONG = 60;
const FAR = 300;

export const unequal: Suite = {
  name: 'unequal',
  summary: 'one in a hundred sees fifteen times as far as most',
  cases: (choice) =>
    populations(choice, ENTITIES).map((entities) => ({
      kind: 'race',
      name: `${entities} walkers with unequal ranges`,
      work: walkersWork(entities),
      lanes: [umwelt, umweltTypeScript, kdbush, native].map((engine) => ({
        label: engine.title,
        engine,
        updates: false,
        work: 'unequal ranges',
        simulate: () => createUnequalWalkers({ entities }),
      })),
    })),
};

/** Ranges follow from the actor's number, not from a seed. */
export function createUnequalWalkers({ entities, speed }: { entities: number; speed?: number }): Simulation {
  const simulation = createWalkers({ entities, perceived: PERCEIVED, range: RANGE, speed });
  const { range } = simulation;
  for (let actor = 0; actor < entities; actor++) {
    range[actor] = actor % 100 === 0 ? FAR : actor % 10 === 1 ? LONG : SHORT;
  }
  return simulation;
}
