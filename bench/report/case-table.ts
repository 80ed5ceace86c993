/**
 * The table of one case as cells, for the terminal and for Markdown.
 */
import type { GaugeRow } from '../measure/gauge.ts';
import type { RaceRow } from '../measure/race.ts';
import { count, figure, times } from './figures.ts';
import type { CaseResult } from './results.ts';

/** The first column is text, the others are numbers. */
export interface Table {
  readonly headings: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

const RACE_HEADINGS = [
  'engine',
  'entities',
  'median ms',
  'p99 ms',
  'p99 wall',
  'ns/entity-tick',
  'ticks',
  'events/tick',
  'updated/tick',
  'relations',
  'hash',
  'time / first',
];

export function caseTable({ outcome }: CaseResult): Table {
  return outcome.kind === 'race' ? raceTable(outcome.rows) : gaugeTable(outcome.rows);
}

/** The lines below the table: the lanes that were left out, what was compared, what went wrong. */
export function caseNotes({ outcome }: CaseResult): string[] {
  const wrong = outcome.problems.map((problem) => `WRONG: ${problem}`);
  if (outcome.kind === 'gauge') return wrong;
  const skipped = outcome.skipped.map(({ label, reason }) => `left out: ${label}: ${reason}`);
  const compared = `${count(outcome.comparedHashes)} reports compared by hash`;
  return [...skipped, ...outcome.remarks, compared, ...wrong];
}

function raceTable(rows: readonly RaceRow[]): Table {
  return { headings: RACE_HEADINGS, rows: rows.map(raceCells) };
}

function raceCells(row: RaceRow, index: number): string[] {
  const { median, low, high } = row.ratio;
  return [
    row.label,
    count(row.entities),
    figure(row.medianMs),
    figure(row.p99Ms),
    figure(row.wallP99Ms ?? row.p99Ms),
    figure(row.nsPerEntityTick),
    count(row.ticks),
    count(row.entered + row.left),
    count(row.updated),
    count(row.relations),
    row.hash,
    index === 0 ? '1' : `${times(median)} (${figure(low)} .. ${figure(high)})`,
  ];
}

function gaugeTable(rows: readonly GaugeRow[]): Table {
  const names = Object.keys(rows[0]?.figures ?? {});
  const hasHash = rows[0]?.hash !== undefined;
  const cells = rows.map(({ label, figures, hash = '' }) => [
    label,
    ...names.map((name) => figure(figures[name] ?? Number.NaN)),
    ...(hasHash ? [hash] : []),
  ]);
  return { headings: ['', ...names, ...(hasHash ? ['hash'] : [])], rows: cells };
}
