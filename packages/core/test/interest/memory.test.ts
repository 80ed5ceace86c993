/**
 * Memory: a marker that is no longer perceived, and is perceived again soon, counts as an incumbent, as if it
 * had never left.
 */
import { describe, expect, test } from 'vitest';
import type { Script } from '../../src/conformance/operations.ts';
import { runScript } from '../../src/conformance/run-script.ts';
import { type EntityPatch, type Interest, World } from '../../src/index.ts';
import { Lineup } from './lineup.ts';
import { NEVER_SEARCHED, withShares } from './searched-lives.ts';

const REMEMBERS: Interest = { cap: 1, incumbentBonus: 0.5, memoryTicks: 3 };

/**
 * The first of two markers loses its seat to the second in tick 2. After `ticks` ticks it comes back, a
 * little nearer.
 */
function backAfter(ticks: number, interest: Interest): Lineup {
  const lineup = new Lineup(interest, [10, 20]);
  lineup.tick();
  lineup.walk(0, 200);
  expect(lineup.tick()).toMatchObject({ entered: [1], left: [0] });
  if (ticks > 1) lineup.ticks(ticks - 1);
  lineup.walk(0, 19);
  return lineup;
}

test('a marker that is back in time ranks as an incumbent', () => {
  const lineup = backAfter(3, REMEMBERS);
  expect(lineup.tick()).toMatchObject({ entered: [0], left: [1] });
});

test('a marker that is back later ranks as a newcomer', () => {
  expect(backAfter(4, REMEMBERS).tick().entered).toEqual([]);
});

test('without memory a marker that was away is no incumbent', () => {
  expect(backAfter(1, { ...REMEMBERS, memoryTicks: 0 }).tick().entered).toEqual([]);
});

test('an outranked marker is not remembered', () => {
  const lineup = new Lineup(REMEMBERS, [10, 20]);
  lineup.tick();
  lineup.walk(1, 4);
  expect(lineup.tick()).toMatchObject({ entered: [1], left: [0] });
  lineup.walk(0, 3.9);
  expect(lineup.tick().entered).toEqual([]);
});

test('it ends when the marker is a candidate again, with or without a seat', () => {
  const lineup = backAfter(1, { ...REMEMBERS, memoryTicks: 10 });
  lineup.walk(0, 90);
  expect(lineup.tick().entered).toEqual([]);
  lineup.walk(0, 19);
  expect(lineup.tick().entered).toEqual([]);
});

test('at most as many markers as the cap are remembered, and the oldest are forgotten first', () => {
  const lineup = new Lineup({ ...REMEMBERS, cap: 2, memoryTicks: 10 }, [10, 11, 12, 20, 21]);
  lineup.tick();
  expect(lineup.seen).toEqual([0, 1]);
  lineup.walk(0, 200);
  lineup.tick();
  lineup.walk(1, 200);
  lineup.walk(2, 200);
  lineup.tick();
  expect(lineup.seen).toEqual([3, 4]);
  // Three were lost, two are remembered: 1 and 2, which were lost last.
  for (const place of [0, 1, 2]) lineup.walk(place, 19);
  expect(lineup.tick()).toMatchObject({ entered: [1, 2], left: [3, 4] });
});

test('of markers lost in one tick the higher id is forgotten first', () => {
  const lineup = new Lineup({ ...REMEMBERS, cap: 2, memoryTicks: 10 }, [10, 11, 12, 20, 21]);
  lineup.tick();
  lineup.walk(0, 200);
  lineup.walk(1, 200);
  lineup.tick();
  expect(lineup.seen).toEqual([2, 3]);
  lineup.walk(2, 200);
  lineup.tick();
  for (const place of [0, 1, 2]) lineup.walk(place, 19);
  expect(lineup.tick()).toMatchObject({ entered: [0, 2], left: [3, 4] });
});

test('a marker that comes back while another leaves: no more than the cap are remembered', () => {
  const rank = (_watcher: number, _marker: number, distance: number) => distance;
  const world = new World({ interests: { default: { cap: 5, memoryTicks: 3, rank } } });
  const add = (x: number, range: number) => world.add({ x, y: 0, range });
  const watcher = add(0, 20);
  const [a, b, c, d, e, sixth] = Array.from({ length: 6 }, () => add(0, 0));
  const away = add(30, 0);
  const seen = () => {
    world.tick();
    return [...world.visibleTo(watcher)];
  };
  expect(seen()).toEqual([a, b, c, d, e]);
  world.move(watcher, 30, 0);
  expect(seen()).toEqual([away]);
  world.move(sixth as number, 30, 0);
  world.move(away, 0, 0);
  expect(seen()).toEqual([sixth]);
  world.move(watcher, 0, 0);
  // Six were lost, five are remembered: the one that was lost last, and of the others those with the lowest
  // ids.
  expect(seen()).toEqual([a, b, c, d, away]);
});

test('one that is removed later made no room for another that was forgotten before', () => {
  const world = new World({ interests: { default: { cap: 4, memoryTicks: 20, incumbentBonus: 0.5 } } });
  const add = (x: number, range = 0) => world.add({ x, y: 0, range });
  const watcher = add(0, 10);
  const [removed, first, forgotten] = [add(1), add(1), add(6)];
  for (const x of [1000, 1001]) add(x);
  const comers = [add(500), add(500), add(500)];
  world.tick();
  for (const x of [1000, 2000]) {
    world.move(watcher, x, 0);
    world.tick();
  }
  // Five were lost, so the third was forgotten. A cap that is reached only now asks for what is remembered.
  world.remove(removed);
  world.move(watcher, 0, 0);
  for (const [i, comer] of comers.entries()) world.move(comer, [5, 1, 1][i], 0);
  world.tick();
  expect([...world.visibleTo(watcher)]).toEqual([first, ...comers]);
  expect(world.related(watcher, forgotten)).toBe(false);
});

test('an entity in the slot of a removed one is not remembered', () => {
  const lineup = new Lineup(REMEMBERS, [10, 20]);
  lineup.tick();
  lineup.world.remove(lineup.markers[0]);
  lineup.tick();
  lineup.add(19);
  expect(lineup.tick().entered).toEqual([]);
});

/** The marker that gets the only seat: one that is nearer, or one that the watcher may still remember. */
function seatedAfterSmallerCap(): string {
  const world = new World({ interests: { default: { cap: 2, memoryTicks: 30 } } });
  const add = (x: number, range = 0) => world.add({ x, y: 0, range });
  const [first, second, ...near] = [add(1), add(2), add(3), add(4)] as const;
  const nearer = add(90);
  const watcher = add(0, 10);
  world.tick();
  for (const lost of [first, second]) world.move(lost, 50, 0);
  world.tick();
  // From now on only one may be remembered: of two that were lost in one tick, the one with the lower id.
  world.update(watcher, { cap: 1 });
  world.tick();
  for (const id of near) world.move(id, 70, 0);
  world.move(second, 5.2, 0);
  world.move(nearer, 5, 0);
  world.tick();
  return world.related(watcher, nearer) ? 'nearer' : 'remembered';
}

test('a smaller cap lets fewer be remembered, although none is lost in that tick', () => {
  expect(seatedAfterSmallerCap()).toBe('nearer');
  expect(withShares(NEVER_SEARCHED, seatedAfterSmallerCap)).toBe('nearer');
});

test('without a cap nothing is remembered, not even what was lost under one', () => {
  const interest = { cap: 2, memoryTicks: 30, incumbentBonus: 0.5, enterBudget: 1 };
  const world = new World({ interests: { default: interest } });
  const watcher = world.add({ x: 0, y: 0, range: 10 });
  const [lost, nearer] = [world.add({ x: 5, y: 0 }), world.add({ x: 50, y: 0 })];
  world.tick();
  world.move(lost, 60, 0);
  world.tick();
  world.update(watcher, { cap: Number.POSITIVE_INFINITY });
  world.move(lost, 5.2, 0);
  world.move(nearer, 5, 0);
  world.tick();
  expect([...world.visibleTo(watcher)]).toEqual([nearer]);
  const script: Script = {
    seed: 0,
    options: { interests: { default: interest } },
    operations: [
      { kind: 'add', key: 0, init: { x: 0, y: 0, range: 10 } },
      { kind: 'add', key: 1, init: { x: 5, y: 0 } },
      { kind: 'add', key: 2, init: { x: 50, y: 0 } },
      { kind: 'tick' },
      { kind: 'move', key: 1, x: 60, y: 0 },
      { kind: 'tick' },
      { kind: 'update', key: 0, patch: { cap: 'none' } },
      { kind: 'move', key: 1, x: 5.2, y: 0 },
      { kind: 'move', key: 2, x: 5, y: 0 },
      { kind: 'tick' },
    ],
  };
  expect(runScript(script, { detector: 'sweep' })).toBeUndefined();
});

test('a watcher that gets rules as it ceases to perceive remembers what it related to', () => {
  const cases: [Interest, EntityPatch][] = [
    [{}, { interest: 'remembers' }],
    [{ rank: (_watcher, _marker, distance) => distance }, { interest: 'remembers' }],
    [{ memoryTicks: 10 }, { cap: 1 }],
  ];
  for (const [former, patch] of cases) {
    const remembers = { cap: 1, memoryTicks: 10 };
    const world = new World({ interests: { default: former, remembers } });
    const watcher = world.add({ x: 0, y: 0, range: 20, marker: false });
    const first = world.add({ x: 10.5, y: 0 });
    world.tick();
    world.update(watcher, { ...patch, range: 0 });
    expect(world.tick().of(watcher)?.left).toEqual(Uint32Array.of(first));
    world.add({ x: 10, y: 0 });
    world.update(watcher, { range: 20 });
    world.tick();
    expect([...world.visibleTo(watcher)]).toEqual([first]);
  }
});

test('a snapshot says nothing of what is remembered no longer', () => {
  const world = new World({ interests: { default: { memoryTicks: 3 } } });
  world.add({ x: 0, y: 0, range: 20, cap: 1 });
  const marker = world.add({ x: 5, y: 0 });
  world.tick();
  world.move(marker, 50, 0);
  const sizes = Array.from({ length: 6 }, () => {
    world.tick();
    return world.snapshot().length;
  });
  // Nothing concerns the watcher after the first of these ticks. The marker would count as seated in three more.
  expect(sizes.map((size) => size - sizes[5]!)).toEqual([28, 28, 28, 0, 0, 0]);
});

describe('a snapshot taken while calls are pending that are taken back later', () => {
  const calls: [name: string, update: EntityPatch, back: EntityPatch][] = [
    ['fewer seats', { cap: 0 }, { cap: 2 }],
    ['no cap', { cap: Number.POSITIVE_INFINITY }, { cap: 2 }],
    ['rest', { watches: false }, { watches: true }],
  ];
  test.each(calls)('%s: the world and its copy remember what they did', (_name, update, back) => {
    const world = new World({ interests: { default: { memoryTicks: 9 } } });
    const watcher = world.add({ x: 0, y: 0, range: 20, cap: 2 });
    const lost = [world.add({ x: 5, y: 0 }), world.add({ x: 6, y: 0 })];
    // More than seats, so that the watcher has a row.
    for (const x of [16, 17, 18, 19]) world.add({ x, y: 0 });
    const others = [world.add({ x: 30, y: 0 }), world.add({ x: 30, y: 0 })];
    world.tick();
    for (const marker of lost) world.move(marker, 50, 0);
    world.tick();
    world.update(watcher, update);
    for (const each of [World.restore(world.snapshot()), world]) {
      each.update(watcher, back);
      // The bonus of 15 % makes 6 less than 5.5.
      for (const marker of lost) each.move(marker, 6, 0);
      for (const marker of others) each.move(marker, 5.5, 0);
      each.tick();
      expect([...each.visibleTo(watcher)]).toEqual(lost);
    }
  });
});
