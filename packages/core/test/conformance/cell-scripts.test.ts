/**
 * Random scripts in which perception is by cells, on every detector that supports it: with and without rules on top, and with
 * all of them at once; each tick compared with the model. Crowds that leap by cells are in leaping-scripts.test.ts.
 */
import { type Batch, testBatches } from './script-batches.ts';

const SIZE = { operations: 250, entities: 14, cells: true };

const BATCHES: readonly Batch[] = (['nine-grid', 'tower', 'cross-list'] as const).flatMap((detector, i) => [
  {
    name: `${detector} by cells, beside the model`,
    size: SIZE,
    trial: { detector },
    scripts: 18,
    aCase: 18,
    firstSeed: 600_000 + i * 10_000,
  },
  {
    name: `${detector} by cells with rules, beside the model`,
    size: { ...SIZE, interests: true },
    trial: { detector },
    scripts: 18,
    aCase: 18,
    firstSeed: 602_000 + i * 10_000,
  },
  {
    name: `${detector} by cells with all in use at once, beside the model`,
    size: { ...SIZE, together: true },
    trial: { detector },
    scripts: 8,
    aCase: 8,
    firstSeed: 604_000 + i * 10_000,
  },
]);

testBatches(BATCHES, 33_000);
