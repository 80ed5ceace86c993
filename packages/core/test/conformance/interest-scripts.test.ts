/**
 * Random scripts in which watchers have rules: every rule switched on and off, or all in use at once; each tick compared with the
 * model, and every exact detector with brute force (of changed pairs) by hash.
 *
 * A failure prints its seed and sizes, the shrunk script and the first difference; `npm run fuzz` takes all of them.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { runSeeds, type ScriptSize, type Trial } from '../../src/conformance/index.ts';
import { detectorNames } from '../../src/index.ts';
import { nearShares } from '../../src/interest/grids/near-watchers.ts';
import { searchShares } from '../../src/interest/seats/searched-watchers.ts';
import { changedPairs } from './changed-pairs.ts';

interface Batch {
  readonly name: string;
  readonly size: ScriptSize;
  readonly trial: Trial;
  /** Scripts, in cases of `aCase`. */
  readonly scripts: number;
  readonly aCase: number;
  readonly firstSeed: number;
}

const BATCHES: readonly Batch[] = [
  {
    name: 'sweep in tiny worlds, beside the model',
    size: { operations: 200, entities: 5, interests: true },
    trial: { detector: 'sweep' },
    scripts: 200,
    aCase: 200,
    firstSeed: 300_000,
  },
  {
    name: 'sweep in small worlds, beside the model',
    size: { operations: 250, entities: 14, interests: true },
    trial: { detector: 'sweep' },
    // Each world of interest-canaries.ts shows within 260 of them.
    scripts: 300,
    aCase: 150,
    firstSeed: 310_000,
  },
  {
    name: 'sweep with TypeScript kernels in small worlds, beside the model',
    size: { operations: 250, entities: 14, interests: true },
    trial: { detector: 'sweep', options: { kernels: 'typescript' } },
    scripts: 100,
    aCase: 100,
    firstSeed: 320_000,
  },
  {
    name: 'sweep with TypeScript kernels and all in use at once, beside the model',
    size: { operations: 250, entities: 14, together: true },
    trial: { detector: 'sweep', options: { kernels: 'typescript' } },
    scripts: 40,
    aCase: 40,
    firstSeed: 325_000,
  },
  {
    name: 'sweep in middling worlds, beside the model',
    size: { operations: 500, entities: 60, interests: true },
    trial: { detector: 'sweep' },
    scripts: 60,
    aCase: 30,
    firstSeed: 330_000,
  },
];

const DETECTOR_BATCHES: readonly Batch[] = detectorNames.flatMap((detector, i) => [
  {
    name: `${detector} in small worlds, beside the model`,
    size: { operations: 250, entities: 14, interests: true },
    trial: { detector },
    scripts: 50,
    aCase: 50,
    firstSeed: 340_000 + i * 10_000,
  },
  {
    name: `${detector} in larger worlds, beside brute force`,
    size: { operations: 600, entities: 150, interests: true },
    trial: { detector, against: changedPairs },
    scripts: 4,
    aCase: 4,
    firstSeed: 345_000 + i * 10_000,
  },
  {
    name: `${detector} with all in use at once, beside the model`,
    size: { operations: 250, entities: 14, together: true },
    trial: { detector },
    scripts: 30,
    aCase: 30,
    firstSeed: 348_000 + i * 10_000,
  },
]);

/** Small crowds for a few seats, so that watchers become crowded and cease to be: the way from one to the other changes nothing. */
describe('watchers that are crowded as soon as there is one more than seats', () => {
  const usual = { ...searchShares };
  beforeAll(() => Object.assign(searchShares, { enter: 0.5, leave: 0.4, ofAll: 0 }));
  afterAll(() => Object.assign(searchShares, usual));

  // The faults planted by hand (CONTRIBUTING.md) that these find at all they find within 163 scripts.
  for (let first = 500_000; first < 500_200; first += 50) {
    test(`scripts ${first} to ${first + 49} report what the model reports`, () => {
      runSeeds(first, 50, { operations: 250, entities: 20, interests: true }, { detector: 'sweep' });
    });
  }
});

/** Rows, updates and rates are read by what is pending, in whichever ticks that is possible: see src/interest/grids/near-watchers.ts. */
describe('watchers that are looked for around what changed', () => {
  const usual = { ...nearShares };
  beforeAll(() => Object.assign(nearShares, { pending: 0, fewStrays: 4, rows: 0, visits: 1000 }));
  afterAll(() => Object.assign(nearShares, usual));

  test.each([
    ['with rules', 900_000, 100, { operations: 250, entities: 20, interests: true }],
    ['with rules, larger', 900_100, 10, { operations: 600, entities: 60, interests: true }],
    ['with all in use at once', 901_000, 60, { operations: 250, entities: 20, together: true }],
    ['with attachments', 902_000, 60, { operations: 250, entities: 20, attachments: true }],
  ])('scripts %s report what the model reports', (_name, first, count, size) => {
    runSeeds(first, count, size, { detector: 'sweep' });
  });

  test('scripts with rules whose rows are all looked at report what the model reports', () => {
    Object.assign(nearShares, { ...usual, moving: 0, fewStrays: 4, rows: 0 });
    runSeeds(903_000, 60, { operations: 250, entities: 20, interests: true }, { detector: 'sweep' });
  });
});

describe.each([...BATCHES, ...DETECTOR_BATCHES])('$name', ({ size, trial, scripts, aCase, firstSeed }) => {
  for (let first = firstSeed; first < firstSeed + scripts; first += aCase) {
    test(`scripts ${first} to ${first + aCase - 1} report what they must`, () => {
      const operations = runSeeds(first, aCase, size, trial);
      expect(operations).toBeGreaterThanOrEqual(aCase * size.operations);
    });
  }
});
