/**
 * What one step of a whole run counts as passed and failed.
 *
 * Tests are counted from the test runner's own report, checks from theirs; any other step counts as one by its exit
 * code. A total must not look better than the run was, so a step that failed without counting a failure counts one,
 * and so does one whose report is missing or in which nothing ran.
 */

export interface Total {
  readonly passed: number;
  readonly failed: number;
}

/** The part of vitest's JSON report that is read. */
interface TestReport {
  readonly numPassedTests: number;
  readonly numFailedTests: number;
  readonly testResults: readonly { readonly status: string; readonly assertionResults: readonly unknown[] }[];
}

/** `report` is the text of the step's report, where there is one. */
export function totalOf(step: string, exitCode: number, report: string | undefined): Total {
  const { passed, failed } = counted(step, exitCode, report);
  const unexplained = failed === 0 && (exitCode !== 0 || passed === 0);
  return { passed, failed: unexplained ? 1 : failed };
}

function counted(step: string, exitCode: number, report: string | undefined): Total {
  if (step !== 'test' && step !== 'check') return { passed: exitCode === 0 ? 1 : 0, failed: 0 };
  const read = report === undefined ? undefined : readReport(report);
  if (read === undefined) return { passed: 0, failed: 0 };
  if (step === 'check') return read as Total;
  const { numPassedTests, numFailedTests, testResults } = read as TestReport;
  // A file that could not even be loaded has no tests in it, and is a failure all the same.
  const unloaded = testResults.filter(
    (file) => file.status === 'failed' && file.assertionResults.length === 0,
  );
  return { passed: numPassedTests, failed: numFailedTests + unloaded.length };
}

/** A step that was killed may leave half a report: that is none. */
function readReport(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
