/** What comes of each claim, from made-up rows on either side of its rule. */
import { describe, expect, it } from 'vitest';
import type { Verdict } from '../src/compare/claims/claim.ts';
import { verdictsOn } from '../src/compare/claims/verdicts.ts';
import type { Crowd, Row } from '../src/compare/comparison.ts';
import { crowdOf, type Medians, resultsOf, rowOf } from './compare-rows.ts';

/** The verdict on the claim that begins so. */
function verdictOn(beginning: string, crowds: readonly Crowd[], rows: readonly Row[]): Verdict {
  const found = verdictsOn(resultsOf(crowds, rows)).filter(({ claim }) => claim.startsWith(beginning));
  expect(found).toHaveLength(1);
  return found[0] as Verdict;
}

const thousand = crowdOf({ entities: 1000 });
const tenThousand = crowdOf({ entities: 10_000 });

it('without rows no claim is measured', () => {
  const verdicts = verdictsOn(resultsOf([], []));
  expect(verdicts.length).toBeGreaterThanOrEqual(15);
  for (const { outcome } of verdicts) expect(outcome).toBe('not measured');
});

describe('hot pairs', () => {
  it.each([
    [10, 'held'],
    [20, 'held in part'],
    [100, 'did not hold'],
  ] as const)('that take %i times as long for ten times as many: O(n) %s', (growth, outcome) => {
    const rows = [
      rowOf(thousand, 'hot-pair', { ms: { allMoving: 1 } }),
      rowOf(tenThousand, 'hot-pair', { ms: { allMoving: growth } }),
    ];
    const verdict = verdictOn('Hot pairs cost O(n)', [thousand, tenThousand], rows);
    expect(verdict.outcome).toBe(outcome);
    expect(verdict.crowds).toEqual([thousand.id, tenThousand.id]);
  });

  it.each([
    [1.1, 'held'],
    [1.4, 'held in part'],
    [1.6, 'did not hold'],
  ] as const)('that take %f times as long on a map 100 times as wide: independence %s', (growth, outcome) => {
    const near = crowdOf({ series: 'map', id: 'map/villages/1', mapWidth: 3000 });
    const far = crowdOf({ series: 'map', id: 'map/villages/100', mapWidth: 300_000 });
    const rows = [
      rowOf(near, 'hot-pair', { ms: { allMoving: 2 } }),
      rowOf(far, 'hot-pair', { ms: { allMoving: 2 * growth } }),
      rowOf(near, 'sweep'),
      rowOf(far, 'sweep', { ms: { allMoving: 7 } }),
    ];
    const verdict = verdictOn('Hot pairs do not depend', [near, far], rows);
    expect(verdict.outcome).toBe(outcome);
    expect(verdict.evidence.join(' ')).toContain('sweep 7.00');
  });
});

it.each([
  [5, 'held'],
  [6, 'did not hold'],
] as const)(
  'rest is free for hot pairs when one mover in a hundred costs %i %% of all: %s',
  (share, outcome) => {
    const rows = [rowOf(tenThousand, 'hot-pair', { ms: { allMoving: 100, fewMoving: share } })];
    expect(verdictOn('Pairs that rest', [tenThousand], rows).outcome).toBe(outcome);
  },
);

it.each([
  [0.9, 'held'],
  [1.3, 'held in part'],
  [1.45, 'did not hold'],
] as const)(
  'observer cells that take %f times as long in a city serve unequal views: %s',
  (ratio, outcome) => {
    const city = crowdOf({ scenario: 'city', title: 'City' });
    const rows = [
      rowOf(city, 'nine-grid', { ms: { allMoving: 2 } }),
      rowOf(city, 'tower', { ms: { allMoving: 2 * ratio } }),
      rowOf(thousand, 'nine-grid'),
      rowOf(thousand, 'tower', { ms: { allMoving: 1.5 } }),
    ];
    const verdict = verdictOn('If ranges are unequal', [city, thousand], rows);
    expect(verdict.outcome).toBe(outcome);
    expect(verdict.evidence[1]).toContain('equally far: 1.50 times');
  },
);

describe('memory', () => {
  const narrow = crowdOf({ series: 'empty-map', id: 'empty-map/1', entities: 100 });
  const wide = crowdOf({
    series: 'empty-map',
    id: 'empty-map/1000',
    entities: 100,
    mapWidth: 1e6,
    mapHeight: 1e6,
  });
  const maps = [narrow, wide];
  const memory = (contender: string, before: number, after: number) => [
    rowOf(narrow, contender, { memoryBytes: before }),
    rowOf(wide, contender, { memoryBytes: after }),
  ];

  it('of a grid grows with the map where cells are made at once; made lazily, it depends', () => {
    const claim = "A grid's memory grows";
    const level = verdictOn(claim, maps, memory('nine-grid', 1000, 1000));
    expect(level.outcome).toBe('held in part');
    // 20,000 x 20,000 cells of 8 bytes.
    expect(level.evidence.join(' ')).toContain('3.20 GB');
    expect(verdictOn(claim, maps, memory('nine-grid', 1000, 5000)).outcome).toBe('held');
  });

  it('is saved by lazy cells when a world takes a tenth of all cells at once', () => {
    expect(verdictOn('Making a cell only', maps, memory('nine-grid', 1, 3e8)).outcome).toBe('held');
    expect(verdictOn('Making a cell only', maps, memory('nine-grid', 1, 4e8)).outcome).toBe('did not hold');
  });

  it('of a list grows with the people and not with the map', () => {
    const crowds = [...maps, thousand, tenThousand];
    const people = (each: number) => [
      rowOf(thousand, 'cross-list', { memoryBytes: 100_000 }),
      rowOf(tenThousand, 'cross-list', { memoryBytes: each * 10_000 }),
    ];
    const claim = "A cross list's memory";
    expect(verdictOn(claim, crowds, [...memory('cross-list', 100, 110), ...people(90)]).outcome).toBe('held');
    expect(verdictOn(claim, crowds, [...memory('cross-list', 100, 300), ...people(90)]).outcome).toBe(
      'held in part',
    );
    expect(verdictOn(claim, crowds, [...memory('cross-list', 100, 300), ...people(10)]).outcome).toBe(
      'did not hold',
    );
  });

  it('of a grid is much beside that of a list, or is not', () => {
    const rows = (grid: number) => [
      rowOf(tenThousand, 'nine-grid', { memoryBytes: grid }),
      rowOf(tenThousand, 'cross-list', { memoryBytes: 1000 }),
    ];
    expect(verdictOn('A nine-grid takes much', [tenThousand], rows(1300)).outcome).toBe('held');
    expect(verdictOn('A nine-grid takes much', [tenThousand], rows(1100)).outcome).toBe('did not hold');
  });
});

describe('density', () => {
  const sparse = crowdOf({ series: 'density', id: 'density/1', entitiesPerCell: 0.5, cellsPerEntity: 2 });
  const dense = crowdOf({ series: 'density', id: 'density/100', entitiesPerCell: 50, cellsPerEntity: 0.02 });
  const crowds = [sparse, dense];
  const rows = (inSparse: Medians, inDense: Medians, list = 'cross-list') => [
    rowOf(sparse, 'nine-grid'),
    rowOf(dense, 'nine-grid'),
    rowOf(sparse, list, { ms: inSparse }),
    rowOf(dense, list, { ms: inDense }),
  ];
  const claim = 'Adding and removing';

  it('favours the grid when the list falls behind where it is dense', () => {
    const all = { add: 3, remove: 3, comes: 3, goes: 3 };
    const verdict = verdictOn(claim, crowds, rows({}, all));
    expect(verdict.outcome).toBe('held');
    expect(verdict.table?.heads).toEqual([
      ['entities per cell', '0.500', '50.0', ''],
      ['cells per entity', '2.00', '0.0200', ''],
    ]);
    expect(verdict.table?.rows).toContainEqual(['Adding all', '1.00', '3.00', '✓']);
  });

  it('favours it in part, or not, when some or all operations go the other way', () => {
    expect(verdictOn(claim, crowds, rows({}, { add: 3 })).outcome).toBe('held in part');
    expect(verdictOn(claim, crowds, rows({}, {})).outcome).toBe('did not hold');
    const faster = { add: 0.1, remove: 0.1, comes: 0.1, goes: 0.1 };
    const lessSo = { add: 0.9, remove: 0.9, comes: 0.9, goes: 0.9 };
    expect(verdictOn(claim, crowds, rows(faster, lessSo)).outcome).toBe('did not hold');
  });

  it('leaves moving close, or does not, either way round', () => {
    const moving = (one: number, other: number) =>
      verdictOn('Moving: grid and list', crowds, rows({ allMoving: one }, { allMoving: other })).outcome;
    expect(moving(1.4, 0.7)).toBe('held');
    expect(moving(1.4, 0.5)).toBe('held in part');
    expect(moving(5, 0.2)).toBe('did not hold');
  });
});

describe('index nodes', () => {
  const some = crowdOf({ series: 'insertion', scenario: 'nobody watching', entities: 1000 });
  const many = crowdOf({ series: 'insertion', scenario: 'nobody watching', entities: 100_000 });
  const crowds = [some, many];
  const rows = (ratio: number) => [
    rowOf(some, 'cross-list', { ms: { comes: 0.005 } }),
    rowOf(many, 'cross-list', { ms: { comes: 0.005 } }),
    rowOf(some, 'cross-list without index', { ms: { comes: 0.01 } }),
    rowOf(many, 'cross-list without index', { ms: { comes: 0.005 * ratio } }),
  ];

  it.each([
    [150, 'held'],
    [19, 'held in part'],
    [1, 'did not hold'],
  ] as const)(
    'save a walk that takes %i times as long among the most who watch nothing: %s',
    (ratio, outcome) => {
      const verdict = verdictOn('Index nodes', crowds, rows(ratio));
      expect(verdict.outcome).toBe(outcome);
      expect(verdict.table?.heads).toEqual([['entities', '1,000', '100,000']]);
      expect(verdict.table?.rows[0]).toEqual(['cross-list', '5.00 µs', '5.00 µs']);
      expect(verdict.crowds).toEqual([some.id, many.id]);
    },
  );

  it('are not tried where there is no list without them', () => {
    expect(verdictOn('Index nodes', crowds, rows(150).slice(0, 2)).outcome).toBe('not measured');
  });

  it('or not: without them a newcomer is dearer for the list than for the grid where nobody watches, too', () => {
    const players = crowdOf({ series: 'published', id: 'published/players/1000' });
    const grid = (ms: number) => crowds.map((crowd) => rowOf(crowd, 'nine-grid', { ms: { comes: ms } }));
    const verdictAt = (ms: number) =>
      verdictOn(
        'Inserting all players',
        [players, ...crowds],
        [rowOf(players, 'nine-grid'), rowOf(players, 'cross-list'), ...rows(100), ...grid(ms)],
      );
    expect(verdictAt(0.005).outcome).toBe('held');
    expect(verdictAt(0.005).evidence[0]).toContain('2.00 and 100 times as long');
    expect(verdictAt(0.1).outcome).toBe('held in part');
  });
});

describe('cells', () => {
  const crowd = crowdOf({ series: 'cells', id: 'cells/walkers/1' });

  it('make a nine-grid inexact by the share of wrong pairs', () => {
    const rows = [
      rowOf(crowd, 'nine-grid by cells', {
        isExact: false,
        inexactness: { exact: 100, reported: 290, extra: 200, missed: 10 },
      }),
    ];
    const verdict = verdictOn('A nine-grid by cells', [crowd], rows);
    expect(verdict.outcome).toBe('held');
    expect(verdict.evidence[0]).toBe(
      'nine-grid by cells: 70 % of pairs wrong (290 reported, 200 of them too far away, 10 of 100 missed).',
    );
  });

  it('make moves inside them free when the exact one takes twice as long', () => {
    const rows = (ms: number) => [
      rowOf(crowd, 'nine-grid', { ms: { allMoving: ms } }),
      rowOf(crowd, 'nine-grid by cells', { isExact: false }),
    ];
    expect(verdictOn('A detector by cells', [crowd], rows(3)).outcome).toBe('held');
    expect(verdictOn('A detector by cells', [crowd], rows(1.5)).outcome).toBe('did not hold');
  });
});

it('lists are exact when their hash is that of the others', () => {
  const rows = (hash: string) => [rowOf(thousand, 'sweep'), rowOf(thousand, 'cross-list', { hash })];
  const claim = 'A cross list judges';
  expect(verdictOn(claim, [thousand], rows('00000000000000aa')).outcome).toBe('held');
  expect(verdictOn(claim, [thousand], rows('00000000000000ab')).outcome).toBe('did not hold');
});

it('all with all is too much from the size on at which it loses', () => {
  const hundred = crowdOf({ entities: 100 });
  const rows = (atHundred: number, atThousand: number) => [
    rowOf(hundred, 'nine-grid'),
    rowOf(thousand, 'nine-grid'),
    rowOf(hundred, 'brute-force', { ms: { allMoving: atHundred } }),
    rowOf(thousand, 'brute-force', { ms: { allMoving: atThousand } }),
  ];
  const outcome = (...ms: [number, number]) =>
    verdictOn('Already with a hundred players', [hundred, thousand], rows(...ms)).outcome;
  expect(outcome(2, 20)).toBe('held');
  expect(outcome(0.5, 20)).toBe('held in part');
  expect(outcome(0.5, 0.9)).toBe('did not hold');
});

describe('the published measurement', () => {
  const crowds = [1000, 10_000].map((half) =>
    crowdOf({ series: 'published', id: `published/players/${half}`, title: `Players on ±${half}` }),
  );
  const rows = (list: Medians, plain: Medians) =>
    crowds.flatMap((crowd) => [
      rowOf(crowd, 'nine-grid'),
      rowOf(crowd, 'cross-list', { ms: list }),
      rowOf(crowd, 'cross-list without index', { ms: plain }),
    ]);

  it('has its ratios beside ours', () => {
    const ticks = verdictOn('A tick takes the list less', crowds, rows({ allMoving: 0.5 }, {}));
    expect(ticks.outcome).toBe('held');
    expect(ticks.evidence[0]).toBe(
      'Players on ±1000: list to grid 0.50 here (500 µs to 1.00 ms), 0.66 there.',
    );
    expect(verdictOn('A tick takes the list less', crowds, rows({ allMoving: 2 }, {})).outcome).toBe(
      'did not hold',
    );
  });

  it.each([
    [20, 'held'],
    [3, 'held in part'],
    [1, 'did not hold'],
  ] as const)('has insertion %i times as dear for the list: %s', (comes, outcome) => {
    const verdict = verdictOn('Inserting all players', crowds, rows({}, { comes }));
    expect(verdict.outcome).toBe(outcome);
    expect(verdict.table?.rows[0]).toEqual(['one by one, there', '245', '63.1']);
    expect(verdict.table?.rows).toContainEqual([
      'Adding one, cross-list without index',
      ...[comes, comes].map((ratio) => (ratio < 9.95 ? ratio.toFixed(2) : ratio.toFixed(1))),
    ]);
  });
});
