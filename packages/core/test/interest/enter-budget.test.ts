/**
 * The enter budget: what `explain` says of it, what a snapshot stores of it, and that no pair waits for ever.
 */
import { expect, test } from 'vitest';
import { type EntityId, type Interest, World } from '../../src/index.ts';

/** A watcher among `count` markers, the first the nearest, with an enter budget. */
function crowd(enterBudget: number, count: number, limit: Interest = {}) {
  const world = new World({ interests: { default: { enterBudget, ...limit } } });
  const watcher = world.add({ x: 0, y: 0, range: 1000, marker: false });
  const x = Float32Array.from({ length: count }, (_, i) => 10 + i);
  return { world, watcher, markers: world.addMany({ x, y: new Float32Array(count) }) };
}

test('explain says that a marker waits and for how long, and outranked lists it', () => {
  const { world, watcher, markers } = crowd(2, 5);
  world.tick();
  world.tick();
  const { rule, related, sentence } = world.explain(watcher, markers[4]);
  expect({ rule, related, sentence }).toEqual({
    rule: 'waiting',
    related: false,
    sentence: 'not related: waiting to enter for 2 ticks; each tick lets 2 in',
  });
  expect([...world.outranked(watcher).ids]).toEqual([markers[4]]);
  world.tick();
  expect(world.explain(watcher, markers[4]).rule).toBe('senses');
  expect(world.outranked(watcher).total).toBe(0);
});

test('a marker that waits in a stored world continues to wait from the same tick', () => {
  const { world, watcher, markers } = crowd(2, 4);
  world.tick();
  const [near] = world.addMany({ x: [1, 2], y: [0, 0] });
  const twin = World.restore(world.snapshot());
  for (const each of [world, twin])
    expect([...(each.tick().of(watcher)?.entered ?? [])]).toEqual([markers[2], near]);
});

test('with a new interest, markers wait from the start again', () => {
  const { world, watcher, markers } = crowd(1, 3);
  world.tick();
  world.tick();
  expect(world.explain(watcher, markers[2]).sentence).toBe(
    'not related: waiting to enter for 2 ticks; each tick lets 1 in',
  );
  world.setInterest('default', { enterBudget: 1 });
  const near = world.add({ x: 1, y: 0 });
  expect([...(world.tick().of(watcher)?.entered ?? [])]).toEqual([near]);
  expect(world.explain(watcher, markers[2]).sentence).toBe(
    'not related: waiting to enter for 1 tick; each tick lets 1 in',
  );
});

test('no marker waits for ever, however many nearer ones come', () => {
  const { world, watcher, markers } = crowd(4, 40);
  const entered: EntityId[] = [];
  for (let tick = 0; tick < 40; tick++) {
    for (const id of world.tick().of(watcher)?.entered ?? []) entered.push(id);
    // As many as may enter, right beside the watcher.
    world.addMany({ x: [1, 2, 3, 4], y: [0, 0, 0, 0] });
  }
  expect(markers.filter((id) => !entered.includes(id))).toEqual(new Uint32Array(0));
});

test.each([
  ['a cap', { cap: 5 }],
  ['a quota', { quotas: [{ layers: 1, cap: 5 }] }],
])('with %s, markers beyond it do not take the seats of those that wait', (_, limit) => {
  const { world, watcher, markers } = crowd(2, 9, limit);
  const entered: EntityId[][] = [];
  for (let tick = 0; tick < 4; tick++) entered.push([...(world.tick().of(watcher)?.entered ?? [])]);
  expect(entered).toEqual([[...markers.slice(0, 2)], [...markers.slice(2, 4)], [markers[4]], []]);
});

test('explain says which quota cuts a marker, also while its seats are due to markers that wait', () => {
  const { world, watcher, markers } = crowd(2, 9, { quotas: [{ layers: 1, cap: 5 }] });
  world.tick();
  expect(world.explain(watcher, markers[4]).rule).toBe('waiting');
  const { rule, quota, seats, place } = world.explain(watcher, markers[8]);
  expect({ rule, quota, seats, place }).toEqual({ rule: 'quota', quota: 0, seats: 5, place: 9 });
});
