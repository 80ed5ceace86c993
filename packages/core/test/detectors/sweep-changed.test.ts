// Entities that change otherwise than by moving, many or few, while all move, few move or none does: the sweep reports what brute force
// reports, with each kind of kernels. Random lives; the seed of a failure is in its message.
import { describe, test } from 'vitest';
import { Random } from '../../src/conformance/random.ts';
import type { EntityPatch, WorldOptions } from '../../src/index.ts';
import { expectAlike, threeWorlds } from './three-worlds.ts';

const SIDE = 230;
const RANGE = 30;
const SHAPES: readonly WorldOptions[] = [
  {},
  { dimensions: 3 },
  { senses: ['sight', 'hearing'] },
  { rangeShape: 'box' },
  { interests: { default: { leaveMargin: 3, cap: 12 } } },
];

/** Any property that says what is perceived, or one that does not. */
function patchOf(random: Random, senses: readonly string[] | undefined): EntityPatch {
  const ranges = (range: number) =>
    senses === undefined
      ? range
      : Object.fromEntries(senses.map((sense) => [sense, range * random.fraction()]));
  // Now and then farther than an entity may perceive, or be perceived, that keeps one entry.
  const far = random.fraction() < 0.05 ? 8 : 1;
  const kinds: readonly (() => EntityPatch)[] = [
    () => ({ range: ranges(random.fraction() < 0.3 ? 0 : RANGE * (0.5 + random.fraction()) * far) }),
    () => ({ range: ranges(RANGE) }),
    () => ({ gain: random.fraction() < 0.5 ? 1 : 2 * random.fraction() * far }),
    () => ({ minReach: random.fraction() < 0.5 ? 0 : 2 * RANGE * random.fraction(), maxReach: 3 * RANGE }),
    () => ({ maxReach: Number.POSITIVE_INFINITY, minReach: 0 }),
    () => ({ layers: random.fraction() < 0.5 ? 1 : 1 + Math.floor(6 * random.fraction()) }),
    () => ({ sees: random.fraction() < 0.5 ? 1 : 1 + Math.floor(6 * random.fraction()) }),
    () => ({ channel: random.fraction() < 0.5 ? 0 : 1 + Math.floor(2 * random.fraction()) }),
    () => ({ marker: random.fraction() < 0.6 }),
    () => ({ group: Math.floor(3 * random.fraction()) }),
    () => ({ onlyGroup: random.fraction() < 0.3 }),
    () => ({ weight: 1 + random.fraction() }),
  ];
  return kinds[Math.floor(random.fraction() * kinds.length)]!();
}

for (const options of SHAPES) {
  describe(`with ${JSON.stringify(options)}`, () => {
    for (const watching of [1, 0.5, 0.02]) {
      test(`${100 * watching} % watch: what changes is reported as by brute force`, () => {
        const random = new Random(Math.round(1000 * watching) + SHAPES.indexOf(options));
        const worlds = threeWorlds(options);
        const ids: number[] = [];
        const is3D = options.dimensions === 3;
        for (let i = 0; i < 300; i++) {
          const z = is3D ? { z: SIDE * 0.2 * random.fraction() } : {};
          const own = random.fraction() < watching ? RANGE : 0;
          const range =
            options.senses === undefined
              ? own
              : Object.fromEntries(options.senses.map((sense) => [sense, own]));
          const init = {
            x: SIDE * random.fraction(),
            y: SIDE * random.fraction(),
            ...z,
            range,
            updates: false,
          };
          ids.push(worlds.map((world) => world.add(init))[0]!);
        }
        for (let tick = 0; tick < 24; tick++) {
          const moving = [0, 0.02, 0.1, 1][tick % 4]!;
          const changing = [0.02, 0.1, 0, 1, 0.3][tick % 5]!;
          // In some ticks all change to the same, so that how far they perceived before is farther than any does now.
          const common = tick % 3 === 0 ? patchOf(random, options.senses) : undefined;
          for (const id of ids) {
            if (random.fraction() < moving) {
              const [x, y, z] = worlds[0]!.position(id);
              const length = random.fraction() < 0.03 ? 200 : 2;
              const by = () => (random.fraction() - 0.5) * length;
              const [toX, toY, toZ] = [x + by(), y + by(), is3D ? z! + by() / 10 : 0];
              for (const world of worlds) world.move(id, toX, toY, toZ);
            }
            if (random.fraction() >= changing) continue;
            const patch = common ?? patchOf(random, options.senses);
            for (const world of worlds) world.update(id, patch);
          }
          expectAlike(worlds, `tick ${tick}`);
        }
      });
    }
  });
}
