/**
 * One change or one question per tick in a world at rest, for each kind of change under each kind of rule: is anything
 * proportional to what rests?
 *
 * A game calls when something happens. A flag that goes up, one who takes a mount or joins a party must cost what it
 * changes, however many things lie around. Crowds that all move do not show whether it does. Here 200 to 2,000 players are among
 * 10,000, 100,000 and 1,000,000 things, as dense in each, and nothing else happens than the one change. So every
 * watcher perceives as many in the three worlds, and what grows from the first to the last is proportional to what
 * rests: the column `growth`. In further cases the things watch, too, as guards do: up to 80,000 watchers at rest.
 *
 * How many players there are, what they perceive, their ranges, the shape, senses, types of things and odd ones are drawn for each
 * rule, from the seed; `--seed` draws others. `slowest` is of the largest world, and includes the first of its kind, where the engine may
 * build something. At smoke size, brute force without kernels checks all reports and answers.
 */
import { Random } from '@umwelt/scenarios';
import { type EntityId, type Interest, World, type WorldOptions } from 'umwelt';
import type { GaugeCase, GaugeOutcome, GaugeRow } from '../measure/gauge.ts';
import { median } from '../measure/samples.ts';
import { byFactor } from './drawn-crowd.ts';
import { JUDGE, judgedTicks } from './judged-ticks.ts';
import { RATES } from './mixed.ts';
import { anywhere, KINDS, type Kind, OTHER_RULE, type Scene, UNUSED_RULE } from './one-change.ts';
import { type Choice, LEAST_MIXED, type Suite, seedsOf } from './suite.ts';

const THINGS = [10_000, 100_000, 1_000_000];
const GUARDS = [5_000, 20_000, 80_000];
/** Ticks of each kind; the first ones are not in the median. Even, so that each pair of changes is complete. */
const TICKS = 24;
const COLD_TICKS = 6;
const SMOKE_TICKS = 4;
const SMOKE_STRIDE = 4;
/** Ticks in which a twentieth of the players walk, before all rest. */
const SETTLING_TICKS = 40;
const SETTLING_SHARE = 20;
/** Growth of a shorter time is noise. */
const LEAST_MS = 0.01;
/** World units: the usual range. */
const RANGE = 10;

const RULES: Readonly<Record<string, Interest>> = {
  'no rule': {},
  'a leave margin': { leaveMargin: 1 },
  'a cap': { cap: 25 },
  'a cap, margin, dwell, memory': { cap: 25, leaveMargin: 1, minDwellTicks: 3, memoryTicks: 20 },
  'mutual consent': { mutual: true, cap: 25 },
  'groups shown': { showGroup: true },
  'groups shown within a distance': { showGroup: { within: 5 * RANGE } },
  'a function that admits all': { admit: () => true },
  'update rates': RATES,
  'a quota': { quotas: [{ layers: 1, cap: 12 }] },
  'an enter budget': { enterBudget: 8 },
  'lingering for ten ticks': { lingerTicks: 10 },
};

export const changes: Suite = {
  name: 'changes',
  summary:
    'one change or one question a tick in a world at rest, each kind under each rule: what grows with what rests?',
  cases: (choice) =>
    seedsOf(choice, 1, 1).flatMap((seed) =>
      Object.keys(RULES).flatMap((rule, i) => {
        const ofThings = changesCase(choice, rule, false, 1000 * seed + i);
        // At smoke size, some.
        return choice.smoke && i % SMOKE_STRIDE !== 0
          ? [ofThings]
          : [ofThings, changesCase(choice, rule, true, 1000 * seed + i)];
      }),
    ),
};

/** A world without its entities, drawn from a seed. */
interface Plan {
  readonly players: number;
  /** Whether the things watch, too. */
  readonly areGuards: boolean;
  /** Things that a player of the usual range perceives. */
  readonly perceived: number;
  readonly dimensions: 2 | 3;
  readonly rangeShape: 'circle' | 'box';
  /** Whether there is a second sense, which reaches less far. */
  readonly hears: boolean;
  /** Players have several ranges, and things several gains. */
  readonly hasTypes: boolean;
  readonly updates: boolean;
  readonly threads: number;
  /** One watcher that sees ten times as far, one thing that is perceived from afar. */
  readonly hasSniper: boolean;
  readonly hasBell: boolean;
  /** Whether all players are in a channel that things are not in. */
  readonly hasChannel: boolean;
  /** Whether somebody listens to which markers are watched. */
  readonly isListening: boolean;
}

function drawPlan(random: Random, rule: string, areGuards: boolean): Plan {
  const between = byFactor(random);
  const isOneIn = (count: number): boolean => random.below(count) === 0;
  return {
    players: Math.round(between(200, 2000)),
    areGuards,
    perceived: Math.round(between(10, 60)),
    dimensions: isOneIn(4) ? 3 : 2,
    rangeShape: isOneIn(4) ? 'box' : 'circle',
    hears: isOneIn(3),
    hasTypes: isOneIn(2),
    updates: RULES[rule]!.updateRates !== undefined || isOneIn(2),
    threads: isOneIn(4) ? 2 : 1,
    hasSniper: isOneIn(2),
    hasBell: isOneIn(2),
    hasChannel: isOneIn(4),
    isListening: isOneIn(4),
  };
}

function titleOf(plan: Plan): string {
  const kinds = [
    plan.areGuards ? 'things watch' : '',
    plan.dimensions === 3 ? '3-D' : '',
    plan.rangeShape === 'box' ? 'boxes' : '',
    plan.hears ? 'two senses' : '',
    plan.hasTypes ? 'types' : '',
    plan.updates ? 'updates' : '',
    plan.threads > 1 ? 'two threads' : '',
    plan.hasSniper ? 'a sniper' : '',
    plan.hasBell ? 'a bell' : '',
    plan.hasChannel ? 'a channel' : '',
    plan.isListening ? 'a listener' : '',
  ].filter((kind) => kind !== '');
  return [`${plan.players} players perceive ${plan.perceived}`, ...kinds].join(', ');
}

function changesCase(choice: Choice, rule: string, areGuards: boolean, seed: number): GaugeCase {
  const plan = drawPlan(new Random(seed), rule, areGuards);
  const sizes = choice.entities ?? (choice.smoke ? [LEAST_MIXED] : areGuards ? GUARDS : THINGS);
  return {
    kind: 'gauge',
    name: `${rule}: ${titleOf(plan)}`,
    measure: async (tell) => {
      const ticks = choice.smoke ? SMOKE_TICKS : TICKS;
      const runs: Run[] = [];
      for (const things of sizes) {
        tell(`${things} things`);
        runs.push(await measured(plan, rule, things, seed, ticks, {}));
      }
      const problems = choice.smoke
        ? differences(runs[0]!, await measured(plan, rule, sizes[0]!, seed, ticks, JUDGE))
        : [];
      return outcomeOf(sizes, runs, problems);
    },
  };
}

/** By kind: the times of its ticks, and a hash of all that was reported and answered. */
type Run = ReadonlyMap<string, { readonly times: readonly number[]; readonly hash: string }>;

async function measured(
  plan: Plan,
  rule: string,
  things: number,
  seed: number,
  ticks: number,
  options: WorldOptions,
): Promise<Run> {
  const scene = createScene(plan, rule, things, seed, options);
  const run = new Map(KINDS.map((kind) => [kind.label, runOf(scene, kind, ticks)]));
  await scene.world.dispose();
  return run;
}

function runOf(scene: Scene, kind: Kind, ticks: number): { times: number[]; hash: string } {
  const { world } = scene;
  kind.begin?.(scene);
  world.tick();
  return judgedTicks(world, ticks, (k) => {
    kind.run(scene, k);
    const answer = kind.ask?.(scene, k) ?? [];
    world.tick();
    return [answer];
  });
}

function createScene(plan: Plan, rule: string, count: number, seed: number, options: WorldOptions): Scene {
  const random = new Random(seed);
  const { dimensions, rangeShape, perceived } = plan;
  const players = Math.min(plan.players, Math.ceil(count / 4));
  const other = { ...RULES[rule]!, leaveMargin: RANGE / 8, cap: 3 };
  const world = new World({
    dimensions,
    rangeShape,
    senses: plan.hears ? ['sight', 'hearing'] : ['sight'],
    threads: plan.threads,
    capacity: count + players + 2 * TICKS,
    interests: { default: RULES[rule]!, [OTHER_RULE]: other, [UNUSED_RULE]: other },
    ...options,
  });
  const ballShare = dimensions === 3 ? Math.PI / 6 : Math.PI / 4;
  const volume = (rangeShape === 'box' ? 1 : ballShare) * (2 * RANGE) ** dimensions;
  const side = ((volume * count) / perceived) ** (1 / dimensions);
  const at = { random, side };
  const things = withTypes(plan, random, count).flatMap(([share, gain]) => {
    const [x, y, z] = [0, 1, 2].map(() => Float32Array.from({ length: share }, () => side * random.unit()));
    const range = plan.areGuards ? RANGE : 0;
    return Array.from(world.addMany({ x: x!, y: y!, z: z!, gain, range, updates: plan.updates }));
  });
  if (plan.hasBell) world.update(things[random.below(count)]!, { minReach: 10 * RANGE });
  const all = Array.from({ length: players }, (_, i): EntityId => {
    const [x, y, z] = anywhere(at);
    const range =
      (plan.hasTypes ? random.between(0.7, 1.2) : 1) * (plan.hasSniper && i === 1 ? 10 : 1) * RANGE;
    const ranges = plan.hears ? { sight: range, hearing: 0.6 * range } : range;
    return world.add({
      x,
      y,
      z,
      range: ranges,
      updates: plan.updates,
      channel: plan.hasChannel ? 1 : 0,
      group: 1 + (i % Math.ceil(players / 5)),
    });
  });
  if (plan.isListening) world.on('watched', () => {});
  settle(world, all);
  const isThing = new Set(things);
  const seen = all.slice(0, 100).flatMap((id): (readonly [EntityId, EntityId])[] => {
    const thing = world.visibleTo(id).find((marker) => isThing.has(marker));
    return thing === undefined ? [] : [[id, thing]];
  });
  return {
    world,
    other,
    random,
    side,
    range: RANGE,
    channel: plan.hasChannel ? 1 : 0,
    things,
    players: all,
    seen: seen.length > 0 ? seen : [[all[0]!, things[0]!]],
  };
}

/** How many things have which gain. */
function withTypes({ hasTypes }: Plan, random: Random, count: number): [share: number, gain: number][] {
  if (!hasTypes) return [[count, 1]];
  const part = Math.floor(count / 4);
  return [
    [count - 2 * part, 1],
    [part, random.between(0.5, 1)],
    [part, random.between(1, 1.5)],
  ];
}

function settle(world: World, players: readonly EntityId[]): void {
  for (let tick = 0; tick < SETTLING_TICKS; tick++) {
    for (let i = tick % SETTLING_SHARE; i < players.length; i += SETTLING_SHARE) {
      const [x, y, z] = world.position(players[i]!);
      world.move(players[i]!, x! + 0.005 * RANGE, y!, z);
    }
    world.tick();
  }
}

function outcomeOf(
  sizes: readonly number[],
  runs: readonly Run[],
  problems: readonly string[],
): GaugeOutcome {
  const rows = KINDS.map(({ label }): GaugeRow => {
    const timesOf = (run: Run) => run.get(label)!.times;
    const medians = runs.map((run) =>
      median(timesOf(run).slice(Math.min(COLD_TICKS, timesOf(run).length - 1))),
    );
    const [first, last] = [medians[0]!, medians[runs.length - 1]!];
    return {
      label,
      figures: {
        ...Object.fromEntries(sizes.map((size, i) => [`ms, ${size} things`, medians[i]!])),
        'slowest ms': Math.max(...timesOf(runs[runs.length - 1]!)),
        growth: Math.max(last, LEAST_MS) / Math.max(first, LEAST_MS),
      },
      hash: runs[runs.length - 1]!.get(label)!.hash,
    };
  });
  return { rows, problems };
}

function differences(run: Run, judge: Run): string[] {
  return [...run]
    .filter(([label, { hash }]) => judge.get(label)!.hash !== hash)
    .map(
      ([label, { hash }]) =>
        `${label}: reports and answers are ${hash}, of brute force ${judge.get(label)!.hash}`,
    );
}
