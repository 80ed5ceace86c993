/**
 * Every detector of the registry passes the suite; those with WebAssembly kernels pass it on their TypeScript twins too.
 *
 * One line a detector and choice of kernels. Of the random scripts without rules the suite has fewer here than by default: those
 * of random-scripts.test.ts and classic-scripts.test.ts are several times as many, for each of these.
 */
import { describe, expect, test } from 'vitest';
import { detectorSuite } from '../../src/conformance/index.ts';
import { type DetectorName, detectorNames, type KernelChoice } from '../../src/index.ts';

const SCRIPTS = 50;

const TRIED: readonly [DetectorName, KernelChoice][] = [
  ['brute-force', 'auto'],
  ['sweep', 'wasm'],
  ['sweep', 'typescript'],
  ['nine-grid', 'auto'],
  ['tower', 'auto'],
  ['cross-list', 'auto'],
  ['hot-pair', 'auto'],
  ['quadtree', 'auto'],
];

describe.each(TRIED)('%s with %s kernels', (detector, kernels) => {
  for (const { name, run } of detectorSuite(detector, { options: { kernels }, scripts: SCRIPTS }))
    test(name, run);
});

test('no detector of the registry is left out', () => {
  expect([...new Set(TRIED.map(([detector]) => detector))].sort()).toEqual([...detectorNames].sort());
});

test('a suite has many cases, all of different names, and runs none of them by itself', () => {
  let worlds = 0;
  const cases = detectorSuite(() => {
    worlds++;
    throw new Error('no world is made before a case is run');
  });
  expect(worlds).toBe(0);
  expect(new Set(cases.map(({ name }) => name)).size).toBe(cases.length);
  expect(cases.length).toBeGreaterThan(70);
});
