/** Random operations on the classics: beside those of random-scripts.test.ts, more than a million in all. */
import { detectorNames } from '../../src/index.ts';
import { changedPairs } from './changed-pairs.ts';
import { type Batch, testBatches } from './script-batches.ts';

/** The classics, each with some 94,000 of its own. */
const CLASSICS = detectorNames.filter((name) => name !== 'sweep' && name !== 'brute-force');

const CLASSIC_BATCHES: readonly Batch[] = CLASSICS.flatMap((detector, i) => [
  {
    name: `${detector} in small worlds, beside the model`,
    size: { operations: 250, entities: 14 },
    trial: { detector },
    scripts: 300,
    aCase: 100,
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

testBatches(CLASSIC_BATCHES, 470_000);
