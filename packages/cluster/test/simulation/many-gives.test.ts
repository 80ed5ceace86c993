/** A crowd that its owners give away at every tick, under faults: so many gives that rare losses show. */
import { expect, it } from 'vitest';
import { planOf } from './plan.ts';
import { simulate } from './simulation.ts';

it('reports what one world would in a hundred thousand gives, and loses nothing', async () => {
  const size = { durationMs: 4000, calmMs: 10_500, entities: 1200, giveChance: 1 };
  const plan = planOf(7000087, size);
  expect(plan.faults.map(({ kind }) => kind)).toEqual(['garbage', 'told', 'rename', 'tail']);
  // Rules of interest and slow detectors take most of the time, and have no part in who owns what.
  const { problem, gives, reports } = await simulate({ ...plan, hasRules: false, detectors: ['sweep'] });
  expect(problem).toBeUndefined();
  expect(gives).toBeGreaterThan(100_000);
  expect(reports).toBeGreaterThan(900);
});
