/**
 * A summary table in Markdown from saved results: walkers, a row for each population and kind of report, a column for
 * each engine, and its time relative to ours.
 */
import type { RaceRow } from '../measure/race.ts';
import type { Table } from './case-table.ts';
import { figure, times } from './figures.ts';
import { markdownTable } from './render.ts';
import type { CaseResult, Results } from './results.ts';

const SUITE = 'walkers';
/** It checks the others; no game would choose it. */
const LEFT_OUT = 'brute-force';

/** Markdown; undefined when the results have no walkers. */
export function summary({ machine, cases }: Results): string | undefined {
  const measured = cases.filter(({ suite }) => suite === SUITE);
  const [latest] = measured.toSorted((one, other) => other.date.localeCompare(one.date));
  if (latest === undefined) return undefined;
  const { processor, cores, platform } = machine;
  return [
    markdownTable(summaryTable(measured)),
    `Median milliseconds of a whole tick, every list read; each walker perceives 30 others and all of them move.`,
    `${processor}, ${cores} cores, ${platform}, Node ${latest.node}, ${latest.date}: \`npm run bench -- walkers\`.`,
    '',
  ].join('\n');
}

function summaryTable(cases: readonly CaseResult[]): Table {
  const columns = new Map<string, string>();
  for (const row of cases.flatMap(raceRows)) if (row.engine !== LEFT_OUT) columns.set(row.engine, row.label);
  const rows = cases.map((one) => {
    const byEngine = new Map(raceRows(one).map((row) => [row.engine, row]));
    return [
      rowTitle(one),
      ...[...columns.keys()].map((engine) => cell(byEngine.get(engine), engine === 'umwelt')),
    ];
  });
  return { headings: ['', ...columns.values()], rows };
}

/** The case's name with commas in its population. */
function rowTitle({ name }: CaseResult): string {
  return name.replace(/^\d+/, (digits) => Number(digits).toLocaleString('en-US'));
}

function raceRows({ outcome }: CaseResult): readonly RaceRow[] {
  return outcome.kind === 'race' ? outcome.rows : [];
}

function cell(row: RaceRow | undefined, isOurs: boolean): string {
  if (row === undefined) return 'not run';
  return isOurs ? `**${figure(row.medianMs)}**` : `${figure(row.medianMs)} (${times(row.ratio.median)})`;
}
