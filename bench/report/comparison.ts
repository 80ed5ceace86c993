/**
 * This run against saved results: how many times as long each engine takes now, and what became slower beyond noise.
 *
 * Two runs are two states of a machine. The peers' code does not change, so a change that the peers of a case have in
 * common is the machine's; it is divided out where the case has peers. An engine counts as slower if
 * three of four turns now are slower than three of four turns then, because turns of one run differ by the noise. Memory and other gauges are not
 * times; they are left out.
 */
import type { RaceRow } from '../measure/race.ts';
import { median, percentile } from '../measure/samples.ts';
import type { Table } from './case-table.ts';
import { figure, times } from './figures.ts';
import type { CaseResult, Results } from './results.ts';

/** One engine in one case, then and now. */
export interface Change {
  readonly suite: string;
  readonly caseName: string;
  readonly label: string;
  /** Name of the engine. */
  readonly engine: string;
  readonly beforeMs: number;
  readonly nowMs: number;
  /** The time now divided by the time then, corrected for the machine. */
  readonly ratio: number;
  readonly verdict: 'slower' | 'faster' | 'within noise';
}

/** Engines whose code is not ours: if their times change, the machine changed. */
const isPeer = (engine: string): boolean => !engine.startsWith('umwelt');

export function changesSince(before: Results, now: Results): Change[] {
  return now.cases.flatMap((later) => {
    const earlier = before.cases.find(({ suite, name }) => suite === later.suite && name === later.name);
    return earlier === undefined ? [] : caseChanges(earlier, later);
  });
}

function caseChanges(earlier: CaseResult, later: CaseResult): Change[] {
  const pairs = raceRows(later).flatMap((row) => {
    const old = raceRows(earlier).find(({ label }) => label === row.label);
    return old === undefined ? [] : [{ old, row }];
  });
  const peers = pairs
    .filter(({ row }) => isPeer(row.engine))
    .map(({ old, row }) => row.medianMs / old.medianMs);
  const machine = peers.length === 0 ? 1 : median(peers);
  return pairs.map(({ old, row }) => ({
    suite: later.suite,
    caseName: later.name,
    label: row.label,
    engine: row.engine,
    beforeMs: old.medianMs,
    nowMs: row.medianMs,
    ratio: row.medianMs / old.medianMs / machine,
    verdict: verdictOn(turnsOf(old), turnsOf(row), machine),
  }));
}

function verdictOn(before: readonly number[], now: readonly number[], machine: number): Change['verdict'] {
  const scaled = now.map((turnMs) => turnMs / machine);
  if (percentile(scaled, 0.25) > percentile(before, 0.75)) return 'slower';
  return percentile(scaled, 0.75) < percentile(before, 0.25) ? 'faster' : 'within noise';
}

/** Older files have no turns, only the median. */
function turnsOf({ turnMs, medianMs }: RaceRow): readonly number[] {
  return turnMs ?? [medianMs];
}

function raceRows({ outcome }: CaseResult): readonly RaceRow[] {
  return outcome.kind === 'race' ? outcome.rows : [];
}

export function comparisonTable(changes: readonly Change[]): Table {
  return {
    headings: ['case', 'engine', 'then ms', 'now ms', 'now / then', ''],
    rows: changes.map(({ suite, caseName, label, beforeMs, nowMs, ratio, verdict }) => [
      `${suite}: ${caseName}`,
      label,
      figure(beforeMs),
      figure(nowMs),
      times(ratio),
      verdict,
    ]),
  };
}

/** Our engines that became slower beyond noise, the worst first. */
export function slowdowns(changes: readonly Change[]): Change[] {
  const slower = changes.filter(({ engine, verdict }) => verdict === 'slower' && !isPeer(engine));
  return slower.sort((one, other) => other.ratio - one.ratio);
}
