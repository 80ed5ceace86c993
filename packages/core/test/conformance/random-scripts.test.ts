/**
 * Some 350,000 random operations of the default detector and of brute force: with classic-scripts.test.ts and
 * interest-scripts.test.ts, more than a million.
 *
 * How many scripts are enough was tried with faults planted by hand in detectors/sweep (CONTRIBUTING.md): each that random scripts find at
 * all is found within 53 small ones, but for one that only the 43rd middling one finds. 2.5 times as many tiny and small ones find no other.
 */
import { changedPairs } from './changed-pairs.ts';
import { type Batch, testBatches } from './script-batches.ts';

const BATCHES: readonly Batch[] = [
  {
    name: 'sweep in tiny worlds, beside the model',
    size: { operations: 200, entities: 5 },
    trial: { detector: 'sweep' },
    scripts: 300,
    aCase: 75,
    firstSeed: 10_000,
  },
  {
    name: 'sweep in small worlds, beside the model',
    size: { operations: 250, entities: 14 },
    trial: { detector: 'sweep' },
    scripts: 500,
    aCase: 100,
    firstSeed: 20_000,
  },
  {
    name: 'sweep with TypeScript kernels in small worlds, beside the model',
    size: { operations: 250, entities: 14 },
    trial: { detector: 'sweep', options: { kernels: 'typescript' } },
    scripts: 200,
    aCase: 200,
    firstSeed: 30_000,
  },
  {
    name: 'sweep in middling worlds, beside the model',
    size: { operations: 400, entities: 60 },
    trial: { detector: 'sweep' },
    scripts: 90,
    aCase: 45,
    firstSeed: 40_000,
  },
  {
    name: 'brute force in small worlds, beside the model',
    size: { operations: 250, entities: 12 },
    trial: { detector: 'brute-force' },
    scripts: 200,
    aCase: 200,
    firstSeed: 50_000,
  },
  {
    name: 'sweep in larger worlds, beside brute force',
    size: { operations: 800, entities: 250 },
    trial: { detector: 'sweep', against: changedPairs },
    scripts: 40,
    aCase: 20,
    firstSeed: 60_000,
  },
];

testBatches(BATCHES, 350_000);
