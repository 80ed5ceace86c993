/** Which detector is advised, and what is said about it: from made-up rows. */
import { Random } from '@umwelt/scenarios';
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

describe('where everybody takes less than a millisecond', () => {
  const rows = (slowest: number, others: readonly string[] = []) => [
    rowOf(small, 'sweep', { ms: { allMoving: 0.03, fewMoving: 0.02 } }),
    rowOf(small, 'hot-pair', { ms: { allMoving: 0.012, fewMoving: 0.002, add: 40 } }),
    rowOf(small, 'brute-force', { ms: { allMoving: slowest } }),
    ...others.map((name) => rowOf(small, name, { ms: { allMoving: 1.5 } })),
  ];
  const adviceOn = (...all: Parameters<typeof rows>) => adviceFor(resultsOf([small], rows(...all)));

  it('any will do: the default is kept, and the spread is given', () => {
    const { pick, headline, reasons } = adviceOn(0.9);
    expect({ pick, headline }).toEqual({ pick: 'sweep', headline: 'Any will do; keep sweep.' });
    expect(reasons).toContainEqual(
      'A tick with all entities moving takes 12.0 µs (hot-pair) to 900 µs (brute-force) for 100 walkers: the difference does not matter.',
    );
    // Nor will anybody notice who is faster where one in a hundred moves.
    expect(reasons.join(' ')).not.toMatch(/hardly anybody moves/);
  });

  it('comparing all with all need not be one of them', () => {
    expect(adviceOn(3).headline).toBe('Any but brute-force will do; keep sweep.');
    expect(adviceOn(3).reasons.join(' ')).toContain('12.0 µs (hot-pair) to 30.0 µs (sweep)');
  });

  it('all others must be', () => {
    expect(adviceOn(0.9, ['tower'])).toMatchObject({ pick: 'hot-pair', headline: 'Take hot-pair.' });
  });

  it('who was skipped took longer', () => {
    const skipped = [...rows(0.9), rowOf(small, 'tower', { skipped: 'too long', rounds: 0 })];
    expect(adviceFor(resultsOf([small], skipped)).headline).toBe('Take hot-pair.');
  });

  it('what takes longer than that is still said', () => {
    const whole = [
      rowOf(small, 'sweep', { ms: { allMoving: 0.03, add: 40 } }),
      rowOf(small, 'tower', { ms: { allMoving: 0.04, add: 1 } }),
    ];
    expect(adviceFor(resultsOf([small], whole)).reasons.join(' ')).toContain(
      'If whole crowds are added and removed at once, consider tower (2.00 ms against 41.0 ms',
    );
  });

  it('is the headline of one who was alone, too, without a choice', () => {
    expect(adviceFor(resultsOf([small], rows(0.9).slice(0, 1))).headline).toBe('Take sweep.');
  });
});

describe('within the noise', () => {
  /** Medians a part up or down by chance, and quartiles as far apart as that makes them. */
  function noisy(random: Random, contender: string, ms: { allMoving: number; fewMoving: number }) {
    const shaken = (value: number) => value * random.between(0.85, 1.15);
    return rowOf(large, contender, {
      ms: { allMoving: shaken(ms.allMoving), fewMoving: shaken(ms.fewMoving) },
      spread: 0.2,
    });
  }

  it('the pick is the same in every run: the default, where it is one of the best', () => {
    const random = new Random(1);
    for (let run = 0; run < 200; run++) {
      const rows = [
        noisy(random, 'nine-grid', { allMoving: 4, fewMoving: 1 }),
        noisy(random, 'tower', { allMoving: 3.9, fewMoving: 1.02 }),
        noisy(random, 'sweep', { allMoving: 4.1, fewMoving: 1.05 }),
        noisy(random, 'quadtree', { allMoving: 20, fewMoving: 8 }),
      ];
      expect(adviceFor(resultsOf([large], rows)).pick).toBe('sweep');
    }
  });

  it('nobody is named for being better', () => {
    const rows = [
      rowOf(large, 'sweep', { ms: { allMoving: 10, fewMoving: 1.4 }, spread: 0.3 }),
      rowOf(large, 'tower', { ms: { allMoving: 20, fewMoving: 1 }, spread: 0.3 }),
    ];
    expect(adviceFor(resultsOf([large], rows)).reasons.join(' ')).not.toContain('hardly anybody moves');
  });

  it('is not what lies clearly apart', () => {
    const rows = [
      rowOf(large, 'sweep', { ms: { allMoving: 10, fewMoving: 1 }, spread: 0.1 }),
      rowOf(large, 'tower', { ms: { allMoving: 5, fewMoving: 1 }, spread: 0.1 }),
    ];
    expect(adviceFor(resultsOf([large], rows)).pick).toBe('tower');
  });
});

describe('other densities', () => {
  const sparse = crowdOf({ id: 'density/1', series: 'density', entities: 10_000, perceived: 1.04 });
  const dense = crowdOf({ id: 'density/300', series: 'density', entities: 10_000, perceived: 302.6 });
  const adviceOn = (sparseMs: number, spread = 0.02) =>
    adviceFor(
      resultsOf(
        [large, dense, sparse],
        [
          rowOf(large, 'sweep', { ms: { allMoving: 10 } }),
          rowOf(large, 'hot-pair', { ms: { allMoving: 30 } }),
          rowOf(dense, 'sweep', { ms: { allMoving: 40 } }),
          rowOf(dense, 'hot-pair', { ms: { allMoving: 200 } }),
          rowOf(sparse, 'sweep', { ms: { allMoving: 5 }, spread }),
          rowOf(sparse, 'hot-pair', { ms: { allMoving: sparseMs }, spread }),
        ],
      ),
    ).reasons.at(-1);

  it('at which another one is clearly better are named', () => {
    expect(adviceOn(2)).toBe(
      '10,000 walkers, from 1.04 to 303 others in range: consider hot-pair with 1.04 in range (2.00 ms against 5.00 ms).',
    );
  });

  it('at which nobody is are said to be so', () => {
    const nobody =
      '10,000 walkers, from 1.04 to 303 others in range: no other detector is clearly better at any density.';
    expect(adviceOn(4.5)).toBe(nobody);
    expect(adviceOn(3, 0.5)).toBe(nobody);
  });

  it('are not spoken of where one alone was measured', () => {
    const reasons = adviceFor(
      resultsOf([large, sparse], [rowOf(large, 'sweep'), rowOf(sparse, 'sweep')]),
    ).reasons.join(' ');
    expect(reasons).not.toContain('others in range');
  });
});

describe('the reasons', () => {
  const rows = [
    rowOf(large, 'sweep', { ms: { allMoving: 10, fewMoving: 1, add: 100, comes: 5 } }),
    rowOf(large, 'nine-grid', { ms: { allMoving: 42, fewMoving: 2, add: 100, comes: 0.5 } }),
  ];
  const { reasons, situations } = adviceFor(resultsOf([large], rows));

  it('begin with how the pick works', () => {
    expect(reasons[0]).toMatch(/^Sweep keeps all entities sorted by cell .+: .+\.$/);
  });

  it('give its ticks, and how far behind the next is', () => {
    expect(reasons).toContainEqual(
      'A tick with all entities moving, and the best of the others: 10.0 ms for 10,000 walkers (nine-grid 4.20 times as long).',
    );
  });

  it('say of a world of things that the things rest', () => {
    const world = crowdOf({ scenario: 'world', entities: 10_050, movers: 50 });
    expect(adviceFor(resultsOf([world], [rowOf(world, 'sweep')])).reasons.join(' ')).toContain(
      ' for 50 players among 10,000 things at rest',
    );
  });

  it('name who is better where the pick is clearly not best', () => {
    expect(reasons).toContainEqual(
      'If most ticks bring a single change, consider nine-grid (1.50 ms against 6.00 ms for 10,000 walkers).',
    );
    expect(reasons.filter((reason) => reason.startsWith('If '))).toHaveLength(1);
  });

  it('name nobody for a few microseconds', () => {
    const about = (comes: number) =>
      adviceFor(
        resultsOf(
          [large],
          [
            rowOf(large, 'sweep', { ms: { allMoving: 1, comes, goes: 0.01 } }),
            rowOf(large, 'tower', { ms: { allMoving: 3, comes: 0.01, goes: 0.01 } }),
          ],
        ),
      ).reasons.filter((reason) => reason.startsWith('If most ticks bring'));
    expect(about(0.05)).toEqual([]);
    expect(about(0.2)).toHaveLength(1);
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
      ).reasons.filter((reason) => reason.startsWith('If memory'));
    expect(about(19)).toHaveLength(1);
    expect(about(20)).toEqual([]);
  });

  it('rank everybody in every situation', () => {
    expect(situations.map(({ title }) => title)).toEqual([
      'All entities move',
      'One in a hundred moves',
      'All added, all removed',
      'One added, one removed',
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
      expect.stringMatching(/^Up to 100 entities every detector/),
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
