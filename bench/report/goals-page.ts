/**
 * The report on the goals, `docs/speed.md`: the measured, the required and the target figure, the verdict, and the command that
 * measures it again. Goals that miss their target are listed with the factor and the known reason.
 */
import { type Goal, type Unit, type Verdict, verdictOn, worstOf } from '../goals/goal.ts';
import { goalList } from '../goals/goal-list.ts';
import { caseNotes, caseTable, type Table } from './case-table.ts';
import { figure } from './figures.ts';
import { markdownTable } from './render.ts';
import type { CaseResult, Results } from './results.ts';

export const GOALS_SUITE = 'goals';
const NOT_MEASURED = '-';

interface Judged {
  readonly goal: Goal;
  readonly measured: number;
  readonly verdict: Verdict;
}

function judged(cases: readonly CaseResult[]): Judged[] {
  return goalList.map((goal) => {
    const measured = worstOf(
      goal,
      (caseName) => cases.find(({ suite, name }) => suite === GOALS_SUITE && name === caseName)?.outcome,
    );
    return { goal, measured, verdict: verdictOn(goal, measured) };
  });
}

/** A row for each goal that was measured. */
export function measuredGoals(cases: readonly CaseResult[]): Table {
  const { headings, rows } = goalsTable(cases);
  return { headings, rows: rows.filter(([, measured]) => measured !== NOT_MEASURED) };
}

/** A row for each goal. */
function goalsTable(cases: readonly CaseResult[]): Table {
  const rows = judged(cases).map(({ goal, measured, verdict }) => [
    goal.title,
    inUnit(measured, goal.unit),
    inUnit(goal.must, goal.unit),
    inUnit(goal.aim, goal.unit),
    verdict,
  ]);
  return { headings: ['goal', 'measured', 'required', 'target', ''], rows };
}

/** `docs/speed.md`. */
export function goalsPage({ machine, cases }: Results): string {
  const measured = cases.filter(({ suite }) => suite === GOALS_SUITE);
  const all = judged(measured);
  const count = (verdict: Verdict): number => all.filter((one) => one.verdict === verdict).length;
  const reached = count('target met') + count('required met');
  const days = [...new Set(measured.map(({ date }) => date))].sort();
  const { processor, cores, memoryGiB, platform } = machine;
  return `# Speed: required and measured

<!-- Written by \`npm run bench -- goals --save\`: change bench/goals or bench/report/goals-page.ts instead. -->

${reached} of ${all.length} figures reach what is required, ${count('target met')} of them their target; ${count('missed')} missed, ${count('not measured')} not measured.
${processor}, ${cores} cores, ${memoryGiB} GiB, ${platform}, Node ${measured.at(-1)?.node ?? 'unknown'}, ${days.join(' and ')}.

\`\`\`
npm run bench -- goals --save                  measures all of it again, in about twenty minutes, and writes this page
npm run bench -- goals --case "two threads"    one case: any part of the name above its table below
\`\`\`

Each figure is about whole ticks through the public interface: \`moveMany\`, \`tick\`, and every list of the report read. Figures in
\`x\` and \`%\` are ratios of neighbouring turns of one run, the median of up to a hundred. [Benchmarks](benchmarks.md) says how they are
measured, and [Speed of the sweep](internals/speed.md) how the engine reaches them.

${markdownTable(withCommands(goalsTable(measured)))}
${shortfalls(all)}## The cases

${measured.map(caseSection).join('\n')}`;
}

/** Adds the command that measures each goal again. */
function withCommands({ headings, rows }: Table): Table {
  return {
    headings: [...headings, '`npm run bench -- goals --case`'],
    rows: rows.map((cells, i) => [...cells, `\`'${goalList[i]?.caseName}'\``]),
  };
}

function shortfalls(all: readonly Judged[]): string {
  const short = all.filter(({ verdict }) => verdict !== 'target met');
  if (short.length === 0) return '';
  const lines = short.map(({ goal, measured, verdict }) => {
    const why = goal.inTheWay === undefined ? '' : ` ${goal.inTheWay}`;
    return `- **${goal.title}**: ${distance(goal, measured, verdict)}.${why}\n`;
  });
  return `## What misses its target, by how much and why\n\n${lines.join('')}\n`;
}

function distance({ must, aim, unit }: Goal, measured: number, verdict: Verdict): string {
  if (verdict === 'not measured') return 'not measured';
  const from = (figureWanted: number): string => {
    if (figureWanted === 0) return `${inUnit(measured, unit)} but must be 0`;
    const factor = Math.max(measured / figureWanted, figureWanted / measured);
    return `${inUnit(measured, unit)} in place of ${inUnit(figureWanted, unit)}, a factor of ${figure(factor)}`;
  };
  if (verdict === 'missed')
    return `required figure missed: ${from(must)}; the target is ${inUnit(aim, unit)}`;
  return `required figure met, target missed: ${from(aim)}`;
}

function caseSection(result: CaseResult): string {
  const notes = caseNotes(result).map((note) => `- ${note}\n`);
  return `### ${result.name}\n\n${markdownTable(caseTable(result))}\n${notes.join('')}`;
}

function inUnit(value: number, unit: Unit): string {
  if (!Number.isFinite(value)) return NOT_MEASURED;
  if (unit === '%') return `${figure(value * 100)} %`;
  return `${figure(value)} ${unit}`;
}
