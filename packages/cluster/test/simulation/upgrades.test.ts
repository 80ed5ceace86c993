/** Nodes are upgraded to a version with a later format of records, under all faults. */
import { expect, it } from 'vitest';
import { type Fault, planOf } from './plan.ts';
import { simulate } from './simulation.ts';

// All nodes of 4 are upgraded in the end, and some of the earlier version came too late; 11 ends in the middle.
it.each([
  [4, 2],
  [11, 1],
])('reports what one world would while nodes are upgraded, seed %i', async (seed, last) => {
  const { problem, reports, refused, format } = await simulate(
    planOf(seed, { hasUpgrade: true, entities: 15, durationMs: 8000, endsOnceSettled: true }),
  );
  expect(problem).toBeUndefined();
  expect(reports).toBeGreaterThan(300);
  expect(format).toBe(last);
  if (seed === 4) expect(refused).toBeGreaterThan(0);
});

// The log lost its end, and all nodes are ahead of it. A record of the later format comes, then a node that died comes back, whom
// nobody answers: by the log, no member writes in that format.
it('refuses no node of the earlier version for a record that counts for nobody', async () => {
  const faults: Fault[] = [
    { atMs: 4130, kind: 'tail', node: 0, forMs: 1108, amount: 18 },
    { atMs: 4666, kind: 'garbage', node: 1, forMs: 0, amount: 1 },
    { atMs: 5280, kind: 'told', node: 1, forMs: 1085, amount: 26 },
  ];
  const size = {
    durationMs: 6000,
    entities: 2,
    views: 'all',
    hasUpgrade: true,
    endsOnceSettled: true,
  } as const;
  const shape = { nodes: 3, hasRules: false, hasTerritories: false };
  const { problem, refused, format } = await simulate({ ...planOf(78009, size), ...shape, faults });
  expect([problem, refused, format]).toEqual([undefined, 0, 1]);
});
