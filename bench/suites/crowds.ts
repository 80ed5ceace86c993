/**
 * Crowds as games have them, with every detector: a city, a raid, a pile-up, flocks in 3-D.
 *
 * In the city only a fifth of the entities watch, some ranges are four times others, and half of the entities stand
 * still. Raiders and visitors have caps. Flocks are dense and fly through each other. The peers can do none of these:
 * they support one range, no rules and two dimensions. At smoke size the detector that is the definition checks the
 * reports.
 */
import { createCity, createFlocks, createPileUp, createRaid, type Simulation } from '@umwelt/scenarios';
import { detectorNames, type Interest } from 'umwelt';
import { umweltVariant } from '../engines/umwelt.ts';
import type { RaceCase } from '../measure/race.ts';
import { type Choice, PERCEIVED, populations, type Suite } from './suite.ts';

interface Crowd {
  readonly title: string;
  readonly entities: number;
  /** Roughly how many others the detectors find near each entity. */
  readonly perceived: (entities: number) => number;
  readonly interest?: Interest;
  readonly simulate: (entities: number) => Simulation;
}

/** A visitor represents a player who is shown at most this many of a crowd. */
const PILE_UP_CAP: Interest = { cap: 100 };
const RAID_CAP = 50;

const CROWDS: readonly Crowd[] = [
  {
    title: 'in a city',
    entities: 20_000,
    perceived: () => PERCEIVED,
    simulate: (entities) => createCity({ entities }),
  },
  {
    title: 'in a raid, 50 shown',
    entities: 1000,
    perceived: (entities) => entities / 2,
    simulate: (entities) => createRaid({ entities, cap: RAID_CAP }),
  },
  {
    title: 'in a pile-up, 100 shown',
    entities: 3000,
    perceived: (entities) => entities,
    interest: PILE_UP_CAP,
    simulate: (entities) => createPileUp({ entities, gathered: 1 }),
  },
  {
    title: 'in flocks, 3-D',
    entities: 10_000,
    perceived: () => PERCEIVED,
    simulate: (entities) => createFlocks({ entities, dimensions: 3 }),
  },
];

export const crowds: Suite = {
  name: 'crowds',
  summary: 'a city, a raid, a pile-up and 3-D flocks, every detector on each',
  cases: (choice) => CROWDS.flatMap((crowd) => crowdCases(choice, crowd)),
};

function crowdCases(choice: Choice, { title, entities: usual, perceived, ...crowd }: Crowd): RaceCase[] {
  const options = crowd.interest === undefined ? {} : { interests: { default: crowd.interest } };
  const engines = detectorNames.map((detector) =>
    umweltVariant(`umwelt-${detector}`, `umwelt, ${detector}`, { ...options, detector }),
  );
  const judge = engines.find(({ name }) => name === 'umwelt-brute-force');
  return populations(choice, [usual]).map((entities) => ({
    kind: 'race',
    name: `${entities} ${title}`,
    work: { entities, perceived: perceived(entities) },
    lanes: engines.map((engine) => ({
      label: engine.title,
      engine,
      updates: false,
      work: title,
      ...(judge === undefined ? {} : { judge }),
      simulate: () => crowd.simulate(entities),
    })),
  }));
}
