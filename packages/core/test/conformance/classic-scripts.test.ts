/**
 * Random operations on the classics: some 245,000.
 *
 * How many scripts are enough was tried with faults planted by hand in these detectors (CONTRIBUTING.md): each that random scripts find at
 * all is found by the second of the larger ones, and all but one within 14 small ones. 2.5 times as many small ones find no other.
 */
import { detectorNames } from '../../src/index.ts';
import { changedPairs } from './changed-pairs.ts';
import { type Batch, testBatches } from './script-batches.ts';

/** The classics, each with some 49,000 of its own. */
const CLASSICS = detectorNames.filter((name) => name !== 'sweep' && name !== 'brute-force');

const CLASSIC_BATCHES: readonly Batch[] = CLASSICS.flatMap((detector, i) => [
  {
    name: `${detector} in small worlds, beside the model`,
    size: { operations: 250, entities: 14 },
    trial: { detector },
    scripts: 120,
    aCase: 40,
    firstSeed: 100_000 + i * 10_000,
  },
  {
    name: `${detector} in larger worlds, beside brute force`,
    size: { operations: 800, entities: 150 },
    trial: { detector, against: changedPairs },
    scripts: 24,
    aCase: 6,
    firstSeed: 105_000 + i * 10_000,
  },
]);

testBatches(CLASSIC_BATCHES, 245_000);
