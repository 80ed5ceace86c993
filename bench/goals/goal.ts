/**
 * A goal: a required figure, a target, and how the measured figure is read from a case's outcome.
 *
 * Figures are ratios within one run wherever that is possible, so that they hold on any machine.
 */
import type { GaugeRow } from '../measure/gauge.ts';
import type { RaceRow } from '../measure/race.ts';
import { median } from '../measure/samples.ts';
import type { CaseOutcome } from '../report/results.ts';

export interface Goal {
  /** For people: what is compared with what. */
  readonly title: string;
  /** Name of the case of the suite `goals` that measures it. */
  readonly caseName: string;
  /** Further cases that must reach the same figure: the worst of all counts. */
  readonly alsoIn?: readonly string[];
  readonly unit: Unit;
  readonly must: number;
  readonly aim: number;
  /** Whether a greater figure is better; if not, a smaller one is. */
  readonly isMoreBetter?: boolean;
  /** The figure, in the goal's unit; NaN where it was not measured. */
  measured(outcome: CaseOutcome): number;
  /** For people, shown as long as the target is missed: the known reason. */
  readonly inTheWay?: string;
}

/** `x`: times; `%`: the figure is a share of 1. */
export type Unit = 'x' | '%' | 'ns a pair' | 'bytes' | 'bytes a relation' | 'bytes a tick' | 'ms';

/** What a measured figure reaches: the target, only the required figure, or neither. */
export type Verdict = 'target met' | 'required met' | 'missed' | 'not measured';

export function verdictOn({ must, aim, isMoreBetter = false }: Goal, measured: number): Verdict {
  if (!Number.isFinite(measured)) return 'not measured';
  const holds = (figure: number): boolean => (isMoreBetter ? measured >= figure : measured <= figure);
  if (holds(must) && holds(aim)) return 'target met';
  return holds(must) ? 'required met' : 'missed';
}

/** The worst figure of the goal's cases, of those that were measured; NaN if none was. */
export function worstOf(goal: Goal, outcomeOf: (caseName: string) => CaseOutcome | undefined): number {
  const measured = [goal.caseName, ...(goal.alsoIn ?? [])].flatMap((caseName) => {
    const outcome = outcomeOf(caseName);
    const figure = outcome === undefined ? Number.NaN : goal.measured(outcome);
    return Number.isFinite(figure) ? [figure] : [];
  });
  if (measured.length === 0) return Number.NaN;
  return goal.isMoreBetter === true ? Math.min(...measured) : Math.max(...measured);
}

/** The row of a race's lane; undefined when it was left out. */
export function raceRow(outcome: CaseOutcome, label: string): RaceRow | undefined {
  return outcome.kind === 'race' ? outcome.rows.find((row) => row.label === label) : undefined;
}

/** How many times the first lane's time a lane takes; NaN when it was left out. */
export function timesFirst(outcome: CaseOutcome, label: string): number {
  return raceRow(outcome, label)?.ratio.median ?? Number.NaN;
}

/** The greatest ratio of several lanes; NaN if one was left out. */
export function worstTimesFirst(outcome: CaseOutcome, labels: readonly string[]): number {
  return Math.max(...labels.map((label) => timesFirst(outcome, label)));
}

/** The 99th percentile of a lane's ticks divided by their median; the worst of all lanes. */
export function worstTail(outcome: CaseOutcome, engines?: (name: string) => boolean): number {
  if (outcome.kind !== 'race' || outcome.rows.length === 0) return Number.NaN;
  const counted = outcome.rows.filter(({ engine }) => engines?.(engine) ?? true);
  return Math.max(...counted.map(({ p99Ms, medianMs }) => p99Ms / medianMs));
}

/** As `timesFirst`, against any lane: the median over rounds, turn against turn of the same round. */
export function timesLane(outcome: CaseOutcome, label: string, reference: string): number {
  const turns = raceRow(outcome, label)?.turnMs ?? [];
  const others = raceRow(outcome, reference)?.turnMs ?? [];
  return median(turns.slice(0, others.length).map((turn, round) => turn / others[round]!));
}

export function gaugeRow(outcome: CaseOutcome, label: string): GaugeRow | undefined {
  return outcome.kind === 'gauge' ? outcome.rows.find((row) => row.label === label) : undefined;
}
