/**
 * A goal: a figure that must be reached, one that is aimed at, and how a case's outcome tells what was.
 *
 * Figures are ratios within one run wherever that is possible, so that they hold on any machine.
 */
import type { GaugeRow } from '../measure/gauge.ts';
import type { RaceRow } from '../measure/race.ts';
import { median } from '../measure/samples.ts';
import type { CaseOutcome } from '../report/results.ts';

export interface Goal {
  /** For people: what is held against what. */
  readonly title: string;
  /** Name of the case of the suite `goals` that measures it. */
  readonly caseName: string;
  readonly unit: Unit;
  readonly must: number;
  readonly aim: number;
  /** Whether more is better; else less is. */
  readonly isMoreBetter?: boolean;
  /** The figure, in the goal's unit; NaN where it was not measured. */
  measured(outcome: CaseOutcome): number;
  /** For people, shown as long as the aim is missed: what is in the way, as far as is known. */
  readonly inTheWay?: string;
}

/** `x`: times; `%`: the figure is a share of 1. */
export type Unit = 'x' | '%' | 'ns a pair' | 'bytes' | 'bytes a relation' | 'bytes a tick';

/** How far a goal was reached. */
export type Verdict = 'aim held' | 'must held' | 'missed' | 'not measured';

export function verdictOn({ must, aim, isMoreBetter = false }: Goal, measured: number): Verdict {
  if (!Number.isFinite(measured)) return 'not measured';
  const holds = (figure: number): boolean => (isMoreBetter ? measured >= figure : measured <= figure);
  if (holds(must) && holds(aim)) return 'aim held';
  return holds(must) ? 'must held' : 'missed';
}

/** The row of a race's lane; undefined when it was left out. */
export function raceRow(outcome: CaseOutcome, label: string): RaceRow | undefined {
  return outcome.kind === 'race' ? outcome.rows.find((row) => row.label === label) : undefined;
}

/** How many times the first lane's time a lane takes; NaN when it was left out. */
export function timesFirst(outcome: CaseOutcome, label: string): number {
  return raceRow(outcome, label)?.ratio.median ?? Number.NaN;
}

/** The same against any lane: the median over rounds, turn against turn of the same round. */
export function timesLane(outcome: CaseOutcome, label: string, reference: string): number {
  const turns = raceRow(outcome, label)?.turnMs ?? [];
  const others = raceRow(outcome, reference)?.turnMs ?? [];
  return median(turns.slice(0, others.length).map((turn, round) => turn / others[round]!));
}

export function gaugeRow(outcome: CaseOutcome, label: string): GaugeRow | undefined {
  return outcome.kind === 'gauge' ? outcome.rows.find((row) => row.label === label) : undefined;
}
