/**
 * The proof of the proof: each planted bug is found by the suite, and by random scripts alone; a sound detector of the
 * same build is not accused; and what is found is shrunk to something a person reads at a glance.
 */
import { describe, expect, test } from 'vitest';
import {
  createScript,
  detectorSuite,
  findText,
  runScript,
  runSeeds,
  type ScriptSize,
  shrinkScript,
} from '../../src/conformance/index.ts';
import type { DetectorFactory } from '../../src/index.ts';
import { canaries, forgetfulDetector, soundDetector } from './canaries.ts';
import { firstFailingSeed } from './failing-seed.ts';

const SIZE = { operations: 150, entities: 10 };

/** Cases that take a detector of two loops seconds, where others take milliseconds. */
const DEAR =
  /^(2,000 entities|every |within a hair|a stationary crowd|watchers and markers far apart|a reused slot has|only: if the watcher was removed)/;

/** The name of a case that a detector fails: of all, but the dear ones are tried last. */
function firstFailure(detector: DetectorFactory, scripts: number): string | undefined {
  const cases = detectorSuite(detector, { scripts });
  const inOrder = [
    ...cases.filter(({ name }) => !DEAR.test(name)),
    ...cases.filter(({ name }) => DEAR.test(name)),
  ];
  return inOrder.find(({ run }) => {
    try {
      run();
      return false;
    } catch {
      return true;
    }
  })?.name;
}

const MOST_SEEDS = 400;
/** What was found out already: each canary is asked about twice. */
const failingSeeds = new Map<DetectorFactory, number>();

function failingSeedOf(detector: DetectorFactory): number {
  const known = failingSeeds.get(detector);
  if (known !== undefined) return known;
  const found = firstFailingSeed(SIZE, { detector }, MOST_SEEDS);
  failingSeeds.set(detector, found);
  return found;
}

test('a sound detector over the public interface passes the whole suite', () => {
  expect(firstFailure(soundDetector, 50)).toBeUndefined();
});

describe.each(Object.entries(canaries))('a detector that %s', (_, detector) => {
  test('fails the suite by a hand-written case', () => {
    const name = firstFailure(detector, 0);
    expect(name).toBeDefined();
    expect(name).not.toContain('random scripts');
  });

  test('fails random scripts within 400 seeds', () => {
    expect(failingSeedOf(detector)).toBeGreaterThan(0);
  });

  test('is shown by a script of at most 12 operations that fails again as printed', () => {
    const seed = failingSeedOf(detector);
    const find = shrinkScript(createScript(seed, SIZE), { detector });
    expect(find?.script.operations.length).toBeLessThanOrEqual(12);
    const printed = (find && findText(find)) ?? '';
    expect(printed).toContain(`seed ${seed}`);
    const again = JSON.parse(printed.slice(printed.indexOf('{')));
    expect(runScript(again, { detector })?.what).toBe(find?.mismatch.what);
    expect(runScript(again, { detector: soundDetector })).toBeUndefined();
  });
});

test('a detector that loses high slots once the columns have shrunk and grown fails where everybody is short-lived, and only there', () => {
  const failing = (size: ScriptSize, seeds: number) =>
    firstFailingSeed(size, { detector: forgetfulDetector }, seeds);
  // As long as those of the suite, and as many; the first that fails is enough.
  const shortLived = { operations: 2000, entities: 12, turnover: true };
  const isFound = failing(shortLived, 3) > 0 || failing({ ...shortLived, interests: true }, 3) > 0;
  expect(isFound).toBe(true);
  expect(failing(SIZE, 200)).toBe(-1);
});

test('a detector that throws is a find, not a crash', () => {
  const thrower: DetectorFactory = (store) => ({
    ...soundDetector(store),
    detect() {
      throw new Error('the index is broken');
    },
  });
  expect(runScript(createScript(1, SIZE), { detector: thrower })?.what).toContain('the index is broken');
  expect(() => runSeeds(1, 1, SIZE, { detector: thrower })).toThrow('the index is broken');
});

test('a detector whose validate() finds a fault is caught by it', () => {
  const invalid: DetectorFactory = (store) => ({
    ...soundDetector(store),
    validate() {
      throw new Error('a cell is not sorted');
    },
  });
  expect(runScript(createScript(1, SIZE), { detector: invalid })?.what).toContain('a cell is not sorted');
});
