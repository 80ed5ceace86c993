/** Answers to `watchersOf` and `visibleTo` that are kept from tick to tick say what a search would. */
import { expect, test } from 'vitest';
import { sweep } from '../../src/detectors/sweep.ts';
import type { EntityStore } from '../../src/entities/entity-store.ts';
import { type DetectorFactory, type EntityId, type Interest, World } from '../../src/index.ts';
import { Heap } from '../../src/kernels/heap.ts';
import { IdList } from '../../src/queries/id-list.ts';
import { IdRows } from '../../src/queries/id-rows.ts';
import { KeptLists } from '../../src/queries/kept-lists.ts';
import { Report } from '../../src/reports/report.ts';

/** Numbers from 0 to below 1, always the same. */
function random(seed: number) {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}

let searched = 0;

/** The default detector, which counts how often its index is searched. */
const counted: DetectorFactory = (store) => {
  const detector = sweep(store);
  const { collect, collectPerceived } = detector;
  detector.collect = (...question) => {
    searched++;
    collect.apply(detector, question);
  };
  detector.collectPerceived = (...question) => {
    searched++;
    collectPerceived!.apply(detector, question);
  };
  return detector;
};

/** How often the index is searched while `ask` runs. */
function searches(ask: () => unknown): number {
  const before = searched;
  ask();
  return searched - before;
}

/** Walkers in a square, each of which perceives some thirty. */
function crowd(count: number, updates = true) {
  const next = random(7);
  const world = new World({ detector: counted });
  const side = Math.sqrt(count) * 10;
  const place = () => Float32Array.from({ length: count }, () => next() * side);
  const ids = world.addMany({ x: place(), y: place(), range: 30, updates });
  const step = () => {
    for (const id of ids) {
      const [x, y] = world.position(id) as unknown as [number, number];
      world.move(id, x + 4 * next() - 2, y + 4 * next() - 2);
    }
    world.tick();
  };
  step();
  return { world, ids, step };
}

test('among many questions all lists are made at once; the ticks after it nobody is searched', () => {
  const { world, ids, step } = crowd(2000);
  const first = searches(() => Array.from(ids, (id) => world.watchersOf(id)));
  expect(first).toBeLessThan(ids.length / 10);
  step();
  expect(searches(() => Array.from(ids, (id) => world.watchersOf(id)))).toBe(0);
  world.validate();
});

test('for many at once lists are made before the first search', () => {
  const { world, ids } = crowd(2000);
  expect(searches(() => world.watchersOfMany(ids))).toBe(0);
});

test('who wants no updates is searched once, and then listed', () => {
  const { world, ids, step } = crowd(600, false);
  const few = ids.subarray(0, 60);
  const ask = () => Array.from(few, (id) => world.visibleTo(id));
  expect(searches(ask)).toBe(60);
  step();
  // The first few are not kept: somebody who asks once shall not pay for it.
  expect(searches(ask)).toBe(16);
  step();
  expect(searches(ask)).toBe(0);
  world.validate();
});

test('lists that nobody reads any more are dropped', () => {
  const { world, ids } = crowd(600);
  const ask = () => world.watchersOf(ids[0] as EntityId);
  world.watchersOfMany(ids);
  expect(searches(ask)).toBe(0);
  const next = random(5);
  for (let tick = 0; tick < 8; tick++) {
    const place = () => Float32Array.from(ids, () => next() * 250);
    world.moveMany(ids, place(), place());
    world.tick();
  }
  expect(searches(ask)).toBe(1);
});

test.each<[string, Interest]>([
  ['no rules', {}],
  ['a cap, dwell and memory', { cap: 12, minDwellTicks: 3, memoryTicks: 4 }],
  [
    'margins and rates',
    {
      leaveMargin: 5,
      updateRates: [
        [0.5, 1],
        [1, 3],
      ],
    },
  ], // prettier-ignore
  ['mutual consent', { cap: 9, mutual: true }],
  ['groups that are shown', { showGroup: true, lingerTicks: 2 }],
])('with %s they follow those who come, go, leap, are pinned, attached and changed', (_, interest) => {
  const next = random(3);
  const world = new World({ interests: { default: interest } });
  const ids: EntityId[] = [];
  const some = () => ids[Math.floor(next() * ids.length)] as EntityId;
  const add = () => {
    const updates = next() < 0.8;
    const range = next() < 0.7 ? 40 : 0;
    ids.push(world.add({ x: next() * 150, y: next() * 150, range, updates, group: Math.floor(next() * 9) }));
  };
  for (let i = 0; i < 70; i++) add();
  for (let tick = 0; tick < 25; tick++) {
    for (let i = 0; i < 20; i++) {
      const [one, other, what] = [some(), some(), next()];
      if (what < 0.1) add();
      else if (what < 0.2) world.remove(ids.splice(ids.indexOf(one), 1)[0] as EntityId);
      else if (what < 0.25 && one !== other) world.pin(one, other);
      else if (what < 0.3 && one !== other) world.block(one, other);
      else if (what < 0.35) world.update(one, { updates: next() < 0.5, range: next() * 60 });
      else if (what < 0.38 && world.parentOf(one) === undefined && world.childrenOf(one).length === 0) {
        if (one !== other && world.parentOf(other) === undefined) world.attach(one, other);
      } else if (what < 0.4) world.detach(one);
      else if (world.parentOf(one) === undefined)
        world.move(one, next() * 150, next() * 150, undefined, { teleport: what > 0.9 });
    }
    world.tick();
    // Those removed since are left out.
    if (tick % 5 === 0) world.remove(ids.splice(ids.indexOf(some()), 1)[0] as EntityId);
    for (const id of ids) {
      const related = (pair: (each: EntityId) => boolean) => ids.filter(pair).sort((a, b) => a - b);
      expect([...world.watchersOf(id)]).toEqual(related((each) => world.related(each, id)));
      expect([...world.visibleTo(id)]).toEqual(related((each) => world.related(id, each)));
    }
    world.validate();
  }
});

test('a marker that everybody perceives gains and loses hundreds in a tick', () => {
  const world = new World();
  const bell = world.add({ x: 0, y: 0, minReach: 1000 });
  const far = (i: number) => (i % 3 === 0 ? 5000 : 10 + i);
  const x = Float32Array.from({ length: 900 }, (_, i) => far(i));
  const ids = world.addMany({ x, y: new Float32Array(900), range: 1, marker: false });
  world.tick();
  world.watchersOfMany(ids);
  for (let turn = 1; turn < 5; turn++) {
    world.moveMany(
      ids,
      Float32Array.from({ length: 900 }, (_, i) => far(i + turn)),
      new Float32Array(900),
    );
    world.tick();
    const near = [...ids].filter((_, i) => far(i + turn) <= 1000);
    expect([...world.watchersOf(bell)]).toEqual(near);
    expect(world.watcherCount(bell)).toBe(near.length);
    world.validate();
  }
});

test('rows that grow and shrink are what sets would be', () => {
  const next = random(11);
  const gone = new Set<number>();
  const rows = new IdRows((id) => !gone.has(id));
  rows.growSlots(8);
  const sets = new Map<number, Set<number>>();
  for (let slot = 0; slot < 8; slot++) {
    rows.begin(slot * 1024 + 1);
    sets.set(slot * 1024 + 1, new Set());
  }
  for (let turn = 0; turn < 200; turn++) {
    const [leaving, coming] = [new Set<number>(), new Set<number>()];
    const limit = turn < 100 ? 400 : 40;
    for (let i = 0; i < limit / 2; i++) {
      (next() < (turn < 100 ? 0.35 : 0.7) ? leaving : coming).add(Math.floor(next() * limit) * 1024 + 1);
    }
    const ascending = (ids: Set<number>) => [...ids].sort((a, b) => a - b);
    for (const [key, set] of sets) {
      const isTouched = next() < 0.8;
      if (!isTouched) continue;
      for (const id of ascending(leaving)) if (set.delete(id)) rows.drop(key, id);
    }
    for (const [key, set] of sets) {
      if (next() < 0.2) continue;
      for (const id of ascending(coming)) {
        if (set.has(id) || gone.has(id)) continue;
        set.add(id);
        rows.add(key, id);
      }
    }
    rows.settle();
    if (turn % 50 === 49) gone.add(Math.floor(next() * 40) * 1024 + 1);
    for (const [key, set] of sets) {
      for (const id of gone) set.delete(id);
      rows.takeOutGone(key);
      expect([...rows.wordsOf(key)]).toEqual(ascending(set));
    }
    rows.validate();
  }
});

test('a long row in which many are gone stays in its room when others come into its midst', () => {
  const gone = new Set<number>();
  const rows = new IdRows((id) => !gone.has(id));
  rows.growSlots(2);
  const [key, neighbour] = [1, 1025];
  const id = (i: number) => i * 1024 + 1;
  rows.begin(key, 200);
  rows.begin(neighbour, 3);
  for (let i = 0; i < 200; i++) rows.add(key, id(2 * i));
  for (let i = 0; i < 3; i++) rows.add(neighbour, id(i));
  for (let i = 50; i < 200; i++) gone.add(id(2 * i));
  for (let i = 0; i < 20; i++) rows.add(key, id(2 * i + 1));
  rows.settle();
  rows.validate();
  const left = Array.from({ length: 50 }, (_, i) => (i < 20 ? [id(2 * i), id(2 * i + 1)] : [id(2 * i)]));
  expect([...rows.wordsOf(key)]).toEqual(left.flat());
  expect([...rows.wordsOf(neighbour)]).toEqual([0, 1, 2].map(id));
});

test('after a tick that threw lists say what they said before, whoever is to be told of updates', () => {
  let isThrowing = false;
  const rank = () => {
    if (isThrowing) throw new Error('no rank');
    return 1;
  };
  const world = new World({ interests: { default: {}, ranked: { cap: 3, rank } } });
  const ids = Array.from({ length: 60 }, (_, i) =>
    world.add({ x: i % 8, y: i >> 3, range: 100, updates: i % 3 !== 0 }),
  );
  const one = world.add({ x: 1, y: 1, range: 100, interest: 'ranked' });
  world.tick();
  const before = ids.map((id) => ids.concat(one).filter((each) => world.related(each, id)));
  isThrowing = true;
  ids.forEach((id, i) => {
    if (i % 2 === 0) world.update(id, { updates: i % 3 === 0 });
  });
  world.add({ x: 3, y: 3 });
  world.move(one, 2, 2);
  expect(() => world.tick()).toThrow('no rank');
  const { offsets, watchers } = world.watchersOfMany(Uint32Array.from(ids));
  expect(ids.map((_, i) => [...watchers.subarray(offsets[i], offsets[i + 1])])).toEqual(before);
  world.validate();
  isThrowing = false;
  world.tick();
  world.validate();
});

test('lists are given back when nobody has asked for many ticks, though nothing moves', () => {
  const { world, ids } = crowd(2000);
  const ask = () => world.watchersOfMany(ids);
  for (let i = 0; i < 130; i++) world.tick();
  const without = world.stats().memoryBytes;
  ask();
  const held = world.stats().memoryBytes - without;
  expect(held).toBeGreaterThan(4 * world.stats().relationCount);
  for (let i = 0; i < 130; i++) {
    world.tick();
    ask();
  }
  expect(world.stats().memoryBytes - without).toBe(held);
  for (let i = 0; i < 130; i++) world.tick();
  expect(world.stats().memoryBytes).toBe(without);
});

test('where lists of all cannot be made, it is not time for that again before the next tick', () => {
  const lists = new KeptLists({ capacity: 4, slotCount: 4 } as EntityStore, true);
  expect(lists.isTimeToFill(10, 1000)).toBe(true);
  lists.putOffFill();
  expect(lists.isTimeToFill(10, 1000)).toBe(false);
  lists.take(new Report(new Heap()));
  expect(lists.isTimeToFill(10, 1000)).toBe(true);
});

test('among many slots, lists of all are tried only when searches have cost as much as a look at each slot, then as much again', () => {
  const lists = new KeptLists({ capacity: 400_000, slotCount: 400_000 } as EntityStore, true);
  expect(lists.isTimeToFill(10, 300)).toBe(false);
  expect(lists.isTimeToFill(10, 500)).toBe(true);
  // No list is kept of the first sixteen searches, but they count.
  for (let i = 0; i < 16; i++) lists.keep(1025 as EntityId, new IdList());
  expect(lists.isTimeToFill(10, 385)).toBe(true);
  lists.putOffFill();
  lists.take(new Report(new Heap()));
  expect(lists.isTimeToFill(10, 385)).toBe(false);
  expect(lists.isTimeToFill(10, 500)).toBe(true);
});

test('where there is no memory for what a tick told, lists are forgotten, and the tick stands', () => {
  const store = { capacity: 4, ids: { idOf: [1, 1025, 2049, 3073] } };
  const lists = new KeptLists(store as unknown as EntityStore, true);
  const pair = (visit: (watcher: EntityId, marker: EntityId) => void) =>
    visit(1 as EntityId, 1025 as EntityId);
  lists.fillAll(pair, false);
  expect(lists.has(1025 as EntityId)).toBe(true);
  store.capacity = 2 ** 50;
  lists.take(new Report(new Heap()));
  expect(lists.has(1025 as EntityId)).toBe(false);
  expect(lists.memoryBytes).toBe(0);
});
