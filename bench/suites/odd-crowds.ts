/**
 * Changes that make some of a crowd odd, as in games, where hardly any crowd is uniform.
 *
 * Each function takes a simulation that has not been stepped and changes it: the ranges by actor, and what `initFor`
 * returns besides. A seed decides which actors are odd and how, so that the engine cannot be tuned to it.
 */
import { Random, type Simulation } from '@umwelt/scenarios';
import type { EntityPatch, Interest } from 'umwelt';
import type { OddCalls } from '../engines/umwelt.ts';

/** One in this many has another range, and one in this many is on the second layer. */
const ONE_IN = 100;
const NOTHING: EntityPatch = Object.freeze({});

/** Properties of one odd entity. `far`: several ranges, world units. */
export const ODD_ONES = {
  camera: (far: number): EntityPatch => ({ marker: false, range: far }),
  bell: (far: number): EntityPatch => ({ minReach: far }),
  cloak: (): EntityPatch => ({ gain: 0.3 }),
  ghost: (): EntityPatch => ({ layers: 2, sees: 3 }),
  sniper: (far: number): EntityPatch => ({ range: far }),
  small: (far: number): EntityPatch => ({ maxReach: far / 20 }),
  secret: (): EntityPatch => ({ needs: 4 }),
  owned: (): EntityPatch => ({ onlyGroup: true, group: 1 }),
} satisfies Record<string, (far: number) => EntityPatch>;

/** Rules, each for a single watcher. */
export const ODD_RULES: Readonly<Record<string, Interest>> = {
  'one that lingers': { lingerTicks: 20 },
  'one with quotas': { quotas: [{ layers: 1, cap: 5 }] },
  'one with an enter budget': { enterBudget: 3 },
  'one that admits': { admit: () => true },
  'one with a group': { showGroup: { within: 100 } },
  'one with rates': { updateRates: [[1, 4]] },
  'one that is mutual': { mutual: true },
};
/** Calls about one or two of a crowd: once when all are added, or in each tick. */
export const ODD_CALLS: Readonly<Record<string, (actor: number, other: number) => OddCalls>> = {
  'loot for one': (actor) => ({
    begin: (world, ids, { x, y, z }) =>
      void world.add({ x: x[actor]!, y: y[actor]!, z: z[actor]!, only: ids[actor]! }),
  }),
  'one that is pinned within a distance': (actor, other) => ({
    begin: (world, ids) => world.pin(ids[actor]!, ids[other]!, 'duel', { within: 1000 }),
  }),
  'one pin with a rate': (actor, other) => ({
    begin: (world, ids) => world.pin(ids[actor]!, ids[other]!, 'duel', { everyTicks: 3 }),
  }),
  'one that rides on another': (actor) => ({
    begin: (world, ids) =>
      world.attach(world.add({ x: 0, y: 0, z: 0, range: 50, updates: false }), ids[actor]!, { x: 1 }),
  }),
  'one that is teleported in each tick': (actor) => ({
    tick: (world, ids, { x, y, z }) =>
      world.move(ids[actor]!, x[actor]!, y[actor]!, z[actor]!, { teleport: true }),
  }),
  'somebody listens to who is watched': () => ({
    begin: (world) => void world.on('watched', () => {}),
  }),
};
/** The name of that watcher's interest. */
export const ODD_RULE = 'odd';

/** Makes `initFor` return more for some actors; members given here win. */
export function withInits(simulation: Simulation, inits: ReadonlyMap<number, EntityPatch>): Simulation {
  const own = simulation.initFor?.bind(simulation);
  const both = new Map([...inits].map(([actor, init]) => [actor, { ...own?.(actor), ...init }]));
  return Object.assign(simulation, {
    initFor: (actor: number): EntityPatch => both.get(actor) ?? own?.(actor) ?? NOTHING,
  });
}

/** Makes one actor, chosen by the seed, odd in this way; `far`: several ranges, world units. */
export function withOne(simulation: Simulation, one: (far: number) => EntityPatch, seed: number): Simulation {
  const random = new Random(seed);
  const actor = random.below(simulation.capacity);
  const far = simulation.range[actor]! * random.between(4, 10);
  return withInits(simulation, new Map([[actor, one(far)]]));
}

/** Gives one actor, chosen by the seed, the interest `ODD_RULE`, and makes it volatile and a member of a group. */
export function withOneRuled(simulation: Simulation, seed: number): Simulation {
  const actor = new Random(seed).below(simulation.capacity);
  return withInits(simulation, new Map([[actor, { interest: ODD_RULE, volatile: true, group: 1 }]]));
}

/** Calls about actors chosen by the seed. */
export function oddCalls(label: string, capacity: number, seed: number): OddCalls {
  const random = new Random(seed);
  const actor = random.below(capacity);
  return ODD_CALLS[label]!(actor, (actor + 1 + random.below(capacity - 1)) % capacity);
}

/** One in a hundred has another range, one in a hundred is on a second layer; and a camera, a bell and a cloak. */
export function withOddOnes(simulation: Simulation, seed: number): Simulation {
  const random = new Random(seed);
  const { capacity, range } = simulation;
  const inits = new Map<number, EntityPatch>();
  for (let i = 0; i < Math.ceil(capacity / ONE_IN); i++) {
    const [other, ghost] = [random.below(capacity), random.below(capacity)];
    range[other] = range[other]! * random.between(0.4, 2);
    inits.set(ghost, ODD_ONES.ghost());
  }
  for (const odd of ['camera', 'bell', 'cloak'] as const) {
    const actor = random.below(capacity);
    inits.set(actor, ODD_ONES[odd](range[actor]! * random.between(4, 10)));
  }
  return withInits(simulation, inits);
}

/** Gives each watcher a cap of its own, from a quarter to one and a half of `perceived`. */
export function withCaps(simulation: Simulation, perceived: number, seed: number): Simulation {
  const random = new Random(seed);
  const inits = new Map<number, EntityPatch>();
  for (let actor = 0; actor < simulation.capacity; actor++) {
    inits.set(actor, { cap: Math.max(1, Math.round(perceived * random.between(0.25, 1.5))) });
  }
  return withInits(simulation, inits);
}

/** Gives each actor a weight of its own, most of them the default one. */
export function withWeights(simulation: Simulation, seed: number): Simulation {
  const random = new Random(seed);
  const inits = new Map<number, EntityPatch>();
  for (let actor = 0; actor < simulation.capacity; actor++) {
    if (random.unit() < 0.3) inits.set(actor, { weight: random.between(0.5, 4) });
  }
  return withInits(simulation, inits);
}

/** Lets only this many in a hundred perceive. */
export function withWatchers(simulation: Simulation, percent: number, seed: number): Simulation {
  const random = new Random(seed);
  for (let actor = 0; actor < simulation.capacity; actor++) {
    if (random.unit() * 100 >= percent) simulation.range[actor] = 0;
  }
  return simulation;
}

/** Makes this many in a hundred players, who see all; the others are creatures, which see players only. */
export function withCreatures(simulation: Simulation, playerPercent: number, seed: number): Simulation {
  const random = new Random(seed);
  const inits = new Map<number, EntityPatch>();
  for (let actor = 0; actor < simulation.capacity; actor++) {
    const isPlayer = random.unit() * 100 < playerPercent;
    inits.set(actor, isPlayer ? { layers: 1, sees: 3 } : { layers: 2, sees: 1 });
  }
  return withInits(simulation, inits);
}

/** Puts all but this many in a hundred at rest (`watches: false`): they are seen, but perceive nothing. */
export function withAwake(simulation: Simulation, percent: number, seed: number): Simulation {
  const random = new Random(seed);
  const inits = new Map<number, EntityPatch>();
  for (let actor = 0; actor < simulation.capacity; actor++) {
    if (random.unit() * 100 >= percent) inits.set(actor, { watches: false });
  }
  return withInits(simulation, inits);
}

/**
 * Gives each actor one of so many ranges and one of so many gains, drawn from the seed; `ranges` 0: a range of its own. All are
 * scaled so that a watcher perceives as many as before, on average.
 */
export function withTypes(simulation: Simulation, ranges: number, gains: number, seed: number): Simulation {
  const random = new Random(seed);
  const drawn = (count: number) => Array.from({ length: count }, () => random.between(0.4, 2));
  const [rangeOf, gainOf] = [drawn(ranges), drawn(gains)];
  const actors = Array.from({ length: simulation.capacity }, () => ({
    range: ranges === 0 ? random.between(0.5, 1.5) : rangeOf[random.below(ranges)]!,
    gain: gains === 0 ? 1 : gainOf[random.below(gains)]!,
  }));
  const meanSquare = (of: (actor: { range: number; gain: number }) => number) =>
    actors.reduce((sum, actor) => sum + of(actor) ** 2, 0) / actors.length;
  const scale = 1 / Math.sqrt(meanSquare(({ range }) => range) * meanSquare(({ gain }) => gain));
  actors.forEach(({ range }, actor) => {
    simulation.range[actor] = simulation.range[actor]! * range * scale;
  });
  if (gains === 0) return simulation;
  return withInits(simulation, new Map(actors.map(({ gain }, actor) => [actor, { gain }])));
}
