/**
 * Measures cases in a process of its own and sends each outcome to the parent process.
 *
 * A full run starts a process for each case, so that no case inherits another's compiled code, heap or garbage. A smoke
 * run uses one process for all cases. A case is found by suite and name, because the closures that describe it cannot be
 * sent. Progress goes to stderr.
 */
import { fullPace, smokePace } from './measure/pace.ts';
import { runRace } from './measure/race.ts';
import type { CaseOutcome } from './report/results.ts';
import { type Choice, chosenCase } from './suites/suite.ts';
import { suiteList } from './suites/suite-list.ts';

/** A message to this process; the process answers with the outcome. */
export interface CaseRequest {
  readonly suite: string;
  readonly name: string;
  readonly choice: Choice;
  readonly budgetSeconds: number;
}

// Ends anything that an engine has left running.
process.on('disconnect', () => process.exit());
process.on('message', async (message) => void process.send?.(await outcomeOf(message as CaseRequest)));

async function outcomeOf({ suite, name, choice, budgetSeconds }: CaseRequest): Promise<CaseOutcome> {
  const found = suiteList
    .find((one) => one.name === suite)
    ?.cases(choice)
    .find((one) => one.name === name);
  if (found === undefined) throw new Error(`no case '${name}' in suite '${suite}'`);
  const benchCase = chosenCase(found, choice);
  const tell = (line: string): void => void process.stderr.write(`  ${line}\n`);
  if (benchCase.kind === 'gauge') return { kind: 'gauge', ...(await benchCase.measure(tell)) };
  const pace = choice.smoke ? smokePace(budgetSeconds) : fullPace(budgetSeconds);
  return { kind: 'race', ...runRace(benchCase, pace, tell) };
}
