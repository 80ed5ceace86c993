/**
 * Worlds other than a crowd in which all walk and watch: few players among many things, few watchers, few awake entities,
 * one that sees everything, distances by type, items and crews that are carried, flights in 3-D, regions streamed in.
 *
 * Beside the default engine run two other detectors of it, and kdbush as a good programmer would use it: one index of the
 * things, one of the players each tick, Sets that are kept. At smoke size brute force checks the reports.
 */
import {
  createFlocks,
  createIdle,
  createWalkers,
  createWorldOfThings,
  Random,
  type Simulation,
} from '@umwelt/scenarios';
import type { EntityPatch, WorldOptions } from 'umwelt';
import type { EngineKind } from '../engines/engine.ts';
import { kdbushThings } from '../engines/kdbush-things.ts';
import { ownGrid } from '../engines/own-grid.ts';
import { type OddCalls, umwelt } from '../engines/umwelt.ts';
import { judgedVariant } from '../engines/umwelt-interest.ts';
import type { LanePlan } from '../measure/lane.ts';
import type { RaceCase } from '../measure/race.ts';
import { carriedCase } from './carried.ts';
import { withAwake, withCreatures, withInits, withTypes, withWatchers } from './odd-crowds.ts';
import { streamCase } from './streaming.ts';
import {
  type BenchCase,
  type Choice,
  LEAST_MIXED,
  PERCEIVED,
  type Suite,
  sized,
  walkersWork,
} from './suite.ts';

const SEED = 15;
/** The number of things and players that a player perceives. */
const THINGS_PERCEIVED = 100;
/** At smoke size, a quarter of a small world are players. */
const LEAST_THINGS_A_PLAYER = 4;

function lane(
  label: string,
  simulate: () => Simulation,
  options: WorldOptions = {},
  senses?: Readonly<Record<string, number>>,
  calls?: OddCalls,
): LanePlan {
  const { engine, judge } = judgedVariant('umwelt', label, options, senses, calls);
  return { label, engine, judge, updates: false, work: label, simulate };
}

/** Lanes of the same work by several engines. */
function lanesOf(simulate: () => Simulation, engines: readonly EngineKind[]): LanePlan[] {
  const { judge } = judgedVariant('umwelt', umwelt.title);
  return engines.map((engine) => ({
    label: engine.title,
    engine,
    judge,
    updates: false,
    work: 'the same',
    simulate,
  }));
}

const OTHER_DETECTORS = (['hot-pair', 'tower'] as const).map(
  (detector) => judgedVariant(`umwelt-${detector}`, `umwelt, ${detector}`, { detector }).engine,
);

/** The numbers of things and of players. */
const THINGS: readonly (readonly [things: number, players: number])[] = [
  [100_000, 50],
  [300_000, 100],
  [1_000_000, 10],
  [1_000_000, 100],
  [1_000_000, 1000],
];
const thingsTitle = (things: number, players: number) =>
  `${players.toLocaleString('en-US')} players among ${things.toLocaleString('en-US')} things`;
export const THINGS_CASES = THINGS.map(([things, players]) => thingsTitle(things, players));

function worldOfThings(choice: Choice, things: number, players: number): () => Simulation {
  const entities = sized(choice, things, LEAST_MIXED);
  const few = Math.min(players, Math.ceil(entities / LEAST_THINGS_A_PLAYER));
  return () => createWorldOfThings({ entities: entities + few, players: few, perceived: THINGS_PERCEIVED });
}

function thingsCase(choice: Choice, things: number, players: number): RaceCase {
  const simulate = worldOfThings(choice, things, players);
  return {
    kind: 'race',
    name: thingsTitle(things, players),
    work: { entities: players, perceived: THINGS_PERCEIVED },
    lanes: lanesOf(simulate, [umwelt, kdbushThings, ...OTHER_DETECTORS]),
  };
}

/** The numbers of creatures, how many in a hundred of them are players, and the share that moves in a tick. */
const CREATURES: readonly (readonly [creatures: number, percent: number, share: number])[] = [
  [10_000, 0.5, 0.05],
  [100_000, 0.1, 0.1],
  [1_000_000, 0.01, 0.1],
];

/** Beside a grid that a careful programmer writes: it searches from the players only. */
function creaturesCase(choice: Choice, [creatures, percent, share]: (typeof CREATURES)[number]): RaceCase {
  const entities = sized(choice, creatures, LEAST_MIXED);
  const simulate = () =>
    withWatchers(createIdle({ entities, perceived: PERCEIVED, share }), choice.smoke ? 25 : percent, SEED);
  const players = Math.round((creatures * percent) / 100);
  return {
    kind: 'race',
    name: `${players} players among ${creatures.toLocaleString('en-US')} creatures, ${100 * share} % of which move`,
    work: { entities: players, perceived: PERCEIVED },
    lanes: lanesOf(simulate, [umwelt, ownGrid]),
  };
}

/** Of walkers, how many in a hundred are players: the others look for players only. */
const PLAYER_PERCENTS = [1, 10, 50];

function hostileCase(choice: Choice): RaceCase {
  const entities = sized(choice, 20_000, LEAST_MIXED);
  const walkers = () => createWalkers({ entities, perceived: PERCEIVED });
  return {
    kind: 'race',
    name: '20,000 walkers, of which some look for players only',
    work: walkersWork(entities),
    lanes: [
      lane('all see all', walkers),
      ...PLAYER_PERCENTS.map((percent) =>
        lane(`${percent} % are players`, () => withCreatures(walkers(), percent, SEED)),
      ),
    ],
  };
}

export const MANY_THINGS_CASE = '1,000 players, from 1,000,000 to 4,000,000 things';
export const MANY_THINGS_LABEL = '4,000,000 things';

function manyThingsCase(choice: Choice): RaceCase {
  return {
    kind: 'race',
    name: MANY_THINGS_CASE,
    work: { entities: 1000, perceived: THINGS_PERCEIVED },
    lanes: [
      lane('1,000,000 things', worldOfThings(choice, 1_000_000, 1000)),
      lane(MANY_THINGS_LABEL, worldOfThings(choice, 4_000_000, 1000)),
    ],
  };
}

export const SHARES_CASE = 'share of 200,000 walkers who watch';
export const SHARES = [60, 45, 20, 10, 2] as const;
export const shareLabel = (percent: number) => `${percent} % watch`;

function sharesCase(choice: Choice): RaceCase {
  const entities = sized(choice, 200_000, LEAST_MIXED);
  const walkers = () => createWalkers({ entities, perceived: PERCEIVED });
  return {
    kind: 'race',
    name: SHARES_CASE,
    work: walkersWork(entities),
    lanes: [
      lane('all watch', walkers),
      ...SHARES.map((percent) => lane(shareLabel(percent), () => withWatchers(walkers(), percent, SEED))),
    ],
  };
}

export const AWAKE_CASE = '1 % of 100,000 walkers awake';
export const AWAKE_LABEL = '1 % awake';

function awakeCase(choice: Choice): RaceCase {
  const entities = sized(choice, 100_000, LEAST_MIXED);
  const walkers = () => createWalkers({ entities, perceived: PERCEIVED });
  return {
    kind: 'race',
    name: AWAKE_CASE,
    work: walkersWork(entities),
    lanes: [lane('all awake', walkers), lane(AWAKE_LABEL, () => withAwake(walkers(), 1, SEED))],
  };
}

export const SEER_CASE = 'one who sees everything among 100,000';
export const SEER_LABEL = 'one sees everything';

function seerCase(choice: Choice): RaceCase {
  const entities = sized(choice, 100_000, LEAST_MIXED);
  const walkers = () => createWalkers({ entities, perceived: PERCEIVED });
  const withSeer = () => {
    const simulation = walkers();
    const { minX, maxX, minY, maxY } = simulation.bounds;
    simulation.range[new Random(SEED).below(entities)] = 2 * (maxX - minX + maxY - minY);
    return simulation;
  };
  return {
    kind: 'race',
    name: SEER_CASE,
    work: walkersWork(entities),
    lanes: [lane('all alike', walkers), lane(SEER_LABEL, withSeer)],
  };
}

export const STILL_CASE = '100,000 still, 200 walk';
export const STILL_LABELS = ['six distances by type', 'two senses', 'a box', '3-D'] as const;

function stillCase(choice: Choice): RaceCase {
  const still = worldOfThings(choice, 100_000, 200);
  const labels = STILL_LABELS;
  return {
    kind: 'race',
    name: STILL_CASE,
    work: { entities: 200, perceived: THINGS_PERCEIVED },
    lanes: [
      lane('all alike, in a circle', still),
      lane(labels[0], () => withDistances(still())),
      lane(labels[1], still, {}, { sight: 1, hearing: 0.6 }),
      lane(labels[2], still, { rangeShape: 'box' }),
      lane(labels[3], () => inSpace(still())),
    ],
  };
}

/** Six types of things and how far each is seen: shares of a player's range, three by gain and three by `maxReach`. */
function withDistances(simulation: Simulation): Simulation {
  const random = new Random(SEED);
  const range = simulation.range[simulation.capacity - 1]!;
  const types: EntityPatch[] = [
    ...Array.from({ length: 3 }, () => ({ gain: random.between(0.3, 1.5) })),
    ...Array.from({ length: 3 }, () => ({ maxReach: range * random.between(0.3, 1) })),
  ];
  const inits = new Map<number, EntityPatch>();
  for (let actor = 0; actor < simulation.capacity; actor++) {
    if (simulation.range[actor] === 0) inits.set(actor, types[random.below(types.length)]!);
  }
  return withInits(simulation, inits);
}

/** The same in 3-D: at heights up to half a range. */
function inSpace(simulation: Simulation): Simulation {
  const random = new Random(SEED);
  const height = simulation.range[simulation.capacity - 1]! / 2;
  for (let actor = 0; actor < simulation.capacity; actor++) simulation.z[actor] = random.between(0, height);
  const worldOptions: WorldOptions = { ...simulation.worldOptions, dimensions: 3 };
  return Object.assign(simulation, { dimensions: 3 as const, worldOptions });
}

const TYPES_CASE = '100,000 walkers of several types';
/** Numbers of ranges and of gains; 0 ranges: each has its own, 0 gains: none has one. */
const TYPES: readonly (readonly [label: string, ranges: number, gains: number])[] = [
  ['two ranges', 2, 0],
  ['five ranges', 5, 0],
  ['ranges of their own', 0, 0],
  ['four gains', 1, 4],
  ['two ranges, four gains', 2, 4],
];

function typesCase(choice: Choice): RaceCase {
  const entities = sized(choice, 100_000, LEAST_MIXED);
  const walkers = () => createWalkers({ entities, perceived: PERCEIVED });
  return {
    kind: 'race',
    name: TYPES_CASE,
    work: walkersWork(entities),
    lanes: [
      lane('all alike', walkers),
      ...TYPES.map(([label, ranges, gains], i) =>
        lane(label, () => withTypes(walkers(), ranges, gains, SEED + i)),
      ),
    ],
  };
}

/** Where each is seen as far as its `maxReach` says: how far all see, and one in a hundred is seen, in usual ranges. */
const SIGHT = 1000;
const LOUD = 20;

function limitsCase(choice: Choice): RaceCase {
  const entities = sized(choice, 20_000, LEAST_MIXED);
  const walkers = () => createWalkers({ entities, perceived: PERCEIVED });
  const rules = {
    '': {},
    ', a cap of half': { cap: PERCEIVED / 2 },
    ', a cap of twice': { cap: 2 * PERCEIVED },
  };
  const lanes = Object.entries(rules).flatMap(([title, rule]) => {
    const options = { interests: { default: rule } };
    return [
      lane(`by who sees${title}`, walkers, options),
      lane(`by what is seen${title}`, () => withLimits(walkers(), 1), options),
      lane(`by what is seen, 1 % from afar${title}`, () => withLimits(walkers(), LOUD), options),
    ];
  });
  return { kind: 'race', name: '20,000 walkers, how far they are seen', work: walkersWork(entities), lanes };
}

/** Everybody sees far, and is seen from a usual range; one in a hundred from `loud` of them. */
function withLimits(simulation: Simulation, loud: number): Simulation {
  const random = new Random(SEED);
  const inits = new Map<number, EntityPatch>();
  for (let actor = 0; actor < simulation.capacity; actor++) {
    const usual = simulation.range[actor]!;
    simulation.range[actor] = SIGHT * usual;
    inits.set(actor, { maxReach: random.below(100) === 0 ? loud * usual : usual });
  }
  return withInits(simulation, inits);
}

/** What else changes of an entity: in one round of all entities to what is odd, in the next one back. */
const CHANGES: Readonly<Record<string, (isOdd: boolean, range: number) => EntityPatch>> = {
  'get another range': (isOdd, range) => ({ range: isOdd ? 1.1 * range : range }),
  'get another gain': (isOdd) => ({ gain: isOdd ? 1.2 : 1 }),
  'change their layers': (isOdd) => ({ layers: isOdd ? 3 : 1 }),
  'begin or cease to watch': (isOdd, range) => ({ range: isOdd ? 0 : range }),
};
const CHANGING_SHARE = 0.05;

/** Of the walkers, another share changes in each tick, other than by moving: the usual case where players duck, hide or fire. */
function changesCase(choice: Choice): RaceCase {
  const entities = sized(choice, 100_000, LEAST_MIXED);
  const walkers = () => createWalkers({ entities, perceived: PERCEIVED });
  const changing = Math.ceil(entities * CHANGING_SHARE);
  const callsOf = (patchOf: (isOdd: boolean, range: number) => EntityPatch): OddCalls => ({
    tick: (world, ids, { range }) => {
      // A lane and its judge share these calls.
      const first = world.tickCount * changing;
      const isOdd = Math.floor(first / entities) % 2 === 0;
      for (let i = 0; i < changing; i++) {
        const actor = (first + i) % entities;
        world.update(ids[actor]!, patchOf(isOdd, range[actor]!));
      }
    },
  });
  return {
    kind: 'race',
    name: `${100 * CHANGING_SHARE} % of 100,000 walkers change each tick`,
    work: walkersWork(entities),
    lanes: [
      lane('all only walk', walkers),
      ...Object.entries(CHANGES).map(([label, patchOf]) =>
        lane(label, walkers, {}, undefined, callsOf(patchOf)),
      ),
    ],
  };
}

const FLIGHTS_CASE = '10,000 fly in flocks, 3-D';

function flightsCase(choice: Choice): RaceCase {
  const entities = sized(choice, 10_000, LEAST_MIXED);
  const simulate = () => createFlocks({ entities, dimensions: 3 });
  return {
    kind: 'race',
    name: FLIGHTS_CASE,
    work: walkersWork(entities),
    lanes: lanesOf(simulate, [umwelt, ...OTHER_DETECTORS]),
  };
}

export function shapesCases(choice: Choice): BenchCase[] {
  return [
    ...THINGS.map(([things, players]) => thingsCase(choice, things, players)),
    ...CREATURES.map((plan) => creaturesCase(choice, plan)),
    hostileCase(choice),
    limitsCase(choice),
    manyThingsCase(choice),
    sharesCase(choice),
    awakeCase(choice),
    seerCase(choice),
    stillCase(choice),
    typesCase(choice),
    changesCase(choice),
    carriedCase(choice),
    flightsCase(choice),
    streamCase(choice),
  ];
}

export const shapes: Suite = {
  name: 'shapes',
  summary:
    'few players among many things, few watchers, few awake, types, changes, what is carried, 3-D, regions streamed',
  cases: shapesCases,
};
