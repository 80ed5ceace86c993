/**
 * `npm run bench`: measures engines side by side on seeded worlds, and checks that they report the same.
 *
 * Progress goes to stderr, tables to stdout. The last line is `N passed, N failed`, counted by case. A case fails if two
 * engines report differently in any tick that both did, if memory that must stay constant grows, or if its process
 * breaks. A case never fails because of a time, unless --fail-above is given. See docs/benchmarks.md for the method.
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { type BenchPlan, helpText, readArguments } from './arguments.ts';
import { CaseRunner } from './case-runner.ts';
import { Mistake } from './mistake.ts';
import { caseNotes, caseTable } from './report/case-table.ts';
import { type Change, changesSince, comparisonTable, slowdowns } from './report/comparison.ts';
import { times } from './report/figures.ts';
import { GOALS_SUITE, goalsPage, measuredGoals } from './report/goals-page.ts';
import { thisMachine } from './report/machine.ts';
import { TOLD_MACHINE, withFigures } from './report/readme-figures.ts';
import { markdownTable, terminalTable } from './report/render.ts';
import { type CaseResult, mergedResults, type Results, readResults, writeResults } from './report/results.ts';
import { resultsPage } from './report/results-page.ts';
import { summary } from './report/summary.ts';

const RESULTS_FOLDER = path.join(import.meta.dirname, 'results');
const GOALS_PAGE = path.join(import.meta.dirname, '..', 'docs', 'speed.md');
const README = path.join(import.meta.dirname, '..', 'README.md');

async function main(words: readonly string[]): Promise<number> {
  const plan = readArguments(words, new Date().toISOString().slice(0, 10));
  if (plan.help) print(helpText());
  else if (plan.table) printSaved(plan);
  else return measure(plan);
  return 0;
}

async function measure(plan: BenchPlan): Promise<number> {
  const cases: CaseResult[] = [];
  const earlier = plan.compareFile === undefined ? undefined : savedResults(plan.compareFile);
  // Before an hour of work, in case the results cannot be written.
  keep(plan, resultsOf(cases));
  const runner = new CaseRunner({ isSmoke: plan.choice.smoke });
  for (const suite of plan.suites) {
    for (const { name } of suite.cases(plan.choice)) {
      if (!name.includes(plan.casePart)) continue;
      process.stderr.write(`${suite.name}: ${name}\n`);
      const { choice, budgetSeconds, date } = plan;
      const outcome = await runner.run({ suite: suite.name, name, choice, budgetSeconds });
      const result: CaseResult = { suite: suite.name, name, date, node: process.version, outcome };
      cases.push(result);
      const notes = caseNotes(result).map((note) => `${note}\n`);
      print(`\n${suite.name}: ${name}\n\n${terminalTable(caseTable(result))}${notes.join('')}`);
      // After each case, so that an interrupted run keeps its results.
      keep(plan, resultsOf(cases));
    }
  }
  runner.end();
  if (cases.length === 0) throw new Mistake(`no case has '${plan.casePart}' in its name`);
  if (!plan.choice.smoke) judge(plan, cases);
  const slower = earlier === undefined ? 0 : compare(plan, changesSince(earlier, resultsOf(cases)));
  const failed = cases.filter(({ outcome }) => outcome.problems.length > 0).length;
  print(`\n${cases.length - failed} passed, ${failed} failed\n`);
  return failed === 0 && slower === 0 ? 0 : 1;
}

function resultsOf(cases: readonly CaseResult[]): Results {
  return { version: 1, machine: thisMachine(), cases };
}

/** Prints which goals were reached; when results are saved, also writes the goals' page and the README's figures. */
function judge({ save }: BenchPlan, cases: readonly CaseResult[]): void {
  if (!cases.some(({ suite }) => suite === GOALS_SUITE)) return;
  print(`\n${terminalTable(measuredGoals(cases))}`);
  const saved = save ? readResults(machineFile()) : undefined;
  if (saved === undefined) return;
  writeFileSync(GOALS_PAGE, goalsPage(saved));
  if (saved.machine.name === TOLD_MACHINE)
    writeFileSync(README, withFigures(readFileSync(README, 'utf8'), saved));
}

/** The number of cases that became slower than is allowed. */
function compare({ compareFile, failAbove }: BenchPlan, changes: readonly Change[]): number {
  print(`\ncompared with ${compareFile}\n\n${terminalTable(comparisonTable(changes))}`);
  const slower = slowdowns(changes);
  for (const { suite, caseName, label, ratio } of slower) {
    print(`SLOWER: ${suite}: ${caseName}: ${label}: ${times(ratio)}\n`);
  }
  if (slower.length === 0) print('nothing became slower beyond noise\n');
  return slower.filter(({ ratio }) => ratio > failAbove).length;
}

function keep({ jsonFile, htmlFile, save, choice }: BenchPlan, results: Results): void {
  if (jsonFile !== undefined) writeResults(jsonFile, results);
  if (htmlFile !== undefined) writeFileSync(htmlFile, resultsPage(results, choice.smoke));
  if (save) writeResults(machineFile(), mergedResults(readResults(machineFile()), results));
}

function machineFile(): string {
  return path.join(RESULTS_FOLDER, `${thisMachine().name}.json`);
}

function savedResults(file: string): Results {
  const results = readResults(file);
  if (results === undefined) throw new Mistake(`no such file: '${file}'`);
  return results;
}

function printSaved({ jsonFile, suites, isNamed }: BenchPlan): void {
  const saved = (jsonFile === undefined ? savedFiles() : [jsonFile]).map(savedResults);
  for (const results of saved) {
    if (!isNamed) {
      print(summary(results) ?? '');
      continue;
    }
    for (const result of results.cases.filter((one) => suites.some(({ name }) => name === one.suite))) {
      const notes = caseNotes(result).map((note) => `- ${note}\n`);
      print(
        `### ${result.suite}: ${result.name}\n\n${markdownTable(caseTable(result))}\n${notes.join('')}\n`,
      );
    }
  }
}

function savedFiles(): string[] {
  const names = readdirSync(RESULTS_FOLDER).filter((name) => name.endsWith('.json'));
  return names.map((name) => path.join(RESULTS_FOLDER, name));
}

function print(text: string): void {
  process.stdout.write(text);
}

/** The one-line message for a mistake of the user; undefined for a fault of the program. */
function mistakeLine(error: unknown): string | undefined {
  if (error instanceof Mistake) return error.message;
  const isSystemError = error instanceof Error && 'syscall' in error;
  return isSystemError ? error.message : undefined;
}

try {
  process.exitCode = await main(process.argv.slice(2));
} catch (error) {
  const line = mistakeLine(error);
  if (line === undefined) throw error;
  process.stderr.write(`bench: ${line}\n`);
  process.exitCode = 2;
}
