/**
 * A suite: one question put to the engines, as a list of cases to be measured one after the other.
 *
 * A case is described by closures and so cannot be sent to the process that measures it; it is found there again by its
 * suite and name. The same choice gives the same cases.
 */
import { createWalkers, type Simulation } from '@umwelt/scenarios';
import { bruteForce } from '../engines/brute-force.ts';
import type { EngineKind, Work } from '../engines/engine.ts';
import type { GaugeCase } from '../measure/gauge.ts';
import type { LanePlan } from '../measure/lane.ts';
import type { RaceCase } from '../measure/race.ts';

export type BenchCase = RaceCase | GaugeCase;

export interface Suite {
  readonly name: string;
  /** For people: what is asked, one line. */
  readonly summary: string;
  cases(choice: Choice): readonly BenchCase[];
}

/** What was asked for on the command line, as far as it says what is measured. Can be sent between processes. */
export interface Choice {
  /** Tiny worlds, and a judge for every report. */
  readonly smoke: boolean;
  /** Instead of the suite's own populations. */
  readonly entities: readonly number[] | undefined;
  /** Names of engines: only these, and the first of each case. */
  readonly engines: readonly string[] | undefined;
  /** Of the suite with real clients: how many, and for how long. */
  readonly clients?: number | undefined;
  readonly seconds?: number | undefined;
}

const SMOKE_ENTITIES = 400;
/** Fewer hold no odd ones of every kind. */
export const LEAST_MIXED = 150;
/** How many others a walker perceives unless a suite says otherwise. */
export const PERCEIVED = 30;

/** The numbers of entities to measure a suite at, whose own are `usual`. */
export function populations(choice: Choice, usual: readonly number[]): readonly number[] {
  return choice.entities ?? (choice.smoke ? [SMOKE_ENTITIES] : usual);
}

const MILLION = 1_000_000;

/** A population of a case that puts several into one run, or what stands for it at smoke size: `least` at least. */
export function sized({ smoke }: Choice, entities: number, least = 50): number {
  return smoke ? Math.max(least, Math.round((SMOKE_ENTITIES * entities) / MILLION)) : entities;
}

export function walkersWork(entities: number): Work {
  return { entities, perceived: PERCEIVED };
}

/** The lane of an engine on walkers who all move at every step. */
export function walkersLane(
  entities: number,
  updates: boolean,
  engine: EngineKind,
  label = engine.title,
): LanePlan {
  return {
    label,
    engine,
    updates,
    work: updates ? 'walkers with updates' : 'walkers',
    simulate: (): Simulation => createWalkers({ entities, perceived: PERCEIVED }),
  };
}

/** The case that is measured: without those engines that were not asked for; at smoke size with a judge. */
export function chosenCase(benchCase: BenchCase, { smoke, engines }: Choice): BenchCase {
  if (benchCase.kind === 'gauge') return benchCase;
  const lanes = benchCase.lanes.filter(
    ({ engine }, lane) => lane === 0 || engines === undefined || engines.includes(engine.name),
  );
  return { ...benchCase, lanes: smoke ? [...lanes, ...judges(lanes)] : lanes };
}

/** For every work among the lanes, two loops that share no line with ours, unless the lane names another judge. */
function judges(lanes: readonly LanePlan[]): LanePlan[] {
  const comparable = lanes.filter(({ engine }) => engine.ownRule === undefined);
  const byWork = new Map(comparable.map((lane) => [lane.work, lane]));
  return [...byWork.values()].map((lane) => ({
    ...lane,
    label: `judge of '${lane.work}'`,
    engine: lane.judge ?? bruteForce,
  }));
}
