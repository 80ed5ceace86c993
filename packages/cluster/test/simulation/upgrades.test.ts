/** Nodes are upgraded to a version with a later format of records, under all faults. */
import { expect, it } from 'vitest';
import { planOf } from './plan.ts';
import { simulate } from './simulation.ts';

// All nodes of 4 are upgraded in the end, and some of the earlier version came too late; 11 ends in the middle.
it.each([
  [4, 2],
  [11, 1],
])('reports what one world would while nodes are upgraded, seed %i', async (seed, last) => {
  const { problem, reports, refused, format } = await simulate(planOf(seed, { hasUpgrade: true }));
  expect(problem).toBeUndefined();
  expect(reports).toBeGreaterThan(300);
  expect(format).toBe(last);
  if (seed === 4) expect(refused).toBeGreaterThan(0);
});
