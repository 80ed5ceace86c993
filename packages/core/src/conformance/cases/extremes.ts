/**
 * Hand-written cases: worlds that are hard for indexes.
 *
 * All entities on one point, one beyond the horizon, ranges wider than the world, cells far too small or far too
 * large for it. If the answer is not obvious, the model gives it. Sizes are limited to what O(n^2) can check.
 */
import type { WorldOptions } from '../../index.ts';
import { expectNothing, expectReport, expectSame, type HandWrittenCase, Pair } from '../expectation.ts';
import { Random } from '../random.ts';
import type { CreateSubject } from '../subject.ts';

const LIMIT = 1e12;

export const extremeCases: readonly HandWrittenCase[] = [
  {
    name: '2,000 entities on one point perceive one another, and all report one that leaves',
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
    name: 'a range wider than the world reaches all entities, with cells of any size',
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
    name: 'ranges from almost 0 to wider than the world work in one crowd',
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
    name: 'a world a thousand times longer than wide loses no entity',
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
      for (const cellSize of [1e-3, 0.7, 1e6, [0.5, 200] as const, [200, 0.5] as const, [9, 2] as const]) {
        const walkers = new Walkers(create, { cellSize }, { count: 60, width: 50, height: 80, range: 6 });
        walkers.walk(4);
      }
    },
  },
  {
    name: 'a crowd of teleporting entities ends up related as if it had walked',
    run(create) {
      for (const dimensions of [2, 3] as const) {
        const walkers = new Walkers(create, { dimensions }, { count: 80, width: 40, height: 90, range: 9 });
        walkers.walk(6, 1);
      }
    },
  },
  ...[0.1, 0.5, 2].map((range) => ({
    name: `in a crowd at rest the one that wanders is met by the only watcher, range ${range}`,
    run(create: CreateSubject) {
      const pair = new Pair(create);
      for (let i = 0; i < 150; i++) pair.add({ x: (i % 20) * 0.04, y: Math.floor(i / 20) * 0.05 - 0.2 });
      const watcher = pair.add({ x: 0.7, y: 0, range });
      const wanderer = pair.add({ x: 5.66, y: -0.1 });
      pair.tick();
      for (const [x, y] of [
        [0.7, 0],
        [0.71, 0.01],
        [9, 9],
        [0.4, 0.1],
        [0.7, 0],
      ]) {
        pair.both((side) => side.move(wanderer, x, y));
        pair.tick();
        pair.both((side) => side.move(watcher, 0.7 + x / 100, y / 100));
        pair.tick();
      }
    },
  })),
  {
    name: 'a stationary crowd in which few move at a time is reported like any other',
    run(create) {
      for (const range of [4, (i: number) => (i % 5 === 0 ? 6 : 0)]) {
        const walkers = new Walkers(create, {}, { count: 240, width: 50, height: 25, range });
        for (let tick = 0; tick < 40; tick++) walkers.walk(1, 0.2, 0.02);
      }
    },
  },
  ...[
    { who: 'all alike and all on the move', range: 7.3, share: 1 },
    { who: 'all alike and nearly all at rest', range: 7.3, share: 0.02 },
    { who: 'some of them watchers, nearly all at rest', range: (i: number) => (i % 6) * 1.1, share: 0.02 },
    { who: 'of many ranges, all on the move', range: (i: number) => (i % 6) * 1.1, share: 1 },
  ].map(({ who, range, share }) => ({
    name: `within a hair of the rim, float32 decides as it is defined: entities ${who}`,
    run(create: CreateSubject) {
      for (const dimensions of [2, 3] as const) {
        const walkers = new Walkers(create, { dimensions }, { count: 150, width: 60, height: 40, range });
        walkers.walk(1);
        for (let tick = 0; tick < (share === 1 ? 8 : 40); tick++) walkers.stepToRims(share);
      }
    },
  })),
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
    name: 'positions very close to each other, far from the origin, stay apart',
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
    name: 'watchers and markers far apart in the order of their ids are reported in order',
    run(create) {
      const walkers = new Walkers(create, {}, { count: 20, width: 30, height: 30, range: 9 });
      for (let block = 0; block < 4; block++) {
        walkers.fill(1400);
        walkers.join(10);
        walkers.walk(3, 0.2);
      }
    },
  },
  {
    name: 'a world of 1e-20 units works',
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

/** A crowd about the origin that walks at random, compared with the model. */
class Walkers {
  readonly pair: Pair;
  readonly #random = new Random(7);
  readonly #ids: number[] = [];
  readonly #crowd: Crowd;

  constructor(create: CreateSubject, options: WorldOptions, crowd: Crowd) {
    this.pair = new Pair(create, options);
    this.#crowd = crowd;
    this.join(crowd.count);
  }

  /** Adds `count` more of the same kind. */
  join(count: number): void {
    const { range } = this.#crowd;
    for (let i = 0; i < count; i++) {
      const [x, y, z] = this.#place();
      this.#ids.push(this.pair.add({ x, y, z, range: typeof range === 'number' ? range : range(i) }));
    }
  }

  /** Adds `count` entities that only take up ids: they perceive nothing and cannot be perceived. */
  fill(count: number): void {
    for (let i = 0; i < count; i++) this.pair.add({ x: i, y: 0, z: 0, marker: false });
  }

  /**
   * Runs `ticks` ticks; in each, `share` of the walkers move up to a unit or, with probability `teleports`, to any
   * place.
   */
  walk(ticks: number, teleports = 0.02, share = 1): void {
    for (let tick = 0; tick < ticks; tick++) {
      for (const id of this.#ids) {
        if (!this.#random.chance(share)) continue;
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

  /** A tick in which `share` of the walkers move to the rim of another's range, in any direction, rounded. */
  stepToRims(share: number): void {
    for (const [i, id] of this.#ids.entries()) {
      if (!this.#random.chance(share)) continue;
      const host = this.#random.below(this.#ids.length);
      const { range } = this.#crowd;
      const reach = Math.fround(
        typeof range === 'number' ? range : range(this.#random.chance(0.5) ? host : i),
      );
      const [x, y, z = 0] = this.pair.model.position(this.#ids[host]);
      const turn = this.#random.between(0, 2 * Math.PI);
      const rise = this.pair.model.options.dimensions === 2 ? 0 : this.#random.between(-1, 1);
      const flat = reach * Math.sqrt(1 - rise * rise);
      const place = [x + flat * Math.cos(turn), y + flat * Math.sin(turn), z + reach * rise];
      this.pair.both((side) => side.move(id, place[0], place[1], place[2]));
    }
    this.pair.tick();
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
