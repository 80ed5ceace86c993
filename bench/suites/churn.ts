/**
 * What does a change cost, where many entities change in each tick? One in a hundred of a walking crowd is touched, teleported,
 * hidden, pinned, given another gain and so on, each kind in a lane of its own, beside the same crowd that only walks.
 *
 * `changes` has one change in a tick of a world at rest. What costs too much for each of many changes, and what a tick pays as soon as
 * there is any, shows only here. The crowds: without rules, with caps drawn by watcher, in groups that are shown, and with relations
 * that linger. Who changes, and to what, is drawn from the seed and the tick, so that the engines that are compared make the same calls.
 *
 * In further cases all change in each tick, and to the same: night falls, all are revealed, all are sent to another channel. Then
 * whatever the engine chose for the crowd as it was fits none of it. And one boards a crowded ship, and another leaves it.
 */
import { createWalkers, Random, type Simulation } from '@umwelt/scenarios';
import type { EntityId, EntityPatch, Interest, World } from 'umwelt';
import type { OddCalls } from '../engines/umwelt.ts';
import type { RaceCase } from '../measure/race.ts';
import { interestOf, lane } from './mixed.ts';
import { withCaps, withInits } from './odd-crowds.ts';
import { type Choice, LEAST_MIXED, PERCEIVED, type Suite, seedsOf, sized, walkersWork } from './suite.ts';

const ENTITIES = 20_000;
const ONE_IN = 100;
/** Pins and blocks end after so many ticks. */
const LIFE_TICKS = 20;
/** Those on board of a crowded ship. */
const CREW = 300;
/** The members of a group that is shown. */
const GROUP = 100;
const LINGER_TICKS = 50;

/** The crowds of which one in a hundred changes: their rule, and what is drawn for each walker. */
const CROWDS: Readonly<
  Record<string, { rule?: Interest; draw?(walkers: Simulation, seed: number): Simulation }>
> = {
  'no rules': {},
  'caps around what is perceived': { draw: (walkers, seed) => withCaps(walkers, PERCEIVED, seed) },
  [`groups of ${GROUP} that are shown`]: { rule: { showGroup: true }, draw: withGroups },
  'all that is lost lingers': { rule: { lingerTicks: LINGER_TICKS } },
};

function withGroups(walkers: Simulation, seed: number): Simulation {
  const random = new Random(seed);
  const groups = Math.ceil(walkers.capacity / GROUP);
  const inits = new Map<number, EntityPatch>();
  for (let actor = 0; actor < walkers.capacity; actor++)
    inits.set(actor, { group: 1 + random.below(groups) });
  return withInits(walkers, inits);
}

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
  'one asks who perceives it': ({ world, ids, actor }) => void world.watchersOf(ids[actor]!),
  'removed, and another added': ({ world, ids, simulation, actor }) => {
    const { x, y, z, range } = simulation;
    world.remove(ids[actor]!);
    const init = { updates: false, ...simulation.initFor?.(actor), range: range[actor]! };
    ids[actor] = world.add({ ...init, x: x[actor]!, y: y[actor]!, z: z[actor]! });
  },
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

/** The values that all entities get in turn. `range`: world units. */
const OF_ALL: Readonly<Record<string, (range: number) => readonly EntityPatch[]>> = {
  'half the gain, and back': () => [{ gain: 0.5 }, { gain: 1 }],
  'gain 0, and back': () => [{ gain: 0 }, { gain: 1 }],
  'heard from afar, and back': (range) => [{ minReach: 1.2 * range }, { minReach: 0 }],
  'another range, and back': (range) => [{ range: 0.8 * range }, { range }],
  'to another channel, and back': () => [{ channel: 1 }, { channel: 0 }],
  'hidden, and shown': () => [{ marker: false }, { marker: true }],
};

/** `left`: so many do not change. */
function callsForAll(patchesOf: (range: number) => readonly EntityPatch[], left: number): OddCalls {
  return {
    tick(world, ids, { range }) {
      const patches = patchesOf(range[0]!);
      const patch = patches[world.tickCount % patches.length]!;
      for (let i = left; i < ids.length; i++) world.update(ids[i]!, patch);
    },
  };
}

const LANES_OF_ALL = Object.entries(OF_ALL).map(
  ([label, patchesOf]) => [label, callsForAll(patchesOf, 0)] as const,
);

/** All step far, but not so far that they lose most of what they perceive. `share`: of the range. */
function stepsForAll(share: number): OddCalls {
  return {
    tick(world, ids, { x, y, range }) {
      if (world.tickCount % 2 === 0) return;
      const step = share * range[0]!;
      world.moveMany(
        ids,
        x.map((at) => at + step),
        y,
      );
    },
  };
}

/** All leap to one place, and back in the next tick. */
const GATHERING: OddCalls = {
  tick(world, ids, { x, y, range }) {
    if (world.tickCount % 2 === 0) return;
    const near = (all: Float32Array) => all.map((at) => all[0]! + (at % range[0]!));
    world.moveMany(ids, near(x), near(y));
  },
};

/** By world: a ship, and those on board. */
const ships = new WeakMap<World, { readonly ship: EntityId; readonly crew: readonly EntityId[] }>();

const BOARDING: OddCalls = {
  begin(world, ids, { x, y, range }) {
    const at = { x: x[0]!, y: y[0]! };
    const ship = world.add(at);
    const crew = Array.from({ length: Math.min(CREW, ids.length) }, () =>
      world.add({ ...at, range: range[0]! }),
    );
    for (const id of crew) world.attach(id, ship);
    ships.set(world, { ship, crew });
  },
  tick(world) {
    const { ship, crew } = ships.get(world)!;
    const one = crew[world.tickCount % crew.length]!;
    if (world.parentOf(one) === undefined) world.attach(one, ship);
    else world.detach(one);
  },
};

function allCase(choice: Choice, rangeShape: 'circle' | 'box'): RaceCase {
  const entities = sized(choice, ENTITIES, LEAST_MIXED);
  const crowd = () => createWalkers({ entities, perceived: PERCEIVED });
  const shaped = (label: string, calls: OddCalls) => lane(label, crowd, { calls, options: { rangeShape } });
  return {
    kind: 'race',
    name: `all change: ${rangeShape === 'box' ? 'boxes' : 'circles'}`,
    work: walkersWork(entities),
    lanes: [
      shaped('all only walk', {}),
      ...LANES_OF_ALL.map(([label, calls]) => shaped(label, calls)),
      shaped('half the gain for all but one, and back', callsForAll(OF_ALL['half the gain, and back']!, 1)),
      shaped('all step a fifth of their range, and back', stepsForAll(1 / 5)),
      shaped('all step half of their range, and back', stepsForAll(1 / 2)),
      shaped(`one of ${CREW} leaves a ship, or boards it`, BOARDING),
    ],
  };
}

function allCappedCase(choice: Choice, seed: number): RaceCase {
  const entities = sized(choice, ENTITIES, LEAST_MIXED);
  const crowd = () => withCaps(createWalkers({ entities, perceived: PERCEIVED }), PERCEIVED, seed);
  return {
    kind: 'race',
    name: `seed ${seed}: all change, caps around what is perceived`,
    work: walkersWork(entities),
    lanes: [
      lane('all only walk', crowd),
      ...LANES_OF_ALL.map(([label, calls]) => lane(label, crowd, { calls })),
      lane('all gather in one place, and part', crowd, { calls: GATHERING }),
    ],
  };
}

function churnCase(choice: Choice, seed: number, title: string): RaceCase {
  const entities = sized(choice, ENTITIES, LEAST_MIXED);
  const { rule, draw } = CROWDS[title]!;
  const crowd = () => {
    const walkers = createWalkers({ entities, perceived: PERCEIVED });
    return draw === undefined ? walkers : draw(walkers, seed);
  };
  const options = rule === undefined ? {} : interestOf(rule);
  return {
    kind: 'race',
    name: `seed ${seed}: 1 % change, ${title}`,
    work: walkersWork(entities),
    lanes: [
      lane('all only walk', crowd, options),
      ...callsOf(seed).map(([label, calls]) => lane(label, crowd, { ...options, calls })),
    ],
  };
}

export const churn: Suite = {
  name: 'churn',
  summary: 'one in a hundred of a walking crowd changes in each tick, one kind of change at a time',
  cases: (choice) => [
    ...seedsOf(choice, 1, 1).flatMap((seed) => [
      allCappedCase(choice, seed),
      ...Object.keys(CROWDS).map((title) => churnCase(choice, seed, title)),
    ]),
    allCase(choice, 'circle'),
    allCase(choice, 'box'),
  ],
};
