/** The small parts that frames are put together with. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ByteBudget } from '../src/views/byte-budget.ts';
import { Departures } from '../src/views/departures.ts';
import { PriorityHeap } from '../src/views/priority-heap.ts';

describe('a priority heap', () => {
  it('gives rows by score, the lower of two alike first', () => {
    fc.assert(
      fc.property(fc.array(fc.nat({ max: 20 }), { maxLength: 300 }), (scores) => {
        const heap = new PriorityHeap();
        for (const [row, score] of scores.entries()) heap.add(row, score);
        heap.order();
        const taken = scores.map(() => heap.take());
        const sorted = [...scores.keys()].sort((one, other) => scores[other]! - scores[one]! || one - other);
        expect(taken).toEqual(sorted);
        expect(heap.take()).toBe(-1);
      }),
    );
  });
});

describe('a byte budget', () => {
  it('saves up for a second, and no longer', () => {
    const budget = new ByteBudget(100, 0);
    expect(budget.available(0)).toBe(100);
    budget.spend(80);
    expect(budget.available(300)).toBe(50);
    expect(budget.available(60_000)).toBe(100);
  });

  it('works off a debt, of a second at most', () => {
    const budget = new ByteBudget(100, 0);
    budget.spend(10_000);
    expect(budget.available(900)).toBe(0);
    expect(budget.available(1500)).toBeCloseTo(50);
  });

  it('does not grow where a clock goes back', () => {
    const budget = new ByteBudget(100, 1000);
    budget.spend(100);
    expect(budget.available(500)).toBe(0);
    expect(budget.available(1000)).toBe(0);
  });
});

describe('departures', () => {
  it('are those that a client still had at a tick', () => {
    const departures = new Departures();
    departures.add(1, 5, 10, false);
    departures.add(2, 8, 12, false);
    departures.add(3, 11, 12, false);
    const hadAt = (tick: number): number[] => {
      const ids: number[] = [];
      departures.eachHadAt(tick, (id) => ids.push(id));
      return ids;
    };
    expect([hadAt(4), hadAt(5), hadAt(9), hadAt(10), hadAt(11), hadAt(12)]).toEqual([
      [],
      [1],
      [1, 2],
      [2],
      [2, 3],
      [],
    ]);
  });

  it('know nothing of before what was acknowledged', () => {
    const departures = new Departures();
    departures.add(1, 5, 10, false);
    departures.add(2, 8, 12, false);
    departures.acknowledge(11);
    expect(departures.count).toBe(1);
    expect([departures.knows(9), departures.knows(10)]).toEqual([false, true]);
  });

  it('are bounded, and say from when on they are whole', () => {
    const departures = new Departures();
    for (let tick = 1; tick <= 100_000; tick++) departures.add(tick, tick - 1, tick, false);
    expect(departures.count).toBeLessThanOrEqual(4096);
    expect(departures.knows(90_000)).toBe(false);
    expect(departures.knows(99_999)).toBe(true);
  });
});
