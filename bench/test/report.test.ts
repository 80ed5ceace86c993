/** Percentiles, tables and files of results. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { median, percentile } from '../measure/samples.ts';
import { caseTable } from '../report/case-table.ts';
import { figure, times } from '../report/figures.ts';
import { type Machine, machineName } from '../report/machine.ts';
import { markdownTable, terminalTable } from '../report/render.ts';
import {
  type CaseResult,
  mergedResults,
  type Results,
  readResults,
  writeResults,
} from '../report/results.ts';
import { summary } from '../report/summary.ts';

const machine: Machine = {
  name: 'abacus',
  processor: 'Abacus',
  cores: 2,
  memoryGiB: 1,
  platform: 'desk oak',
};

function gaugeResult(suite: string, name: string, bytes: number): CaseResult {
  const rows = [{ label: 'a row', figures: { bytes } }];
  return { suite, name, date: '2026-01-31', node: 'v24', outcome: { kind: 'gauge', rows, problems: [] } };
}

function resultsOf(...cases: CaseResult[]): Results {
  return { version: 1, machine, cases };
}

test('a percentile is a sample: the nearest rank', () => {
  const samples = [5, 1, 4, 2, 3];
  expect(median(samples)).toBe(3);
  expect(percentile(samples, 0.99)).toBe(5);
  expect(percentile(samples, 0)).toBe(1);
  expect(percentile(samples, 0.2)).toBe(1);
  expect(percentile(samples, 0.21)).toBe(2);
  expect(samples).toEqual([5, 1, 4, 2, 3]);
  expect(median([])).toBeNaN();
});

test('the 99th percentile of a hundred leaves one sample above it', () => {
  expect(
    percentile(
      Array.from({ length: 100 }, (_, i) => i + 1),
      0.99,
    ),
  ).toBe(99);
});

test('figures show the significant digits', () => {
  expect([0.6123, 6.123, 61.23, 612.3, 61_234, 7].map(figure)).toEqual([
    '0.612',
    '6.12',
    '61.2',
    '612',
    '61,234',
    '7',
  ]);
  expect([0.00123, -0.5, 0].map(figure)).toEqual(['0.0012', '-0.500', '0']);
  expect(figure(Number.NaN)).toBe('-');
  expect(times(44.94)).toBe('44.9 x');
});

test('a table is aligned in a terminal, and has rules in Markdown', () => {
  const table = {
    headings: ['engine', 'ms'],
    rows: [
      ['ours', '1'],
      ['theirs', '40'],
    ],
  };
  expect(terminalTable(table)).toBe('engine  ms\nours     1\ntheirs  40\n');
  expect(markdownTable(table)).toBe('| engine | ms |\n| --- | ---: |\n| ours | 1 |\n| theirs | 40 |\n');
});

test("a machine's name is its processor and cores in kebab-case", () => {
  expect(machineName('Intel(R) Xeon(R) CPU @ 2.60GHz', 2)).toBe('intel-xeon-cpu-2.60ghz-2-cores');
  expect(machineName('Apple M1', 1)).toBe('apple-m1-1-core');
});

test('measuring a case again replaces it and leaves the others', () => {
  const earlier = resultsOf(gaugeResult('heap', 'a', 1), gaugeResult('heap', 'b', 2));
  const merged = mergedResults(
    earlier,
    resultsOf(gaugeResult('heap', 'b', 3), gaugeResult('memory', 'a', 4)),
  );
  expect(merged.cases).toEqual([
    gaugeResult('heap', 'a', 1),
    gaugeResult('heap', 'b', 3),
    gaugeResult('memory', 'a', 4),
  ]);
});

test('results are read from their file as they were written, to six digits', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'bench-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = path.join(folder, 'deeper', 'results.json');
  expect(readResults(file)).toBeUndefined();
  writeResults(file, resultsOf(gaugeResult('heap', 'a', 1 / 3), gaugeResult('heap', 'b', 123_456_789)));
  expect(readResults(file)).toEqual(
    resultsOf(gaugeResult('heap', 'a', 0.333333), gaugeResult('heap', 'b', 123_456_789)),
  );
});

test('rows with a hash show it in the last column', () => {
  const rows = [{ label: 'a row', figures: { ms: 2 }, hash: '00ff' }];
  const result: CaseResult = {
    ...gaugeResult('changes', 'a', 1),
    outcome: { kind: 'gauge', rows, problems: [] },
  };
  expect(caseTable(result)).toEqual({ headings: ['', 'ms', 'hash'], rows: [['a row', '2', '00ff']] });
  expect(caseTable(gaugeResult('heap', 'a', 1)).headings).toEqual(['', 'bytes']);
});

test('a file that holds something else is refused', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'bench-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = path.join(folder, 'other.json');
  for (const text of ['{"version":2,"cases":[]}', '{"version":1}', 'null', 'engine,ms']) {
    writeFileSync(file, text);
    expect(() => readResults(file)).toThrow(/not a file of bench results/);
  }
});

test('the summary has a row for each population and a column for each engine that a game would use', () => {
  const row = (engine: string, medianMs: number, ratio: number) => ({
    label: engine,
    engine,
    entities: 1000,
    ticks: 9,
    medianMs,
    p99Ms: 1,
    nsPerEntityTick: 1,
    entered: 1,
    left: 1,
    updated: 0,
    relations: 1,
    hash: 'f',
    ratio: { median: ratio, low: ratio, high: ratio },
  });
  const caseOf = (name: string, ...rows: ReturnType<typeof row>[]): CaseResult => ({
    suite: 'walkers',
    name,
    date: '2026-01-31',
    node: 'v24',
    outcome: { kind: 'race', rows, skipped: [], comparedHashes: 1, problems: [], remarks: [] },
  });
  const text = summary(
    resultsOf(
      caseOf('1000 walkers', row('umwelt', 1, 1), row('kdbush', 40, 41.5), row('brute-force', 9, 9)),
      caseOf('10000 walkers', row('umwelt', 10, 1)),
    ),
  );
  expect(text).toContain('|  | umwelt | kdbush |\n');
  expect(text).toContain('| 1,000 walkers | **1** | 40 (41.5 x) |\n');
  expect(text).toContain('| 10,000 walkers | **10** | not run |\n');
  expect(text).toContain('Abacus, 2 cores');
});

test('results without walkers have no summary', () => {
  expect(summary(resultsOf(gaugeResult('heap', 'a', 1)))).toBeUndefined();
});
