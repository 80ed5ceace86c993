/**
 * Random scripts of crowds that leap together: thirty to eighty entities, and caps that their numbers jump over and back in one
 * tick. By distance and, with the detectors that can, by cells; each tick compared with the model.
 */
import { detectorNames } from '../../src/index.ts';
import { type Batch, testBatches } from './script-batches.ts';

const SIZE = { operations: 150, entities: 60, leaping: true };

const BATCHES: readonly Batch[] = [
  {
    name: 'sweep with leaping crowds, beside the model',
    size: SIZE,
    trial: { detector: 'sweep' },
    scripts: 28,
    aCase: 28,
    firstSeed: 138,
  },
  {
    name: 'sweep with larger leaping crowds, beside the model',
    size: { ...SIZE, entities: 80 },
    trial: { detector: 'sweep' },
    scripts: 4,
    aCase: 4,
    firstSeed: 500_000,
  },
];

const DETECTOR_BATCHES: readonly Batch[] = detectorNames
  .filter((name) => name !== 'sweep')
  .map((detector, i) => ({
    name: `${detector} with leaping crowds, beside the model`,
    size: SIZE,
    trial: { detector },
    scripts: detector === 'tower' ? 14 : 3,
    aCase: detector === 'tower' ? 14 : 3,
    firstSeed: detector === 'tower' ? 186 : 510_000 + i * 1000,
  }));

const CELL_BATCHES: readonly Batch[] = (['nine-grid', 'tower', 'cross-list'] as const).map((detector) => ({
  name: `${detector} with leaping crowds by cells, beside the model`,
  size: { ...SIZE, cells: true },
  trial: { detector },
  scripts: 10,
  aCase: 10,
  firstSeed: 29,
}));

testBatches([...BATCHES, ...DETECTOR_BATCHES, ...CELL_BATCHES], 12_500);
