/**
 * The suite that every detector must pass, shipped ones and a user's own.
 *
 * Problem: several algorithms promise the same report. Method: a list of named cases that throw if the promise is
 * broken: hand-written ones by rule, tiny worlds exhaustively, and random scripts of fixed seeds compared with the
 * model (some with short-lived entities, through thousands of slots) and, larger, with brute force. It does not
 * depend on a test runner: loop over it with your own.
 *
 *   for (const { name, run } of detectorSuite(myDetector)) test(name, run);
 *
 * Cost: some 12 seconds for a detector that is fast on small worlds.
 */
import { badOption, isRecord, rejectUnknownKeys } from '../errors.ts';
import { type DetectorFactory, type DetectorName, World, type WorldOptions } from '../index.ts';
import { arrangementCases } from './cases/arrangements.ts';
import { attachmentCases } from './cases/attachments.ts';
import { conditionCases } from './cases/conditions.ts';
import { extremeCases } from './cases/extremes.ts';
import { companyCases } from './cases/interest/company.ts';
import { budgetCases } from './cases/interest/enter-budget.ts';
import { failingCases } from './cases/interest/failing.ts';
import { groupCases } from './cases/interest/groups.ts';
import { limitCases } from './cases/interest/limits.ts';
import { lingerCases } from './cases/interest/linger.ts';
import { marginCases } from './cases/interest/margin.ts';
import { memoryCases } from './cases/interest/memory.ts';
import { quotaCases } from './cases/interest/quotas.ts';
import { changeCases, rateCases } from './cases/interest/rates.ts';
import { restCases } from './cases/interest/rest.ts';
import { seatCases } from './cases/interest/seats.ts';
import { teleportCases } from './cases/interest/teleports.ts';
import { tieCases } from './cases/interest/ties.ts';
import { volatileCases } from './cases/interest/volatile.ts';
import { watchedCases } from './cases/interest/watched.ts';
import { perceptionCases } from './cases/perception.ts';
import { queryCases } from './cases/queries.ts';
import { tickCases } from './cases/ticks.ts';
import type { HandWrittenCase } from './expectation.ts';
import { runScript, type Trial } from './run-script.ts';
import { createScript } from './script.ts';
import type { ScriptSize } from './script-size.ts';
import { findText, shrinkScript } from './shrink-script.ts';

/** A case that passes by returning and fails by throwing. */
export interface ConformanceCase {
  /** The fact that holds if it passes. */
  readonly name: string;
  /** Returns, or throws an error that says what is wrong. */
  run(): void;
}

/** Options of `detectorSuite`. */
export interface SuiteOptions {
  /** Overrides the options of every world, e.g. which kernels run. Default: none. */
  readonly options?: Omit<WorldOptions, 'detector'>;
  /** Number of random scripts compared with the model, in cases of 50. Default 250. */
  readonly scripts?: number;
  /** Seed of the first script; the following scripts use the next numbers. Default 1. */
  readonly seed?: number;
}

/** The hand-written cases about rules on top of perception. */
export const interestCases: readonly HandWrittenCase[] = [
  ...marginCases,
  ...seatCases,
  ...memoryCases,
  ...tieCases,
  ...companyCases,
  ...rateCases,
  ...changeCases,
  ...failingCases,
  ...volatileCases,
  ...groupCases,
  ...quotaCases,
  ...budgetCases,
  ...watchedCases,
  ...restCases,
  ...lingerCases,
  ...limitCases,
  ...teleportCases,
];

/** Every hand-written case; each runs on a world of any detector or on the model. */
export const handWrittenCases: readonly HandWrittenCase[] = [
  ...perceptionCases,
  ...conditionCases,
  ...tickCases,
  ...extremeCases,
  ...arrangementCases,
  ...attachmentCases,
  ...interestCases,
];

const SCRIPTS_A_CASE = 50;
const SMALL: ScriptSize = { operations: 200, entities: 12 };
const SMALL_WITH_INTERESTS: ScriptSize = { ...SMALL, interests: true };
/** With and without rules on top of perception. */
const SMALL_WITH_ATTACHMENTS: ScriptSize = { ...SMALL, attachments: true };
const ATTACHMENT_SCRIPTS = 20;
const SMALL_TOGETHER: ScriptSize = { ...SMALL, together: true };
const TOGETHER_SCRIPTS = 20;
const LARGE: ScriptSize = { operations: 600, entities: 300 };
const LARGE_SCRIPTS = 8;
/** Some five hundred ticks each, in which three thousand slots are handed out, and columns shrink and grow. */
const SHORT_LIVED: ScriptSize = { operations: 2000, entities: 12, turnover: true };
const SHORT_LIVED_WITH_INTERESTS: ScriptSize = { ...SHORT_LIVED, interests: true };
const SHORT_LIVED_SCRIPTS = 3;

const OPTION_NAMES: ReadonlySet<string> = new Set(['options', 'scripts', 'seed']);

/**
 * The cases for one detector: every one of them must return. Nothing runs until a case is run. Throws `BAD_OPTION`
 * for unknown options.
 */
export function detectorSuite(
  detector: DetectorName | DetectorFactory,
  suiteOptions: SuiteOptions = {},
): ConformanceCase[] {
  if (!isRecord(suiteOptions)) throw badOption('options', suiteOptions, 'an object of SuiteOptions');
  rejectUnknownKeys(suiteOptions, OPTION_NAMES, 'SuiteOptions');
  const { options = {}, scripts = 250, seed = 1 } = suiteOptions;
  const create = (own: WorldOptions = {}) => new World({ ...own, ...options, detector });
  const cases: ConformanceCase[] = [...handWrittenCases, ...queryCases].map(({ name, run }) => ({
    name,
    run: () => run(create),
  }));
  for (let first = seed; first < seed + scripts; first += SCRIPTS_A_CASE) {
    const count = Math.min(SCRIPTS_A_CASE, seed + scripts - first);
    cases.push({
      name: `random scripts ${first} to ${first + count - 1} report what the model reports`,
      run: () => void runSeeds(first, count, SMALL, { detector, options }),
    });
  }
  cases.push({
    name: `random scripts with interests from ${seed} report what the model reports`,
    run: () => void runSeeds(seed, SCRIPTS_A_CASE, SMALL_WITH_INTERESTS, { detector, options }),
  });
  for (const interests of [false, true]) {
    const size = { ...SMALL_WITH_ATTACHMENTS, interests };
    cases.push({
      name: `random scripts with attachments${interests ? ' and interests' : ''} from ${seed} report what the model reports`,
      run: () => void runSeeds(seed, ATTACHMENT_SCRIPTS, size, { detector, options }),
    });
  }
  cases.push({
    name: `random scripts in which all is in use at once from ${seed} report what the model reports`,
    run: () => void runSeeds(seed, TOGETHER_SCRIPTS, SMALL_TOGETHER, { detector, options }),
  });
  cases.push({
    name: `random scripts of short lives from ${seed} report what the model reports`,
    run: () => void runSeeds(seed, SHORT_LIVED_SCRIPTS, SHORT_LIVED, { detector, options }),
  });
  cases.push({
    name: `random scripts of short lives with interests from ${seed} report what the model reports`,
    run: () => void runSeeds(seed, SHORT_LIVED_SCRIPTS, SHORT_LIVED_WITH_INTERESTS, { detector, options }),
  });
  cases.push({
    name: `larger random scripts from ${seed} report what brute force reports`,
    run: () => void runSeeds(seed, LARGE_SCRIPTS, LARGE, { detector, options, against: 'brute-force' }),
  });
  return cases;
}

/**
 * Runs `count` scripts of consecutive seeds. Throws at the first failure, with the seed, the shrunk script and the
 * first difference as its message; otherwise returns the number of operations.
 */
export function runSeeds(first: number, count: number, size: ScriptSize, trial: Trial): number {
  let operations = 0;
  for (let seed = first; seed < first + count; seed++) {
    const script = createScript(seed, size);
    operations += script.operations.length;
    if (runScript(script, trial) === undefined) continue;
    const find = shrinkScript(script, trial);
    const call = `createScript(${seed}, ${JSON.stringify(size)})`;
    throw new Error(find === undefined ? `${call} failed once, then passed` : `${call}\n${findText(find)}`);
  }
  return operations;
}
