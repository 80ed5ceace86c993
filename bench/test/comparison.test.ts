/** A run compared with saved results: what counts as slower, and how the machine's part is divided out. */
import { expect, test } from 'vitest';
import type { RaceRow } from '../measure/race.ts';
import { changesSince, slowdowns } from '../report/comparison.ts';
import type { CaseResult, Results } from '../report/results.ts';
import { resultsPage } from '../report/results-page.ts';

function row(engine: string, turnMs: readonly number[] | undefined, medianMs: number): RaceRow {
  return {
    label: engine,
    engine,
    entities: 1000,
    ticks: 9,
    medianMs,
    p99Ms: 2 * medianMs,
    ...(turnMs === undefined ? {} : { turnMs }),
    nsPerEntityTick: medianMs * 1000,
    entered: 1,
    left: 1,
    updated: 0,
    relations: 1,
    hash: 'f',
    ratio: { median: 1, low: 1, high: 1 },
  };
}

function resultsOf(...rows: RaceRow[]): Results {
  const outcome = { kind: 'race', rows, skipped: [], comparedHashes: 1, problems: [], remarks: [] } as const;
  const one: CaseResult = {
    suite: 'walkers',
    name: '1000 walkers, all',
    date: '2026-01-31',
    node: 'v24',
    outcome,
  };
  return {
    version: 1,
    machine: { name: 'abacus', processor: 'Abacus <2>', cores: 2, memoryGiB: 1, platform: 'desk oak' },
    cases: [one],
  };
}

const before = resultsOf(row('umwelt', [7, 9, 10, 11, 15], 10));

test('slower means that three of four turns are slower than three of four saved ones', () => {
  const [change] = changesSince(before, resultsOf(row('umwelt', [8, 11.5, 12, 12.5, 13], 12)));
  expect(change).toMatchObject({ beforeMs: 10, nowMs: 12, ratio: 1.2, verdict: 'slower' });
});

test('turns that overlap are noise, however the medians lie', () => {
  const [change] = changesSince(before, resultsOf(row('umwelt', [10.5, 10.9, 14, 15, 15], 14)));
  expect(change?.verdict).toBe('within noise');
});

test('faster means that three of four turns are faster than three of four saved ones', () => {
  expect(changesSince(before, resultsOf(row('umwelt', [7, 8, 8, 8.5, 12], 8)))[0]?.verdict).toBe('faster');
});

test('a slowdown that the peers share is the machine, not the engine', () => {
  const was = resultsOf(row('umwelt', [9, 10, 11], 10), row('kdbush', [90, 100, 110], 100));
  const is = resultsOf(row('umwelt', [18, 20, 22], 20), row('kdbush', [190, 200, 210], 200));
  const changes = changesSince(was, is);
  expect(changes.map(({ ratio }) => ratio)).toEqual([1, 1]);
  expect(slowdowns(changes)).toEqual([]);
});

test('a peer that became slower is not a slowdown of the engine', () => {
  const was = resultsOf(
    row('kdbush', [90, 110], 100),
    row('rbush', [90, 110], 100),
    row('d3', [90, 110], 100),
  );
  const is = resultsOf(
    row('kdbush', [90, 110], 100),
    row('rbush', [90, 110], 100),
    row('d3', [290, 300], 300),
  );
  const changes = changesSince(was, is);
  expect(changes.map(({ verdict }) => verdict)).toEqual(['within noise', 'within noise', 'slower']);
  expect(slowdowns(changes)).toEqual([]);
});

test('older results without turns are compared by their medians', () => {
  const changes = changesSince(
    resultsOf(row('umwelt', undefined, 10)),
    resultsOf(row('umwelt', [19, 20], 20)),
  );
  expect(slowdowns(changes).map(({ ratio }) => ratio)).toEqual([2]);
});

test('a case that was not saved is not compared', () => {
  const other = { ...before, cases: before.cases.map((one) => ({ ...one, name: 'another' })) };
  expect(changesSince(other, before)).toEqual([]);
});

test('the page has a picture and a table of each race, and escapes names', () => {
  const page = resultsPage(before, false);
  expect(page).toContain('<title>1000 walkers, all</title>');
  expect(page).toContain('Abacus &lt;2&gt;');
  expect(page).toContain('10 ms</text>');
  expect(page).not.toMatch(/NaN|undefined|<script/);
});

test('the page draws walkers as a line once there are two populations', () => {
  const [one] = before.cases;
  const larger = { ...row('umwelt', [99, 100], 100), entities: 10_000 };
  const two: CaseResult = {
    ...one!,
    name: '10000 walkers, all',
    outcome: { ...one!.outcome, rows: [larger] } as never,
  };
  expect(resultsPage(before, false)).not.toContain('As crowds grow');
  const page = resultsPage({ ...before, cases: [one!, two] }, false);
  expect(page).toContain('As crowds grow');
  expect(page).toContain('class="line"');
  expect(resultsPage(before, true)).toContain('A smoke run');
});
