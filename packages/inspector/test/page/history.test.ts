/**
 * The last minute in figures.
 */
import { describe, expect, it } from 'vitest';
import type { TickFrame } from '../../src/feed-frame.ts';
import { History } from '../../src/page/history.ts';
import { tickFrame } from '../tick-frames.ts';

function frameOf(patch: Partial<TickFrame>): TickFrame {
  const crowd = { positions: new Float32Array(14), events: new Uint8Array(7) };
  return tickFrame({ tick: 0, tickMs: 0, ...crowd, ...patch });
}

describe('the history', () => {
  it('takes rates from running totals, so that frames left out lose nothing', () => {
    for (const stride of [1, 2, 5]) {
      const history = new History();
      for (let tick = 1; tick <= 201; tick += stride) {
        history.take(
          frameOf({ tick, timeMs: tick * 50, enteredTotal: tick * 3, leftTotal: tick, sensedTotal: tick }),
          8,
        );
      }
      expect(history.eventsPerSecond).toBeCloseTo(100, 6);
      for (const rate of history.columns.eventsPerSecond) expect(rate).toBeCloseTo(100, 6);
      // Four relations a tick, among eight watchers.
      expect(history.churn).toBeCloseTo(0.5, 6);
      for (const churn of history.columns.churn) expect(churn).toBeCloseTo(0.5, 6);
    }
  });

  it('keeps mean and worst of the tick times', () => {
    const history = new History();
    const times = [9, 2, 4, 2, 2, 10];
    times.forEach((tickMs, i) => {
      history.take(frameOf({ tick: i + 1, timeMs: i * 50, tickMs }), 4);
    });
    expect(history.columns.tickMsMean).toEqual([4]);
    expect(history.columns.tickMsMax).toEqual([10]);
    expect(history.columns.entities).toEqual([7]);
  });

  it('leaves no hole for a pause', () => {
    const history = new History();
    for (let tick = 1; tick <= 100; tick++) {
      const pausedMs = tick > 50 ? 60_000 : 0;
      history.take(frameOf({ tick, timeMs: tick * 50 + pausedMs, enteredTotal: tick }), 4);
    }
    const { time } = history.columns;
    const seconds = time.map((at, i) => at - (time[i - 1] ?? 0));
    for (const length of seconds) expect(length).toBeCloseTo(0.25, 6);
  });

  it('keeps a minute and no more', () => {
    const history = new History();
    for (let tick = 1; tick <= 20 * 200; tick++) history.take(frameOf({ tick, timeMs: tick * 50 }), 4);
    const { time } = history.columns;
    expect(time.length).toBe(240);
    expect((time.at(-1) ?? 0) - (time[0] ?? 0)).toBeCloseTo(239 * 0.25, 6);
    for (const column of Object.values(history.columns) as number[][]) expect(column.length).toBe(240);
  });

  it('measures nothing across an interruption', () => {
    const history = new History();
    for (let tick = 1; tick <= 200; tick++) {
      if (tick === 101) history.interrupt();
      const leap = tick > 100 ? 5000 : 0;
      history.take(frameOf({ tick: tick + leap, timeMs: tick * 50, enteredTotal: tick + 1000 * leap }), 4);
    }
    for (const rate of history.columns.eventsPerSecond) expect(rate).toBeCloseTo(20, 6);
    expect(history.columns.time.length).toBe(39);
  });

  it('knows what a tick came to by itself, also after a leap, and not when others came with it', () => {
    const history = new History();
    const taken = (tick: number, leaps: number, total: number) => {
      history.take(frameOf({ tick, leaps, enteredTotal: total, sensedTotal: total, timeMs: tick }), 4);
      return history.alone;
    };
    expect(taken(1, 0, 7)).toBeUndefined();
    expect(taken(2, 0, 10)).toEqual({ events: 6, changed: 3 });
    expect(taken(4, 0, 12)).toBeUndefined();
    history.interrupt();
    expect(taken(90, 1, 17)).toEqual({ events: 10, changed: 5 });
    expect(taken(3, 3, 20)).toBeUndefined();
    history.clear();
    expect(history.alone).toBeUndefined();
  });

  it('measures nothing across a world that begins anew', () => {
    const history = new History();
    history.take(frameOf({ tick: 900, timeMs: 0, enteredTotal: 1e6 }), 4);
    for (let tick = 1; tick <= 100; tick++)
      history.take(frameOf({ tick, timeMs: tick * 50, enteredTotal: tick }), 4);
    for (const rate of history.columns.eventsPerSecond) expect(rate).toBeCloseTo(20, 6);
  });
});
