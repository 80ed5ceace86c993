/**
 * Numbers as people read them.
 */
import { describe, expect, it } from 'vitest';
import {
  compact,
  coordinate,
  measured,
  moment,
  roundSeconds,
  roundStep,
  seconds,
  whole,
} from '../../src/page/figures.ts';

describe('figures', () => {
  it('group digits, and shorten large counts only', () => {
    expect(whole(1234567)).toBe('1,234,567');
    expect(compact(9999)).toBe('9,999');
    expect(compact(48_230)).toBe('48.2K');
    expect(compact(3_100_000)).toBe('3.1M');
  });

  it('have the decimals that mean something', () => {
    expect(measured(2.804)).toBe('2.8');
    expect(measured(44_000.4)).toBe('44,000');
    expect(coordinate(14.8249, 52)).toBe('14.82');
    expect(coordinate(14.8249, 0.5)).toBe('15');
  });

  it('give time in minutes, and hours when there are any', () => {
    expect(seconds(7.9)).toBe('0:07');
    expect(seconds(605)).toBe('10:05');
    expect(seconds(3661)).toBe('1:01:01');
  });

  it('tell a time to the hundredth, and never sixty seconds', () => {
    for (const [time, text] of [
      [0, '0:00.00'],
      [9.05, '0:09.05'],
      [59.996, '1:00.00'],
      [3661.5, '1:01:01.50'],
    ] as const) {
      expect(moment(time)).toBe(text);
    }
  });

  it('step through time as people count it', () => {
    for (const [min, step] of [
      [0, 0.1],
      [0.3, 0.5],
      [7, 10],
      [61, 120],
      [5000, 7200],
    ] as const) {
      expect(roundSeconds(min)).toBe(step);
    }
  });

  it('step by 1, 2 or 5 of a decade', () => {
    for (const [max, step] of [
      [1, 1],
      [1.9, 1],
      [2, 2],
      [4.99, 2],
      [5, 5],
      [99, 50],
      [0.04, 0.02],
    ] as const) {
      expect(roundStep(max)).toBeCloseTo(step, 12);
    }
  });
});
