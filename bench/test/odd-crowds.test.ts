/** A seed chooses the odd entities of a crowd, and they are in it. */
import { createWalkers, type Simulation } from '@umwelt/scenarios';
import { expect, test } from 'vitest';
import {
  ODD_ONES,
  withAwake,
  withCaps,
  withOddOnes,
  withOne,
  withWatchers,
  withWeights,
} from '../suites/odd-crowds.ts';

const ENTITIES = 1000;
const walkers = () => createWalkers({ entities: ENTITIES });

/** All properties of each actor. */
function saidOf(simulation: Simulation): string[] {
  return Array.from({ length: ENTITIES }, (_, actor) =>
    JSON.stringify([simulation.range[actor], simulation.initFor?.(actor)]),
  );
}

test('of a thousand at most ten have another range, as many are ghosts, and three are odd in their own way', () => {
  const plain = walkers().range[0];
  const mixed = withOddOnes(walkers(), 3);
  const inits = Array.from({ length: ENTITIES }, (_, actor) => mixed.initFor?.(actor) ?? {});
  const others = mixed.range.filter((range) => range !== plain).length;
  expect(others).toBeGreaterThan(5);
  expect(others).toBeLessThanOrEqual(10);
  expect(inits.filter(({ layers }) => layers === 2).length).toBeGreaterThan(5);
  for (const member of ['marker', 'minReach', 'gain'])
    expect(inits.filter((init) => member in init).length, member).toBe(1);
});

test.each([
  ['odd ones', (seed: number) => withOddOnes(walkers(), seed)],
  ['one bell', (seed: number) => withOne(walkers(), ODD_ONES.bell, seed)],
  ['caps', (seed: number) => withCaps(walkers(), 30, seed)],
  ['weights', (seed: number) => withWeights(walkers(), seed)],
  ['watchers', (seed: number) => withWatchers(walkers(), 20, seed)],
  ['the awake', (seed: number) => withAwake(walkers(), 20, seed)],
] as const)('%s are those that the seed says', (_, make) => {
  expect(saidOf(make(1))).toEqual(saidOf(make(1)));
  expect(saidOf(make(1))).not.toEqual(saidOf(make(2)));
});

test('caps go from a quarter to one and a half of what is perceived', () => {
  const capped = withCaps(walkers(), 40, 5);
  const caps = Array.from({ length: ENTITIES }, (_, actor) => capped.initFor?.(actor).cap ?? 0);
  expect(Math.min(...caps)).toBe(10);
  expect(Math.max(...caps)).toBe(60);
});

test('properties that two functions set for one actor are combined', () => {
  const both = withWeights(withCaps(walkers(), 40, 5), 6);
  const weighted = Array.from({ length: ENTITIES }, (_, actor) => both.initFor?.(actor) ?? {}).filter(
    ({ weight }) => weight !== undefined,
  );
  expect(weighted.length).toBeGreaterThan(200);
  expect(weighted.every(({ cap }) => cap !== undefined)).toBe(true);
});
