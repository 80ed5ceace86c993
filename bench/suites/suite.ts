/**
 * A suite: one question about the engines, as a list of cases to measure one after the other.
 *
 * A case consists of closures and so cannot be sent to the process that measures it; the process finds it by suite and
 * name. The same choice gives the same cases.
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
  /** For people: the question, one line. */
  readonly summary: string;
  cases(choice: Choice): readonly BenchCase[];
}

/** The part of the command line that says what is measured. Can be sent between processes. */
export interface Choice {
  /** Tiny worlds, and every report is checked. */
  readonly smoke: boolean;
  /** Populations in place of the suite's own. */
  readonly entities: readonly number[] | undefined;
  /** Names of engines: only these run, and the first of each case. */
  readonly engines: readonly string[] | undefined;
  /** For worlds drawn from seeds: the only one. */
  readonly seed?: number | undefined;
  /** For the suite with real clients: how many, and for how many seconds. */
  readonly clients?: number | undefined;
  readonly seconds?: number | undefined;
}

const SMOKE_ENTITIES = 400;
/** A smaller crowd does not contain odd entities of every kind. */
export const LEAST_MIXED = 150;
/** How many others a walker perceives unless a suite says otherwise. */
export const PERCEIVED = 30;
/** World units a second. */
export const WALKERS_PACE = 5;

/** The populations to measure a suite at; `usual` are the suite's own. */
export function populations(choice: Choice, usual: readonly number[]): readonly number[] {
  return choice.entities ?? (choice.smoke ? [SMOKE_ENTITIES] : usual);
}

const MILLION = 1_000_000;

/** A population of a case with several; at smoke size a small one in proportion, at least `least`. */
export function sized({ smoke }: Choice, entities: number, least = 50): number {
  return smoke ? Math.max(least, Math.round((SMOKE_ENTITIES * entities) / MILLION)) : entities;
}

/** The seeds of a suite's worlds: the one that was asked for, or this many. */
export function seedsOf({ seed, smoke }: Choice, usual: number, atSmoke: number): readonly number[] {
  if (seed !== undefined) return [seed];
  return Array.from({ length: smoke ? atSmoke : usual }, (_, i) => i + 1);
}

export function walkersWork(entities: number): Work {
  return { entities, perceived: PERCEIVED };
}

/** The lane of an engine on walkers that all move at every step. */
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

/** The case as it is measured: without the engines that were not requested; at smoke size with a judge. */
export function chosenCase(benchCase: BenchCase, { smoke, engines }: Choice): BenchCase {
  if (benchCase.kind === 'gauge') return benchCase;
  const lanes = benchCase.lanes.filter(
    ({ engine }, lane) => lane === 0 || engines === undefined || engines.includes(engine.name),
  );
  return { ...benchCase, lanes: smoke ? [...lanes, ...judges(lanes)] : lanes };
}

/**
 * For every work among the lanes, a lane of brute force, which shares no code with the engine, unless the lane names
 * another judge.
 */
function judges(lanes: readonly LanePlan[]): LanePlan[] {
  const comparable = lanes.filter(({ engine }) => engine.ownRule === undefined);
  const byWork = new Map(comparable.map((lane) => [lane.work, lane]));
  return [...byWork.values()].map((lane) => ({
    ...lane,
    label: `judge of '${lane.work}'`,
    engine: lane.judge ?? bruteForce,
  }));
}
