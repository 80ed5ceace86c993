/**
 * Ids: their form, when a slot is handed out again, in which order, and how long a stale one is told.
 */
import { expect, test } from 'vitest';
import { World } from '../../src/index.ts';

const slot = (id: number) => id >>> 10;
const generation = (id: number) => id & 1023;
const slotsOf = (ids: Iterable<number>) => [...ids].map(slot);

/** Adds so many at one place. */
function addCrowd(world: World, count: number): Uint32Array {
  const place = new Float32Array(count);
  return world.addMany({ x: place, y: place });
}

test('an id is slot * 1024 + generation, with a generation from 1 to 1023', () => {
  const world = new World();
  const ids = addCrowd(world, 3000);
  expect(new Set(ids).size).toBe(3000);
  for (const id of ids) {
    expect(world.slotOf(id)).toBe(slot(id));
    expect(generation(id)).toBe(1);
  }
  expect(Math.max(...slotsOf(ids))).toBe(2999);
});

test('ids() are all present now, ascending', () => {
  const world = new World();
  const ids = addCrowd(world, 100);
  world.removeMany(ids.filter((_, i) => i % 3 === 0));
  const late = world.add({ x: 0, y: 0 });
  const expected = [...ids.filter((_, i) => i % 3 !== 0), late].sort((one, other) => one - other);
  expect([...world.ids()]).toEqual(expected);
  expect(world.size).toBe(expected.length);
});

test('a freed slot is handed out only after the tick after the one that reports its removal', () => {
  const world = new World();
  const first = addCrowd(world, 3000);
  world.tick();
  world.removeMany(first);
  const freed = new Set(slotsOf(first));
  const reused = (count: number) => slotsOf(addCrowd(world, count)).filter((each) => freed.has(each)).length;
  expect(reused(10)).toBe(0);
  world.tick();
  expect(reused(10)).toBe(0);
  world.tick();
  expect(reused(10)).toBe(10);
});

test('free slots are reused oldest first, and only while more than 1,024 are free', () => {
  const world = new World();
  const first = addCrowd(world, 1500);
  const order = [...first].sort((one, other) => (one % 97) - (other % 97));
  for (const id of order) world.remove(id);
  world.tick();
  world.tick();
  const second = addCrowd(world, 1500);
  const reusable = 1500 - 1024;
  expect(slotsOf(second).slice(0, reusable)).toEqual(slotsOf(order).slice(0, reusable));
  expect(
    slotsOf(second)
      .slice(reusable)
      .every((each) => each >= 1500),
  ).toBe(true);
  expect([...second].slice(0, reusable).every((id) => generation(id) === 2)).toBe(true);
});

test('slots that still wait count among the free ones', () => {
  const world = new World();
  const first = addCrowd(world, 1100);
  const rest = addCrowd(world, 1000);
  world.removeMany(first);
  world.tick();
  world.tick();
  world.removeMany(rest);
  // 2,100 are free, 1,000 of them waiting; 1,024 stay free, so 1,076 can be had.
  const slots = slotsOf(addCrowd(world, 1100));
  expect(slots.slice(0, 1076)).toEqual(slotsOf(first).slice(0, 1076));
});

test('up to 1,024 free slots are left alone, whatever the ticks', () => {
  const world = new World();
  const crowd = addCrowd(world, 1024);
  world.removeMany(crowd);
  for (let tick = 0; tick < 5; tick++) world.tick();
  expect(slot(world.add({ x: 0, y: 0 }))).toBe(1024);
});

test('a stale id is detected until its slot has been used 1,023 times; then generation 1 comes again', () => {
  const world = new World({ detector: 'brute-force' });
  const generations = new Map<number, number>();
  let wrong = 0;
  let wrapped = 0;
  const oldest = addCrowd(world, 1)[0];
  world.remove(oldest);
  // 1,724 slots in all, so a slot comes round about every other of these rounds of 700.
  for (let round = 0; round < 6000 && wrapped === 0; round++) {
    const ids = addCrowd(world, 700);
    for (const id of ids) {
      const before = generations.get(slot(id)) ?? (slot(id) === slot(oldest) ? 1 : 0);
      if (generation(id) !== before + 1) wrong++;
      if (before === 1023) wrapped = id;
      else generations.set(slot(id), before + 1);
      if (wrapped !== 0) break;
    }
    if (wrapped === 0 && world.has(oldest)) wrong++;
    world.removeMany(ids);
    world.tick();
    world.tick();
  }
  expect(slot(wrapped)).toBe(slot(oldest));
  expect(generation(wrapped)).toBe(1);
  // The one slip that counts is the one in which the generation came round.
  expect(wrong).toBe(1);
});

test('an id named twice in removeMany is removed once', () => {
  const world = new World();
  const [twice, once, stays] = world.addMany({ x: [0, 1, 2], y: [0, 0, 0], range: 9 });
  world.tick();
  world.removeMany(Uint32Array.of(twice, once, twice));
  expect(world.size).toBe(1);
  const changes = world.tick();
  expect([...changes.removed]).toEqual([twice, once]);
  expect([...changes].map((view) => [view.watcher, [...view.left]])).toEqual([[stays, [twice, once]]]);
  const fresh = addCrowd(world, 1200);
  expect(new Set(fresh).size).toBe(1200);
});

test('`out` is filled and returned as its beginning; too small, a new array is', () => {
  const world = new World();
  const out = new Uint32Array(5).fill(7);
  const ids = world.addMany({ x: [0, 1, 2], y: [0, 0, 0] }, out);
  expect(ids.buffer).toBe(out.buffer);
  expect([...out]).toEqual([...ids, 7, 7]);
  const roomy = new Uint32Array(4);
  expect(world.ids(roomy).buffer).toBe(roomy.buffer);
  const tight = new Uint32Array(2).fill(9);
  const all = world.ids(tight);
  expect([...all]).toEqual([...ids]);
  expect(all.buffer).not.toBe(tight.buffer);
  expect([...tight]).toEqual([9, 9]);
});

test('a fresh list is the caller’s own: nothing changes it later', () => {
  const world = new World();
  const ids = world.addMany({ x: [0, 1], y: [0, 0] });
  const list = world.ids();
  const copy = [...list];
  addCrowd(world, 5000);
  world.removeMany(ids);
  world.tick();
  expect([...list]).toEqual(copy);
});

test('free slots stay in order through a snapshot, also where their list begins in the middle of its room', () => {
  const world = new World();
  const first = addCrowd(world, 3000);
  world.removeMany(first.slice(0, 2500));
  world.tick();
  world.tick();
  // 2,500 fill most of a ring of 4,096; 1,400 leave its beginning, and 1,800 more reach beyond its end.
  const second = addCrowd(world, 1400);
  world.removeMany(second);
  world.removeMany(first.slice(2600));
  world.tick();
  world.tick();
  const restored = World.restore(world.snapshot());
  const third = slotsOf(addCrowd(restored, 1800));
  expect(third.slice(0, 1100)).toEqual(slotsOf(first.slice(1400, 2500)));
  expect(third).toEqual(slotsOf(addCrowd(world, 1800)));
});
