/** In a world with a steady load columns keep their lengths: each change may move the heap, which copies everything. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Random } from '../../src/conformance/random.ts';
import { type Interest, World } from '../../src/index.ts';
import { type Column, Heap } from '../../src/kernels/heap.ts';

const ENTITIES = 1200;
const SIDE = 420;
/** World units: one entity perceives so far, or all that watch where few do. It alone reaches a cap of 60. */
const FAR = 190;
/** Memory is looked at every 64 ticks. What the first tick needed is freed by then, and room for busier ticks was made. */
const WARM_TICKS = 270;
const TICKS = 130;
/** A tick may be busier than all before. */
const BUSIER = 1;

let changes = 0;
const { resize } = Heap.prototype;
beforeAll(() => {
  Heap.prototype.resize = function (this: Heap, sizes: readonly (readonly [Column, number])[]) {
    if (sizes.some(([{ length }, wanted]) => length !== wanted)) changes++;
    resize.call(this, sizes);
  };
});
afterAll(() => {
  Heap.prototype.resize = resize;
});

/** What all that watch go by. */
const rules: readonly (readonly [string, Interest])[] = [
  ['no rules', {}],
  ['a margin and a cap that one reaches', { leaveMargin: 3, cap: 60 }],
  ['a cap that most reach', { cap: 15 }],
  ['a cap that all exceed by far', { cap: 3 }],
  ['all rules on seats', { cap: 15, leaveMargin: 3, incumbentBonus: 0.3, minDwellTicks: 4, memoryTicks: 9 }],
  ['an enter budget and a cap that one reaches', { cap: 60, enterBudget: 2 }],
  ['an enter budget', { cap: 15, enterBudget: 2 }],
  [
    'update rates',
    {
      updateRates: [
        [0.3, 1],
        [1, 4],
      ],
    },
  ],
  ['mutual consent', { cap: 20, mutual: true }],
];

function rangeOf(i: number, oneIn: number): Record<string, number> {
  if (i % oneIn !== 0) return {};
  return i === 0 || oneIn > 1 ? { sight: FAR } : { sight: 35, hearing: 20 };
}

test.each(rules)('with %s', (_, interest) => {
  expect(changesIn(interest, 1)).toBeLessThanOrEqual(BUSIER);
});

test('where one in forty watches', () => {
  expect(changesIn({}, 40)).toBeLessThanOrEqual(BUSIER);
});

test.each([
  ['a margin', { leaveMargin: 3 }],
  ['mutual consent', { mutual: true }],
  ['a cap that most reach', { cap: 15 }],
] as const)('with %s, where some are replaced in each tick', (_, interest) => {
  expect(changesIn(interest, 1, 30)).toBeLessThanOrEqual(BUSIER);
});

/** How often a column changed its length in some ticks of a warm world. `replaced`: entities a tick. */
function changesIn(interest: Interest, oneIn: number, replaced = 0): number {
  const random = new Random(3);
  const world = new World({ senses: ['sight', 'hearing'], interests: { default: interest } });
  const place = () => random.fraction() * SIDE;
  /** A step of at most half a unit in either direction; nobody stays where it is. */
  const step = (at: number) => {
    const by = random.fraction() - 0.5;
    return at + by < 0 || at + by > SIDE ? at - by : at + by;
  };
  const x = Float32Array.from({ length: ENTITIES }, place);
  const y = Float32Array.from({ length: ENTITIES }, place);
  const ids = new Uint32Array(ENTITIES);
  for (let i = 0; i < ENTITIES; i++) {
    ids[i] = world.add({ x: x[i], y: y[i], range: rangeOf(i, oneIn) });
  }
  for (let tick = 0; tick < WARM_TICKS + TICKS; tick++) {
    if (tick === WARM_TICKS) changes = 0;
    for (let i = 0; i < ENTITIES; i++) [x[i], y[i]] = [step(x[i]!), step(y[i]!)];
    world.moveMany(ids, x, y);
    for (let k = 0; k < replaced; k++) {
      const i = random.below(ENTITIES);
      world.remove(ids[i]!);
      ids[i] = world.add({ x: x[i], y: y[i], range: rangeOf(i, oneIn) });
    }
    world.tick();
  }
  void world.dispose();
  return changes;
}
