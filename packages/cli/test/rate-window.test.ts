/** Rates over a window of two seconds. */
import { expect, it } from 'vitest';
import { RateWindow } from '../src/rate-window.ts';

it('is 0 before anything was counted', () => {
  expect(new RateWindow(2000).perSecond(123_456)).toBe(0);
});

it('is the rate of a steady stream, wherever in a slice it is asked', () => {
  const rate = new RateWindow(2000);
  for (let ms = 333; ms < 20_000; ms += 50) {
    rate.add(10, ms);
    if (ms > 5000) expect(Math.abs(rate.perSecond(ms + 1) - 200)).toBeLessThan(10);
  }
});

it('is already right in the first second', () => {
  const rate = new RateWindow(2000);
  for (let ms = 10_000; ms < 11_000; ms += 10) rate.add(1, ms);
  expect(rate.perSecond(11_000)).toBeCloseTo(100);
});

it('does not make a huge rate of the first moment', () => {
  const rate = new RateWindow(2000);
  rate.add(1, 500);
  expect(rate.perSecond(500)).toBeLessThanOrEqual(4);
});

it('falls to 0 when nothing comes any more', () => {
  const rate = new RateWindow(2000);
  for (let ms = 0; ms < 5000; ms += 50) rate.add(1, ms);
  expect(rate.perSecond(6000)).toBeLessThan(12);
  expect(rate.perSecond(7000)).toBe(0);
  expect(rate.perSecond(700_000)).toBe(0);
});

it('counts anew after a long silence', () => {
  const rate = new RateWindow(2000);
  rate.add(1_000_000, 0);
  rate.add(2, 1_000_000);
  expect(rate.perSecond(1_000_000)).toBeLessThan(2);
});
