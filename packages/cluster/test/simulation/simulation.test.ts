/** The cluster under all faults, by seeds that are always the same; `npm run fuzz -- cluster` takes fresh ones. */
import { describe, expect, it } from 'vitest';
import { type Plan, planOf } from './plan.ts';
import { PLANTED } from './planted.ts';
import { shrinkPlan } from './shrink.ts';
import { simulate } from './simulation.ts';

const SHORT = { durationMs: 5000 };

describe('a cluster under all faults', () => {
  // 106 and 107: all nodes were ahead of a log that lost its end, and the one that it went on from died, too.
  it.each([1, 2, 3, 106, 107])('reports what one world would, seed %i', async (seed) => {
    const { problem, reports, gives } = await simulate(planOf(seed));
    expect(problem).toBeUndefined();
    expect(reports).toBeGreaterThan(300);
    expect(gives).toBeGreaterThan(50);
  });

  it('reports what one world would where every node computes all views', async () => {
    const { problem } = await simulate(planOf(5, { views: 'all', ...SHORT }));
    expect(problem).toBeUndefined();
  });

  it('runs alike at every run of a seed', async () => {
    const [first, second] = [await simulate(planOf(7, SHORT)), await simulate(planOf(7, SHORT))];
    expect(second).toEqual(first);
  });
});

describe('the simulation', () => {
  it.each(PLANTED)('catches a planted fault: $name, seed $seed', async ({ sabotage, seed }) => {
    const { problem } = await simulate(planOf(seed, SHORT), sabotage);
    expect(problem).toBeDefined();
    expect(problem).not.toMatch(/^a node failed/);
  });

  it('shrinks a plan to what makes it fail', async () => {
    const plan = planOf(3, SHORT);
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
