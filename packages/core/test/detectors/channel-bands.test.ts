// Copies of a crowd, each in a channel of its own, at the same place: the sweep and the index of markers divide their cells into bands. They
// report what brute force reports, with each kind of kernels, whatever moves and changes its channel. Random lives; the seed of a failure is
// in its message.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { runSeeds } from '../../src/conformance/index.ts';
import { Random } from '../../src/conformance/random.ts';
import { sweep } from '../../src/detectors/sweep.ts';
import { bandShares, chooseBands } from '../../src/entities/channel-bands.ts';
import type { EntityStore } from '../../src/entities/entity-store.ts';
import {
  type DetectorFactory,
  type EntityPatch,
  type Interest,
  World,
  type WorldOptions,
} from '../../src/index.ts';
import { nearShares } from '../../src/interest/grids/near-watchers.ts';
import { ALWAYS_SEARCHED, KERNEL_ROWS, NEVER_SEARCHED, withShares } from '../interest/searched-lives.ts';

const SIDE = 120;
const RANGE = 30;
const ENTITIES = 320;
const COPIES = 24;

const USUAL_BANDS = { ...bandShares };
const USUAL_NEAR = { ...nearShares };

// Bands are worth it in larger worlds only.
beforeAll(() => {
  bandShares.fewTests = -1;
});

afterAll(() => {
  Object.assign(bandShares, USUAL_BANDS);
  Object.assign(nearShares, USUAL_NEAR);
});

interface Life {
  readonly name: string;
  readonly options?: WorldOptions;
  readonly interest?: Interest;
  /** Share of those that watch; four in five if not given. */
  readonly watching?: number;
  /** All want `updated`, and in most ticks few move: then rows are read only near what moves. */
  readonly areUpdated?: boolean;
  /** Watchers with a cap are searched as soon as they may be. */
  readonly areSearched?: boolean;
}

const LIVES: readonly Life[] = [
  { name: 'a plane' },
  { name: 'space', options: { dimensions: 3 } },
  { name: 'two senses', options: { senses: ['sight', 'hearing'] } },
  { name: 'boxes', options: { rangeShape: 'box' } },
  { name: 'few watchers', watching: 0.03 },
  { name: 'few watchers in space', options: { dimensions: 3 }, watching: 0.03 },
  { name: 'updates', areUpdated: true },
  {
    name: 'update rates',
    areUpdated: true,
    interest: {
      updateRates: [
        [0.5, 1],
        [1, 4],
      ],
    },
  },
  { name: 'a cap and updates', areUpdated: true, interest: { cap: 4, leaveMargin: 2 } },
  { name: 'a margin', interest: { leaveMargin: 4 } },
  { name: 'a cap', interest: { cap: 4 } },
  { name: 'a cap, searched', interest: { cap: 4 }, areSearched: true },
  {
    name: 'a cap in space, searched',
    options: { dimensions: 3 },
    interest: { cap: 4, leaveMargin: 3 },
    areSearched: true,
  },
];

/** Most are in the channel of a copy; some, in channel 0, meet all. */
function channelOf(random: Random): number {
  return random.chance(0.1) ? 0 : 1 + random.below(COPIES);
}

function patchOf(random: Random, hasSenses: boolean): EntityPatch {
  return random.pick<() => EntityPatch>([
    () => ({ channel: channelOf(random) }),
    () => ({ channel: channelOf(random), gain: random.pick([1, 1, 0.5, 2]) }),
    () => ({ gain: random.pick([1, 0.5, 2]), minReach: random.pick([0, 0, 60]) }),
    () => ({ range: hasSenses ? { sight: RANGE } : RANGE * random.pick([0, 1, 1, 1.5]) }),
    () => ({ layers: random.pick([1, 2]), sees: random.pick([1, 3]) }),
    () => ({ marker: random.chance(0.7), weight: random.pick([1, 2]) }),
  ])();
}

describe.each([...LIVES])(
  '$name',
  ({ options, interest, watching = 0.8, areUpdated = false, areSearched }) => {
    test.each([1, 2, 3])('seed %i: all kernels report what brute force reports', (seed) => {
      const random = new Random(seed);
      const interests = interest === undefined ? {} : { interests: { default: interest } };
      const worlds = [
        new World({ ...options, ...interests, detector: 'brute-force' }),
        new World({ ...options, ...interests, kernels: 'typescript' }),
        new World({ ...options, ...interests }),
      ];
      const is3D = options?.dimensions === 3;
      const ids: number[] = [];
      const add = () => {
        const z = is3D ? { z: 20 * random.fraction() } : {};
        const hasSenses = options?.senses !== undefined;
        const range = !random.chance(watching) ? 0 : hasSenses ? { sight: RANGE, hearing: RANGE / 2 } : RANGE;
        const init = {
          x: SIDE * random.fraction(),
          y: SIDE * random.fraction(),
          ...z,
          range,
          channel: channelOf(random),
          updates: areUpdated,
        };
        return worlds.map((world) => world.add(init))[0]!;
      };
      for (let i = 0; i < ENTITIES; i++) ids.push(add());
      for (let tick = 0; tick < 30; tick++) {
        const moving = [1, 1, 0.03, 0.03, 0.03, 0][areUpdated ? 2 + (tick % 4) : tick % 6]!;
        const changing = [0, 0.1, 0, 0.03, 0.01][tick % 5]!;
        for (const [i, id] of ids.entries()) {
          if (random.chance(moving)) {
            const [x, y, z] = worlds[0]!.position(id);
            const length = random.chance(0.03) ? SIDE : 3;
            const by = () => (random.fraction() - 0.5) * length;
            const to = [x + by(), y + by(), is3D ? z! + by() / 10 : 0] as const;
            for (const world of worlds) world.move(id, ...to);
          }
          if (!random.chance(changing)) continue;
          if (random.chance(0.1)) {
            for (const world of worlds) world.remove(id);
            ids[i] = add();
          } else {
            const patch = patchOf(random, options?.senses !== undefined);
            for (const world of worlds) world.update(id, patch);
          }
        }
        const hashes = worlds.map((world, i) => {
          // The first one takes no short way.
          const shares = i === 0 ? NEVER_SEARCHED : areSearched ? ALWAYS_SEARCHED : KERNEL_ROWS;
          nearShares.pending = i === 0 ? Number.POSITIVE_INFINITY : 4;
          const hash = withShares(shares, () => world.tick().hash());
          world.validate();
          return hash;
        });
        expect(hashes, `seed ${seed}, tick ${tick}`).toEqual(Array(3).fill(hashes[0]));
      }
      expect(worlds[2]!.describe({ limit: 0 })).toMatch(/, (8|16|32|64) times/);
    });
  },
);

describe.each(['auto', 'typescript'] as const)('random scripts, %s kernels', (kernels) => {
  test.each([
    ['without rules', { operations: 250, entities: 14 }],
    ['with rules', { operations: 250, entities: 14, interests: true }],
    ['with all in use at once', { operations: 250, entities: 14, together: true }],
  ] as const)('%s, beside the model', (_, size) => {
    const operations = runSeeds(910_000, 30, size, { detector: 'sweep', options: { kernels } });
    expect(operations).toBeGreaterThanOrEqual(30 * 250);
  });
});

test('what changed in place lies in bands, too, and queries of a channel find it', () => {
  const random = new Random(5);
  const worlds = [new World({ detector: 'brute-force' }), new World()];
  const ids = Array.from({ length: ENTITIES }, (_, i) => {
    const init = { x: SIDE * random.fraction(), y: SIDE * random.fraction(), range: RANGE, channel: i % 9 };
    return worlds.map((world) => world.add(init))[0]!;
  });
  for (const world of worlds) world.tick();
  const hashes = worlds.map((world) => {
    for (const [i, id] of ids.entries()) world.update(id, { gain: 1 + (i % 5) / 10 });
    const hash = world.tick().hash();
    world.validate();
    return hash;
  });
  expect(hashes[1]).toBe(hashes[0]);
  expect(worlds[1]!.describe({ limit: 0 })).toMatch(/class 32: .*, (8|16) times/);
  const circle = { kind: 'circle', x: SIDE / 2, y: SIDE / 2, radius: SIDE } as const;
  for (let channel = 0; channel < 9; channel++) {
    const found = worlds.map((world) => Array.from(world.query(circle, { channel })));
    expect(found[1]).toEqual(found[0]);
    expect(found[0]).toHaveLength(channel === 0 ? 320 : channel < 5 ? 72 : 71);
  }
});

test('the nearest of a channel around an empty place are found without a visit to all', () => {
  let visits = 0;
  const counting: DetectorFactory = (store) => {
    const detector = sweep(store);
    const collectPlaces = detector.collectPlaces!.bind(detector);
    detector.collectPlaces = (population, bounds, visit, channel) => {
      const visitCounted: typeof visit = (...place) => {
        visits++;
        visit(...place);
      };
      collectPlaces(population, bounds, visitCounted, channel);
    };
    return detector;
  };
  const world = new World({ detector: counting });
  for (let x = 0; x < 60; x++)
    for (let y = 0; y < 60; y++)
      if (Math.hypot(x - 30, y - 30) > 3) world.add({ x: 20 * x, y: 20 * y, range: RANGE, channel: 1 });
  world.tick();
  expect(Array.from(world.nearest(600, 600, 4, { channel: 1 }))).toHaveLength(4);
  expect(visits).toBeLessThan(1200);
});

describe('the number of bands', () => {
  const storeOf = (channels: readonly number[], x: readonly number[]) =>
    ({
      settings: { dimensions: 2 },
      now: {
        channels: { column: {}, at: (slot: number) => channels[slot] },
        x: Float32Array.from(x),
        y: new Float32Array(x.length),
      },
    }) as unknown as EntityStore;
  const all = Array.from({ length: 400 }, (_, i) => i);

  test('is that of the copies at one place, if cells do not become too wide', () => {
    const store = storeOf(
      all.map((i) => 1 + (i % 16)),
      all.map(() => 0),
    );
    expect(chooseBands(store, all, 400, 10, () => 1)).toBe(16);
  });

  test('is 1 where copies lie apart, and where all are in one channel', () => {
    const apart = storeOf(
      all.map((i) => 1 + (i % 16)),
      all.map((i) => 1000 * (i % 16)),
    );
    expect(chooseBands(apart, all, 400, 10, () => 1)).toBe(1);
    const alone = storeOf(
      all.map(() => 5),
      all.map(() => 0),
    );
    expect(chooseBands(alone, all, 400, 10, () => 1)).toBe(1);
  });

  test('is less where cells would become so wide that as much is tested', () => {
    // Two copies over the whole line; with more than two bands a cell is as long as the line.
    const store = storeOf(
      all.map((i) => 1 + (i % 2)),
      all.map((i) => 10 * i),
    );
    expect(chooseBands(store, all, 400, 10, (bands) => (bands > 2 ? 4000 : 1))).toBe(2);
  });
});
