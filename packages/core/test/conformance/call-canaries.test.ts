/**
 * The proof of the proof, for conditions and for single calls: each planted bug is found by random scripts; a sound world of
 * the same build is not accused.
 */
import { expect, test } from 'vitest';
import { createScript, runScript, shrinkScript } from '../../src/conformance/index.ts';
import type { World, WorldOptions } from '../../src/index.ts';
import { callCanaries, soundWorld } from './call-canaries.ts';

type CreateWorld = (options: WorldOptions) => World;

const SIZE = { operations: 150, entities: 10 };

function firstFailingSeed(create: CreateWorld, upTo: number): number {
  for (let seed = 1; seed <= upTo; seed++) {
    if (runScript(createScript(seed, SIZE), { detector: 'brute-force', create }) !== undefined) return seed;
  }
  return -1;
}

test('a sound world of the same build passes', () => {
  expect(firstFailingSeed(soundWorld, 40)).toBe(-1);
});

test.each(Object.entries(callCanaries))('a world that %s fails random scripts', (_, create) => {
  const seed = firstFailingSeed(create, 300);
  expect(seed).toBeGreaterThan(0);
  const find = shrinkScript(createScript(seed, SIZE), { detector: 'brute-force', create });
  expect(find?.script.operations.length).toBeLessThanOrEqual(12);
});
