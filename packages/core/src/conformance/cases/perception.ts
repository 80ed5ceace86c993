/**
 * Hand-written cases: perception.
 *
 * One case for each sentence of the definition that a detector can break. Positions are chosen so that right and
 * wrong differ by one unit in the last place, or by one side of a pair.
 */
import {
  type ExpectedView,
  expectIds,
  expectReport,
  expectSame,
  type HandWrittenCase,
} from '../expectation.ts';

const THREE_SENSES = ['sight', 'hearing', 'smell'];
/** The float32 next above 4. */
const ABOVE_FOUR = 4 + 2 ** -21;
/** Pairs for which float32 and float64 disagree on the boundary: the float32 result. */
const ROUNDING = [
  { dx: 96.62, dy: 13.93, range: 97.619, perceived: true },
  { dx: 88.68, dy: 92.99, range: 128.49623, perceived: true },
  { dx: 19.21, dy: 54.54, range: 57.82418, perceived: false },
  { dx: 98.22, dy: 33.1, range: 103.64738, perceived: false },
];

export const perceptionCases: readonly HandWrittenCase[] = [
  {
    name: 'the boundary is inside, and the next number beyond it is outside',
    run(create) {
      for (const [signX, signY] of [
        [1, 1],
        [-1, 1],
        [1, -1],
        [-1, -1],
      ]) {
        const world = create();
        const watcher = world.add({ x: 0, y: 0, range: 5 });
        const inside = world.add({ x: 3 * signX, y: 4 * signY });
        world.add({ x: 3 * signX, y: ABOVE_FOUR * signY });
        expectReport(world.tick(), [{ watcher, entered: [inside] }]);
      }
    },
  },
  {
    name: 'the boundary is inside away from the origin and across cell edges',
    run(create) {
      for (const cellSize of [1, 5, 2.5, 1000]) {
        for (const origin of [-10, -5, -4096, 0, 5, 7, 65536]) {
          const world = create({ cellSize });
          const watcher = world.add({ x: origin, y: -origin, range: 5 });
          const rim = [
            [5, 0],
            [-5, 0],
            [0, 5],
            [0, -5],
            [4, 3],
            [-3, 4],
          ].map(([dx, dy]) => world.add({ x: origin + dx, y: -origin + dy }));
          world.add({ x: origin + 5, y: -origin + 1 });
          expectReport(world.tick(), [{ watcher, entered: rim }]);
        }
      }
    },
  },
  {
    name: 'the boundary of a sphere is inside',
    run(create) {
      const world = create({ dimensions: 3 });
      const watcher = world.add({ x: 1, y: 1, z: 1, range: 7 });
      const inside = world.add({ x: 3, y: 4, z: -5 });
      world.add({ x: 3, y: 4, z: -5 - 2 ** -20 });
      const above = world.add({ x: 1, y: 1, z: 8 });
      expectReport(world.tick(), [{ watcher, entered: [inside, above] }]);
    },
  },
  {
    name: 'distances are rounded to float32 at each step',
    run(create) {
      for (const { dx, dy, range, perceived } of ROUNDING) {
        const world = create();
        const watcher = world.add({ x: 0, y: 0, range });
        const marker = world.add({ x: dx, y: dy });
        expectReport(world.tick(), perceived ? [{ watcher, entered: [marker] }] : []);
      }
    },
  },
  {
    name: 'positions are rounded to float32 before they are compared',
    run(create) {
      const world = create();
      const watcher = world.add({ x: 16777216, y: 0, range: 0.5 });
      const marker = world.add({ x: 16777217, y: 0 });
      expectReport(world.tick(), [{ watcher, entered: [marker] }]);
    },
  },
  {
    name: 'two entities at one point perceive each other if their reach is above 0',
    run(create) {
      const world = create();
      const one = world.add({ x: -3, y: 8, range: 2e-6 });
      const other = world.add({ x: -3, y: 8, range: 1 });
      const blind = world.add({ x: -3, y: 8 });
      expectReport(world.tick(), [
        { watcher: one, entered: [other, blind] },
        { watcher: other, entered: [one, blind] },
      ]);
    },
  },
  {
    name: 'perception is one-way: each entity by its own range',
    run(create) {
      const world = create();
      const near = world.add({ x: 0, y: 0, range: 2 });
      const far = world.add({ x: 10, y: 0, range: 20 });
      expectReport(world.tick(), [{ watcher: far, entered: [near] }]);
      expectIds('visibleTo', world.visibleTo(near), []);
      expectIds('watchersOf', world.watchersOf(near), [far]);
    },
  },
  {
    name: 'an entity never perceives itself',
    run(create) {
      const world = create();
      const alone = world.add({ x: 0, y: 0, range: 1e12, minReach: 1e12 });
      expectReport(world.tick(), []);
      expectSame('related to itself', world.related(alone, alone), false);
    },
  },
  {
    name: 'a range below 1e-6 is 0, and 1e-6 itself is a range',
    run(create) {
      const world = create();
      world.add({ x: 0, y: 0, range: 9e-7 });
      const watcher = world.add({ x: 0, y: 0, range: 1e-6 });
      const report = world.tick();
      expectSame('views', report.viewCount, 1);
      expectSame('entered', report.of(watcher)?.entered.length ?? 0, 1);
    },
  },
  {
    name: 'gain scales the range of every watcher, and 0 cloaks',
    run(create) {
      const world = create();
      const watcher = world.add({ x: 0, y: 0, range: 10 });
      const loud = world.add({ x: 20, y: 0, gain: 2 });
      const quiet = world.add({ x: 5, y: 0, gain: 0.5 });
      world.add({ x: 6, y: 0, gain: 0.5 });
      world.add({ x: 0, y: 0, gain: 0 });
      world.add({ x: 21, y: 0, gain: 2 });
      expectReport(world.tick(), [{ watcher, entered: [loud, quiet] }]);
    },
  },
  {
    name: 'minReach: every watcher with the sense perceives at least this far, except for cloaked markers',
    run(create) {
      const world = create({ senses: ['sight', 'hearing'] });
      const hearing = world.add({ x: 0, y: 0, range: { hearing: 1 }, gain: 0 });
      world.add({ x: 40, y: 10, range: { sight: 5 }, gain: 0 });
      const bell = world.add({ x: 40, y: 0, minReach: { hearing: 40 } });
      world.add({ x: 41, y: 0, minReach: { hearing: 40 } });
      world.add({ x: 39, y: 0, minReach: { hearing: 100 }, gain: { hearing: 0 } });
      const loud = world.add({ x: 3, y: 0, gain: 4, minReach: 2 });
      expectReport(world.tick(), [{ watcher: hearing, entered: [bell, loud] }]);
    },
  },
  {
    name: 'each sense has its own range, and the mask shows which of them perceive',
    run(create) {
      const world = create({ senses: THREE_SENSES });
      const watcher = world.add({ x: 0, y: 0, range: { sight: 10, hearing: 5, smell: 20 }, gain: 0 });
      const masks: [number, number][] = [5, 6, 10, 15, 20].map((x) => [world.add({ x, y: 0 }), x]);
      world.add({ x: 21, y: 0 });
      expectReport(world.tick(), [{ watcher, entered: masks.map(([id]) => id) }]);
      for (const [id, x] of masks) {
        const mask = (x <= 10 ? 1 : 0) | (x <= 5 ? 2 : 0) | (x <= 20 ? 4 : 0);
        expectSame(`senses at ${x}`, world.senses(watcher, id), mask);
      }
    },
  },
  {
    name: "a single number is the first sense's range, but every sense's gain and minReach",
    run(create) {
      const world = create({ senses: THREE_SENSES });
      const one = world.add({ x: 0, y: 0, range: 10, gain: 0 });
      const two = world.add({ x: 0, y: 0, range: { hearing: 10 }, gain: 0 });
      const loud = world.add({ x: 20, y: 0, gain: 2 });
      const bell = world.add({ x: 30, y: 0, minReach: 30 });
      expectReport(world.tick(), [
        { watcher: one, entered: [loud, bell] },
        { watcher: two, entered: [loud, bell] },
      ]);
      expectSame('senses', world.senses(one, bell), 1);
      expectSame('senses', world.senses(two, loud), 2);
    },
  },
  {
    name: 'eight senses fill the mask',
    run(create) {
      const senses = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'];
      const world = create({ senses });
      const range = Object.fromEntries(senses.map((sense, i) => [sense, i + 1]));
      const watcher = world.add({ x: 0, y: 0, range, gain: 0 });
      const markers = senses.map((_, i) => world.add({ x: i + 1, y: 0 }));
      expectReport(world.tick(), [{ watcher, entered: markers }]);
      markers.forEach((marker, i) => {
        expectSame(`senses of marker ${i}`, world.senses(watcher, marker), (0xff << i) & 0xff);
      });
    },
  },
  {
    name: "layers meet by the watcher's sees and the marker's layers, either way round",
    run(create) {
      const world = create();
      const one = world.add({ x: 0, y: 0, range: 5, layers: 1, sees: 2 });
      const two = world.add({ x: 1, y: 0, range: 5, layers: 2, sees: 4 });
      const three = world.add({ x: 0, y: 1, range: 5, layers: 4, sees: 3 });
      const none = world.add({ x: 1, y: 1, range: 5, layers: 0, sees: -1 });
      expectReport(world.tick(), [
        { watcher: one, entered: [two] },
        { watcher: two, entered: [three] },
        { watcher: three, entered: [one, two] },
        { watcher: none, entered: [one, two, three] },
      ]);
    },
  },
  {
    name: 'all 32 layers work, the highest included',
    run(create) {
      const world = create();
      const high = world.add({ x: 0, y: 0, range: 5, layers: 0x80000000 });
      const same = world.add({ x: 1, y: 0, layers: -0x80000000 });
      const all = world.add({ x: 2, y: 0, layers: 0xffffffff });
      world.add({ x: 3, y: 0, layers: 0x7fffffff });
      expectReport(world.tick(), [{ watcher: high, entered: [same, all] }]);
    },
  },
  {
    name: 'sees follows layers until it is set',
    run(create) {
      const world = create();
      const follower = world.add({ x: 0, y: 0, range: 5, gain: 0 });
      const settled = world.add({ x: 0, y: 0, range: 5, gain: 0, sees: 1 });
      const first = world.add({ x: 1, y: 0, layers: 1 });
      const second = world.add({ x: 1, y: 0, layers: 2 });
      expectReport(world.tick(), [
        { watcher: follower, entered: [first] },
        { watcher: settled, entered: [first] },
      ]);
      world.update(follower, { layers: 2 });
      world.update(settled, { layers: 2 });
      expectReport(world.tick(), [{ watcher: follower, entered: [second], left: [first] }]);
      world.update(follower, { sees: 2 });
      world.update(follower, { layers: 1 });
      expectReport(world.tick(), []);
    },
  },
  {
    name: 'channels are separate unless they are equal or one of them is 0',
    run(create) {
      const world = create();
      const [zero, one, two, last] = [0, 1, 2, 65535].map((channel) =>
        world.add({ x: 0, y: 0, range: 5, channel }),
      );
      const same = world.add({ x: 1, y: 0, channel: 65535 });
      expectReport(world.tick(), [
        { watcher: zero, entered: [one, two, last, same] },
        { watcher: one, entered: [zero] },
        { watcher: two, entered: [zero] },
        { watcher: last, entered: [zero, same] },
      ]);
    },
  },
  {
    name: 'an entity that is no marker perceives and is not perceived',
    run(create) {
      const world = create();
      const camera = world.add({ x: 0, y: 0, range: 5, marker: false });
      const walker = world.add({ x: 1, y: 0, range: 5 });
      expectReport(world.tick(), [{ watcher: camera, entered: [walker] }]);
    },
  },
  {
    name: 'a box reaches by its ratio on each axis, boundary inside',
    run(create) {
      for (const dimensions of [2, 3] as const) {
        const world = create({
          dimensions,
          rangeShape: 'box',
          rangeRatio: dimensions === 2 ? [2, 0.5] : [2, 0.5, 3],
        });
        const watcher = world.add({ x: 1, y: 1, z: 1, range: 4, gain: 0 });
        const entered = [
          world.add({ x: 9, y: 3, z: 1 }),
          world.add({ x: -7, y: -1, z: 13 }),
          world.add({ x: 9, y: -1, z: -11 }),
        ];
        world.add({ x: 9.01, y: 1, z: 1 });
        world.add({ x: 1, y: 3.01, z: 1 });
        const high = world.add({ x: 1, y: 1, z: 13.01 });
        if (dimensions === 2) entered.push(high);
        expectReport(world.tick(), [{ watcher, entered }]);
      }
    },
  },
  {
    name: 'a cylinder is round in the plane and as tall as its ratio, boundary inside',
    run(create) {
      const world = create({ dimensions: 3, rangeShape: 'cylinder', rangeRatio: [1, 1, 0.5] });
      const watcher = world.add({ x: 0, y: 0, z: 0, range: 10, gain: 0 });
      const entered = [world.add({ x: 6, y: -8, z: 5 }), world.add({ x: -10, y: 0, z: -5 })];
      world.add({ x: 6, y: 8.01, z: 0 });
      world.add({ x: 0, y: 0, z: 5.01 });
      expectReport(world.tick(), [{ watcher, entered }]);
    },
  },
  {
    name: 'in 2-D z is ignored',
    run(create) {
      const world = create();
      const watcher = world.add({ x: 0, y: 0, z: 0, range: 5 });
      const marker = world.add({ x: 1, y: 0, z: 1e9 });
      expectReport(world.tick(), [{ watcher, entered: [marker] }]);
      world.move(marker, 1, 0, -1e9);
      expectReport(world.tick(), []);
    },
  },
  {
    name: 'unequal ranges in one crowd each apply to their own watcher',
    run(create) {
      const world = create();
      const ids = Array.from({ length: 60 }, (_, i) => world.add({ x: i, y: 0, range: i % 4 === 0 ? i : 0 }));
      const views: ExpectedView[] = [];
      ids.forEach((watcher, i) => {
        if (i % 4 !== 0 || i === 0) return;
        views.push({ watcher, entered: ids.filter((_, j) => j !== i && Math.abs(j - i) <= i) });
      });
      expectReport(world.tick(), views);
    },
  },
];
