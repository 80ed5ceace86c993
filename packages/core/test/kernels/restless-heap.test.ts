/**
 * A heap that moves at every chance changes nothing: no one reads what a move loses, writes where the heap was, or keeps an offset.
 *
 * Crowds are large enough for the columns that grow within a tick; random scripts come everywhere else. With kernels of both
 * kinds, since it is TypeScript that forgets, and JavaScript kernels that say so where WebAssembly's may write anywhere.
 */
import { afterEach, beforeEach, expect, test } from 'vitest';
import { runSeeds, type ScriptSize } from '../../src/conformance/index.ts';
import { type DetectorName, type KernelChoice, World } from '../../src/index.ts';
import { nearShares } from '../../src/interest/grids/near-watchers.ts';
import { CROWDS, live } from './crowds.ts';
import { RestlessHeaps } from './restless-heap.ts';

let restless: RestlessHeaps;

beforeEach(() => {
  restless = new RestlessHeaps();
});

afterEach(() => {
  restless.end();
});

test.each(CROWDS)(
  'a crowd with %s is told the same by %s kernels when the heap moves at every chance',
  (_, kernels, options) => {
    const found = live(kernels, options);
    restless.checkLeft();
    expect(restless.moves).toBeGreaterThan(0);
    restless.end();
    expect(found).toEqual(live(kernels, options));
  },
);

test.each<[string, KernelChoice, number, number, ScriptSize]>([
  ['sweep', 'wasm', 7100, 6, { operations: 150, entities: 14 }],
  ['sweep', 'wasm', 7110, 6, { operations: 150, entities: 14, interests: true, attachments: true }],
  ['sweep', 'typescript', 7120, 6, { operations: 150, entities: 14, interests: true, attachments: true }],
  ['hot-pair', 'wasm', 7130, 6, { operations: 150, entities: 14, interests: true, attachments: true }],
  // Entries lie in cells with gaps, whose slots were garbage.
  ['sweep', 'wasm', 20_029, 1, { operations: 250, entities: 14, interests: true, attachments: true }],
])(
  'random scripts on %s with %s kernels from %i are told what they must',
  (detector, kernels, first, count, size) => {
    for (let seed = first; seed < first + count; seed++) {
      runSeeds(seed, 1, size, { detector: detector as DetectorName, options: { kernels } });
      restless.checkLeft();
    }
    expect(restless.moves).toBeGreaterThan(0);
  },
);

test('updates are listed for the watchers near what moved, although the first refusal moves the heap while the tick is applied', () => {
  const usual = { ...nearShares };
  Object.assign(nearShares, { pending: 0, fewStrays: 4, rows: 0, visits: 1000 });
  const world = new World({ interests: { default: {}, picky: { admit: () => false } } });
  const watchers = Array.from({ length: 40 }, (_, i) => world.add({ x: 100 * i, y: 0, range: 10 }));
  const markers = watchers.map((_, i) => world.add({ x: 100 * i + 5, y: 0 }));
  world.add({ x: 0, y: 500, range: 10, interest: 'picky' });
  const comer = world.add({ x: 300, y: 500 });
  for (let tick = 0; tick < 4; tick++) world.tick();
  world.move(markers[20] as number, 2006, 0);
  world.tick();
  world.move(markers[30] as number, 3006, 0);
  world.move(comer, 5, 500);
  const { count, watchers: told } = world.tick().columns('updated');
  expect([...told.subarray(0, count)]).toEqual([watchers[30]]);
  Object.assign(nearShares, usual);
});
