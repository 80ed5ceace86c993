/** What the simulation finds: faults planted in the rules, and nothing in the rules as they are. */
import { describe, expect, it } from 'vitest';
import { type Plan, planOf } from './plan.ts';
import { PLANTED } from './planted.ts';
import { shrinkPlan } from './shrink.ts';
import { simulate } from './simulation.ts';

/** No time to recover: what a planted fault does shows before. */
const PLANTING = { durationMs: 4000, calmMs: 500, entities: 12 };

describe('the simulation', () => {
  it('runs alike at every run of a seed', async () => {
    const [first, second] = [await simulate(planOf(7, PLANTING)), await simulate(planOf(7, PLANTING))];
    expect(second).toEqual(first);
  });

  it.each(PLANTED)(
    'catches a planted fault: $name, seed $seed',
    async ({ sabotage, seed, hasUpgrade = false }) => {
      const { problem } = await simulate(planOf(seed, { ...PLANTING, hasUpgrade }), sabotage);
      expect(problem).toMatch(/twin|on a log that never was/);
    },
  );

  it.each([...new Set(PLANTED.map(({ seed }) => seed))])(
    'finds nothing in the rules as they are, seed %i',
    async (seed) => {
      expect((await simulate(planOf(seed, PLANTING))).problem).toBeUndefined();
    },
  );

  it.each([...new Set(PLANTED.filter(({ hasUpgrade }) => hasUpgrade).map(({ seed }) => seed))])(
    'finds nothing in the rules of an upgrade as they are, seed %i',
    async (seed) => {
      expect((await simulate(planOf(seed, { ...PLANTING, hasUpgrade: true }))).problem).toBeUndefined();
    },
  );

  it('shrinks a plan to what makes it fail', async () => {
    const plan = planOf(3, { durationMs: 5000, entities: 20 });
    const fails = (candidate: Plan) =>
      Promise.resolve(candidate.faults.some(({ atMs }) => atMs === plan.faults[2]!.atMs));
    const shrunk = await shrinkPlan(plan, fails);
    expect(shrunk.faults.map(({ atMs }) => atMs)).toEqual([plan.faults[2]!.atMs]);
    expect([shrunk.nodes, shrunk.entities, shrunk.hasRules]).toEqual([
      Math.max(2, plan.faults[2]!.node + 1),
      2,
      false,
    ]);
  });
});
