/** When a simulation may end before its calm is over. */
import { expect, it } from 'vitest';
import { type FaultKind, planOf } from './plan.ts';
import { simulate } from './simulation.ts';

/** Of 280 ticks of 50 ms: 2 s with one fault at their end, and 12 s of calm. */
async function ticksWith(kind: FaultKind, forMs: number): Promise<number> {
  const faults = [{ atMs: 1900, kind, node: 1, forMs, amount: 1 }];
  const size = { durationMs: 2000, entities: 2, endsOnceSettled: true };
  const plan = { ...planOf(1, size), nodes: 3, hasRules: false, hasTerritories: false, faults };
  const { problem, ticks } = await simulate(plan);
  expect(problem).toBeUndefined();
  return ticks;
}

it.each([
  ['nothing that takes time', 'garbage', 0, 110, 150],
  ['a process was away for 3 s', 'crash', 3000, 170, 230],
  ['one stood still for 4 s', 'pause', 4000, 190, 250],
] as const)('ends some four seconds after %s', async (_what, kind, forMs, least, most) => {
  const ticks = await ticksWith(kind, forMs);
  expect(ticks).toBeGreaterThan(least);
  expect(ticks).toBeLessThan(most);
});

it('ends no earlier than its calm while a process is not back', async () => {
  expect(await ticksWith('crash', 60_000)).toBeGreaterThan(260);
});
