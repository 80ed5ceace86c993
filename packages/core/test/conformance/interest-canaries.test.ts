/**
 * The proof of the proof, for rules: each planted bug is found by a hand-written case and by random scripts; a sound
 * world of the same build is not accused.
 */
import { describe, expect, test } from 'vitest';
import { createScript, findText, runScript, shrinkScript } from '../../src/conformance/index.ts';
import { interestCases } from '../../src/conformance/suite.ts';
import type { World, WorldOptions } from '../../src/index.ts';
import { interestCanaries, soundWorld } from './interest-canaries.ts';

type CreateWorld = (options: WorldOptions) => World;

/** Operations of a script that a person reads. */
const SMALL = 16;
const SIZE = { operations: 150, entities: 10, interests: true };

/** The name of the first hand-written case that such a world fails. */
function firstFailure(create: CreateWorld): string | undefined {
  return interestCases.find(({ run }) => {
    try {
      run((options = {}) => create(options));
      return false;
    } catch {
      return true;
    }
  })?.name;
}

function firstFailingSeed(create: CreateWorld, upTo: number, from = 1): number {
  for (let seed = from; seed <= upTo; seed++) {
    if (runScript(createScript(seed, SIZE), { detector: 'brute-force', create }) !== undefined) return seed;
  }
  return -1;
}

/** The first script that fails and can be made small: now and then a fault shows by a long way alone. */
function firstSmallFind(create: CreateWorld, upTo: number) {
  for (let seed = firstFailingSeed(create, upTo); seed > 0; seed = firstFailingSeed(create, upTo, seed + 1)) {
    const find = shrinkScript(createScript(seed, SIZE), { detector: 'brute-force', create });
    if (find !== undefined && find.script.operations.length <= SMALL) return find;
  }
  return undefined;
}

test('a sound world of the same build passes', () => {
  expect(firstFailure(soundWorld)).toBeUndefined();
  expect(firstFailingSeed(soundWorld, 60)).toBe(-1);
});

describe.each(Object.entries(interestCanaries))('a world that %s', (_, create) => {
  test('fails a hand-written case', () => {
    expect(firstFailure(create)).toBeDefined();
  });

  test('fails random scripts within 2000 seeds, by a script that is small and fails again', () => {
    const trial = { detector: 'brute-force', create } as const;
    const find = firstSmallFind(create, 2000);
    expect(find).toBeDefined();
    const printed = (find && findText(find)) ?? '';
    const again = JSON.parse(printed.slice(printed.indexOf('{ "seed"')));
    expect(runScript(again, trial)?.what).toBe(find?.mismatch.what);
    expect(runScript(again, { ...trial, create: soundWorld })).toBeUndefined();
  });
});
