/**
 * The same walkers, closer together: each perceives 10, 30 or 100 others. And nearly all of them in a town, the others in the land around
 * it, ever wider.
 *
 * The size of the reports and the number of pair tests grow with the number perceived. The cost of sorting the entities
 * does not. How wide the land is should not matter: cells that are as narrow as a town needs would be too many for a land, and
 * cells that reach over the land would hold the town in one.
 */
import { createWalkers } from '@umwelt/scenarios';
import { kdbush } from '../engines/kdbush.ts';
import { native } from '../engines/native.ts';
import { umwelt } from '../engines/umwelt.ts';
import type { RaceCase } from '../measure/race.ts';
import { joined } from './joined-crowds.ts';
import { lane } from './mixed.ts';
import { type Choice, LEAST_MIXED, PERCEIVED, populations, type Suite, sized } from './suite.ts';

const ENTITIES = [100_000];
const DENSITIES = [10, 30, 100];
/** That of walkers. World units. */
const RANGE = 50;
const TOWN = 50_000;
/** One in so many lives in the land. */
const IN_LAND = 50;
/** World units. */
const LANDS = [10_000, 100_000, 1_000_000];

export const density: Suite = {
  name: 'density',
  summary: 'walkers that perceive 10, 30 and 100 others; a town in a wide land',
  cases: (choice) => [
    ...populations(choice, ENTITIES).flatMap((entities) =>
      DENSITIES.map((perceived) => densityCase(entities, perceived)),
    ),
    townCase(choice),
  ],
};

function townCase(choice: Choice): RaceCase {
  const entities = sized(choice, TOWN, LEAST_MIXED);
  const inTown = () => createWalkers({ entities, perceived: Math.min(PERCEIVED, entities - 1) });
  const inLand = (width: number) => {
    const walkers = Math.ceil(entities / IN_LAND);
    const land = createWalkers({
      entities: walkers,
      perceived: 1,
      range: width / Math.sqrt(walkers * Math.PI),
    });
    land.range.fill(RANGE);
    return land;
  };
  return {
    kind: 'race',
    name: `${entities} walkers in a town, one in ${IN_LAND} more in a land`,
    work: { entities, perceived: PERCEIVED },
    lanes: [
      lane('the town alone', inTown),
      ...LANDS.map((width) => lane(`a land of ${width} units`, () => joined([inTown(), inLand(width)]))),
    ],
  };
}

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
