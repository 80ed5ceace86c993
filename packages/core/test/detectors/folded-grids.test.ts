// A town in a wide land: the sweep folds the land into a grid whose cells are as narrow as the town needs. It reports what brute force
// reports, with each kind of kernels, whatever moves, leaps and changes. Random lives; the seed of a failure is in its message.
import { afterEach, describe, expect, test } from 'vitest';
import { runSeeds } from '../../src/conformance/index.ts';
import { Random } from '../../src/conformance/random.ts';
import { foldShares } from '../../src/detectors/sweep/grid-folds.ts';
import { type EntityPatch, World, type WorldOptions } from '../../src/index.ts';
import { expectAlike, threeWorlds } from './three-worlds.ts';

const USUAL_SHARES = { ...foldShares };
const ALWAYS = { fewMates: -1, gain: 0 };
const RANGE = 6;
const TOWN = 50;
const ENTITIES = 300;
/** One in so many lives in the land. */
const SETTLERS = 6;

afterEach(() => {
  Object.assign(foldShares, USUAL_SHARES);
});

interface Life {
  readonly name: string;
  readonly options?: WorldOptions;
  /** Widths of the land. */
  readonly land?: readonly [x: number, y: number];
  /** Share of those that watch; four in five if not given. */
  readonly watching?: number;
  readonly channels?: number;
  /** All have the same range, and none is louder than others. */
  readonly areAlike?: boolean;
}

const LIVES: readonly Life[] = [
  { name: 'a plane' },
  { name: 'all alike', areAlike: true },
  { name: 'a road', land: [2e5, TOWN] },
  { name: 'the ends of the world', land: [1e12, 1e12] },
  { name: 'space', options: { dimensions: 3 } },
  { name: 'two senses', options: { senses: ['sight', 'hearing'] } },
  { name: 'boxes', options: { rangeShape: 'box', rangeRatio: [1, 0.3] } },
  { name: 'cylinders', options: { dimensions: 3, rangeShape: 'cylinder', rangeRatio: [1, 1, 2] } },
  { name: 'few watchers', watching: 0.03 },
  { name: 'channels', channels: 3 },
];

describe.each([...LIVES])('$name', (life) => {
  test.each([1, 2, 3])('seed %i: all kernels report what brute force reports', (seed) => {
    const { options, land = [1e5, 3e4], watching = 0.8, channels = 0, areAlike = false } = life;
    const random = new Random(seed);
    const worlds = threeWorlds(options);
    const is3D = options?.dimensions === 3;
    const hasSenses = options?.senses !== undefined;
    const place = (): readonly [number, number, number] => {
      const isSettler = random.below(SETTLERS) === 0;
      const along = (width: number) => (random.fraction() - 0.3) * (isSettler ? width : TOWN);
      return [along(land[0]), along(land[1]), is3D ? 12 * random.fraction() : 0];
    };
    const patch = (): EntityPatch =>
      random.pick<() => EntityPatch>([
        () => ({ gain: random.pick([1, 0.5, 2]), minReach: random.pick([0, 0, 9, 20]) }),
        () => ({ range: hasSenses ? { sight: RANGE } : RANGE * random.pick([0, 1, 1, 1.5, 5, 300]) }),
        () => ({ marker: random.chance(0.7), layers: random.pick([1, 2]), sees: random.pick([1, 3]) }),
        () => (channels > 0 ? { channel: random.below(channels + 1) } : { gain: 1 }),
      ])();
    const ids: number[] = [];
    const add = () => {
      const [x, y, z] = place();
      const range = !random.chance(watching) ? 0 : hasSenses ? { sight: RANGE, hearing: 2 } : RANGE;
      const init = { x, y, ...(is3D ? { z } : {}), range, channel: random.below(channels + 1) };
      return worlds.map((world) => world.add(init))[0]!;
    };
    for (let i = 0; i < ENTITIES; i++) ids.push(add());
    for (let tick = 0; tick < 24; tick++) {
      const moving = [1, 1, 0.03, 0.03, 0.03, 0][tick % 6]!;
      const changing = areAlike ? 0 : [0, 0.05, 0, 0.03, 0.01][tick % 5]!;
      for (const [i, id] of ids.entries()) {
        if (random.chance(moving)) {
          const [x, y, z] = worlds[0]!.position(id);
          const by = () => random.fraction() - 0.5;
          const to = random.chance(0.03) ? place() : ([x + by(), y + by(), is3D ? z! + by() : 0] as const);
          for (const world of worlds) world.move(id, ...to);
        }
        if (!random.chance(changing)) continue;
        if (random.chance(0.2)) {
          for (const world of worlds) world.remove(id);
          ids[i] = add();
        } else {
          const changes = patch();
          for (const world of worlds) world.update(id, changes);
        }
      }
      expectAlike(worlds, `seed ${seed}, tick ${tick}`);
      const [x, y, z] = place();
      const kind = is3D ? 'sphere' : 'circle';
      const circle = { kind, x, y, ...(is3D ? { z } : {}), radius: random.pick([1, 20, 1e4]) } as never;
      const found = worlds.map((world) => Array.from(world.query(circle)));
      expect(found, `seed ${seed}, tick ${tick}`).toEqual(Array(3).fill(found[0]));
    }
    expect(worlds[2]!.describe({ limit: 0 })).toContain(', folded');
  });
});

describe('wherever cells would be wider, folded,', () => {
  test.each(['auto', 'typescript'] as const)(
    'random scripts report what the model reports, %s kernels',
    (kernels) => {
      Object.assign(foldShares, ALWAYS);
      for (const size of [
        { operations: 250, entities: 14 },
        { operations: 250, entities: 40, together: true },
      ]) {
        const operations = runSeeds(920_000, 20, size, { detector: 'sweep', options: { kernels } });
        expect(operations).toBeGreaterThanOrEqual(20 * 250);
      }
    },
  );
});

describe('the cells of a town', () => {
  /** The largest number of entities in a cell. */
  function mostInOneCell(land: number): number {
    const random = new Random(7);
    const world = new World();
    const place = (side: number) => (random.fraction() - 0.4) * side;
    for (let i = 0; i < 2000; i++) {
      const side = i % 20 === 0 ? land : 100;
      world.add({ x: place(side), y: place(side), range: 2 });
    }
    world.tick();
    const { cells } = world.sketch({ minX: -1e12, minY: -1e12, maxX: 1e12, maxY: 1e12 });
    return Math.max(...cells.filter((_, i) => i % 5 === 4));
  }

  test('hold as few however wide the land around it is', () => {
    const most = [100, 1000, 100_000, 1e9].map(mostInOneCell);
    expect(most).toEqual([7, 5, 5, 5]);
  });
});
