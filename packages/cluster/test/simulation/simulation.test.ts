/** The cluster under all faults, by seeds that are always the same; `npm run fuzz -- cluster` takes fresh ones. */
import { describe, expect, it } from 'vitest';
import { WRITING_CALLS } from '../writing-calls.ts';
import { planOf } from './plan.ts';
import { simulate } from './simulation.ts';

describe('a cluster under all faults', () => {
  // 106, 107 and 304: all nodes were ahead of a log that lost its end, and the one that it went on from died, too.
  it.each([1, 2, 106, 107, 304])('reports what one world would, seed %i', async (seed) => {
    const { problem, reports, gives } = await simulate(
      planOf(seed, { endsOnceSettled: true, ...(seed < 100 && { entities: 15, durationMs: 8000 }) }),
    );
    expect(problem).toBeUndefined();
    expect(reports).toBeGreaterThan(300);
    expect(gives).toBeGreaterThan(50);
  });

  it('reports what one world would in 3-D, with long records, clocks that differ and observers', async () => {
    const size = { durationMs: 6000, entities: 12, endsOnceSettled: true };
    const odds = { bulkBytes: 2000, pendingBytes: 20_000, clockError: 0.02, tellsEnd: false, observers: 2 };
    const { problem, observed } = await simulate({ ...planOf(1, size), dimensions: 3, odds });
    expect(problem).toBeUndefined();
    expect(observed).toBeGreaterThan(150);
  });

  it('makes every call that changes a world', async () => {
    // So many that there is room for more all the time.
    const size = { durationMs: 3000, calmMs: 500, entities: 200 };
    const { made } = await simulate({ ...planOf(3, size), faults: [], hasRules: true });
    // Those that the game draws are all that there are, by their types.
    expect([...made.keys()].toSorted()).toEqual([...WRITING_CALLS].toSorted());
  });

  it('reports what one world would where every node computes all views', async () => {
    const size = { durationMs: 5000, entities: 20, endsOnceSettled: true };
    const { problem } = await simulate(planOf(5, { views: 'all', ...size }));
    expect(problem).toBeUndefined();
  });
});
