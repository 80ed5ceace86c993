/** The bounded histogram against the definition: sort, then pick. */
import { Random } from '@umwelt/scenarios';
import { describe, expect, it } from 'vitest';
import { Percentiles } from '../src/percentiles.ts';

const WINDOW = 100;
const TOLERANCE = 0.011;

function defined(durations: readonly number[], fraction: number): number {
  const sorted = [...durations].sort((one, other) => one - other);
  return sorted[Math.max(0, Math.ceil(fraction * sorted.length) - 1)] as number;
}

describe('percentiles', () => {
  it('are 0 before the first duration', () => {
    const percentiles = new Percentiles(WINDOW);
    expect(percentiles.at(0.5)).toBe(0);
    expect(percentiles.sampleCount).toBe(0);
  });

  it('are those of the last window of durations, within 1.1 %, at every moment', () => {
    const random = new Random(7);
    const percentiles = new Percentiles(WINDOW);
    const durations: number[] = [];
    for (let i = 0; i < 1000; i++) {
      // From 2 microseconds to 20 seconds, evenly over the magnitudes.
      const duration = 0.002 * 10 ** (random.unit() * 7);
      percentiles.add(duration);
      durations.push(duration);
      const recent = durations.slice(-WINDOW);
      for (const fraction of [0.01, 0.5, 0.99, 1]) {
        const expected = defined(recent, fraction);
        expect(Math.abs(percentiles.at(fraction) - expected)).toBeLessThanOrEqual(expected * TOLERANCE);
      }
      expect(percentiles.sampleCount).toBe(recent.length);
    }
  });

  it('forget what has left the window', () => {
    const percentiles = new Percentiles(WINDOW);
    for (let i = 0; i < WINDOW; i++) percentiles.add(1000);
    for (let i = 0; i < WINDOW; i++) percentiles.add(1);
    expect(percentiles.at(1)).toBeLessThan(1.02);
  });

  it('take durations beyond the scale for its ends', () => {
    const percentiles = new Percentiles(WINDOW);
    percentiles.add(0);
    percentiles.add(-1);
    percentiles.add(Number.NaN);
    expect(percentiles.at(1)).toBeLessThan(0.002);
    percentiles.add(Number.POSITIVE_INFINITY);
    expect(percentiles.at(1)).toBeGreaterThan(100_000);
  });
});
