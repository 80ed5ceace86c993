/**
 * The counts of one step of a whole run, passed and failed, and the text of each failure.
 *
 * Tests, the steps `test` and `test-NAME`, are counted from the test runner's report, checks from theirs; any other step counts
 * as one by its exit code. A total must not look better than the run was. So a step that failed without counting a failure
 * counts one, and so does a step whose report is missing or in which nothing ran.
 */
import path from 'node:path';
import { root } from './run-command.ts';

export interface Total {
  readonly passed: number;
  readonly failed: number;
  /** The failures with their reasons, a text for each; empty for a step that does not name failures. */
  readonly failures: readonly string[];
  /** The tests that passed only at the second try, and why the first failed. */
  readonly unsteady: readonly string[];
}

/** The part of vitest's JSON report that is read. */
interface TestReport {
  readonly numPassedTests: number;
  readonly numFailedTests: number;
  readonly testResults: readonly TestFile[];
}

interface TestFile {
  readonly name: string;
  readonly status: string;
  readonly message?: string;
  readonly assertionResults: readonly TestResult[];
}

interface TestResult {
  readonly status: string;
  readonly fullName: string;
  readonly failureMessages?: readonly string[];
}

/** A failure's message can contain whole reports; its start says what is wrong. */
const MAX_MESSAGE_LENGTH = 1_500;

/** `report` is the text of the step's report, if there is one. */
export function totalOf(step: string, exitCode: number, report: string | undefined): Total {
  const total = counted(step, exitCode, report);
  if (total.failed > 0 || (exitCode === 0 && total.passed > 0)) return total;
  return { ...total, failed: 1, failures: [`${step}: exit code ${exitCode}, and no failure is reported`] };
}

function counted(step: string, exitCode: number, report: string | undefined): Total {
  const none: Total = { passed: 0, failed: 0, failures: [], unsteady: [] };
  const isTest = step === 'test' || step.startsWith('test-');
  if (!isTest && step !== 'check') return { ...none, passed: exitCode === 0 ? 1 : 0 };
  const read = report === undefined ? undefined : readReport(report);
  if (read === undefined) return none;
  if (step === 'check') return { ...none, ...(read as Partial<Total>) };
  const { numPassedTests, numFailedTests, testResults } = read as TestReport;
  // A file that could not be loaded has no tests, but is a failure.
  const unloaded = testResults.filter(
    (file) => file.status === 'failed' && file.assertionResults.length === 0,
  );
  const named = (isMeant: (result: TestResult) => boolean) =>
    testResults.flatMap((file) =>
      file.assertionResults
        .filter(isMeant)
        .map((result) => told(file.name, result.fullName, (result.failureMessages ?? []).join('\n'))),
    );
  const failures = [
    ...named(({ status }) => status === 'failed'),
    ...unloaded.map((file) => told(file.name, 'could not be loaded', file.message ?? '')),
  ];
  const unsteady = named(({ status, failureMessages }) => status === 'passed' && !!failureMessages?.length);
  return { passed: numPassedTests, failed: numFailedTests + unloaded.length, failures, unsteady };
}

function told(file: string, what: string, why: string): string {
  return `${path.relative(root, file)}: ${what}\n${why.slice(0, MAX_MESSAGE_LENGTH)}`;
}

/** A killed step may leave half a report, which counts as none. */
function readReport(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
