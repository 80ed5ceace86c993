/**
 * Very many markers on a few points, in reach of all watchers. The kernel skips newcomers beyond those
 * needed; the seats must be the same as if it had visited all.
 */
import { describe, expect, test } from 'vitest';
import { World, type WorldOptions } from '../../src/index.ts';
import { ALWAYS_SEARCHED, NEVER_SEARCHED, numbersFrom, withShares } from './searched-lives.ts';

const CROWD = 260;
const CAP = 6;
const TICKS = 6;

describe.each(['auto', 'typescript'] as const)('with %s kernels', (kernels) => {
  test.each([
    ['of one weight', false, false],
    ['of several weights', true, false],
    ['with pins', false, true],
    ['of several weights and with pins', true, true],
  ])('markers on a few points %s get the same seats as if all were visited', (_, hasWeights, hasPins) => {
    for (let seed = 0; seed < 4; seed++) {
      const random = numbersFrom(seed);
      const options: WorldOptions = { kernels, interests: { default: { cap: CAP, incumbentBonus: 0.2 } } };
      const worlds = [new World(options), new World(options)] as const;
      const points = Array.from({ length: 4 }, () => [8 * random(), 8 * random()] as const);
      const pick = () => Math.floor(random() * points.length);
      const ids: number[] = [];
      for (let i = 0; i < CROWD; i++) {
        const [x, y] = points[pick()]!;
        // A marker with four times the weight ranks as if at a quarter of the distance: equal ranks come from
        // several grids.
        const weight = hasWeights ? 4 ** Math.floor(3 * random()) : 1;
        for (const world of worlds) ids[i] = world.add({ x, y, range: 40, weight });
      }
      for (let tick = 0; tick < TICKS; tick++) {
        for (let i = 0; i < 40; i++) {
          const id = ids[Math.floor(random() * ids.length)]!;
          const [x, y] = points[pick()]!;
          const other = ids[Math.floor(random() * ids.length)]!;
          for (const world of worlds) {
            world.move(id, x, y);
            if (hasPins && other !== id) world.pin(id, other);
          }
        }
        const [gone] = ids.splice(Math.floor(random() * ids.length), 1);
        for (const world of worlds) world.remove(gone!);
        const [searched, whole] = worlds;
        const got = withShares(ALWAYS_SEARCHED, () => searched.tick().hash());
        expect(got, `seed ${seed}, tick ${tick}`).toBe(withShares(NEVER_SEARCHED, () => whole.tick().hash()));
      }
    }
  });

  test('a search ends where markers that are not met are the shortest float32 apart', () => {
    const world = new World({ kernels, interests: { default: { cap: CAP } } });
    const x = Float32Array.from({ length: CROWD }, (_, i) => (i % 2) * 1e-45);
    world.addMany({ x, y: new Float32Array(CROWD), layers: 2 });
    const watcher = world.add({ x: 0, y: 0, range: 40 });
    const other = world.add({ x: 1, y: 0 });
    withShares(ALWAYS_SEARCHED, () => world.tick());
    expect([...world.visibleTo(watcher)]).toEqual([other]);
  });
});
