/** Which goals are met, by how much the others are missed, and what the page says about them. */
import { describe, expect, test } from 'vitest';
import { type Goal, timesFirst, verdictOn, worstOf } from '../goals/goal.ts';
import { goalCases } from '../goals/goal-cases.ts';
import { goalList } from '../goals/goal-list.ts';
import type { RaceRow } from '../measure/race.ts';
import { goalsPage, measuredGoals } from '../report/goals-page.ts';
import type { CaseOutcome, CaseResult, Results } from '../report/results.ts';

const FULL = { smoke: false, entities: undefined, engines: undefined };

function goal(changes: Partial<Goal> = {}): Goal {
  return { title: 'a goal', caseName: 'a case', unit: 'x', must: 4, aim: 2, measured: () => 3, ...changes };
}

function row(label: string, changes: Partial<RaceRow> = {}): RaceRow {
  return {
    label,
    engine: 'umwelt',
    entities: 1000,
    ticks: 9,
    medianMs: 10,
    p99Ms: 15,
    nsPerEntityTick: 1,
    entered: 1,
    left: 1,
    updated: 0,
    relations: 1,
    hash: 'f',
    ratio: { median: 1, low: 1, high: 1 },
    ...changes,
  };
}

function race(...rows: RaceRow[]): CaseOutcome {
  return { kind: 'race', rows, skipped: [], comparedHashes: 0, problems: [], remarks: [] };
}

function result(name: string, outcome: CaseOutcome): CaseResult {
  return { suite: 'goals', name, date: '2026-01-31', node: 'v24', outcome };
}

function named(part: string): Goal {
  const found = goalList.find(({ title }) => title.includes(part));
  if (found === undefined) throw new Error(`no goal '${part}'`);
  return found;
}

const timesOf = (outcome: CaseOutcome) => timesFirst(outcome, 'a');
const times = (median: number) => ({ ratio: { median, low: median, high: median } });

describe('a goal', () => {
  test.each([
    [1.9, 'target met'],
    [2, 'target met'],
    [4, 'required met'],
    [4.1, 'missed'],
    [Number.NaN, 'not measured'],
  ])('of at most 4 and better 2 is, at %d, %s', (measured, verdict) => {
    expect(verdictOn(goal(), measured)).toBe(verdict);
  });

  test.each([
    [1.9, 'target met'],
    [1.7, 'required met'],
    [1.6, 'missed'],
  ])('of at least 1.7 and better 1.9 is, at %d, %s', (measured, verdict) => {
    expect(verdictOn(goal({ must: 1.7, aim: 1.9, isMoreBetter: true }), measured)).toBe(verdict);
  });

  test('has a case that measures it', () => {
    const names = goalCases(FULL).map(({ name }) => name);
    for (const { caseName, alsoIn = [] } of goalList)
      for (const name of [caseName, ...alsoIn]) expect(names).toContain(name);
    expect(new Set(names).size).toBe(names.length);
  });

  test('of several cases is the worst of those that were measured', () => {
    const several = { ...goal({ alsoIn: ['another', 'a third'] }), measured: timesOf };
    const outcomes = new Map([
      ['a case', race(row('a', times(2)))],
      ['another', race(row('a', times(5)))],
    ]);
    expect(worstOf(several, (name) => outcomes.get(name))).toBe(5);
    expect(worstOf({ ...several, isMoreBetter: true }, (name) => outcomes.get(name))).toBe(2);
    expect(worstOf(several, () => undefined)).toBeNaN();
  });

  test('is not measured by an outcome without its row', () => {
    const empty: CaseOutcome[] = [race(), { kind: 'gauge', rows: [], problems: ['it crashed'] }];
    for (const { measured, title } of goalList) {
      for (const outcome of empty) expect(Number.isFinite(measured(outcome)), title).toBe(false);
    }
  });
});

describe('a figure', () => {
  test('against native code is our time divided by its time', () => {
    const outcome = race(row('umwelt'), row('native C, widest vectors', times(0.5)));
    expect(named('native code').measured(outcome)).toBe(2);
  });

  test('of a population is by entity', () => {
    const outcome = race(row('10,000 walkers'), row('1,000,000 walkers', times(120)));
    expect(named('time for each entity').measured(outcome)).toBeCloseTo(1.2);
  });

  test('of worlds with updated lists is taken turn against turn of the same round', () => {
    const turns = (...turnMs: number[]) => ({ turnMs });
    const outcome = race(
      row('no rules', turns(1, 1, 1)),
      row('no rules, with updated', turns(2, 4, 8)),
      row('all rules, with updated', turns(3, 4, 16)),
    );
    expect(named('the same rules').measured(outcome)).toBe(1.5);
  });

  test('of updated lists is what they add, by pair', () => {
    const outcome = race(row('without'), row('with', { ...times(1.5), updated: 5_000_000 }));
    expect(named('above the tick without').measured(outcome)).toBeCloseTo(1);
  });

  test('of slow ticks is the worst of ours, and not of native code', () => {
    const native = row('native C', { engine: 'native', p99Ms: 90 });
    expect(named('slowest tick').measured(race(row('a'), row('b', { p99Ms: 25 }), native))).toBe(2.5);
  });

  test('of what updated lists add is by relation', () => {
    const figures = { entities: 1000, relations: 30_000, 'bytes a relation': 5.5, 'by its own count': 5 };
    const outcome: CaseOutcome = { kind: 'gauge', rows: [{ label: 'umwelt', figures }], problems: [] };
    expect(named('`updated` lists add').measured(outcome)).toBe(5.5);
  });

  test('of the heap leaves out code, and growth below one object a tick', () => {
    const figures = { ticks: 100, 'growth, bytes': 5000, 'of it code, bytes': 4950 };
    const measured = named('JavaScript heap').measured;
    expect(measured({ kind: 'gauge', rows: [{ label: 'a', figures }], problems: [] })).toBe(0);
    const leaking = { ...figures, 'growth, bytes': 9000 };
    expect(measured({ kind: 'gauge', rows: [{ label: 'a', figures: leaking }], problems: [] })).toBe(40.5);
  });
});

test('the page says how many goals are met, which are missed and by how much', () => {
  const outcome = race(
    row('umwelt'),
    row('kdbush + Set difference', times(30)),
    row('native C, widest vectors', times(0.8)),
  );
  const results: Results = {
    version: 1,
    machine: { name: 'abacus', processor: 'Abacus', cores: 2, memoryGiB: 1, platform: 'desk oak' },
    cases: [result(named('kdbush').caseName, outcome)],
  };
  const page = goalsPage(results);
  expect(page).toContain(`1 of ${goalList.length} figures reach what is required, 0 of them their target`);
  expect(page).toMatch(/kdbush.*\*\*: required figure missed: 30 x in place of 40 x, a factor of 1.33/);
  expect(page).toMatch(/native code.*\*\*: required figure met, target missed: 1.25 x in place of 1 x/);
  expect(measuredGoals(results.cases).rows.map((cells) => cells.at(-1))).toEqual(['missed', 'required met']);
});
