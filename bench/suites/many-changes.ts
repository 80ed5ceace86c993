/**
 * The same change or question for many entities in one tick, for each kind of change under each kind of rule: for a third of a crowd, and for a
 * hundred among many that rest.
 *
 * Games change many at once: a battle begins and all get another interest, a ship is boarded, a round ends and all are asked about. What
 * that costs follows from those that change, and from what is near them. So each crowd is measured more than once, and the column `worst`
 * is the slowest of its worlds against the first:
 *
 *   a third     with one odd entity: a bell that is heard from afar, a horn of a great gain, a sniper that sees nearly all. If it makes the
 *               change of others longer, a search goes as far as the farthest can perceive or be perceived
 *   a hundred   where ten times as many rest, as dense. If that makes it longer, something is proportional to what rests, or memory moves
 *
 * Places, ranges and who is odd are drawn from the seed; `--seed` draws others. At smoke size, brute force without kernels checks all
 * reports and answers.
 */
import { Random } from '@umwelt/scenarios';
import { type EntityId, type EntityPatch, type Interest, World, type WorldOptions } from 'umwelt';
import type { GaugeCase, GaugeOutcome, GaugeRow } from '../measure/gauge.ts';
import { median } from '../measure/samples.ts';
import { JUDGE, judgedTicks } from './judged-ticks.ts';
import { RATES } from './mixed.ts';
import { type Choice, LEAST_MIXED, PERCEIVED, type Suite, seedsOf } from './suite.ts';

const ENTITIES = 10_000;
/** One in ten watches, and some of these change. */
const RESTING = [20_000, 200_000];
const WATCHING_SHARE = 10;
const CHANGING = 100;
/** Ticks of each kind, in pairs; the first ones are not in the median. */
const TICKS = 8;
const COLD_TICKS = 2;
const SMOKE_TICKS = 2;
const SMOKE_STRIDE = 3;
/** World units. */
const RANGE = 10;
/** World units: of one who walks. */
const STEP = 0.015 * RANGE;
/** How many times as far as usual an odd entity perceives, or is perceived. */
const ODD_FACTOR = 30;
/** A shorter time is noise. */
const LEAST_MS = 2;

const RULES: Readonly<Record<string, Interest>> = {
  'no rule': {},
  'a leave margin': { leaveMargin: 1 },
  'a cap': { cap: 20 },
  'a cap, margin, dwell, memory': { cap: 20, leaveMargin: 1, minDwellTicks: 3, memoryTicks: 20 },
  'a quota': { quotas: [{ layers: 1, cap: 12 }] },
  'a cap, a function that admits most': { cap: 20, admit: (_watcher, marker) => (marker >>> 10) % 7 !== 0 },
  'mutual consent': { mutual: true },
  'update rates': RATES,
};
const OTHER_RULE = 'other';

const ODD: Readonly<Record<string, EntityPatch>> = {
  'a bell': { minReach: ODD_FACTOR * RANGE },
  'a horn': { gain: ODD_FACTOR },
  'a sniper': { range: ODD_FACTOR * RANGE },
};

interface Crowd {
  readonly world: World;
  readonly rule: Interest;
  readonly random: Random;
  readonly ids: EntityId[];
  /** Indices of those that change. */
  readonly changing: readonly number[];
}

const someOf = ({ ids, changing }: Crowd): EntityId[] => changing.map((i) => ids[i]!);

interface Kind {
  readonly label: string;
  /** Whether it is about all entities, in any crowd. */
  readonly isOfAll?: boolean;
  /** Change number `k`. */
  run?(crowd: Crowd, k: number): void;
  /** Question number `k`; returns the answers: ids, or numbers. */
  ask?(crowd: Crowd): Iterable<ArrayLike<number>>;
}

/** Whether change `k` is the first of its pair: the second one takes it back. */
const isFirst = (k: number): boolean => k % 2 === 0;

function change(label: string, odd: EntityPatch, usual: EntityPatch): Kind {
  return {
    label,
    run: (crowd, k) => {
      for (const id of someOf(crowd)) crowd.world.update(id, isFirst(k) ? odd : usual);
    },
  };
}

/** Each of some, and the entity after it. */
function eachPair({ ids, changing }: Crowd, act: (one: EntityId, next: EntityId) => void): void {
  for (const i of changing) if (i + 1 < ids.length) act(ids[i]!, ids[i + 1]!);
}

/** Each of some is removed, and another one comes to its place. */
function replace({ world, ids, changing }: Crowd): void {
  for (const i of changing) {
    const [x, y] = world.position(ids[i]!);
    const range = world.ranges(ids[i]!)[0]!;
    world.remove(ids[i]!);
    ids[i] = world.add({ x: x!, y: y!, range, updates: false });
  }
}

function rule(label: string, changed: Interest): Kind {
  return {
    label: `setInterest: ${label}`,
    isOfAll: true,
    run: ({ world, rule }, k) => world.setInterest('default', isFirst(k) ? { ...rule, ...changed } : rule),
  };
}

function walk({ world, random }: Crowd, ids: readonly EntityId[], step: number): void {
  for (const id of ids) {
    const [x, y] = world.position(id);
    world.move(id, x! + random.between(-step, step), y! + random.between(-step, step));
  }
}

const KINDS: readonly Kind[] = [
  { label: 'all walk', isOfAll: true, run: (crowd) => walk(crowd, crowd.ids, STEP) },
  { label: 'some walk', run: (crowd) => walk(crowd, someOf(crowd), STEP) },
  { label: 'some leap', run: (crowd) => walk(crowd, someOf(crowd), 5 * RANGE) },
  { label: 'some are replaced', run: replace },
  {
    label: 'touch',
    run: (crowd) => {
      for (const id of someOf(crowd)) crowd.world.touch(id);
    },
  },
  change('interest', { interest: OTHER_RULE }, { interest: 'default' }),
  change('cap', { cap: 10 }, { cap: 20 }),
  change('updates', { updates: true }, { updates: false }),
  change('range', { range: 1.1 * RANGE }, { range: RANGE }),
  change('gain', { gain: 1.1 }, { gain: 1 }),
  change('weight', { weight: 1.5 }, { weight: 1 }),
  change('layers', { layers: 3 }, { layers: 1 }),
  change('channel', { channel: 1 }, { channel: 0 }),
  change('group', { group: 7 }, { group: 0 }),
  change('watches', { watches: false }, { watches: true }),
  change('marker', { marker: false }, { marker: true }),
  {
    label: 'pin, unpin',
    run: (crowd, k) => {
      const { world, ids } = crowd;
      for (const id of someOf(crowd))
        if (id !== ids[7]) world[isFirst(k) ? 'pin' : 'unpin'](id, ids[7]!, 'quest');
    },
  },
  {
    label: 'block, unblock',
    run: (crowd, k) =>
      eachPair(crowd, (one, next) => crowd.world[isFirst(k) ? 'block' : 'unblock'](one, next)),
  },
  {
    label: 'attach, detach',
    run: (crowd, k) =>
      eachPair(crowd, (one, next) => {
        if (isFirst(k)) crowd.world.attach(one, next, { x: RANGE / 10 });
        else crowd.world.detach(one);
      }),
  },
  rule('cap', { cap: 18 }),
  rule('dwell', { minDwellTicks: 2 }),
  rule('margin', { leaveMargin: 2 }),
  {
    label: 'visibleTo',
    run: (crowd) => walk(crowd, someOf(crowd), STEP),
    ask: (crowd) => someOf(crowd).map((id) => crowd.world.visibleTo(id)),
  },
  {
    label: 'watchersOf',
    run: (crowd) => walk(crowd, someOf(crowd), STEP),
    ask: (crowd) => someOf(crowd).map((id) => crowd.world.watchersOf(id)),
  },
  {
    label: 'explain',
    ask: (crowd) =>
      someOf(crowd)
        .filter((id) => id !== crowd.ids[7])
        .map((id) => [crowd.world.explain(id, crowd.ids[7]!).distance]),
  },
];

export const manyChanges: Suite = {
  name: 'many-changes',
  summary: 'one change or question for many at once: what do one odd entity, and those that rest, cost them?',
  cases: (choice) =>
    seedsOf(choice, 1, 1).flatMap((seed) =>
      Object.keys(RULES)
        .filter((_, i) => !choice.smoke || i % SMOKE_STRIDE === 0)
        .flatMap((name) => [thirdCase(choice, name, seed), hundredCase(choice, name, seed)]),
    ),
};

/** A world without its entities. */
interface Plan {
  readonly label: string;
  readonly count: number;
  /** One in so many watches. */
  readonly oneIn: number;
  /** One in so many changes. */
  readonly stride: number;
  /** What one of them is. */
  readonly odd: EntityPatch;
}

function thirdCase(choice: Choice, name: string, seed: number): GaugeCase {
  const count = choice.entities?.[0] ?? (choice.smoke ? LEAST_MIXED : ENTITIES);
  const plans = Object.entries({ 'all alike': {}, ...ODD }).map(
    ([label, odd]): Plan => ({ label, count, oneIn: 1, stride: 3, odd }),
  );
  return manyCase(choice, `${name}: a third of ${count}`, name, seed, KINDS, plans);
}

function hundredCase(choice: Choice, name: string, seed: number): GaugeCase {
  const changing = choice.smoke ? CHANGING / 5 : CHANGING;
  const plans = (choice.smoke ? [LEAST_MIXED, 2 * LEAST_MIXED] : RESTING).map(
    (count): Plan => ({
      label: `${count} rest`,
      count,
      oneIn: WATCHING_SHARE,
      // Each of them watches.
      stride: Math.max(1, Math.floor(count / changing / WATCHING_SHARE)) * WATCHING_SHARE,
      odd: {},
    }),
  );
  const kinds = KINDS.filter(({ isOfAll }) => isOfAll !== true);
  return manyCase(choice, `${name}: ${changing} among many that rest`, name, seed, kinds, plans);
}

function manyCase(
  choice: Choice,
  title: string,
  name: string,
  seed: number,
  kinds: readonly Kind[],
  plans: readonly Plan[],
): GaugeCase {
  return {
    kind: 'gauge',
    name: title,
    measure: async (tell) => {
      const runs = new Map<string, Run>();
      const problems: string[] = [];
      // V8 compiles what all of them run.
      if (!choice.smoke) await measured(choice, name, plans[0]!, seed, kinds, {});
      for (const plan of plans) {
        tell(plan.label);
        const run = await measured(choice, name, plan, seed, kinds, {});
        runs.set(plan.label, run);
        if (!choice.smoke) continue;
        const judge = await measured(choice, name, plan, seed, kinds, JUDGE);
        for (const [kind, { hash }] of run)
          if (hash !== judge.get(kind)!.hash) problems.push(`${plan.label}, ${kind}: not as of brute force`);
      }
      return outcomeOf(kinds, runs, problems);
    },
  };
}

/** By kind: the median of its ticks, and a hash of all that was reported and answered. */
type Run = ReadonlyMap<string, { readonly ms: number; readonly hash: string }>;

async function measured(
  choice: Choice,
  name: string,
  plan: Plan,
  seed: number,
  kinds: readonly Kind[],
  options: WorldOptions,
): Promise<Run> {
  const crowd = createCrowd(RULES[name]!, plan, seed, options);
  const run = new Map(
    kinds.map((kind) => [kind.label, runOf(crowd, kind, choice.smoke ? SMOKE_TICKS : TICKS)]),
  );
  await crowd.world.dispose();
  return run;
}

function createCrowd(
  rule: Interest,
  { count, oneIn, stride, odd }: Plan,
  seed: number,
  options: WorldOptions,
): Crowd {
  const random = new Random(seed);
  const world = new World({ interests: { default: rule, [OTHER_RULE]: { ...rule, cap: 15 } }, ...options });
  const side = Math.sqrt((count * Math.PI * RANGE ** 2) / PERCEIVED);
  const ids = Array.from({ length: count }, (_, i) =>
    world.add({
      x: side * random.unit(),
      y: side * random.unit(),
      range: i % oneIn === 0 ? RANGE : 0,
      updates: false,
    }),
  );
  world.update(ids[random.below(count)]!, odd);
  world.tick();
  const changing = Array.from({ length: Math.ceil(count / stride) }, (_, i) => i * stride);
  return { world, rule, random, ids, changing };
}

function runOf(crowd: Crowd, kind: Kind, ticks: number): { ms: number; hash: string } {
  const { world } = crowd;
  const { times, hash } = judgedTicks(world, ticks, (k) => {
    kind.run?.(crowd, k);
    world.tick();
    return kind.ask?.(crowd) ?? [];
  });
  return { ms: median(times.slice(Math.min(COLD_TICKS, ticks - 1))), hash };
}

function outcomeOf(
  kinds: readonly Kind[],
  runs: ReadonlyMap<string, Run>,
  problems: readonly string[],
): GaugeOutcome {
  const rows = kinds.map(({ label }): GaugeRow => {
    const of = [...runs].map(([world, run]) => [world, run.get(label)!] as const);
    const [[, first], ...others] = of as [(typeof of)[number], ...typeof of];
    return {
      label,
      figures: {
        ...Object.fromEntries(of.map(([world, { ms }]) => [`ms, ${world}`, ms])),
        worst: Math.max(...others.map(([, { ms }]) => Math.max(ms, LEAST_MS) / Math.max(first.ms, LEAST_MS))),
      },
      hash: of.map(([, { hash }]) => hash.slice(0, 4)).join(''),
    };
  });
  return { rows, problems };
}
