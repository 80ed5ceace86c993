/**
 * The figures of the README, from the saved run that docs/speed.md is made from, with its machine and its day.
 *
 * They lie between two marks and are written when goals are saved on that machine; a test compares the README with the saved
 * file. The tuned peer comes first, then the usual one.
 */
import { kdbush, kdbushKept } from '../engines/kdbush.ts';
import { native, native128 } from '../engines/native.ts';
import { umwelt } from '../engines/umwelt.ts';
import { CASE_NAMES } from '../goals/goal-cases.ts';
import type { RaceRow } from '../measure/race.ts';
import { figure, times } from './figures.ts';
import { GOALS_SUITE } from './goals-page.ts';
import type { CaseResult, Results } from './results.ts';

/** Name of the machine whose figures the README shows. */
export const TOLD_MACHINE = 'amd-epyc-2-cores';
const BEGIN = '<!-- figures: written by `npm run bench -- goals --save` -->';
const END = '<!-- end of figures -->';

/** The README with its figures replaced by those of `results`. Throws if the marks are missing. */
export function withFigures(readme: string, results: Results): string {
  const begin = readme.indexOf(BEGIN);
  const end = readme.indexOf(END);
  if (begin < 0 || end < begin) throw new Error(`README.md has no '${BEGIN}' followed by '${END}'`);
  return `${readme.slice(0, begin)}${BEGIN}\n${readmeFigures(results)}${readme.slice(end)}`;
}

/** The block between the marks. */
export function readmeFigures(results: Results): string {
  const goals = results.cases.filter(({ suite }) => suite === GOALS_SUITE);
  const peers = caseOf(goals, CASE_NAMES.peers);
  const own = rowOf(peers, umwelt.title);
  const lines = [
    `| umwelt | **${figure(own.medianMs)}** | |`,
    ...[kdbushKept, kdbush, native, native128].map(({ title }) => lineOf(rowOf(peers, title))),
  ];
  const change = caseOf(goals, CASE_NAMES.change);
  const [, few, nobody] = racesRows(change);
  const [one, two] = racesRows(caseOf(goals, CASE_NAMES.threads));
  const { processor, cores } = results.machine;
  return `
| 100,000 walkers, entered and left | ms a tick | time relative to umwelt |
| --- | ---: | ---: |
${lines.join('\n')}

A million walkers take ${figure(one!.medianMs)} ms a tick on one thread and ${figure(two!.medianMs)} ms on two. The cost depends on how many entities move: a tick in
which 1 % of the million move takes ${figure(few!.ratio.median * 100)} % of a tick in which all move; if none move, it takes ${figure(nobody!.ratio.median * 100)} %.
Measured by \`npm run bench -- goals\` on ${processor}, ${cores} cores, Node ${peers.node.slice(1)}, ${peers.date}.

`;
}

function lineOf({ label, medianMs, ratio }: RaceRow): string {
  return `| ${label} | ${figure(medianMs)} | ${times(ratio.median)} |`;
}

function caseOf(cases: readonly CaseResult[], name: string): CaseResult {
  const found = cases.find((one) => one.name === name);
  if (found === undefined) throw new Error(`no case '${name}' was saved`);
  return found;
}

function racesRows({ outcome, name }: CaseResult): readonly RaceRow[] {
  if (outcome.kind !== 'race') throw new Error(`'${name}' is no race`);
  return outcome.rows;
}

function rowOf(result: CaseResult, label: string): RaceRow {
  const found = racesRows(result).find((row) => row.label === label);
  if (found === undefined) throw new Error(`'${result.name}' has no row '${label}'`);
  return found;
}
