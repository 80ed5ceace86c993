/**
 * The proof of the proof, for conditions and for single calls: each planted bug is found by random scripts; a sound world of
 * the same build is not accused.
 */
import { expect, test } from 'vitest';
import { createScript, shrinkScript } from '../../src/conformance/index.ts';
import { callCanaries, soundWorld } from './call-canaries.ts';
import { firstFailingSeed } from './failing-seed.ts';

const SIZE = { operations: 150, entities: 10 };

test('a sound world of the same build passes', () => {
  expect(firstFailingSeed(SIZE, { detector: 'brute-force', create: soundWorld }, 40)).toBe(-1);
});

test.each(Object.entries(callCanaries))('a world that %s fails random scripts', (_, create) => {
  const seed = firstFailingSeed(SIZE, { detector: 'brute-force', create }, 300);
  expect(seed).toBeGreaterThan(0);
  const find = shrinkScript(createScript(seed, SIZE), { detector: 'brute-force', create });
  expect(find?.script.operations.length).toBeLessThanOrEqual(12);
});
