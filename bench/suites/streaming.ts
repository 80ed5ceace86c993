/**
 * Regions streamed: the cost of adding ten thousand things at once, and removing them again, in a running world of a
 * million, against the same in an empty world.
 *
 * Of a hundred players some are where the region is. The calls are timed, and the tick that processes them, in processor
 * time. Both worlds do it in turn. In each round the region is elsewhere, drawn from a seed.
 */
import { createWorldOfThings, Random, WorldDriver } from '@umwelt/scenarios';
import { type DetectorName, World } from 'umwelt';
import type { GaugeCase, GaugeOutcome } from '../measure/gauge.ts';
import { median } from '../measure/samples.ts';
import { type Choice, sized } from './suite.ts';

const SEED = 15;
const STREAMED = 10_000;
const THINGS = 1_000_000;
const PLAYERS = 100;
const PERCEIVED = 100;
const ROUNDS = 20;
const SMOKE_ROUNDS = 3;
/** Warm-up rounds. */
const WARM_ROUNDS = 3;

export const STREAM_CASE = '10,000 things streamed into a world of 1,000,000';
export const STREAM_LABELS = { empty: 'into an empty world', full: 'into a world of 1,000,000' } as const;
export const STREAM_FIGURE = 'times empty';

export function streamCase(choice: Choice): GaugeCase {
  const [streamed, things] = [sized(choice, STREAMED), sized(choice, THINGS)];
  const rounds = choice.smoke ? SMOKE_ROUNDS : ROUNDS;
  return {
    kind: 'gauge',
    name: STREAM_CASE,
    measure: (tell) => {
      tell(`${rounds} rounds`);
      const { rows, problems } = measured(things, streamed, rounds);
      if (!choice.smoke) return { rows, problems };
      const judge = stageOf(things, 'brute-force');
      for (let round = 0; round < WARM_ROUNDS + rounds; round++) stream(judge, streamed, round);
      const [expected, found] = [number(judge.sum), rows[1]?.figures['reports as a number']];
      const wrong = `reports sum up to ${found}, by brute force to ${expected}`;
      return { rows, problems: found === expected ? problems : [...problems, wrong] };
    },
  };
}

interface Stage {
  readonly world: World;
  readonly driver: WorldDriver;
  readonly side: number;
  sum: bigint;
}

function stageOf(things: number, detector?: DetectorName): Stage {
  const players = Math.min(PLAYERS, things);
  // The square is that of the full world, so that players in the empty world perceive as many of the region's things.
  const simulation = createWorldOfThings({ entities: things + players, players, perceived: PERCEIVED });
  const capacity = things + players + STREAMED;
  const world = new World({
    ...simulation.worldOptions,
    capacity,
    ...(detector === undefined ? {} : { detector }),
  });
  const driver = new WorldDriver(simulation, world, { updates: false });
  driver.step();
  return { world, driver, side: simulation.bounds.maxX - simulation.bounds.minX, sum: 0n };
}

/** The same players without the things. */
function emptyStage(things: number): Stage {
  const stage = stageOf(things);
  const ids = stage.world.ids();
  stage.world.removeMany(ids.filter((id) => stage.world.ranges(id)[0] === 0));
  return stage;
}

/** Adds a region and, a tick later, removes it; returns the milliseconds of both. */
function stream(stage: Stage, streamed: number, round: number): number {
  const random = new Random(SEED + round);
  const { world, driver, side } = stage;
  // As dense as the world itself, at a random place in it.
  const width = side * 0.1;
  const [left, top] = [
    random.between(-side / 2, side / 2 - width),
    random.between(-side / 2, side / 2 - width),
  ];
  const x = Float32Array.from({ length: streamed }, () => random.between(left, left + width));
  const y = Float32Array.from({ length: streamed }, () => random.between(top, top + width));
  driver.step();
  let spentMs = 0;
  const before = process.cpuUsage();
  const ids = world.addMany({ x, y, updates: false });
  take(stage);
  spentMs += sinceMs(before);
  driver.step();
  const beforeGoing = process.cpuUsage();
  world.removeMany(ids);
  take(stage);
  spentMs += sinceMs(beforeGoing);
  return spentMs;
}

function take(stage: Stage): void {
  const changes = stage.world.tick();
  stage.sum = BigInt.asUintN(64, stage.sum * 31n + BigInt(`0x${changes.hash()}`));
}

function sinceMs(before: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

const number = (sum: bigint): number => Number(sum & 0xffff_ffffn);

function measured(things: number, streamed: number, rounds: number): GaugeOutcome {
  const runs = [
    { label: STREAM_LABELS.empty, stage: emptyStage(things), samples: [] as number[] },
    { label: STREAM_LABELS.full, stage: stageOf(things), samples: [] as number[] },
  ];
  for (let round = 0; round < WARM_ROUNDS + rounds; round++) {
    for (const { stage, samples } of runs) {
      const spentMs = stream(stage, streamed, round);
      if (round >= WARM_ROUNDS) samples.push(spentMs);
    }
  }
  const empty = median(runs[0]!.samples);
  const rows = runs.map(({ label, stage, samples }) => ({
    label,
    figures: {
      entities: stage.world.size,
      streamed,
      'cpu ms, in and out': median(samples),
      [STREAM_FIGURE]: median(samples) / empty,
      'reports as a number': number(stage.sum),
    },
  }));
  for (const { stage } of runs) void stage.world.dispose();
  return { rows, problems: [] };
}
