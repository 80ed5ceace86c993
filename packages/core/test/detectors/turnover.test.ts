/**
 * Detectors where everybody is short-lived: slots run far past those in use, and the store's columns shrink and grow under
 * structures that were made at another capacity. And what a detector says when one of them has no room for all slots.
 */
import { afterEach, describe, expect, test, vi } from 'vitest';
import { Random } from '../../src/conformance/random.ts';
import { FarReach } from '../../src/detectors/cells/far-reach.ts';
import { AxisList } from '../../src/detectors/cross-list/axis-list.ts';
import { CoordinateSort } from '../../src/detectors/cross-list/coordinate-sort.ts';
import { FarReaching } from '../../src/detectors/cross-list/far-reaching.ts';
import { IndexNodes } from '../../src/detectors/cross-list/index-nodes.ts';
import { LinkWalk } from '../../src/detectors/cross-list/link-walk.ts';
import { Search } from '../../src/detectors/cross-list/search.ts';
import { UnrolledList } from '../../src/detectors/cross-list/unrolled-list.ts';
import { PairRows } from '../../src/detectors/hot-pair/pair-rows.ts';
import { Places } from '../../src/detectors/hot-pair/places.ts';
import { ReachTraits } from '../../src/detectors/pairs/reach-traits.ts';
import { SieveColumns } from '../../src/detectors/pairs/sieve-columns.ts';
import { LeafJoin } from '../../src/detectors/quadtree/leaf-join.ts';
import { Tree } from '../../src/detectors/quadtree/tree.ts';
import { CellSight } from '../../src/detectors/tower/cell-sight.ts';
import { type DetectorName, detectorNames, type EntityId, World } from '../../src/index.ts';

const SHORT_LIVED = 12;
const SIDE = 1000;

/** The first tick in which a world of projectiles differs from one with brute force; 0 for none. */
function firstWrongTick(detector: DetectorName, dimensions: 2 | 3, seed: number, ticks: number): number {
  const random = new Random(seed);
  const worlds = [
    new World({ detector, dimensions }),
    new World({ detector: 'brute-force', dimensions }),
  ] as const;
  const height = () => (dimensions === 3 ? { z: random.between(0, 100) } : {});
  let ids: EntityId[] = [];
  for (let tick = 1; tick <= ticks; tick++) {
    const gone = ids.splice(0, ids.length >> 1);
    while (ids.length < SHORT_LIVED) {
      const entity = { x: random.between(0, SIDE), y: random.between(0, SIDE), ...height(), range: 50 };
      ids = [...ids, ...new Set(worlds.map((world) => world.add(entity)))];
    }
    for (const id of ids) {
      const [x = 0, y = 0, z] = worlds[0].position(id);
      const step = [random.between(-8, 8), random.between(-8, 8)] as const;
      for (const world of worlds) world.move(id, x + step[0], y + step[1], z);
    }
    for (const world of worlds) for (const id of gone) world.remove(id);
    const [hash, expected] = worlds.map((world) => world.tick().hash());
    if (hash !== expected) return tick;
  }
  return 0;
}

describe.each([2, 3] as const)('hot-pair in %i-D', (dimensions) => {
  test('loses nobody where half of a dozen projectiles are replaced each tick', () => {
    for (const seed of [1, 2]) expect(firstWrongTick('hot-pair', dimensions, seed, 700)).toBe(0);
  });
});

describe('a structure that has no room for all slots', () => {
  afterEach(() => {
    vi.restoreAllMocks();
  });

  const STRUCTURES: readonly [DetectorName, { prototype: object; name: string }, string][] = [
    ['hot-pair', Places, 'grow'],
    ['hot-pair', PairRows, 'grow'],
    ['quadtree', Tree, 'grow'],
    ['quadtree', LeafJoin, 'grow'],
    ['quadtree', ReachTraits, 'grow'],
    ['cross-list', AxisList, 'grow'],
    ['cross-list', IndexNodes, 'grow'],
    ['cross-list', FarReaching, 'grow'],
    ['cross-list', Search, 'grow'],
    ['cross-list', LinkWalk, 'grow'],
    ['cross-list', CoordinateSort, 'grow'],
    ['cross-list', UnrolledList, 'grow'],
    ['cross-list', SieveColumns, 'grow'],
    ['nine-grid', FarReach, 'growSlots'],
    ['tower', CellSight, 'growSlots'],
  ];

  const byName = STRUCTURES.map(
    ([detector, structure, grow]) => [detector, structure.name, structure, grow] as const,
  );
  test.each(byName)('fails the tick of %s: %s', (detector, _, structure, grow) => {
    const world = new World({ detector });
    world.addMany({ x: new Float32Array(400), y: new Float32Array(400), range: 3 });
    world.tick();
    const { prototype } = structure as { prototype: Record<string, () => void> };
    vi.spyOn(prototype, grow).mockImplementation(() => {});
    // Not so many that structures are made anew.
    world.addMany({ x: new Float32Array(150), y: new Float32Array(150) });
    expect(() => world.tick()).toThrow(/broken invariant: \w+ has room for 550 slots, not for (400|512)/);
  });
});

test.each(detectorNames)('a few are left where a crowd was, and %s loses none of them', (detector) => {
  const worlds = [new World({ detector }), new World({ detector: 'brute-force' })];
  const both = <T>(act: (world: World) => T) => worlds.map(act)[0] as T;
  const tick = () => {
    const [hash, expected] = worlds.map((world) => world.tick().hash());
    expect(hash).toBe(expected);
    for (const world of worlds) world.validate();
  };
  const x = [-40388, 30291, -1000, 600, 0, -1958, -1000, 0, -1696, 0, -100, -3000];
  const y = [231291, 241388, 200000, 219733, 212000, 234542, 185000, 243000, 188376, 180000, 181615, 236000];
  const few = both((world) => world.addMany({ x, y }));
  both((world) => world.addMany({ x: [-3000, 0, 50485], y: [187000, 133514, 201000], range: 20198.5 }));
  const axis = (place: (i: number) => number) =>
    Float32Array.from({ length: 1100 }, (_, i) => 1000 * place(i));
  const crowd = { x: axis((i) => (i % 10) - 5), y: axis((i) => Math.floor(i / 10) - 5) };
  const ids = both((world) => world.addMany(crowd));
  tick();
  both((world) => world.removeMany(ids));
  tick();
  tick();
  both((world) => world.add({ x: 0, y: 190000 }));
  tick();
  for (const id of few) {
    both((world) => world.move(id, -2000, 186000));
    tick();
  }
  for (const world of worlds) void world.dispose();
});
