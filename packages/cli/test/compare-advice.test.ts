/** Which detector is advised, and what is said about it: from made-up rows. */
import { describe, expect, it } from 'vitest';
import { adviceFor } from '../src/compare/advice.ts';
import { Results } from '../src/compare/results.ts';
import { comparisonOf, crowdOf, resultsOf, rowOf } from './compare-rows.ts';

const small = crowdOf({ entities: 100 });
const large = crowdOf({ entities: 10_000 });

describe('the pick', () => {
  it('is who takes least for its ticks in the largest crowd, whatever the small ones say', () => {
    const advice = adviceFor(
      resultsOf(
        [small, large],
        [
          rowOf(small, 'sweep', { ms: { allMoving: 0.001, fewMoving: 0.001 } }),
          rowOf(small, 'tower', { ms: { allMoving: 0.1, fewMoving: 0.1 } }),
          rowOf(large, 'sweep', { ms: { allMoving: 20, fewMoving: 4 } }),
          rowOf(large, 'tower', { ms: { allMoving: 10, fewMoving: 4 } }),
        ],
      ),
    );
    expect(advice.pick).toBe('tower');
    expect(advice.headline).toBe('Take tower.');
    expect(advice.crowds).toEqual([large]);
  });

  it('is, of two within a tenth of each other, who takes less while few move', () => {
    const rows = (moving: number) => [
      rowOf(large, 'sweep', { ms: { allMoving: 10, fewMoving: 4 } }),
      rowOf(large, 'nine-grid', { ms: { allMoving: moving, fewMoving: 1 } }),
    ];
    expect(adviceFor(resultsOf([large], rows(10.5))).pick).toBe('nine-grid');
    expect(adviceFor(resultsOf([large], rows(12))).pick).toBe('sweep');
  });

  it('weighs the largest crowds of all scenarios alike', () => {
    const city = crowdOf({ scenario: 'city', entities: 10_000 });
    const rows = [
      rowOf(large, 'sweep', { ms: { allMoving: 100 } }),
      rowOf(large, 'tower', { ms: { allMoving: 150 } }),
      rowOf(city, 'sweep', { ms: { allMoving: 1 } }),
      rowOf(city, 'tower', { ms: { allMoving: 0.2 } }),
    ];
    expect(adviceFor(resultsOf([large, city], rows)).pick).toBe('tower');
  });

  it('is nobody who was skipped in one of the deciding crowds', () => {
    const city = crowdOf({ scenario: 'city', entities: 10_000 });
    const rows = [
      rowOf(large, 'sweep', { ms: { allMoving: 100 } }),
      rowOf(large, 'tower', { ms: { allMoving: 1 } }),
      rowOf(city, 'sweep'),
      rowOf(city, 'tower', { skipped: 'too long', rounds: 0 }),
    ];
    expect(adviceFor(resultsOf([large, city], rows)).pick).toBe('sweep');
  });

  it('is nobody who goes by cells', () => {
    const rows = [
      rowOf(large, 'sweep', { ms: { allMoving: 10 } }),
      rowOf(large, 'nine-grid by cells', { ms: { allMoving: 1 }, isExact: false }),
    ];
    expect(adviceFor(resultsOf([large], rows)).pick).toBe('sweep');
  });

  it('is nobody when nothing was measured', () => {
    const advice = adviceFor(resultsOf([large], [rowOf(large, 'sweep', { skipped: 'too long', rounds: 0 })]));
    expect(advice.pick).toBeUndefined();
    expect(advice.headline).toBe('Nothing was measured.');
  });
});

describe('the reasons', () => {
  const rows = [
    rowOf(large, 'sweep', { ms: { allMoving: 10, fewMoving: 1, add: 100, comes: 5 } }),
    rowOf(large, 'nine-grid', { ms: { allMoving: 42, fewMoving: 2, add: 100, comes: 0.5 } }),
  ];
  const { reasons, situations } = adviceFor(resultsOf([large], rows));

  it('begin with how the pick works', () => {
    expect(reasons[0]).toMatch(/^Sweep keeps everybody sorted by cell .+: .+\.$/);
  });

  it('give its ticks, and how far behind the next is', () => {
    expect(reasons).toContainEqual(
      'A tick in which all move, and the best of the others: 10.0 ms for 10,000 walkers (nine-grid 4.20 times as long).',
    );
  });

  it('name who is better where the pick is clearly not best', () => {
    expect(reasons).toContainEqual(
      'Where ticks are many and bring one change each, look at nine-grid (1.50 ms against 6.00 ms for 10,000 walkers).',
    );
    expect(reasons.filter((reason) => reason.startsWith('Where'))).toHaveLength(1);
  });

  it('name nobody whose ticks take twenty times as long as the best, however little memory it takes', () => {
    const about = (moving: number) =>
      adviceFor(
        resultsOf(
          [large],
          [
            rowOf(large, 'sweep', { ms: { allMoving: 1 }, memoryBytes: 2e6 }),
            rowOf(large, 'brute-force', { ms: { allMoving: moving }, memoryBytes: 1e6 }),
          ],
        ),
      ).reasons.filter((reason) => reason.startsWith('Where memory'));
    expect(about(19)).toHaveLength(1);
    expect(about(20)).toEqual([]);
  });

  it('rank everybody in every situation', () => {
    expect(situations.map(({ title }) => title)).toEqual([
      'Everybody moves',
      'One in a hundred moves',
      'All come, all go',
      'One comes, one goes',
      'Memory',
    ]);
    const names = (place: number) => situations[place]?.standings[0]?.map(({ contender }) => contender);
    expect(names(0)).toEqual(['sweep', 'nine-grid']);
    expect(names(3)).toEqual(['nine-grid', 'sweep']);
  });

  it('say up to which size nobody takes a millisecond', () => {
    const quick = [
      rowOf(small, 'sweep', { ms: { allMoving: 0.2 } }),
      rowOf(small, 'tower', { ms: { allMoving: 0.9 } }),
    ];
    expect(adviceFor(resultsOf([small, large], [...quick, ...rows])).reasons).toContainEqual(
      expect.stringMatching(/^Up to 100 entities every one of them/),
    );
    const slow = [...quick.slice(0, 1), rowOf(small, 'tower', { ms: { allMoving: 1.1 } })];
    expect(adviceFor(resultsOf([small, large], [...slow, ...rows])).reasons).not.toContainEqual(
      expect.stringContaining('any will do'),
    );
  });

  it('warn of a smoke run', () => {
    const smoke = new Results(comparisonOf([large], rows, { isSmoke: true }));
    expect(adviceFor(smoke).reasons).toContainEqual(expect.stringContaining('smoke run'));
    expect(reasons).not.toContainEqual(expect.stringContaining('smoke run'));
  });
});
