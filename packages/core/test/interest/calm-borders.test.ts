/**
 * The borders of calm watchers, case by case: a watcher that is skipped is decided again as soon as a marker may have crossed the border
 * between its seats and the others. Compared with a world in which no kernel decides seats, and no watcher is skipped.
 */
import { describe, expect, test } from 'vitest';
import { type EntityId, World, type WorldOptions } from '../../src/index.ts';
import { ALWAYS_SEARCHED, KERNEL_ROWS, NEVER_SEARCHED, withShares } from './searched-lives.ts';

/** A world in which each watcher with a cap is searched and one in which none is, with the same calls. */
class Pair {
  readonly #worlds: readonly [searched: World, plain: World];
  readonly #shares: typeof ALWAYS_SEARCHED;

  /** `shares`: of the first world, if not each watcher is searched. */
  constructor(options: WorldOptions, shares = ALWAYS_SEARCHED) {
    this.#shares = shares;
    this.#worlds = [new World(options), new World(options)];
  }

  each<T>(act: (world: World) => T): T {
    const [result] = this.#worlds.map(act);
    return result as T;
  }

  tick(): void {
    const [searched, plain] = this.#worlds;
    const expected = withShares(NEVER_SEARCHED, () => plain.tick().hash());
    expect(withShares(this.#shares, () => searched.tick().hash())).toBe(expected);
  }
}

describe('a watcher that is calm while only leapers move', () => {
  const NARROW = { senses: ['sight', 'smell'], interests: { default: { cap: 9, incumbentBonus: 0 } } };
  const BARE = { cap: 1, incumbentBonus: 0 };

  function crowded() {
    const pair = new Pair(NARROW);
    const add = (x: number, y: number) => pair.each((world) => world.add({ x, y }));
    pair.each((world) => world.add({ x: 0, y: 0, range: { sight: 40, smell: 2 } }));
    // At the end of a sense, so that nothing may move without a look at it.
    const atEnd = add(0, 2 + 1e-6);
    return { pair, add, atEnd };
  }

  test('is decided again where its border came nearer', () => {
    const { pair, add, atEnd } = crowded();
    const walkers: { id: EntityId; x: number; y: number; toward: number }[] = [];
    const put = (x: number, toward: number) => walkers.push({ id: add(x, 0), x, y: 0, toward });
    walkers.push({ id: atEnd, x: 0, y: 2 + 1e-6, toward: 1 });
    for (let k = 0; k < 6; k++) put(9.5 + 0.05 * k, -1);
    put(10, -1);
    put(-6.95, -1);
    put(10.01, -1);
    for (let k = 0; k < 60; k++) put(500 + k, 1);
    const watcher = { id: pair.each((world) => [...world.ids()][0] as EntityId), x: 0, y: 0, toward: 1 };
    const step = (length: number, moving = [watcher, ...walkers]) => {
      for (const walker of moving) {
        walker.x += length * walker.toward;
        pair.each((world) => world.move(walker.id, walker.x, walker.y));
      }
      pair.tick();
    };
    pair.tick();
    step(0.7);
    step(1, walkers.slice(-1));
    step(0.1);
  });

  test('has a border that no seat is beyond', () => {
    const { pair, add } = crowded();
    for (let k = 0; k < 7; k++) add(9 + 0.05 * k, 0);
    add(10, 0);
    const next = add(10.05, 0);
    const far = Array.from({ length: 60 }, (_, k) => add(500 + k, 0));
    pair.tick();
    for (const [k, id] of far.entries()) pair.each((world) => world.move(id, 500 + k, 0.1));
    pair.tick();
    pair.each((world) => world.move(far[0] as EntityId, 500, 0.2));
    pair.tick();
    pair.each((world) => world.move(next, 9.9999, 0));
    pair.tick();
  });

  test.each(['circle', 'box'] as const)(
    'sees steps whose squares are 0, and who leaves at such a distance (%s)',
    (rangeShape) => {
      const pair = new Pair({ rangeShape, interests: { default: BARE } });
      pair.each((world) => world.add({ x: 0, y: 0, range: 10 }));
      const near = pair.each((world) => world.add({ x: 1e-22, y: 0 }));
      pair.each((world) => world.add({ x: 1.2e-22, y: 0 }));
      for (let k = 0; k < 60; k++) pair.each((world) => world.add({ x: 5 + k, y: 0 }));
      pair.tick();
      pair.tick();
      for (let step = 1; step <= 3; step++) {
        pair.each((world) => world.move(near, 1e-22 + 2e-23 * step, 0));
        pair.tick();
      }
      pair.each((world) => world.move(near, 1e-22, 0));
      pair.tick();
      pair.each((world) => world.remove(near));
      pair.tick();
    },
  );
});

test('a seat that dwell protected is lost to a better marker that the cap cut, though nobody moves', () => {
  const pair = new Pair({ interests: { default: { minDwellTicks: 10, incumbentBonus: 0 } } });
  const add = (x: number) => pair.each((world) => world.add({ x, y: 0 }));
  const watcher = pair.each((world) => world.add({ x: 0, y: 0, range: 20, cap: 2 }));
  for (const x of [1, 5.2]) add(x);
  for (let k = 0; k < 40; k++) add(500 + k);
  for (let tick = 0; tick < 15; tick++) pair.tick();
  pair.each((world) => world.update(watcher, { cap: 5 }));
  for (const x of [5, 5.1, 5.3, 7]) add(x);
  for (let tick = 0; tick < 2; tick++) pair.tick();
  pair.each((world) => world.update(watcher, { cap: 2 }));
  for (let tick = 0; tick < 20; tick++) pair.tick();
});

test('a watcher with more seats than before heeds markers that are near, but too quiet as yet', () => {
  const pair = new Pair({ interests: { default: { incumbentBonus: 0 } } });
  const add = (x: number, gain = 1) => pair.each((world) => world.add({ x, y: 0, gain }));
  const watcher = pair.each((world) => world.add({ x: 0, y: 0, range: 20, cap: 2 }));
  for (const x of [12, -13, 16]) add(x);
  const quiet = add(10.1, 0.5);
  add(300, 0.9);
  const others = Array.from({ length: 60 }, (_, k) => add(500 + k));
  pair.tick();
  for (let tick = 1; tick < 30; tick++) {
    pair.each((world) => {
      world.move(quiet, 10.1 - 0.01 * tick, 0);
      for (const [k, id] of others.entries()) world.move(id, 500 + k, 0.01 * tick);
      if (tick === 4) world.update(watcher, { cap: 3 });
    });
    pair.tick();
  }
});

test.each(['nine-grid', 'tower'] as const)(
  "with granularity 'cell' (%s) a watcher heeds who leaps beyond its range",
  (detector) => {
    const interests = { default: { incumbentBonus: 0 } };
    const pair = new Pair({ granularity: 'cell', cellSize: 50, detector, interests }, KERNEL_ROWS);
    const add = (x: number) => pair.each((world) => world.add({ x, y: 25 }));
    pair.each((world) => world.add({ x: 25, y: 25, range: 30, cap: 2 }));
    for (const x of [80, 85]) add(x);
    const leaper = add(95);
    for (let k = 0; k < 60; k++) add(800 + k);
    for (let tick = 0; tick < 5; tick++) pair.tick();
    pair.each((world) => world.move(leaper, 70, 25));
    pair.tick();
  },
);

test('a marker whose tiny weight makes its rank infinite takes a seat when it is near', () => {
  const pair = new Pair({ interests: { default: { incumbentBonus: 0 } } }, KERNEL_ROWS);
  const add = (x: number, weight: number) => pair.each((world) => world.add({ x, y: 0, weight }));
  pair.each((world) => world.add({ x: 0, y: 0, range: 200, cap: 1 }));
  for (const x of [10, -30]) add(x, 1e-37);
  const light = add(3.8, 1e-38);
  const others = Array.from({ length: 12 }, (_, k) => add(500 + k, 1));
  pair.tick();
  for (let tick = 1; tick < 38; tick++) {
    pair.each((world) => {
      world.move(light, 3.8 - 0.1 * tick, 0);
      for (const [k, id] of others.entries()) world.move(id, 500 + k, 0.1 * tick);
    });
    pair.tick();
  }
});

test('a marker that leaps to just beyond the border leaves less slack, and takes a seat as it walks on', () => {
  const pair = new Pair({ interests: { default: { incumbentBonus: 0 } } });
  const add = (x: number) => pair.each((world) => world.add({ x, y: 0 }));
  const watcher = pair.each((world) => world.add({ x: 0, y: 0, range: 50, cap: 2 }));
  add(8);
  const seated = add(-10);
  const leaper = add(40);
  // They walk, too: otherwise all that walk would be leapers.
  const others = Array.from({ length: 60 }, (_, k) => add(500 + k));
  for (let tick = 0; tick < 4; tick++) {
    // A watcher that moves is decided, and is searched from then on.
    pair.each((world) => world.move(watcher, 0, tick === 3 ? 0 : 0.001 * tick));
    pair.tick();
  }
  // The kernel looks a tenth beyond the seat at 10, so the border is at 10.5, and the slack is 0.5.
  pair.each((world) => world.move(leaper, 10.7, 0));
  pair.tick();
  for (let tick = 1; tick < 8; tick++) {
    pair.each((world) => {
      world.move(watcher, 0.05 * tick, 0);
      world.move(seated, -10 - 0.05 * tick, 0);
      world.move(leaper, 10.7 - 0.05 * tick, 0);
      for (const [k, id] of others.entries()) world.move(id, 500 + k, 0.05 * tick);
    });
    pair.tick();
  }
  expect(pair.each((world) => world.related(watcher, leaper))).toBe(true);
});
