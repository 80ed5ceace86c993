/**
 * The proofs that hold for one thread hold for several: hand-written cases and random scripts, on worlds in which every
 * task is shared out, however small.
 *
 * A worker takes some milliseconds to begin, so cases that make worlds by the hundred have threads in the first few.
 */
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { extremeCases } from '../../src/conformance/cases/extremes.ts';
import { perceptionCases } from '../../src/conformance/cases/perception.ts';
import { tickCases } from '../../src/conformance/cases/ticks.ts';
import { createScript, runScript } from '../../src/conformance/index.ts';
import { World } from '../../src/index.ts';
import { shareAsUsual, shareEverything, Worlds } from './threaded-worlds.ts';

const MOST_WORLDS = 2;
const SMALL = { operations: 100, entities: 12 };
const LARGE = { operations: 100, entities: 300 };

beforeAll(shareEverything);
afterAll(shareAsUsual);

describe.each([2, 3])('a sweep on %i threads', (threads) => {
  const worlds = new Worlds();

  afterEach(() => worlds.end());

  test.each([...perceptionCases, ...tickCases, ...extremeCases].map(({ name, run }) => [name, run] as const))(
    '%s',
    (_, run) => {
      run((options = {}) =>
        worlds.count < MOST_WORLDS ? worlds.make({ ...options, threads }) : new World(options),
      );
    },
  );

  test.each(Array.from({ length: 6 }, (_, i) => i + 1))(
    'reports what the model reports, random script %i',
    (seed) => {
      const [interests, attachments] = [seed % 3 === 0, seed % 2 === 0];
      const script = createScript(seed, { ...SMALL, interests, attachments });
      const create = (options: object) => worlds.make({ ...options, threads });
      expect(runScript(script, { detector: 'sweep', create })).toBeUndefined();
    },
  );

  test.each([101, 102])('reports what brute force reports, larger random script %i', (seed) => {
    const create = (options: object) => worlds.make({ ...options, threads });
    const trial = { detector: 'sweep', against: 'brute-force', create } as const;
    expect(runScript(createScript(seed, LARGE), trial)).toBeUndefined();
  });
});
