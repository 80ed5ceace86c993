/**
 * What does a change cost, where many entities change in each tick? One in a hundred of a walking crowd is touched, teleported,
 * hidden, pinned, given another gain and so on, each kind in a lane of its own, beside the same crowd that only walks.
 *
 * `changes` has one change in a tick of a world at rest. What costs too much for each of many changes, and what a tick pays as soon as
 * there is any, shows only here. The crowds: without rules, and with caps drawn by watcher. Who changes, and to what, is
 * drawn from the seed and the tick, so that the engines that are compared make the same calls.
 */
import { createWalkers, Random, type Simulation } from '@umwelt/scenarios';
import type { EntityPatch, World } from 'umwelt';
import type { OddCalls } from '../engines/umwelt.ts';
import type { RaceCase } from '../measure/race.ts';
import { lane } from './mixed.ts';
import { withCaps } from './odd-crowds.ts';
import { type Choice, LEAST_MIXED, PERCEIVED, type Suite, seedsOf, sized, walkersWork } from './suite.ts';

const ENTITIES = 20_000;
const ONE_IN = 100;
/** Pins and blocks end after so many ticks. */
const LIFE_TICKS = 20;

/** `range`: the entity's, world units. */
const PATCHES: Readonly<Record<string, (random: Random, range: number) => EntityPatch>> = {
  'another gain': (random) => ({ gain: random.between(0.5, 2) }),
  'another range': (random, range) => ({ range: range * random.between(0.7, 1.3) }),
  'heard from afar': (random, range) => ({ minReach: range * random.between(0, 2) }),
  'other layers': (random) => ({ layers: 1 + random.below(3), sees: 3 }),
  'another group': (random) => ({ group: random.below(50) }),
  'another weight': (random) => ({ weight: random.between(0.5, 3) }),
  'another cap': (random) => ({ cap: 1 + random.below(PERCEIVED) }),
  'hidden or shown': (random) => ({ marker: random.unit() < 0.8 }),
  'asleep or awake': (random) => ({ watches: random.unit() < 0.8 }),
};

interface Turn {
  readonly world: World;
  readonly ids: Uint32Array;
  readonly simulation: Simulation;
  /** Two different actors. */
  readonly actor: number;
  readonly other: number;
}

const CALLS: Readonly<Record<string, (turn: Turn) => void>> = {
  touched: ({ world, ids, actor }) => world.touch(ids[actor]!),
  'moved to another, and back': ({ world, ids, simulation: { x, y, z }, actor, other }) =>
    world.move(ids[actor]!, x[other]!, y[other]!, z[other]!),
  'teleported to another, and back': ({ world, ids, simulation: { x, y, z }, actor, other }) =>
    world.move(ids[actor]!, x[other]!, y[other]!, z[other]!, { teleport: true }),
};

/** The same with something that ends `LIFE_TICKS` later. */
const PAIRED: Readonly<Record<string, { begin(turn: Turn): void; end(turn: Turn): void }>> = {
  'pinned for a second': {
    begin: ({ world, ids, actor, other }) => world.pin(ids[actor]!, ids[other]!, 'quest'),
    end: ({ world, ids, actor, other }) => void world.unpin(ids[actor]!, ids[other]!, 'quest'),
  },
  'blocked for a second': {
    begin: ({ world, ids, actor, other }) => world.block(ids[actor]!, ids[other]!),
    end: ({ world, ids, actor, other }) => void world.unblock(ids[actor]!, ids[other]!),
  },
};

type Take = (turn: Turn, random: Random) => void;

/** Calls for the actors of a tick, and for those of `LIFE_TICKS` before it what ends. */
function callsFor(seed: number, take: Take, end?: Take): OddCalls {
  return {
    tick(world, ids, simulation) {
      const eachOf = (tick: number, of: Take) => {
        const random = new Random(seed + tick);
        for (let i = 0; i < Math.ceil(ids.length / ONE_IN); i++) {
          const actor = random.below(ids.length);
          const other = (actor + 1 + random.below(ids.length - 1)) % ids.length;
          of({ world, ids, simulation, actor, other }, random);
        }
      };
      const { tickCount } = world;
      eachOf(tickCount, take);
      if (end !== undefined && tickCount >= LIFE_TICKS) eachOf(tickCount - LIFE_TICKS, end);
    },
  };
}

function callsOf(seed: number): readonly (readonly [label: string, calls: OddCalls])[] {
  const patched = (patchOf: (random: Random, range: number) => EntityPatch): Take => {
    return ({ world, ids, simulation, actor }, random) =>
      world.update(ids[actor]!, patchOf(random, simulation.range[actor]!));
  };
  return [
    ...Object.entries(CALLS).map(([label, call]) => [label, callsFor(seed, call)] as const),
    ...Object.entries(PATCHES).map(([label, patchOf]) => [label, callsFor(seed, patched(patchOf))] as const),
    ...Object.entries(PAIRED).map(([label, { begin, end }]) => [label, callsFor(seed, begin, end)] as const),
  ];
}

function churnCase(choice: Choice, seed: number, isCapped: boolean): RaceCase {
  const entities = sized(choice, ENTITIES, LEAST_MIXED);
  const crowd = () => {
    const walkers = createWalkers({ entities, perceived: PERCEIVED });
    return isCapped ? withCaps(walkers, PERCEIVED, seed) : walkers;
  };
  return {
    kind: 'race',
    name: `seed ${seed}: 1 % change, ${isCapped ? 'caps around what is perceived' : 'no rules'}`,
    work: walkersWork(entities),
    lanes: [
      lane('all only walk', crowd),
      ...callsOf(seed).map(([label, calls]) => lane(label, crowd, { calls })),
    ],
  };
}

export const churn: Suite = {
  name: 'churn',
  summary: 'one in a hundred of a walking crowd changes in each tick, one kind of change at a time',
  cases: (choice) =>
    seedsOf(choice, 1, 1).flatMap((seed) => [churnCase(choice, seed, false), churnCase(choice, seed, true)]),
};
