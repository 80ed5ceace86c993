/**
 * When a page is answered: at once, and not too often.
 */
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { PacedAnswer } from '../src/feed/paced-answer.ts';

const WAIT_MS = 30;

describe('a paced answer', () => {
  let answered: number;
  let costMs: number;
  let isReady: boolean;
  let paced: PacedAnswer;

  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
    answered = 0;
    costMs = 0;
    isReady = true;
    paced = new PacedAnswer(WAIT_MS, () => {
      vi.advanceTimersByTime(costMs);
      if (isReady) answered++;
      return isReady;
    });
  });
  afterEach(() => {
    paced.close();
    vi.useRealTimers();
  });

  it('comes at once, and then together for all that was asked meanwhile', () => {
    paced.ask();
    expect(answered).toBe(1);
    for (let i = 0; i < 100; i++) paced.ask();
    expect(answered).toBe(1);
    vi.advanceTimersByTime(WAIT_MS);
    expect(answered).toBe(2);
    vi.advanceTimersByTime(10 * WAIT_MS);
    expect(answered).toBe(2);
    paced.ask();
    expect(answered).toBe(3);
  });

  it('takes a twentieth of the time at most, however long it takes', () => {
    costMs = 50;
    const startMs = performance.now();
    while (performance.now() - startMs < 21_000) {
      paced.ask();
      vi.advanceTimersByTime(10);
    }
    expect(answered * costMs).toBeLessThanOrEqual(1100);
    expect(answered).toBeGreaterThan(10);
  });

  it('comes later where the page is not ready for it', () => {
    isReady = false;
    paced.ask();
    vi.advanceTimersByTime(5 * WAIT_MS);
    expect(answered).toBe(0);
    isReady = true;
    vi.advanceTimersByTime(2 * WAIT_MS);
    expect(answered).toBe(1);
  });

  it('does not come for what was settled, nor after its end', () => {
    paced.ask();
    paced.ask();
    paced.settle();
    vi.advanceTimersByTime(10 * WAIT_MS);
    expect(answered).toBe(1);
    paced.ask();
    paced.ask();
    paced.close();
    vi.advanceTimersByTime(10 * WAIT_MS);
    expect(answered).toBe(2);
  });
});
