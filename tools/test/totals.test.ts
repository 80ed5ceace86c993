/** The totals of a whole run never look better than the run was. */
import { describe, expect, it } from 'vitest';
import { totalOf } from '../totals.ts';

function testReport(passed: number, failed: number, unloadedFiles = 0): string {
  const loaded = { status: failed === 0 ? 'passed' : 'failed', assertionResults: ['one'] };
  const unloaded = { status: 'failed', assertionResults: [] };
  return JSON.stringify({
    numPassedTests: passed,
    numFailedTests: failed,
    testResults: [loaded, ...Array.from({ length: unloadedFiles }, () => unloaded)],
  });
}

describe('totals', () => {
  it('are those of the reports', () => {
    expect(totalOf('test', 0, testReport(12, 0))).toEqual({ passed: 12, failed: 0 });
    expect(totalOf('test', 1, testReport(12, 3))).toEqual({ passed: 12, failed: 3 });
    expect(totalOf('check', 1, '{"passed":10,"failed":3}')).toEqual({ passed: 10, failed: 3 });
  });

  it('count a test file that could not be loaded', () => {
    expect(totalOf('test', 1, testReport(12, 0, 2))).toEqual({ passed: 12, failed: 2 });
  });

  it('count a step without a report by its exit code', () => {
    expect(totalOf('bench', 0, undefined)).toEqual({ passed: 1, failed: 0 });
    expect(totalOf('bench', 2, undefined)).toEqual({ passed: 0, failed: 1 });
  });

  it('count one failure where a step failed and reported none', () => {
    expect(totalOf('test', 1, testReport(12, 0))).toEqual({ passed: 12, failed: 1 });
    expect(totalOf('test', 1, undefined)).toEqual({ passed: 0, failed: 1 });
  });

  it('count one failure where nothing ran', () => {
    expect(totalOf('test', 0, testReport(0, 0))).toEqual({ passed: 0, failed: 1 });
    expect(totalOf('check', 0, undefined)).toEqual({ passed: 0, failed: 1 });
    expect(totalOf('test', 0, testReport(12, 0).slice(0, -5))).toEqual({ passed: 0, failed: 1 });
  });
});
