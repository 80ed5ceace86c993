/**
 * The cost of each rule alone: walkers under one rule, against the same walkers without rules, ticks of both in turn.
 *
 * Both have the same crowd and the same movement. The ratio is between medians of processor time. The hashes of all
 * reports are combined into one number; at smoke size it must equal that of a world with brute force.
 */
import { createWalkers, Random, WorldDriver } from '@umwelt/scenarios';
import { type DetectorName, type Interest, World } from 'umwelt';
import type { GaugeCase, GaugeOutcome } from '../measure/gauge.ts';
import { median } from '../measure/samples.ts';
import { type Choice, PERCEIVED, populations, type Suite } from './suite.ts';

const ENTITIES = [10_000];
const TICKS = 60;
const SMOKE_TICKS = 6;
/** In the first ticks all entities enter, and rules settle. */
const WARM_TICKS = 8;

interface Rule {
  readonly name: string;
  readonly interest?: Interest;
  /** Properties of the walkers, set before the first tick, by actor. */
  readonly prepare?: Prepare;
  /** What happens before each tick after the first. */
  readonly change?: Prepare;
}

type Prepare = (world: World, idOf: (actor: number) => number, entities: number) => void;

const NONE: Rule = { name: 'none' };
/** Another walker; a different one for each. */
const otherOf = (actor: number, entities: number) => (actor * 7 + 1) % entities;

/** The distances of groups and pins, world units: drawn, from twice to six times the range. */
const random = new Random(8);
const [MEMBER_DISTANCE, QUEST_DISTANCE] = [random.between(100, 300), random.between(100, 300)];
const PINS = 1000;
/** Puts each walker into one of so many groups. */
const inGroups =
  (groupOf: (actor: number) => number): Prepare =>
  (world, idOf, entities) => {
    for (let actor = 0; actor < entities; actor++) world.update(idOf(actor), { group: 1 + groupOf(actor) });
  };

const RULES: readonly Rule[] = [
  { name: 'a leave margin', interest: { leaveMargin: 5 } },
  { name: 'a cap that is not reached', interest: { cap: 4 * PERCEIVED } },
  { name: 'that cap, seats safe for 5 ticks', interest: { cap: 4 * PERCEIVED, minDwellTicks: 5 } },
  { name: 'that cap, memory of 20 ticks', interest: { cap: 4 * PERCEIVED, memoryTicks: 20 } },
  { name: 'a cap of a third', interest: { cap: PERCEIVED / 3 } },
  { name: 'a cap of a third by a function', interest: { cap: PERCEIVED / 3, rank: (_, id) => id % 97 } },
  { name: 'lingering for 10 ticks', interest: { lingerTicks: 10 } },
  { name: 'lingering for 10 ticks, a cap of a third', interest: { lingerTicks: 10, cap: PERCEIVED / 3 } },
  { name: 'a quota that is not full', interest: { quotas: [{ layers: 1, cap: 4 * PERCEIVED }] } },
  { name: 'a quota of a third', interest: { quotas: [{ layers: 1, cap: PERCEIVED / 3 }] } },
  { name: 'two a tick enter', interest: { enterBudget: 2 } },
  {
    name: 'one marker shown always',
    prepare: (world, idOf) => world.update(idOf(0), { always: true }),
  },
  {
    name: 'a pin each',
    prepare: (world, idOf, entities) => {
      for (let actor = 0; actor < entities; actor++)
        world.pin(idOf(actor), idOf(otherOf(actor, entities)), 'a friend');
    },
  },
  {
    name: 'a block each',
    prepare: (world, idOf, entities) => {
      for (let actor = 0; actor < entities; actor++) world.block(idOf(actor), idOf(otherOf(actor, entities)));
    },
  },
  {
    name: 'a thousand pins within a distance',
    prepare: (world, idOf, entities) => {
      const draw = new Random(PINS);
      for (let pin = 0; pin < Math.min(PINS, entities); pin++) {
        const quest = idOf((pin + 1 + draw.below(entities - 1)) % entities);
        world.pin(idOf(pin), quest, 'a quest', { within: QUEST_DISTANCE * draw.between(0.5, 1.5) });
      }
    },
  },
  {
    name: 'parties of five',
    interest: { showGroup: true },
    prepare: inGroups((actor) => Math.floor(actor / 5)),
  },
  {
    name: 'parties of five within a distance',
    interest: { showGroup: { within: MEMBER_DISTANCE } },
    prepare: inGroups((actor) => Math.floor(actor / 5)),
  },
  {
    name: 'groups of five hundred within a distance',
    interest: { showGroup: { within: MEMBER_DISTANCE } },
    prepare: inGroups((actor) => Math.floor(actor / 500)),
  },
  {
    name: 'a group of a thousand, one of which changes',
    interest: { showGroup: true },
    prepare: inGroups((actor) => (actor < 1000 ? 0 : actor)),
    change: (world, idOf) => world.update(idOf(0), { weight: 1 + (world.tickCount % 2) }),
  },
  { name: 'a function that admits all', interest: { admit: () => true } },
  {
    name: 'that function, all volatile',
    interest: { admit: () => true },
    prepare: (world, idOf, entities) => {
      for (let actor = 0; actor < entities; actor++) world.update(idOf(actor), { volatile: true });
    },
  },
  {
    name: 'update rates',
    interest: {
      updateRates: [
        [0.25, 1],
        [0.5, 2],
        [1, 4],
      ],
    },
  },
  { name: 'mutual consent', interest: { mutual: true } },
];

export const rules: Suite = {
  name: 'rules',
  summary: 'each rule of interest alone, against none',
  cases: (choice) =>
    populations(choice, ENTITIES).flatMap((entities) =>
      RULES.map((rule) => ruleCase(choice, rule, entities)),
    ),
};

function ruleCase({ smoke }: Choice, rule: Rule, entities: number): GaugeCase {
  const ticks = smoke ? SMOKE_TICKS : TICKS;
  return {
    kind: 'gauge',
    name: `${entities} walkers, ${rule.name}`,
    measure: (tell) => {
      tell(rule.name);
      const outcome = measured(rule, entities, ticks);
      return smoke ? judged(outcome, rule, entities, ticks) : outcome;
    },
  };
}

function measured(rule: Rule, entities: number, ticks: number): GaugeOutcome {
  const runs = [NONE, rule].map((each) => ({
    ...openWorld(each, entities),
    samples: [] as number[],
    sum: 0n,
  }));
  for (let tick = -WARM_TICKS; tick < ticks; tick++) {
    for (const run of runs) {
      run.step();
      const before = process.cpuUsage();
      const changes = run.world.tick();
      const { user, system } = process.cpuUsage(before);
      run.sum = BigInt.asUintN(64, run.sum * 31n + BigInt(`0x${changes.hash()}`));
      if (tick >= 0) run.samples.push((user + system) / 1000);
    }
  }
  const none = median(runs[0]!.samples);
  const rows = runs.map(({ samples, sum, name }) => ({
    label: name,
    figures: {
      entities,
      ticks,
      'cpu ms': median(samples),
      'times none': median(samples) / none,
      'reports as a number': Number(sum & 0xffff_ffffn),
    },
  }));
  for (const { world } of runs) void world.dispose();
  return { rows, problems: [] };
}

/** A world with brute force must report the same. */
function judged(outcome: GaugeOutcome, rule: Rule, entities: number, ticks: number): GaugeOutcome {
  const { world, step } = openWorld(rule, entities, 'brute-force');
  let sum = 0n;
  for (let tick = -WARM_TICKS; tick < ticks; tick++) {
    step();
    sum = BigInt.asUintN(64, sum * 31n + BigInt(`0x${world.tick().hash()}`));
  }
  void world.dispose();
  const expected = Number(sum & 0xffff_ffffn);
  const found = outcome.rows[1]?.figures['reports as a number'];
  if (found === expected) return outcome;
  return { ...outcome, problems: [`reports sum up to ${found}, by brute force to ${expected}`] };
}

function openWorld(
  { name, interest = {}, prepare, change }: Rule,
  entities: number,
  detector?: DetectorName,
) {
  const simulation = createWalkers({ entities, perceived: PERCEIVED });
  const world = new World({
    ...simulation.worldOptions,
    interests: { default: interest },
    ...(detector === undefined ? {} : { detector }),
  });
  const driver = new WorldDriver(simulation, world);
  // The first step adds the walkers.
  driver.step();
  const idOf = (actor: number) => driver.idOf(actor);
  prepare?.(world, idOf, entities);
  const step = () => {
    driver.step();
    change?.(world, idOf, entities);
  };
  return { name, world, step };
}
