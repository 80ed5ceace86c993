/** The totals of a whole run never look better than the run was. */
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { root } from '../run-command.ts';
import { totalOf } from '../totals.ts';

function testReport(passed: number, failed: number, unloadedFiles = 0): string {
  const results = Array.from({ length: failed }, (_, index) => ({
    status: 'failed',
    fullName: `seats are ${index}`,
    failureMessages: ['expected 1 to be 2'],
  }));
  const loaded = {
    name: path.join(root, 'a.test.ts'),
    status: failed === 0 ? 'passed' : 'failed',
    assertionResults: [{ status: 'passed', fullName: 'one' }, ...results],
  };
  const unloaded = {
    name: path.join(root, 'b.test.ts'),
    status: 'failed',
    message: 'no such file',
    assertionResults: [],
  };
  return JSON.stringify({
    numPassedTests: passed,
    numFailedTests: failed,
    testResults: [loaded, ...Array.from({ length: unloadedFiles }, () => unloaded)],
  });
}

/** The passed and failed counts of a step, without the texts of failures. */
function countsOf(step: string, exitCode: number, report: string | undefined): object {
  const { passed, failed } = totalOf(step, exitCode, report);
  return { passed, failed };
}

describe('totals', () => {
  it('are those of the reports', () => {
    expect(countsOf('test', 0, testReport(12, 0))).toEqual({ passed: 12, failed: 0 });
    expect(countsOf('test', 1, testReport(12, 3))).toEqual({ passed: 12, failed: 3 });
    expect(countsOf('test-shared', 1, testReport(12, 3))).toEqual({ passed: 12, failed: 3 });
    expect(countsOf('check', 1, '{"passed":10,"failed":3,"failures":[]}')).toEqual({ passed: 10, failed: 3 });
  });

  it('count a test file that could not be loaded', () => {
    expect(countsOf('test', 1, testReport(12, 0, 2))).toEqual({ passed: 12, failed: 2 });
  });

  it('count a failure where tests have no report', () => {
    expect(countsOf('test-shared', 0, undefined)).toEqual({ passed: 0, failed: 1 });
  });

  it('count a step without a report by its exit code', () => {
    expect(countsOf('bench', 0, undefined)).toEqual({ passed: 1, failed: 0 });
    expect(countsOf('bench', 2, undefined)).toEqual({ passed: 0, failed: 1 });
  });

  it('count one failure where a step failed and reported none', () => {
    expect(countsOf('test', 1, testReport(12, 0))).toEqual({ passed: 12, failed: 1 });
    expect(countsOf('test', 1, undefined)).toEqual({ passed: 0, failed: 1 });
  });

  it('count one failure where nothing ran', () => {
    expect(countsOf('test', 0, testReport(0, 0))).toEqual({ passed: 0, failed: 1 });
    expect(countsOf('check', 0, undefined)).toEqual({ passed: 0, failed: 1 });
    expect(countsOf('test', 0, testReport(12, 0).slice(0, -5))).toEqual({ passed: 0, failed: 1 });
  });

  it('name the failed tests and the reasons', () => {
    expect(totalOf('test', 1, testReport(12, 1, 1)).failures).toEqual([
      'a.test.ts: seats are 0\nexpected 1 to be 2',
      'b.test.ts: could not be loaded\nno such file',
    ]);
    expect(totalOf('check', 1, '{"passed":16,"failed":1,"failures":["types"]}').failures).toEqual(['types']);
    expect(totalOf('bench', 2, undefined).failures).toEqual([
      'bench: exit code 2, and no failure is reported',
    ]);
    expect(totalOf('test', 0, testReport(12, 0)).failures).toEqual([]);
  });

  it('name tests that passed at the second try, and count them as passed', () => {
    const report = JSON.parse(testReport(12, 0));
    report.testResults[0].assertionResults[0].failureMessages = ['expected [] to be [1]'];
    const { passed, failed, unsteady } = totalOf('test', 0, JSON.stringify(report));
    expect({ passed, failed, unsteady }).toEqual({
      passed: 12,
      failed: 0,
      unsteady: ['a.test.ts: one\nexpected [] to be [1]'],
    });
  });
});
