/**
 * Hand-written cases: worlds that indexes dislike.
 *
 * Everybody on one point, somebody beyond the horizon, ranges wider than the world, cells far too small or far too
 * large for it. Where the answer is not obvious the model gives it. Sizes are kept to what O(n^2) can judge.
 */
import type { WorldOptions } from '../../index.ts';
import { expectNothing, expectReport, expectSame, type HandWrittenCase, Pair } from '../expectation.ts';
import { Random } from '../random.ts';
import type { CreateSubject } from '../subject.ts';

const LIMIT = 1e12;

export const extremeCases: readonly HandWrittenCase[] = [
  {
    name: '2,000 entities on one point perceive one another, and one that leaves is missed by all',
    run(create) {
      const count = 2000;
      const world = create();
      const place = new Float32Array(count).fill(-7.5);
      const ids = world.addMany({ x: place, y: place, range: 1 });
      const first = world.tick();
      expectSame('enteredCount', first.enteredCount, count * (count - 1));
      const crowd = first.of(ids[count >> 1])?.entered ?? new Uint32Array(0);
      expectSame('entered of one', crowd.length, count - 1);
      world.move(ids[0], 100, 0);
      const second = world.tick();
      expectSame('leftCount', second.leftCount, 2 * (count - 1));
      expectSame('views', second.viewCount, count);
      expectNothing(world.tick());
    },
  },
  ...[1e9, LIMIT, -LIMIT].map((far) => ({
    name: `one entity at ${far} changes nothing for the others`,
    run(create: CreateSubject) {
      const walkers = new Walkers(create, {}, { count: 120, width: 60, height: 20, range: 4 });
      const outlier = walkers.pair.add({ x: far, y: far / 3, range: 5 });
      walkers.walk(4);
      walkers.pair.both((side) => side.move(outlier, -far, far));
      walkers.walk(2);
      walkers.pair.both((side) => side.move(outlier, 30, 10));
      walkers.walk(2);
      walkers.pair.both((side) => side.remove(outlier));
      walkers.walk(2);
    },
  })),
  {
    name: 'at the limits of positions, ranges and gains nothing overflows',
    run(create) {
      const world = create();
      const west = world.add({ x: -LIMIT, y: 0, range: LIMIT });
      const east = world.add({ x: LIMIT, y: 0, range: LIMIT, gain: 2 });
      expectReport(world.tick(), [{ watcher: west, entered: [east] }]);
      const loud = world.add({ x: LIMIT, y: LIMIT, gain: 1e6 });
      const whisper = world.add({ x: -LIMIT, y: -LIMIT, range: 1e-6, gain: 0 });
      expectReport(world.tick(), [
        { watcher: west, entered: [loud] },
        { watcher: east, entered: [loud] },
      ]);
      world.update(whisper, { range: LIMIT });
      expectReport(world.tick(), [{ watcher: whisper, entered: [west, loud] }]);
    },
  },
  {
    name: 'a range wider than the world reaches everybody, in cells of any size',
    run(create) {
      for (const cellSize of [0.001, 1, 1e9]) {
        const world = create({ cellSize });
        const giant = world.add({ x: 0, y: 0, range: 1e6 });
        const things = Array.from({ length: 50 }, (_, i) =>
          world.add({ x: i * 37, y: i * -11, range: i / 100 }),
        );
        expectReport(world.tick(), [{ watcher: giant, entered: things }]);
        world.move(giant, 500, 500);
        for (const id of things) world.move(id, -id / 1024, 3);
        const report = world.tick();
        expectSame('updated', report.of(giant)?.updated.length ?? 0, things.length);
      }
    },
  },
  {
    name: 'ranges from next to nothing to wider than the world live in one crowd',
    run(create) {
      const ranges = [0, 1e-5, 0.1, 1, 5, 40, 1000, LIMIT];
      const walkers = new Walkers(
        create,
        {},
        { count: 100, width: 100, height: 30, range: (i) => ranges[i % 8] },
      );
      walkers.walk(6);
    },
  },
  {
    name: 'a world a thousand times longer than wide loses nobody',
    run(create) {
      for (const [width, height] of [
        [1000, 1],
        [1, 1000],
        [0.5, 0],
      ]) {
        const walkers = new Walkers(create, { cellSize: 5 }, { count: 80, width, height, range: 12 });
        walkers.walk(4);
      }
    },
  },
  {
    name: 'cells far finer and far coarser than the world give the same reports',
    run(create) {
      for (const cellSize of [1e-3, 0.7, 1e6, [0.5, 200] as const]) {
        const walkers = new Walkers(create, { cellSize }, { count: 60, width: 50, height: 80, range: 6 });
        walkers.walk(4);
      }
    },
  },
  {
    name: 'a crowd of teleporters ends up related as if it had walked',
    run(create) {
      for (const dimensions of [2, 3] as const) {
        const walkers = new Walkers(create, { dimensions }, { count: 80, width: 40, height: 90, range: 9 });
        walkers.walk(6, 1);
      }
    },
  },
  {
    name: 'a swarm in three dimensions crosses the origin',
    run(create) {
      for (const rangeShape of ['circle', 'box', 'cylinder'] as const) {
        const options: WorldOptions = { dimensions: 3, rangeShape, rangeRatio: [1, 0.5, 2] };
        const walkers = new Walkers(create, options, { count: 80, width: 30, height: 20, range: 6 });
        walkers.walk(6, 0.1);
      }
    },
  },
  {
    name: 'places a hair apart, far from the origin, stay apart',
    run(create) {
      const world = create();
      const base = 2 ** 23;
      const watcher = world.add({ x: base, y: -base, range: 1, gain: 0 });
      const next = world.add({ x: base + 1, y: -base });
      world.add({ x: base + 1, y: -base - 1 });
      expectReport(world.tick(), [{ watcher, entered: [next] }]);
    },
  },
  {
    name: 'a world of 1e-20 units is a world',
    run(create) {
      const world = create();
      const watcher = world.add({ x: 0, y: 0, range: 1 });
      const speck = world.add({ x: 1e-20, y: -1e-20 });
      expectReport(world.tick(), [{ watcher, entered: [speck] }]);
      world.move(speck, 2e-20, -1e-20);
      expectReport(world.tick(), [{ watcher, updated: [speck] }]);
      world.move(speck, 1e-45, 0);
      expectReport(world.tick(), [{ watcher, updated: [speck] }]);
    },
  },
];

/** A crowd about the origin that walks at random, driven beside the model. */
class Walkers {
  readonly pair: Pair;
  readonly #random = new Random(7);
  readonly #ids: number[] = [];
  readonly #crowd: Crowd;

  constructor(create: CreateSubject, options: WorldOptions, crowd: Crowd) {
    this.pair = new Pair(create, options);
    this.#crowd = crowd;
    const { range } = crowd;
    for (let i = 0; i < crowd.count; i++) {
      const [x, y, z] = this.#place();
      this.#ids.push(this.pair.add({ x, y, z, range: typeof range === 'number' ? range : range(i) }));
    }
  }

  /** So many ticks; each walker strides up to a unit, or with `teleports` as probability, goes anywhere. */
  walk(ticks: number, teleports = 0.02): void {
    for (let tick = 0; tick < ticks; tick++) {
      for (const id of this.#ids) {
        const [x, y, z = 0] = this.pair.model.position(id);
        const stride = () => this.#random.between(-1, 1);
        const place = this.#random.chance(teleports)
          ? this.#place()
          : [x + stride(), y + stride(), z + stride()];
        this.pair.both((side) => side.move(id, place[0], place[1], place[2]));
      }
      this.pair.tick();
    }
  }

  #place(): [number, number, number] {
    const { width, height } = this.#crowd;
    const at = (extent: number) => this.#random.between(-extent / 2, extent / 2);
    return [at(width), at(height), at(height)];
  }
}

interface Crowd {
  readonly count: number;
  readonly width: number;
  readonly height: number;
  readonly range: number | ((i: number) => number);
}
