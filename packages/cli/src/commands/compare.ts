/**
 * `umwelt compare`: measures all detectors on your data, to find which to use.
 *
 * Every shipped detector runs through the same crowds: generated crowds that grow and get denser, or your own recording,
 * repeated side by side. It prints a table per crowd and finally the advice; on request it also writes the result as JSON and
 * the report as one page. If exact detectors report different things, the exit code is 1, after everything has been written.
 */
import { writeFileSync } from 'node:fs';
import { availableParallelism, cpus } from 'node:os';
import path from 'node:path';
import { optionLines } from '../arguments.ts';
import { adviceFor } from '../compare/advice.ts';
import { Disagreement, disagreements } from '../compare/agreement.ts';
import { type Comparison, readComparison, writeComparison } from '../compare/comparison.ts';
import { type Contender, exactContenders } from '../compare/contender.ts';
import { type ComparisonPlan, crowdDescriptions, crowdPlans } from '../compare/crowd-plan.ts';
import { measure } from '../compare/measure.ts';
import { ProgressLine } from '../compare/progress-line.ts';
import { reportPage } from '../compare/report/page.ts';
import { pictures } from '../compare/report/pictures.ts';
import { Results } from '../compare/results.ts';
import { crowdBlock } from '../compare/terminal-table.ts';
import { bytesOf, naming } from '../faults.ts';
import { untilStopped } from '../stop-signal.ts';
import type { Output, Terminal } from '../terminal.ts';
import type { Command } from './command.ts';
import { COMPARE_OPTIONS, type CompareRequest, type PlanRequest, requestOf } from './compare-options.ts';
import { loadRequested, traceLines } from './trace-options.ts';

const HELP = `umwelt compare: measures every detector on the same crowds, and advises which to use

Usage: umwelt compare [OPTIONS]

${optionLines(COMPARE_OPTIONS)}

Crowds:
${Object.entries(crowdDescriptions)
  .map(([name, description]) => `  ${name.padEnd(12)} ${description}`)
  .join('\n')}

Examples:
  umwelt compare --html report.html                    all detectors, all sizes: some minutes
  umwelt compare --trace people.csv --tile 10 --html report.html
  umwelt compare --trace people.csv --range 25 --no-claims
  umwelt compare --scenario city --entities 500,5000 --detectors sweep,nine-grid --no-claims
  umwelt compare --scenario world --things 300000 --players 100 --no-claims
  umwelt compare --from result.json --html report.html

Ctrl-C stops; results so far stay on the terminal. Exit code 1: exact detectors reported different things.`;

/** @param progress where it reports what is being measured; @param contenders the detectors to compare. */
export function compareCommand(
  progress: Output,
  contenders: readonly Contender[] = exactContenders,
): Command {
  return {
    name: 'compare',
    help: HELP,
    run: (words, terminal) => compare(requestOf(words, contenders), words, terminal, progress),
  };
}

async function compare(
  request: CompareRequest,
  words: readonly string[],
  terminal: Terminal,
  progress: Output,
): Promise<void> {
  const comparison = await comparisonFor(request, words, terminal, progress);
  if (comparison === undefined) return;
  if (request.plan !== undefined) terminal.output.write(`\n${adviceText(comparison)}`);
  write(request, comparison, terminal.output);
  const differences = disagreements(comparison);
  if (differences.length > 0) throw new Disagreement(differences);
}

/** The measured or loaded result; undefined if the run was stopped before there was one. */
async function comparisonFor(
  { from, plan, budgetSeconds }: CompareRequest,
  words: readonly string[],
  terminal: Terminal,
  progress: Output,
): Promise<Comparison | undefined> {
  if (from !== undefined) return readComparison(bytesOf(from).toString(), from);
  const asked = plan as PlanRequest;
  // First of all, so that an unreadable recording is reported at once.
  const ready = await untilStopped(readyPlan(asked, terminal.output), terminal.stop);
  if (ready === undefined) return undefined;
  return measured(ready, budgetSeconds, words, terminal, progress);
}

/** The plan with its recording, if any, read and described. */
async function readyPlan(plan: PlanRequest, output: Output): Promise<ComparisonPlan> {
  const { source } = plan;
  if (!('trace' in source)) return { ...plan, source };
  const trace = await loadRequested(source.trace);
  output.write(`${traceLines(trace, source.trace).join('\n')}\n\n`);
  const { range, playbackSpeed } = source.trace;
  return { ...plan, source: { trace, tiles: source.tiles, range, playbackSpeed } };
}

async function measured(
  plan: ComparisonPlan,
  budgetSeconds: number,
  words: readonly string[],
  { output, clock, stop }: Terminal,
  progress: Output,
): Promise<Comparison | undefined> {
  const line = new ProgressLine(progress, clock);
  const { crowds, rows } = await measure(crowdPlans(plan), {
    clock,
    budgetSeconds,
    isWarm: !plan.isSmoke,
    stop,
    onProgress: (state) => line.show(state),
    onCrowd: (crowd, crowdRows) => {
      line.clear();
      output.write(`${crowdBlock(crowd, crowdRows)}\n`);
    },
  }).finally(() => line.clear());
  if (stop.aborted) {
    output.write('stopped before all was measured: no report\n');
    return undefined;
  }
  const comparison = {
    machine: {
      processor: processorName(),
      cores: availableParallelism(),
      runtime: `Node ${process.versions.node}`,
    },
    date: new Date().toISOString().slice(0, 10),
    command: ['umwelt compare', ...words].join(' '),
    budgetSeconds,
    isSmoke: plan.isSmoke,
    crowds,
    rows,
  };
  // Exactly as stored, so that a report made from the file later is identical.
  return readComparison(writeComparison(comparison), 'the result');
}

function processorName(): string {
  return (cpus()[0]?.model ?? 'unknown processor').replace(/\s+/gu, ' ').trim();
}

function adviceText(comparison: Comparison): string {
  const { headline, reasons } = adviceFor(new Results(comparison));
  return [headline, ...reasons].map((text) => `${text}\n`).join('');
}

function write(
  { json, html, pictures: folder }: CompareRequest,
  comparison: Comparison,
  output: Output,
): void {
  const written: string[] = [];
  const put = (file: string, text: string) => {
    naming(file, () => writeFileSync(file, text));
    written.push(file);
  };
  if (json !== undefined) put(json, writeComparison(comparison));
  if (html !== undefined) put(html, reportPage(comparison));
  if (folder !== undefined) {
    for (const { name, svg } of pictures(comparison)) put(path.join(folder, `${name}.svg`), svg);
  }
  for (const file of written) output.write(`wrote ${file}\n`);
}
