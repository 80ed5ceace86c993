/**
 * The proofs that hold for one thread hold for several: hand-written cases and random scripts, on worlds in which every
 * task is shared out, however small.
 *
 * A worker takes some milliseconds to begin, so cases that make worlds by the hundred have threads in the first few.
 */
import { afterEach, beforeAll, describe, expect, test } from 'vitest';
import { attachmentCases } from '../../src/conformance/cases/attachments.ts';
import { conditionCases } from '../../src/conformance/cases/conditions.ts';
import { extremeCases } from '../../src/conformance/cases/extremes.ts';
import { perceptionCases } from '../../src/conformance/cases/perception.ts';
import { tickCases } from '../../src/conformance/cases/ticks.ts';
import { createScript, runScript } from '../../src/conformance/index.ts';
import { interestCases } from '../../src/conformance/suite.ts';
import { World } from '../../src/index.ts';
import { lendThreads, shareAsUsual, shareEverything, Worlds } from './threaded-worlds.ts';

const MOST_WORLDS = 2;
const SMALL = { operations: 100, entities: 12 };
const LARGE = { operations: 100, entities: 300 };
const TOGETHER = { operations: 150, together: true };
const CASES = [...perceptionCases, ...tickCases, ...extremeCases, ...conditionCases, ...attachmentCases];
/** Rules know nothing of threads but what detectors leave them: with two of them it is enough. */
const CASES_WITH_RULES = [...CASES, ...interestCases];

beforeAll(() => {
  shareEverything();
  const endThreads = lendThreads();
  return () => {
    shareAsUsual();
    return endThreads();
  };
});

describe.each([2, 3])('a sweep on %i threads', (threads) => {
  const worlds = new Worlds();
  const cases = threads === 2 ? CASES_WITH_RULES : CASES;

  afterEach(() => worlds.end());

  test.each(cases.map(({ name, run }) => [name, run] as const))('%s', (_, run) => {
    run((options = {}) =>
      worlds.count < MOST_WORLDS ? worlds.make({ ...options, threads }) : new World(options),
    );
  });

  test.each(Array.from({ length: 6 }, (_, i) => i + 1))(
    'reports what the model reports, random script %i',
    (seed) => {
      const [interests, attachments] = [seed % 3 === 0, seed % 2 === 0];
      const script = createScript(seed, { ...SMALL, interests, attachments });
      const create = (options: object) => worlds.make({ ...options, threads });
      expect(runScript(script, { detector: 'sweep', create })).toBeUndefined();
    },
  );

  test.each([201, 202, 203, 204])(
    'reports what the model reports, random script %i with all in use',
    (seed) => {
      const create = (options: object) => worlds.make({ ...options, threads });
      const script = createScript(seed, { ...TOGETHER, entities: seed % 2 === 0 ? 14 : 40 });
      expect(runScript(script, { detector: 'sweep', create })).toBeUndefined();
    },
  );

  test('reports what brute force reports, a larger random script with all in use', () => {
    const create = (options: object) => worlds.make({ ...options, threads });
    const script = createScript(301, { ...TOGETHER, entities: 300 });
    expect(runScript(script, { detector: 'sweep', against: 'brute-force', create })).toBeUndefined();
  });

  test.each([101, 102])('reports what brute force reports, larger random script %i', (seed) => {
    const create = (options: object) => worlds.make({ ...options, threads });
    const trial = { detector: 'sweep', against: 'brute-force', create } as const;
    expect(runScript(createScript(seed, LARGE), trial)).toBeUndefined();
  });
});
