/**
 * Hand-written cases: what a detector's index must find for queries.
 *
 * Shapes are decided by separate geometry code, above the detector; these cases check whether the index returns every
 * entity to it, at edges and corners, as of the last tick, near and far.
 */
import type { Shape, World, WorldOptions } from '../../index.ts';
import { expectIds, expectSame } from '../expectation.ts';
import { Random } from '../random.ts';

/** A case that needs a whole world, because the model answers no queries. */
export interface QueryCase {
  readonly name: string;
  run(create: (options?: WorldOptions) => World): void;
}

const RATIOS = [
  [1, 1, 1],
  [2, 0.5, 0.7],
] as const;
const LIFE_TICKS = 12;
const SIDE = 10;
const EDGES = [-1, 0, 1];
const FAR = 1e12;

export const queryCases: readonly QueryCase[] = [
  {
    name: 'shapes without extent find all entities on them, after every tick of a life, in 2-D and 3-D',
    run(create) {
      for (const dimensions of [2, 3] as const) {
        for (const rangeRatio of RATIOS) {
          for (const cellSize of [undefined, 1, 3, 20]) {
            askAlongAxes(
              create({ dimensions, rangeShape: 'box', rangeRatio, ...(cellSize && { cellSize }) }),
            );
          }
        }
      }
    },
  },
  {
    name: 'a box finds all entities on its edges and corners, and none just beyond',
    run(create) {
      for (const cellSize of [1, 4, 1000]) {
        for (const [x, y] of [
          [0, 0],
          [-8, 12],
          [1024, -4096],
        ]) {
          const world = create({ cellSize });
          const inside = EDGES.flatMap((dx) =>
            EDGES.map((dy) => world.add({ x: x + dx * 4, y: y + dy * 8 })),
          );
          for (const d of [-1, 1]) {
            world.add({ x: x + d * 4.001, y });
            world.add({ x, y: y + d * 8.001 });
          }
          world.tick();
          expectIds('query', world.query({ kind: 'box', x, y, halfWidth: 4, halfHeight: 8 }), inside);
        }
      }
    },
  },
  {
    name: 'a circle and a sphere find all entities on the rim',
    run(create) {
      const flat = create();
      const rim = [
        [5, 0],
        [-5, 0],
        [3, 4],
        [-4, -3],
        [0, -5],
      ].map(([dx, dy]) => flat.add({ x: 7 + dx, y: -9 + dy }));
      flat.add({ x: 7 + 4, y: -9 + 3.001 });
      flat.tick();
      expectIds('query', flat.query({ kind: 'circle', x: 7, y: -9, radius: 5 }), rim);
      const deep = create({ dimensions: 3 });
      const poles = [-7, 7].map((z) => deep.add({ x: 0, y: 0, z }));
      const slope = deep.add({ x: 2, y: -3, z: 6 });
      deep.add({ x: 2, y: -3, z: 6.001 });
      deep.tick();
      expectIds('query', deep.query({ kind: 'sphere', x: 0, y: 0, z: 0, radius: 7 }), [...poles, slope]);
    },
  },
  {
    name: 'a place is perceived by watchers that have it on the rim of their range, however long that is, also at cell edges',
    run(create) {
      for (const cellSize of [1, 4, 1000]) {
        const world = create({ cellSize, senses: ['sight', 'hearing'] });
        const [x, y] = [-8, 12];
        const inside = [
          world.add({ x: x + 5, y, range: 5 }),
          world.add({ x: x - 3, y: y - 4, range: { hearing: 5 }, marker: false }),
          world.add({ x: x + 3e6, y: y + 4e6, range: 5e6 }),
          world.add({ x, y, range: 1e-6 }),
        ];
        world.add({ x: x + 5.001, y, range: 5 });
        world.add({ x: x - 3, y: y - 4.001, range: { hearing: 5 } });
        world.add({ x, y });
        world.tick();
        expectIds('watchersAt', world.watchersAt({ x, y }), inside);
        expectIds('watchersAt by ear', world.watchersAt({ x, y, senses: ['hearing'] }), [inside[1]]);
        expectIds('watchersAt of a whisper', world.watchersAt({ x, y, gain: 0.5 }), [inside[3]]);
      }
    },
  },
  {
    name: 'queries answer as of the last tick, without entities removed since',
    run(create) {
      const world = create();
      const [stays, goes, dies] = [0, 1, 2].map((x) => world.add({ x, y: 0 }));
      const here = () => world.query({ kind: 'circle', x: 0, y: 0, radius: 5 });
      expectIds('before the first tick', here(), []);
      expectIds('nearest before the first tick', world.nearest(0, 0, 3), []);
      world.tick();
      world.move(goes, 100, 0);
      world.remove(dies);
      world.add({ x: 0, y: 0 });
      expectIds('between ticks', here(), [stays, goes]);
      expectIds('nearest between ticks', world.nearest(0, 0, 9), [stays, goes]);
      world.tick();
      expectSame('found after the tick', here().length, 2);
      expectIds('where it went', world.query({ kind: 'circle', x: 100, y: 0, radius: 0 }), [goes]);
    },
  },
  {
    name: 'watchers, markers and neither are all found, in every channel and layer',
    run(create) {
      const world = create();
      const ids = [
        world.add({ x: 0, y: 0, range: 3 }),
        world.add({ x: 1, y: 0, marker: false, channel: 4 }),
        world.add({ x: 2, y: 0, layers: 0, gain: 0 }),
        world.add({ x: 3, y: 0, layers: 0x80000000, channel: 9 }),
      ];
      world.tick();
      expectIds('query', world.query({ kind: 'circle', x: 0, y: 0, radius: 3 }), ids);
      expectIds('nearest', world.nearest(0, 0, 4), ids);
    },
  },
  {
    name: 'shapes as wide as all space find all entities, and small ones far out the one that is there',
    run(create) {
      const world = create();
      const crowd = Array.from({ length: 40 }, (_, i) => world.add({ x: i * 3, y: -i }));
      const outlier = world.add({ x: -FAR, y: FAR });
      world.tick();
      expectIds('all', world.query({ kind: 'circle', x: 0, y: 0, radius: FAR }), crowd);
      const everywhere = { kind: 'box', x: 0, y: 0, halfWidth: FAR, halfHeight: FAR } as const;
      expectIds('everywhere', world.query(everywhere), [...crowd, outlier]);
      expectIds('far out', world.query({ kind: 'circle', x: -FAR, y: FAR, radius: 1e6 }), [outlier]);
      expectIds('nearest to the outlier', world.nearest(-FAR, FAR, 1), [outlier]);
      expectIds('nearest of all', world.nearest(FAR, -FAR, 50).sort(), [...crowd, outlier]);
    },
  },
  {
    name: 'nearest gives the nearest first, ties by id, from within, beside and far away',
    run(create) {
      for (const [x, y] of [
        [0, 0],
        [4.5, -3],
        [-2000, 1e6],
      ]) {
        const world = create({ cellSize: 2 });
        const random = new Random(3);
        const places = Array.from({ length: 60 }, () => [random.below(9), random.below(30) - 15]);
        const entities = places.map(([px, py]) => ({
          id: world.add({ x: px, y: py }),
          squared: (px - x) ** 2 + (py - y) ** 2,
        }));
        world.tick();
        entities.sort((one, other) => one.squared - other.squared || one.id - other.id);
        for (const k of [0, 1, 2, 7, 60, 1000]) {
          const got = [...world.nearest(x, y, k)].join();
          expectSame(
            `nearest ${k}`,
            got,
            entities
              .slice(0, k)
              .map(({ id }) => id)
              .join(),
          );
        }
      }
    },
  },
  {
    name: 'the index follows moves, removals and additions from tick to tick',
    run(create) {
      const world = create();
      const random = new Random(5);
      const places = new Map<number, number>();
      for (let tick = 0; tick < 30; tick++) {
        for (const id of [...places.keys()]) {
          const fate = random.below(6);
          if (fate === 0) world.remove(id);
          if (fate === 0) places.delete(id);
          else if (fate < 3) places.set(id, random.below(200) - 100);
          if (fate > 0) world.move(id, places.get(id) as number, 0);
        }
        for (let i = random.below(8); i > 0; i--) {
          const x = random.below(200) - 100;
          places.set(world.add({ x, y: 0 }), x);
        }
        world.tick();
        const expected = [...places].filter(([, x]) => Math.abs(x - 10) <= 40).map(([id]) => id);
        const box = { kind: 'box', x: 10, y: 0, halfWidth: 40, halfHeight: 0 } as const;
        expectIds(`query at tick ${tick}`, world.query(box), expected);
      }
    },
  },
  {
    name: 'watchersAt: needs, only and onlyGroup work for a place as for a marker',
    run(create) {
      const world = create({ groups: ['party', 'raid'] });
      const spot = { x: 0, y: 0, range: 5 };
      const one = world.add({ ...spot, sees: 3, group: { raid: 1 } });
      const other = world.add({ ...spot, sees: 1, group: { party: 1, raid: 2 } });
      world.tick();
      const told = (place: object) => world.watchersAt({ x: 1, y: 0, ...place });
      expectIds('needs', told({ needs: 2 }), [one]);
      expectIds('only', told({ only: other }), [other]);
      expectIds('of any kind', told({ group: { party: 1, raid: 1 }, onlyGroup: true }), [one, other]);
      expectIds('of one kind', told({ group: { party: 1, raid: 1 }, onlyGroup: ['raid'] }), [one]);
      expectIds('of no group', told({ onlyGroup: true }), []);
    },
  },
];

type Point = readonly [x: number, y: number, z: number];

/**
 * Runs a world on a lattice, and queries at each tick the entities on points and on axis-parallel lines through an
 * entity.
 */
function askAlongAxes(world: World): void {
  const random = new Random(7);
  const isFlat = world.dimensions === 2;
  const coordinate = () => random.below(2 * SIDE + 1) - SIDE;
  const point = (): Point => [coordinate(), coordinate(), isFlat ? 0 : random.below(3)];
  const places = new Map<number, Point>();
  for (let i = 0; i < 14; i++) {
    const [x, y, z] = point();
    places.set(world.add({ x, y, ...(isFlat ? {} : { z }), range: random.pick([0, 1, 4, 30]) }), [x, y, z]);
  }
  for (let tick = 0; tick < LIFE_TICKS; tick++) {
    world.tick();
    const [centre, other] = [random.pick([...places.values()]), point()];
    for (const [shape, contains] of thinShapes(centre, other, isFlat)) {
      const inside = [...places].filter(([, place]) => contains(place)).map(([id]) => id);
      expectIds(`${JSON.stringify(shape)} after tick ${tick + 1}`, world.query(shape), inside);
    }
    for (const [id, [x, y, z]] of places) {
      if (!random.chance(0.4)) continue;
      const to: Point = random.chance(0.3) ? point() : [x + random.below(3) - 1, y + random.below(3) - 1, z];
      places.set(id, to);
      world.move(id, to[0], to[1], isFlat ? undefined : to[2]);
    }
  }
}

/** Shapes without extent on some axis, each with a test of what is inside, by coordinates alone. */
function thinShapes(centre: Point, other: Point, isFlat: boolean): [Shape, (place: Point) => boolean][] {
  const [x, y, z] = centre;
  const at = { x, y };
  const is = (place: Point, ...axes: number[]) => axes.every((axis) => place[axis] === centre[axis]);
  const between = (value: number, axis: number) => (value - centre[axis]) * (value - other[axis]) <= 0;
  const ray = (place: Point) => is(place, 1, 2) && place[0] >= x && place[0] <= x + 5;
  const ends = { x1: x, y1: y, x2: x, y2: y, radius: 0, ...(isFlat ? {} : { z1: z, z2: z }) };
  const lines: [Shape, (place: Point) => boolean][] = [
    [{ kind: 'capsule', ...ends }, (place) => is(place, 0, 1, 2)],
    [{ kind: 'capsule', ...ends, x2: other[0] }, (place) => is(place, 1, 2) && between(place[0], 0)],
    [{ kind: 'capsule', ...ends, y2: other[1] }, (place) => is(place, 0, 2) && between(place[1], 1)],
  ];
  if (isFlat) {
    return [
      ...lines,
      [{ kind: 'circle', ...at, radius: 0 }, (place) => is(place, 0, 1)],
      [{ kind: 'box', ...at, halfWidth: 0, halfHeight: 0 }, (place) => is(place, 0, 1)],
      [
        { kind: 'box', ...at, halfWidth: 3, halfHeight: 0 },
        (place) => is(place, 1) && Math.abs(place[0] - x) <= 3,
      ],
      [
        { kind: 'box', ...at, halfWidth: 0, halfHeight: 3 },
        (place) => is(place, 0) && Math.abs(place[1] - y) <= 3,
      ],
      [{ kind: 'sector', ...at, radius: 0, direction: 1, width: 2 }, (place) => is(place, 0, 1)],
      [{ kind: 'sector', ...at, radius: 5, direction: 0, width: 0 }, ray],
    ];
  }
  const flat = { kind: 'box', ...at, z, halfWidth: 0, halfHeight: 0, halfDepth: 0 } as const;
  const cone = { kind: 'cone', ...at, z, dx: 1, dy: 0, dz: 0, radius: 5, width: 0 } as const;
  return [
    ...lines,
    [{ kind: 'capsule', ...ends, z2: other[2] }, (place) => is(place, 0, 1) && between(place[2], 2)],
    [{ kind: 'sphere', ...at, z, radius: 0 }, (place) => is(place, 0, 1, 2)],
    [flat, (place) => is(place, 0, 1, 2)],
    [{ ...flat, halfWidth: 3 }, (place) => is(place, 1, 2) && Math.abs(place[0] - x) <= 3],
    [{ ...flat, halfDepth: 1 }, (place) => is(place, 0, 1) && Math.abs(place[2] - z) <= 1],
    [
      { ...flat, halfHeight: 3, halfDepth: 1 },
      (place) => is(place, 0) && Math.abs(place[1] - y) <= 3 && Math.abs(place[2] - z) <= 1,
    ],
    [{ ...cone, radius: 0, width: 2 }, (place) => is(place, 0, 1, 2)],
    [cone, ray],
  ];
}
