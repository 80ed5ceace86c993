/**
 * The proof of the proof, for attachments: each planted bug is found by a hand-written case and by random scripts; a sound
 * world of the same build is not accused.
 */
import { describe, expect, test } from 'vitest';
import { attachmentCases } from '../../src/conformance/cases/attachments.ts';
import { createScript, shrinkScript } from '../../src/conformance/index.ts';
import type { World, WorldOptions } from '../../src/index.ts';
import { attachmentCanaries, soundWorld } from './attachment-canaries.ts';
import { firstFailingSeed } from './failing-seed.ts';

type CreateWorld = (options: WorldOptions) => World;

const SIZE = { operations: 150, entities: 10, attachments: true };

function failsACase(create: CreateWorld): boolean {
  return attachmentCases.some(({ run }) => {
    try {
      run((options = {}) => create(options));
      return false;
    } catch {
      return true;
    }
  });
}

test('a sound world of the same build passes', () => {
  expect(failsACase(soundWorld)).toBe(false);
  expect(firstFailingSeed(SIZE, { detector: 'brute-force', create: soundWorld }, 40)).toBe(-1);
});

describe.each(Object.entries(attachmentCanaries))('a world that %s', (_, create) => {
  test('fails a hand-written case', () => {
    expect(failsACase(create)).toBe(true);
  });

  test('fails random scripts within 100 seeds, by a script that is small', () => {
    const seed = firstFailingSeed(SIZE, { detector: 'brute-force', create }, 100);
    expect(seed).toBeGreaterThan(0);
    const find = shrinkScript(createScript(seed, SIZE), { detector: 'brute-force', create });
    expect(find?.script.operations.length).toBeLessThanOrEqual(12);
  });
});
