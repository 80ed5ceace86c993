/**
 * No kernel reads or writes where no column is, and what lies in the slack behind columns decides nothing.
 *
 * A world's report stays right for long while a kernel reads the next column: so each load and store is checked.
 */
import { afterEach, expect, test } from 'vitest';
import { runSeeds, type ScriptSize } from '../../src/conformance/index.ts';
import { type KernelChoice, World } from '../../src/index.ts';
import { Heap } from '../../src/kernels/heap.ts';
import { FILL_JOB_HEAD, FILL_PART_WORDS } from '../../src/kernels/layouts/fill-report.ts';
import { CheckedKernels } from './checked-kernels.ts';
import { CROWDS, live } from './crowds.ts';

let checked: CheckedKernels | undefined;

afterEach(() => checked?.end());

test.each<[KernelChoice, number, ScriptSize]>([
  ['wasm', 8100, { operations: 120, entities: 14 }],
  ['wasm', 8110, { operations: 120, entities: 14, interests: true, attachments: true }],
  ['typescript', 8120, { operations: 120, entities: 14, interests: true, attachments: true }],
])('in random scripts %s kernels keep to the columns, from seed %i', (kernels, first, size) => {
  checked = new CheckedKernels();
  runSeeds(first, 5, size, { detector: 'sweep', options: { kernels } });
  expect(checked.accesses).toBeGreaterThan(10_000);
});

test.each(['typescript', 'wasm'] as const)(
  'a crowd that takes the place of another in one tick is sorted within the columns by %s kernels',
  (kernels) => {
    checked = new CheckedKernels();
    const world = new World({ kernels });
    const crowd = { x: Float32Array.from({ length: 400 }, (_, i) => i), y: new Float32Array(400) };
    world.add({ x: 0, y: 0, range: 5 });
    for (let tick = 0, ids = world.addMany(crowd); tick < 6; tick++) {
      world.tick();
      world.removeMany(ids);
      if (tick % 2 === 1) world.tick();
      ids = world.addMany(crowd);
    }
    // Edges are inside: from 0 to 5.
    expect(world.tick().enteredCount).toBe(6);
    expect(checked.accesses).toBeGreaterThan(10_000);
  },
);

test.each(CROWDS)(
  'a crowd with %s is told the same by %s kernels with garbage in the slack',
  (_, kernels, options) => {
    const found = live(kernels, options);
    checked = new CheckedKernels(1);
    expect(live(kernels, options)).toEqual(found);
    expect(checked.accesses).toBeGreaterThan(100_000);
  },
);

test.each(['typescript', 'wasm'] as const)(
  'a load behind a column and its slack throws with %s kernels',
  (kernels) => {
    checked = new CheckedKernels();
    const heap = new Heap(kernels);
    const job = heap.column('u32', FILL_JOB_HEAD + FILL_PART_WORDS);
    // One crossing, of words that begin where no column is.
    job.array.set([job.offset + job.byteLength + 16, 1, 0, 1]);
    expect(() => heap.kernels.countReport(job.offset, 0, 1)).toThrow('a kernel loaded');
  },
);
