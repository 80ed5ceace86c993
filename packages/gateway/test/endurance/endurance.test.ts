/**
 * The run of `npm run fuzz -- endurance`, with few clients and for seconds: cut, stalled and through restarts of both kinds they end up with
 * what their players perceive; a mirror that does not is found, and so is memory that grows.
 */
import { expect, test } from 'vitest';
import { lull, runEndurance } from './endurance-run.ts';
import { type MemorySample, memoryTrend } from './held-memory.ts';

const PLAN = { clients: 12, seconds: 12, tickMs: 50, restarts: 2, stormSeconds: 2 };

test('mirrors are right after cuts, stalls, a restart and a crash of the server', async () => {
  const figures = await runEndurance(PLAN);
  expect(figures.problems).toEqual([]);
  expect(figures).toMatchObject({ saved: 1, killed: 1, wrong: 0 });
  expect(figures.calms).toBeGreaterThan(0);
  expect(figures.comparedInTheEnd).toBeGreaterThanOrEqual(PLAN.clients);
  expect(figures.status.frames).toBeGreaterThan(0);
  // Whoever lost a session by the crash has a new one.
  expect(figures.status.begunAnew).toBeGreaterThanOrEqual(PLAN.clients);
  expect(figures.status.resumed).toBeGreaterThan(0);
});

test('a mirror that lacks somebody is found', async () => {
  const figures = await runEndurance({ ...PLAN, seconds: 2, restarts: 0, spoils: true });
  expect(figures.wrong).toBeGreaterThan(0);
  expect(figures.problems).toContainEqual(expect.stringContaining('client 0 saw something else'));
});

test('a storm with a tenth of its cuts is none', () => {
  expect(lull(950, 1000)).toEqual([]);
  expect(lull(126, 1250)).toEqual(['126 cuts in storms that should have had 1250']);
  // Of a handful, chance decides.
  expect(lull(0, 4)).toEqual([]);
});

test('a line through what is held tells growth from noise', () => {
  const samples = (bytesAt: (second: number) => number): MemorySample[] =>
    Array.from({ length: 240 }, (_, i) => ({ second: 5 * i, bytes: bytesAt(5 * i) }));
  const noisy = memoryTrend(samples((second) => 100e6 + 5e6 * Math.sin(second)));
  expect(noisy?.isFlat).toBe(true);
  expect(noisy?.bytesAMinute).toBeCloseTo(0, -5);
  const warming = memoryTrend(samples((second) => 100e6 - 50e6 * Math.exp(-second / 30)));
  expect(warming?.isFlat).toBe(true);
  // A kilobyte and a bit for each frame of a thousand.
  const leaking = memoryTrend(samples((second) => 100e6 + 1e6 * (second / 60) * 2));
  expect(leaking?.isFlat).toBe(false);
  expect(leaking?.bytesAMinute).toBeCloseTo(2e6);
  expect(memoryTrend(samples(() => 1).slice(0, 90))).toBeUndefined();
});
