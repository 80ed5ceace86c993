/** Crowds that change all at once: night falls, a storm breaks, all are revealed. The reports, and the cells of those that changed. */
import { expect, test } from 'vitest';
import { type EntityPatch, World, type WorldOptions } from '../../src/index.ts';

/** So many by so many on a lattice, 4 apart, range 10. */
function latticeIn(side: number, options: WorldOptions) {
  const world = new World(options);
  const at = Array.from({ length: side * side }, (_, i) => i);
  const ids = world.addMany({
    x: at.map((i) => 4 * (i % side)),
    y: at.map((i) => 4 * Math.floor(i / side)),
    range: 10,
  });
  world.tick();
  return { world, ids };
}

const night: EntityPatch = { gain: 0.5 };
const day: EntityPatch = { gain: 1 };

test.each([1600, 1599, 1400])('%i of 1,600 that change at once are searched by cells', (changed) => {
  const { world, ids } = latticeIn(40, {});
  world.tick();
  for (const patch of [night, day, night]) {
    for (const id of ids.subarray(0, changed)) world.update(id, patch);
    world.tick();
    // The lattice is 16 ranges wide.
    const [, width, height] = /class 32: (\d+) x (\d+) x 1 cells/.exec(world.describe({ limit: 0 })) ?? [];
    expect([Number(width), Number(height)]).toEqual([17, 17]);
  }
});

test.each(['circle', 'box'] as const)(
  'those that come to a class all at once have cells there: %s',
  (rangeShape) => {
    const { world, ids } = latticeIn(40, { rangeShape });
    world.tick();
    for (const [channel, cells] of [
      [1, 'class 16: 17 x 17 x 1 cells'],
      [0, 'class 0: 17 x 17 x 1 cells'],
    ] as const) {
      for (const id of ids) world.update(id, { channel });
      world.tick();
      expect(world.describe({ limit: 0 })).toContain(cells);
    }
  },
);

const CHANGES: readonly (readonly [string, readonly EntityPatch[]])[] = [
  ['gain', [night, day, { gain: 0 }, day]],
  ['minReach', [{ minReach: 14 }, { minReach: 0 }]],
  ['maxReach', [{ maxReach: 5 }, { maxReach: Number.POSITIVE_INFINITY }]],
  ['range', [{ range: 14 }, { range: 50 }, { range: 10 }]],
  ['channel', [{ channel: 3 }, { channel: 3, gain: 0.5 }, { channel: 0, gain: 1 }]],
];

test.each(
  CHANGES.flatMap(([label, patches]) => [
    [label, 'circle', patches] as const,
    [label, 'box', patches] as const,
  ]),
)('%s of all, and of all but one, gives what brute force gives: %s', (_, rangeShape, patches) => {
  const one = latticeIn(18, { rangeShape });
  const other = latticeIn(18, { rangeShape, detector: 'brute-force', kernels: 'typescript' });
  for (const left of [0, 1]) {
    for (const patch of patches) {
      for (const { world, ids } of [one, other]) {
        for (const id of ids.subarray(left)) world.update(id, patch);
      }
      expect(one.world.tick().hash()).toBe(other.world.tick().hash());
      one.world.validate();
    }
  }
});
