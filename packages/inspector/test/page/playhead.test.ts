/**
 * The moment that the page shows: smooth whatever the arrivals, and never ahead of them.
 */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Playhead } from '../../src/page/playhead.ts';

const TICK_MS = 50;
const FRAME_MS = 16;

/** Plays ticks that arrive up to so late, and returns the playhead's step in each display frame of the last part. */
function play(lateness: readonly number[]): { steps: number[]; lags: number[] } {
  const playhead = new Playhead(1 / TICK_MS);
  const arrivals = lateness.map((lateMs, i) => ({ tick: i + 1, atMs: i * TICK_MS + lateMs }));
  const steps: number[] = [];
  const lags: number[] = [];
  let next = 0;
  const endMs = lateness.length * TICK_MS;
  for (let nowMs = 0; nowMs < endMs; nowMs += FRAME_MS) {
    for (; next < arrivals.length && (arrivals[next]?.atMs ?? 0) <= nowMs; next++) {
      playhead.arrive(arrivals[next]?.tick ?? 0, arrivals[next]?.atMs ?? 0);
    }
    const before = playhead.tick;
    playhead.advance(FRAME_MS, nowMs);
    if (nowMs < 1000) continue;
    steps.push(playhead.tick - before);
    lags.push(next - playhead.tick);
  }
  return { steps, lags };
}

describe('the playhead', () => {
  it('goes evenly, about a tick behind, when ticks come evenly', () => {
    const { steps, lags } = play(new Array(80).fill(0));
    const even = FRAME_MS / TICK_MS;
    for (const step of steps) expect(Math.abs(step - even)).toBeLessThan(even * 0.15);
    for (const lag of lags) {
      expect(lag).toBeGreaterThanOrEqual(0);
      expect(lag).toBeLessThan(2);
    }
  });

  it('never goes back, never ahead of the newest tick, never stands for long, however late ticks come', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 30 }), { minLength: 60, maxLength: 80 }), (lateness) => {
        const { steps, lags } = play(lateness);
        for (const step of steps) expect(step).toBeGreaterThanOrEqual(0);
        for (const lag of lags) expect(lag).toBeGreaterThanOrEqual(0);
        for (const lag of lags) expect(lag).toBeLessThan(3);
      }),
    );
  });

  it('runs up to the newest tick and stays there while the world is paused', () => {
    const playhead = new Playhead(1 / TICK_MS);
    for (let tick = 1; tick <= 10; tick++) playhead.arrive(tick, tick * TICK_MS);
    playhead.isPaused = true;
    let nowMs = 500;
    while (playhead.advance(FRAME_MS, nowMs)) nowMs += FRAME_MS;
    expect(playhead.tick).toBe(10);
    playhead.arrive(11, 5000);
    expect(playhead.advance(FRAME_MS, 5000)).toBe(true);
    nowMs = 5000;
    while (playhead.advance(FRAME_MS, nowMs)) nowMs += FRAME_MS;
    expect(playhead.tick).toBe(11);
  });

  it('runs up to the newest tick, too, where a pause comes between ticks', () => {
    const playhead = new Playhead(1 / TICK_MS);
    for (let tick = 1; tick <= 10; tick++) {
      playhead.arrive(tick, tick * TICK_MS);
      playhead.advance(TICK_MS, tick * TICK_MS);
    }
    expect(playhead.tick).toBeLessThan(10);
    // What a change of pace does.
    playhead.isPaused = true;
    playhead.forget();
    for (let nowMs = 500; playhead.advance(FRAME_MS, nowMs); nowMs += FRAME_MS);
    expect(playhead.tick).toBe(10);
  });

  it('takes up the pace at which ticks come', () => {
    const playhead = new Playhead(1 / TICK_MS);
    let step = 0;
    let nowMs = 0;
    // Four times as fast as it was told.
    for (let tick = 1; tick <= 400; tick++) {
      nowMs = (tick * TICK_MS) / 4;
      playhead.arrive(tick, nowMs);
      const before = playhead.tick;
      playhead.advance(TICK_MS / 4, nowMs);
      step = playhead.tick - before;
    }
    expect(step).toBeCloseTo(1, 1);
  });

  it('begins anew with a world that begins anew', () => {
    const playhead = new Playhead(1 / TICK_MS);
    for (let tick = 1000; tick < 1020; tick++) playhead.arrive(tick, tick * TICK_MS);
    playhead.advance(FRAME_MS, 1019 * TICK_MS);
    expect(playhead.tick).toBeGreaterThan(1000);
    playhead.arrive(1, 1020 * TICK_MS);
    playhead.advance(FRAME_MS, 1020 * TICK_MS);
    expect(playhead.tick).toBeLessThanOrEqual(1);
  });
});
