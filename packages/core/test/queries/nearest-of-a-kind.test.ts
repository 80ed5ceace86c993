/** The nearest of a rare kind among many: boxes that hold none of it, and at last a reading of all entities. */
import { expect, test } from 'vitest';
import { Random } from '../../src/conformance/random.ts';
import { type EntityId, type NearestOptions, World } from '../../src/index.ts';

const COUNT = 3000;
const RARE = 2;
/** How many are wanted, and how far away at most. */
const WANTED = [
  [1, Number.POSITIVE_INFINITY],
  [5, Number.POSITIVE_INFINITY],
  [400, Number.POSITIVE_INFINITY],
  [5, 200],
] as const;

interface Placed {
  readonly id: EntityId;
  readonly at: readonly number[];
}

/** What `nearest` must return among these: by distance, ties by id. */
function nearestAmong(
  placed: readonly Placed[],
  from: readonly number[],
  k: number,
  most: number,
): EntityId[] {
  return placed
    .map(({ id, at }) => ({ id, away: at.reduce((sum, each, axis) => sum + (each - from[axis]!) ** 2, 0) }))
    .filter(({ away }) => away <= most * most)
    .sort((one, other) => one.away - other.away || one.id - other.id)
    .slice(0, k)
    .map(({ id }) => id);
}

test.each<[2 | 3, number]>([
  [2, 0],
  [2, 1],
  [2, 7],
  [2, 300],
  [3, 7],
])('in %i-D, of %i among 3,000', (dimensions, count) => {
  const random = new Random(dimensions * 1000 + count);
  const world = new World({ dimensions });
  const place = () => Array.from({ length: dimensions }, () => Math.fround(random.between(0, 1000)));
  const height = (z: number | undefined) => (dimensions === 3 && z !== undefined ? { z } : {});
  const rare: Placed[] = [];
  const init = (at: readonly number[]) => ({ x: at[0]!, y: at[1]!, z: at[2] ?? 0, range: 10 });
  for (let i = 0; i < COUNT; i++) {
    const at = place();
    const isRare = i % 10 === 0 && rare.length < count;
    const id = world.add({ ...init(at), layers: isRare ? RARE : 1, group: isRare ? 7 : 0 });
    if (isRare) rare.push({ id, at });
  }
  world.tick();
  const chosen = new Set(rare.map(({ id }) => id));
  const kinds: NearestOptions[] = [{ layers: RARE }, { groups: [7] }, { filter: (id) => chosen.has(id) }];
  for (let turn = 0; turn < 4; turn++) {
    const from = place();
    for (const now of [false, true]) {
      for (const kind of kinds) {
        for (const [k, maxDistance] of WANTED) {
          const options = { ...kind, now, maxDistance, ...height(from[2]) };
          const expected = nearestAmong(rare, from, k, maxDistance);
          expect([...world.nearest(from[0]!, from[1]!, k, options)]).toEqual(expected);
        }
      }
    }
  }
  // As of the last tick, those that came or changed since are none, and one that was removed is gone.
  const gone = rare.pop();
  if (gone !== undefined) world.remove(gone.id);
  world.add({ ...init([500, 500, 500]), layers: RARE });
  const rarely = { layers: RARE, ...height(500) };
  const expected = nearestAmong(rare, [500, 500, 500], 3, Number.POSITIVE_INFINITY);
  expect([...world.nearest(500, 500, 3, rarely)]).toEqual(expected);
  expect(world.nearest(500, 500, 400, { ...rarely, now: true })).toHaveLength(rare.length + 1);
});

test.each([1, 15, 16, 17])(
  'the %i nearest to a point far outside a crowd, among them pairs at one distance',
  (k) => {
    const world = new World();
    // From the far end inwards, each place twice.
    const x = Array.from({ length: 300 }, (_, i) => 149 - (i >> 1));
    const ids = [...world.addMany({ x, y: new Float32Array(300), range: 1 })];
    world.tick();
    const expected = [298, 299, 296, 297, 294, 295, 292, 293, 290, 291, 288, 289, 286, 287, 284, 285, 282];
    expect([...world.nearest(-5000, 0, k)]).toEqual(expected.slice(0, k).map((i) => ids[i]));
    world.remove(ids[299]!);
    expect([...world.nearest(-5000, 0, 2)]).toEqual([ids[298], ids[296]]);
  },
);
