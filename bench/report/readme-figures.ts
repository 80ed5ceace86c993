/**
 * The figures of the README, from the saved run that docs/speed.md is made from, with its machine and its day.
 *
 * They stand between two marks and are written when goals are saved on that machine; a test holds the README to the file.
 * The peer that a good programmer would write comes first, then the usual one. Where the run of the goals has no row of it
 * yet, its row is that of the suite `walkers`, with its day and what ours took then.
 */

import { kdbush, kdbushKept } from '../engines/kdbush.ts';
import { native, native128 } from '../engines/native.ts';
import { umwelt } from '../engines/umwelt.ts';
import { CASE_NAMES } from '../goals/goal-cases.ts';
import type { RaceRow } from '../measure/race.ts';
import { figure, times } from './figures.ts';
import { GOALS_SUITE } from './goals-page.ts';
import type { CaseResult, Results } from './results.ts';

/** Name of the machine whose figures are told. */
export const TOLD_MACHINE = 'intel-xeon-processor-2-cores';
const BEGIN = '<!-- figures: written by `npm run bench -- goals --save` -->';
const END = '<!-- end of figures -->';
const WALKERS_CASE = '100000 walkers, entered and left';

/** The README with the figures of `results` in the place of those it has. Throws where the marks are not there. */
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
    keptLine(results, peers),
    ...[kdbush, native, native128].map(({ title }) => lineOf(rowOf(peers, title))),
  ];
  const change = caseOf(goals, CASE_NAMES.change);
  const [, few, nobody] = racesRows(change);
  const [one, two] = racesRows(caseOf(goals, CASE_NAMES.threads));
  const { processor, cores } = results.machine;
  return `
| 100,000 walkers, entered and left | ms a tick | times ours |
| --- | ---: | ---: |
${lines.join('\n')}

A million walkers take ${figure(one!.medianMs)} ms on one thread and ${figure(two!.medianMs)} on two. Where few move, cost follows change: with 1 % of the million moving a
tick takes ${figure(few!.ratio.median * 100)} % of one with everybody moving, with nobody ${figure(nobody!.ratio.median * 100)} %. ${processor}, ${cores} cores, Node ${peers.node.slice(1)}, ${peers.date}:
\`npm run bench -- goals\`.

`;
}

/** The fair peer's: of the same run where that has it. */
function keptLine(results: Results, peers: CaseResult): string {
  const here = racesRows(peers).find(({ label }) => label === kdbushKept.title);
  if (here !== undefined) return lineOf(here);
  const walkers = results.cases.find(({ suite, name }) => suite === 'walkers' && name === WALKERS_CASE);
  if (walkers === undefined) throw new Error(`no case '${WALKERS_CASE}' was saved`);
  const { medianMs, ratio } = rowOf(walkers, kdbushKept.title);
  const beside = figure(rowOf(walkers, umwelt.title).medianMs);
  return `| ${kdbushKept.title}, on ${walkers.date} beside ${beside} of ours | ${figure(medianMs)} | ${times(ratio.median)} |`;
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
