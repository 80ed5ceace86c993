/**
 * Measures one case in a process of its own and sends the outcome to the one that started it.
 *
 * So no case inherits another's compiled code, heap or garbage. The case is found by suite and name, since what
 * describes it cannot be sent. Lines of progress go to stderr.
 */
import { fullPace, smokePace } from './measure/pace.ts';
import { runRace } from './measure/race.ts';
import { type Choice, chosenCase } from './suites/suite.ts';
import { suiteList } from './suites/suite-list.ts';

/** The first argument, as JSON. */
export interface CaseRequest {
  readonly suite: string;
  readonly name: string;
  readonly choice: Choice;
  readonly budgetSeconds: number;
}

const { suite, name, choice, budgetSeconds } = JSON.parse(process.argv[2] ?? '') as CaseRequest;
const found = suiteList
  .find((one) => one.name === suite)
  ?.cases(choice)
  .find((one) => one.name === name);
if (found === undefined) throw new Error(`no case '${name}' in suite '${suite}'`);
const benchCase = chosenCase(found, choice);
const tell = (line: string): void => void process.stderr.write(`  ${line}\n`);
const pace = choice.smoke ? smokePace(budgetSeconds) : fullPace(budgetSeconds);
const outcome = benchCase.kind === 'race' ? runRace(benchCase, pace, tell) : benchCase.measure(tell);
process.send?.({ kind: benchCase.kind, ...outcome });
