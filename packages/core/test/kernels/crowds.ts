/** Crowds that walk, leap, come, go and change by chance, large enough for columns that grow in the middle of a tick. */
import { Random } from '../../src/conformance/random.ts';
import { type Interest, type KernelChoice, World, type WorldOptions } from '../../src/index.ts';

const SIDE = 120;
const TICKS = 24;
const RATES: Interest = {
  leaveMargin: 4,
  updateRates: [
    [0.5, 1],
    [1, 3],
  ],
};

/** What is out of the ordinary, which kernels, and the world's options. */
export const CROWDS: readonly [string, KernelChoice, WorldOptions][] = [
  ['margins and a cap that some reach', 'wasm', { interests: { default: { leaveMargin: 4, cap: 40 } } }],
  [
    'margins and a cap that some reach',
    'typescript',
    { interests: { default: { leaveMargin: 4, cap: 40 } } },
  ],
  [
    'a cap that all reach, with memory',
    'wasm',
    { interests: { default: { cap: 8, memoryTicks: 5, minDwellTicks: 2 } } },
  ],
  ['margins, and updates at rates', 'typescript', { interests: { default: RATES } }],
  ['two senses', 'wasm', { senses: ['sight', 'hearing'] }],
  ['boxes in space', 'wasm', { dimensions: 3, rangeShape: 'box' }],
];

/** What each tick of a crowd says. */
export function live(kernels: KernelChoice, options: WorldOptions): string[] {
  const random = new Random(3);
  const world = new World({ ...options, kernels });
  const places = new Map<number, number[]>();
  const somewhere = () => [0, 1, 2].map((axis) => (axis === 2 ? 9 : SIDE) * random.fraction());
  const range = (length: number) =>
    options.senses === undefined ? length : { sight: length, hearing: length / 2 };
  const add = () => {
    const [x, y, z] = somewhere();
    const length = random.chance(0.1) ? 6 : 20;
    places.set(world.add({ x, y, z, range: range(length), updates: random.chance(0.5) }), [x, y, z]);
  };
  while (places.size < 300) add();
  return Array.from({ length: TICKS }, (_, tick) => {
    const { enteredCount, leftCount, updatedCount } = world.tick();
    // Now and then nearly nobody moves, and now and then all leap: lists grow in the middle of a tick.
    const moving = tick % 6 > 3 ? 0.02 : 1;
    const leaping = tick % 9 === 8 ? 0.5 : 0.01;
    for (const [id, at] of places) {
      const step = random.chance(leaping) ? SIDE : 2;
      for (const axis of [0, 1]) at[axis] += step * (random.fraction() - 0.5);
      if (random.chance(moving)) world.move(id, at[0], at[1], at[2]);
      if (random.chance(0.01)) world.update(id, { range: range(25) });
      if (!random.chance(0.01)) continue;
      world.remove(id);
      places.delete(id);
      add();
    }
    return `${tick}: ${enteredCount} ${leftCount} ${updatedCount} ${world.lastChanges.hash()}`;
  });
}
