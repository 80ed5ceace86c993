/** A cluster whose log loses its end, all of it, or its beginning. */
import { describe, expect, it } from 'vitest';
import { type Fault, type FaultKind, planOf } from './plan.ts';
import { simulate } from './simulation.ts';

function at(atMs: number, kind: FaultKind, node: number, forMs: number, amount = 1): Fault {
  return { atMs, kind, node, forMs, amount };
}

describe('a cluster whose log loses records', () => {
  it('goes on where the log was emptied, though a node came first that found nothing', async () => {
    const faults = [
      { atMs: 4000, kind: 'crash' as const, node: 0, forMs: 1300, amount: 1 },
      { atMs: 5000, kind: 'tail' as const, node: 0, forMs: 400, amount: 1e6 },
    ];
    const size = { durationMs: 6000, entities: 20, endsOnceSettled: true };
    const { problem } = await simulate({ ...planOf(2, size), faults });
    expect(problem).toBeUndefined();
  });

  // Node 2 is the farthest ahead, so the log goes on from its state: told to leave before that, and before others have the state.
  it.each([7000, 7950, 8050])(
    'pauses once where the log lost its end and the node leaves whose state is the newest, at %i ms',
    async (atMs) => {
      const faults = [
        { atMs: 5000, kind: 'tail' as const, node: 0, forMs: 400, amount: 20 },
        { atMs, kind: 'leave' as const, node: 2, forMs: 5000, amount: 1 },
      ];
      const plan = { ...planOf(1, { durationMs: 6000, entities: 10 }), nodes: 3, faults };
      const { problem, pauseMs, ticks } = await simulate(plan);
      expect(problem).toBeUndefined();
      expect(pauseMs).toBeGreaterThan(2000);
      expect(pauseMs).toBeLessThan(3500);
      // Of 18 s of 50 ms, without that pause.
      expect(ticks).toBeGreaterThan(290);
    },
  );

  // Marks of nodes that had not noticed the loss, and late copies, made the others wait from the start again: 5.2 s.
  it.each([2, 8])('pauses once though marks from before the loss come late, seed %i', async (seed) => {
    const faults = [at(5000, 'tail', 0, 400, 20)];
    const size = { durationMs: 6000, entities: 10, endsOnceSettled: true };
    const { problem, pauseMs } = await simulate({ ...planOf(seed, size), nodes: 3, faults });
    expect(problem).toBeUndefined();
    expect(pauseMs).toBeGreaterThan(2000);
    expect(pauseMs).toBeLessThan(3600);
  });

  // Node 2 has copied a state, and cannot follow yet since the broker is down: it comes back without the end that the state is of.
  it('does not go on from a copied state that the log lost before the node could follow', async () => {
    const faults = [
      at(1500, 'leave', 2, 554),
      at(2364, 'pause', 3, 1693),
      at(2949, 'leave', 3, 908),
      at(3711, 'cut', 1, 1076),
      at(4771, 'tail', 4, 1670, 23),
      at(5498, 'crash', 4, 2272),
      at(7000, 'tail', 0, 400, 30),
    ];
    const size = { durationMs: 8000, calmMs: 3000, entities: 5 };
    const shape = { nodes: 5, hasRules: false, hasTerritories: true };
    const { problem, reports } = await simulate({ ...planOf(2012, size), ...shape, faults });
    expect(problem).toBeUndefined();
    expect(reports).toBeGreaterThan(300);
  });

  // Node 0, which has the world, cannot reach the log; node 3 died, comes back without a state, and waits for less long than that.
  it('goes on from the world that there was where a node without a state began an empty one meanwhile', async () => {
    const faults = [
      at(1500, 'rename', 2, 161),
      at(2000, 'cut', 2, 50),
      at(3557, 'trim', 0, 50, 30),
      at(4832, 'cut', 3, 50),
      at(5873, 'crash', 3, 1664),
      at(6301, 'tail', 3, 420, 7),
      at(7882, 'crash', 2, 5859),
      at(9894, 'crash', 1, 4361),
      at(10_771, 'partition', 0, 2260),
    ];
    const size = { entities: 2, hasUpgrade: true, endsOnceSettled: true };
    const shape = { nodes: 4, hasRules: false, hasTerritories: false };
    const { problem } = await simulate({ ...planOf(780_075, size), ...shape, faults });
    expect(problem).toBeUndefined();
  });

  // The log goes on from a checkpoint of records that it has lost, and all nodes die again before another one was saved.
  it.each([12_560, 13_120])(
    'goes on by a checkpoint though the log has other records by then, where all nodes die at %i ms',
    async (atMs) => {
      const faults = [at(4900, 'outage', 0, 300), at(4920, 'tail', 0, 400, 80), at(atMs, 'outage', 0, 300)];
      const size = { durationMs: 15_000, entities: 4, endsOnceSettled: true };
      const shape = { nodes: 3, hasRules: false, hasTerritories: false };
      const { problem, pauseMs } = await simulate({ ...planOf(3, size), ...shape, faults });
      expect(problem).toBeUndefined();
      expect(pauseMs).toBeLessThan(7500);
    },
  );

  it.each([1011, 1032])('reports what one world would where all nodes die at once, seed %i', async (seed) => {
    const plan = planOf(seed, { endsOnceSettled: true, entities: 10 });
    const kinds = new Set(plan.faults.map(({ kind }) => kind));
    expect([...kinds]).toEqual(expect.arrayContaining(['outage', 'slow', 'namesake']));
    expect((await simulate(plan)).problem).toBeUndefined();
  });

  it.each([10, 225])('reports what one world would where the log keeps little, seed %i', async (seed) => {
    const plan = planOf(seed, { endsOnceSettled: true });
    expect(plan.faults.some(({ kind }) => kind === 'trim')).toBe(true);
    expect((await simulate(plan)).problem).toBeUndefined();
  });
});
