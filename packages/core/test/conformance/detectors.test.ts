/**
 * Every detector of the registry passes the suite; those with WebAssembly kernels pass it on their TypeScript twins too.
 *
 * One line a detector and choice of kernels. Random scripts of a kind that random-scripts.test.ts, classic-scripts.test.ts or
 * interest-scripts.test.ts has for each of these, longer and more of them, are left out here.
 */
import { describe, expect, test } from 'vitest';
import { type ConformanceCase, detectorSuite } from '../../src/conformance/index.ts';
import { type DetectorName, detectorNames, type KernelChoice } from '../../src/index.ts';

/** Of these kinds the other files have several times as many. */
const ELSEWHERE =
  /^(random scripts (with interests|in which all is in use at once)|larger random scripts) from/;

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
  for (const { name, run } of casesOf(detector, kernels)) test(name, run);
});

/** The suite's, without scripts that are elsewhere: with TypeScript kernels, no larger ones are. */
function casesOf(detector: DetectorName, kernels: KernelChoice): ConformanceCase[] {
  const cases = detectorSuite(detector, { options: { kernels }, scripts: 0 });
  return cases.filter(
    ({ name }) => !ELSEWHERE.test(name) || (kernels === 'typescript' && name.startsWith('larger')),
  );
}

test('of the suite, only three cases are left out for each', () => {
  const names = detectorSuite('sweep', { scripts: 0 }).map(({ name }) => name);
  expect(names.filter((name) => ELSEWHERE.test(name))).toHaveLength(3);
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
