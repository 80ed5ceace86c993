/** The exact test of the peers, where float32 and float64 differ. */
import { expect, test } from 'vitest';
import { isInCircle, keepInCircle, SEARCH_FACTOR } from '../engines/circle-test.ts';

const f32 = Math.fround;

test('the edge is inside', () => {
  expect(isInCircle(3, 4, 5)).toBe(true);
  expect(isInCircle(3, 4, f32(4.9999995))).toBe(false);
});

test('a pair slightly outside in float64 but inside in float32 counts, and the search finds it', () => {
  const range = f32(50);
  const found: [number, number][] = [];
  for (let step = 0; step < 100_000; step++) {
    const dx = f32(step * 0.0005);
    const dy = f32(Math.sqrt(2500 - dx * dx));
    const squared = dx * dx + dy * dy;
    if (squared > 2500 && isInCircle(dx, dy, range)) found.push([dx, dy]);
  }
  expect(found.length).toBeGreaterThan(0);
  const searched = range * SEARCH_FACTOR;
  for (const [dx, dy] of found) expect(dx * dx + dy * dy).toBeLessThanOrEqual(searched * searched);
});

test('the watcher and markers beyond the range are removed from what an index found', () => {
  const x = Float32Array.of(0, 1, 7, -5);
  const y = Float32Array.of(0, 0, 0, 0);
  const found = Uint32Array.of(3, 2, 0, 1);
  const kept = keepInCircle(found, 4, 0, x, y, 5);
  expect([...found.subarray(0, kept)]).toEqual([3, 1]);
});
