/**
 * A million random operations and more, each tick compared with the model or, in larger worlds, with brute force.
 *
 * A failure prints its seed and sizes, the shrunk script and the first difference; `npm run fuzz` takes all of them.
 */
import { describe, expect, test } from 'vitest';
import { runSeeds, type ScriptSize, type Trial } from '../../src/conformance/index.ts';
import { detectorNames } from '../../src/index.ts';

const LEAST_OPERATIONS = 1_000_000;
let total = 0;

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
    size: { operations: 200, entities: 5 },
    trial: { detector: 'sweep' },
    scripts: 1500,
    aCase: 250,
    firstSeed: 10_000,
  },
  {
    name: 'sweep in small worlds, beside the model',
    size: { operations: 250, entities: 14 },
    trial: { detector: 'sweep' },
    scripts: 2500,
    aCase: 250,
    firstSeed: 20_000,
  },
  {
    name: 'sweep with TypeScript kernels in small worlds, beside the model',
    size: { operations: 250, entities: 14 },
    trial: { detector: 'sweep', options: { kernels: 'typescript' } },
    scripts: 400,
    aCase: 200,
    firstSeed: 30_000,
  },
  {
    name: 'sweep in middling worlds, beside the model',
    size: { operations: 400, entities: 60 },
    trial: { detector: 'sweep' },
    scripts: 100,
    aCase: 50,
    firstSeed: 40_000,
  },
  {
    name: 'brute force in small worlds, beside the model',
    size: { operations: 250, entities: 12 },
    trial: { detector: 'brute-force' },
    scripts: 400,
    aCase: 200,
    firstSeed: 50_000,
  },
  {
    name: 'sweep in larger worlds, beside brute force',
    size: { operations: 800, entities: 250 },
    trial: { detector: 'sweep', against: 'brute-force' },
    scripts: 80,
    aCase: 20,
    firstSeed: 60_000,
  },
];

/** The classics, each with a fifth of a million of its own. */
const CLASSICS = detectorNames.filter((name) => name !== 'sweep' && name !== 'brute-force');

const CLASSIC_BATCHES: readonly Batch[] = CLASSICS.flatMap((detector, i) => [
  {
    name: `${detector} in small worlds, beside the model`,
    size: { operations: 250, entities: 14 },
    trial: { detector },
    scripts: 600,
    aCase: 200,
    firstSeed: 100_000 + i * 10_000,
  },
  {
    name: `${detector} in larger worlds, beside brute force`,
    size: { operations: 800, entities: 150 },
    trial: { detector, against: 'brute-force' },
    scripts: 24,
    aCase: 6,
    firstSeed: 105_000 + i * 10_000,
  },
]);

describe.each([...BATCHES, ...CLASSIC_BATCHES])('$name', ({ size, trial, scripts, aCase, firstSeed }) => {
  for (let first = firstSeed; first < firstSeed + scripts; first += aCase) {
    test(`scripts ${first} to ${first + aCase - 1} report what they must`, () => {
      const operations = runSeeds(first, aCase, size, trial);
      expect(operations).toBeGreaterThanOrEqual(aCase * size.operations);
      total += operations;
    });
  }
});

test('more than a million operations were run', () => {
  expect(total).toBeGreaterThanOrEqual(LEAST_OPERATIONS);
});
