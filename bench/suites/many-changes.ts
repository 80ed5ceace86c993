/**
 * The same change or question for a third of all entities in one tick, for each kind of change under each kind of rule, in a crowd that
 * is alike and in the same crowd with one odd entity: a bell that is heard from afar, a horn of a great gain, a sniper that sees nearly all.
 *
 * Games change many at once: a battle begins and all get another interest, a ship is boarded, a round ends and all are asked about. What
 * that costs follows from those that change, and from what is near them. If one odd entity makes all of it longer, a search goes as far as the
 * farthest can perceive or be perceived: the column `worst` is the slowest of the odd worlds against the one without.
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
/** Ticks of each kind, in pairs; the first ones are not in the median. */
const TICKS = 8;
const COLD_TICKS = 2;
const SMOKE_TICKS = 2;
const SMOKE_STRIDE = 3;
/** World units. */
const RANGE = 10;
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
  readonly ids: readonly EntityId[];
  /** Every third. */
  readonly some: readonly EntityId[];
}

interface Kind {
  readonly label: string;
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
    run: ({ world, some }, k) => {
      for (const id of some) world.update(id, isFirst(k) ? odd : usual);
    },
  };
}

/** Each of some, and the entity after it. */
function eachPair({ ids }: Crowd, act: (one: EntityId, next: EntityId) => void): void {
  for (let i = 0; i + 1 < ids.length; i += 3) act(ids[i]!, ids[i + 1]!);
}

function rule(label: string, changed: Interest): Kind {
  return {
    label: `setInterest: ${label}`,
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
  { label: 'all walk', run: (crowd) => walk(crowd, crowd.ids, 0.015 * RANGE) },
  { label: 'some leap', run: (crowd) => walk(crowd, crowd.some, 5 * RANGE) },
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
    run: ({ world, some, ids }, k) => {
      for (const id of some) if (id !== ids[7]) world[isFirst(k) ? 'pin' : 'unpin'](id, ids[7]!, 'quest');
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
    run: (crowd) => walk(crowd, crowd.some, 0.015 * RANGE),
    ask: ({ world, some }) => some.map((id) => world.visibleTo(id)),
  },
  {
    label: 'watchersOf',
    run: (crowd) => walk(crowd, crowd.some, 0.015 * RANGE),
    ask: ({ world, some }) => some.map((id) => world.watchersOf(id)),
  },
  {
    label: 'explain',
    ask: ({ world, some, ids }) =>
      some.filter((id) => id !== ids[7]).map((id) => [world.explain(id, ids[7]!).distance]),
  },
];

export const manyChanges: Suite = {
  name: 'many-changes',
  summary: 'one change or question for a third of a crowd at once: what does one odd entity cost the others?',
  cases: (choice) =>
    seedsOf(choice, 1, 1).flatMap((seed) =>
      Object.keys(RULES)
        .filter((_, i) => !choice.smoke || i % SMOKE_STRIDE === 0)
        .map((name) => manyCase(choice, name, seed)),
    ),
};

function manyCase(choice: Choice, name: string, seed: number): GaugeCase {
  const count = choice.entities?.[0] ?? (choice.smoke ? LEAST_MIXED : ENTITIES);
  return {
    kind: 'gauge',
    name: `${name}: ${count} entities`,
    measure: async (tell) => {
      const runs = new Map<string, Run>();
      const problems: string[] = [];
      const worlds = { 'all alike': {}, ...ODD };
      // V8 compiles what all of them run.
      if (!choice.smoke) await measured(choice, name, count, seed, {}, {});
      for (const [label, odd] of Object.entries(worlds)) {
        tell(label);
        const run = await measured(choice, name, count, seed, odd, {});
        runs.set(label, run);
        if (!choice.smoke) continue;
        const judge = await measured(choice, name, count, seed, odd, JUDGE);
        for (const [kind, { hash }] of run)
          if (hash !== judge.get(kind)!.hash) problems.push(`${label}, ${kind}: not as of brute force`);
      }
      return outcomeOf(runs, problems);
    },
  };
}

/** By kind: the median of its ticks, and a hash of all that was reported and answered. */
type Run = ReadonlyMap<string, { readonly ms: number; readonly hash: string }>;

async function measured(
  choice: Choice,
  name: string,
  count: number,
  seed: number,
  odd: EntityPatch,
  options: WorldOptions,
): Promise<Run> {
  const crowd = createCrowd(RULES[name]!, count, seed, odd, options);
  const run = new Map(
    KINDS.map((kind) => [kind.label, runOf(crowd, kind, choice.smoke ? SMOKE_TICKS : TICKS)]),
  );
  await crowd.world.dispose();
  return run;
}

function createCrowd(
  rule: Interest,
  count: number,
  seed: number,
  odd: EntityPatch,
  options: WorldOptions,
): Crowd {
  const random = new Random(seed);
  const world = new World({ interests: { default: rule, [OTHER_RULE]: { ...rule, cap: 15 } }, ...options });
  const side = Math.sqrt((count * Math.PI * RANGE ** 2) / PERCEIVED);
  const ids = Array.from({ length: count }, () =>
    world.add({ x: side * random.unit(), y: side * random.unit(), range: RANGE, updates: false }),
  );
  world.update(ids[random.below(count)]!, odd);
  world.tick();
  return { world, rule, random, ids, some: ids.filter((_, i) => i % 3 === 0) };
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

function outcomeOf(runs: ReadonlyMap<string, Run>, problems: readonly string[]): GaugeOutcome {
  const rows = KINDS.map(({ label }): GaugeRow => {
    const of = [...runs].map(([world, run]) => [world, run.get(label)!] as const);
    const [[, alike], ...odd] = of as [(typeof of)[number], ...typeof of];
    return {
      label,
      figures: {
        ...Object.fromEntries(of.map(([world, { ms }]) => [`ms, ${world}`, ms])),
        worst: Math.max(...odd.map(([, { ms }]) => Math.max(ms, LEAST_MS) / Math.max(alike.ms, LEAST_MS))),
      },
      hash: of.map(([, { hash }]) => hash.slice(0, 4)).join(''),
    };
  });
  return { rows, problems };
}
