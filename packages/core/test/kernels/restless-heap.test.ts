/**
 * A heap that moves at every chance changes nothing: no one reads what a move loses, writes where the heap was, or keeps an offset.
 *
 * Crowds are large enough for the columns that grow within a tick; random scripts come everywhere else. With kernels of both
 * kinds, since it is TypeScript that forgets, and JavaScript kernels that say so where WebAssembly's may write anywhere.
 */
import { afterEach, beforeEach, expect, test } from 'vitest';
import { runSeeds, type ScriptSize } from '../../src/conformance/index.ts';
import { Random } from '../../src/conformance/random.ts';
import { type DetectorName, type Interest, type KernelChoice, World } from '../../src/index.ts';
import { RestlessHeaps } from './restless-heap.ts';

const SIDE = 120;
const TICKS = 24;

let restless: RestlessHeaps;

beforeEach(() => {
  restless = new RestlessHeaps();
});

afterEach(() => {
  restless.end();
});

const CROWDS: readonly [string, Record<string, Interest>][] = [
  ['margins and a cap that some reach', { default: { leaveMargin: 4, cap: 40 } }],
  ['a cap that all reach, with memory', { default: { cap: 8, memoryTicks: 5, minDwellTicks: 2 } }],
  [
    'margins, and updates at rates',
    {
      default: {
        leaveMargin: 4,
        updateRates: [
          [0.5, 1],
          [1, 3],
        ],
      },
    },
  ],
  ['no rules', {}],
];

test.each(
  CROWDS.flatMap(([name, interests]) =>
    (['wasm', 'typescript'] as const).map((kernels) => [name, kernels, interests] as const),
  ),
)(
  'a crowd with %s and %s kernels is told the same when the heap moves at every chance',
  (_, kernels, interests) => {
    const found = live(kernels, interests);
    restless.checkLeft();
    expect(restless.moves).toBeGreaterThan(0);
    restless.end();
    expect(found).toEqual(live(kernels, interests));
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

/** What each tick of a crowd says that walks, leaps, comes, goes and changes. */
function live(kernels: KernelChoice, interests: Record<string, Interest>): string[] {
  const random = new Random(3);
  const world = new World({ kernels, interests });
  const places = new Map<number, [x: number, y: number]>();
  const add = () => {
    const [x, y] = [SIDE * random.fraction(), SIDE * random.fraction()];
    const range = random.chance(0.1) ? 6 : 20;
    places.set(world.add({ x, y, range, updates: random.chance(0.5) }), [x, y]);
  };
  while (places.size < 300) add();
  return Array.from({ length: TICKS }, (_, tick) => {
    const { enteredCount, leftCount, updatedCount } = world.tick();
    for (const [id, at] of places) {
      // Now and then all of them: lists grow in the middle of a tick.
      const step = random.chance(tick % 9 === 8 ? 0.5 : 0.01) ? SIDE : 2;
      for (const axis of [0, 1]) at[axis] += step * (random.fraction() - 0.5);
      world.move(id, at[0], at[1]);
      if (random.chance(0.01)) world.update(id, { range: 25 });
      if (!random.chance(0.01)) continue;
      world.remove(id);
      places.delete(id);
      add();
    }
    return `${tick}: ${enteredCount} ${leftCount} ${updatedCount} ${world.lastChanges.hash()}`;
  });
}
