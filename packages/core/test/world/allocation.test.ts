/**
 * Warm ticks: buffers are used again, and nothing is left behind on the heap.
 *
 * The heap is measured after forced collections, before and after each of some blocks of ticks. The runtime's own code
 * and feedback grow now and then, the longer the busier the machine is; what a tick leaves behind grows in every block, so one block
 * without that growth is enough, and the smallest object there is, in every tick, would be more than is allowed.
 */
import { expect, test } from 'vitest';
import { Random } from '../../src/conformance/random.ts';
import { detectorNames, World } from '../../src/index.ts';

const MOST_BLOCKS = 12;
const TICKS_A_BLOCK = 2500;
/** Half of the smallest object, 16 bytes, a tick. */
const MOST_GROWTH = 8 * TICKS_A_BLOCK;
const KINDS = ['entered', 'left', 'updated', 'sensed'] as const;

/** A crowd that can be stepped without allocating. */
function walkers(detector: (typeof detectorNames)[number], count: number) {
  const world = new World({ detector });
  const random = new Random(4);
  const side = Math.sqrt(count) * 4;
  const x = Float32Array.from({ length: count }, () => random.between(0, side));
  const y = Float32Array.from({ length: count }, () => random.between(0, side));
  const ids = world.addMany({ x, y, range: 12 });
  let phase = 0;
  const step = () => {
    phase++;
    for (let i = 0; i < count; i++) {
      x[i] += ((i + phase) % 7) - 3;
      y[i] += ((i * 3 + phase) % 5) - 2;
    }
    world.moveMany(ids, x, y);
    return world.tick();
  };
  return { world, step };
}

test.each(detectorNames)('columns of a warm world are the same buffers tick after tick (%s)', (detector) => {
  const { step } = walkers(detector, 300);
  for (let tick = 0; tick < 40; tick++) step();
  const buffersOf = () => {
    const changes = step();
    return KINDS.flatMap((kind) => {
      const { watchers, offsets, markers } = changes.columns(kind);
      return [watchers.buffer, offsets.buffer, markers.buffer];
    });
  };
  const buffers = buffersOf();
  for (let tick = 0; tick < 20; tick++) {
    buffersOf().forEach((buffer, i) => {
      expect(buffer).toBe(buffers[i]);
    });
  }
});

test('warm ticks, read by columns, leave the heap where it was', () => {
  const collect = (globalThis as { gc?: () => void }).gc;
  if (collect === undefined) throw new Error('run with --expose-gc');
  const { step } = walkers('sweep', 100);
  let sum = 0;
  const run = (ticks: number) => {
    for (let tick = 0; tick < ticks; tick++) {
      const changes = step();
      for (const kind of KINDS) sum += changes.columns(kind).count;
    }
  };
  const heapBytes = () => {
    let least = Number.POSITIVE_INFINITY;
    for (let i = 0; i < 5; i++) {
      collect();
      least = Math.min(least, process.memoryUsage().heapUsed);
    }
    return least;
  };
  run(2000);
  let leastGrowth = Number.POSITIVE_INFINITY;
  for (let block = 0; block < MOST_BLOCKS && leastGrowth >= MOST_GROWTH; block++) {
    const before = heapBytes();
    run(TICKS_A_BLOCK);
    leastGrowth = Math.min(leastGrowth, heapBytes() - before);
  }
  expect(leastGrowth).toBeLessThan(MOST_GROWTH);
  expect(sum).toBeGreaterThan(0);
});
