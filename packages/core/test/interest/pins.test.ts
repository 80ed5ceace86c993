/** Pins: a pair that relates because the game said so, while any reason holds. */
import { expect, test } from 'vitest';
import { World } from '../../src/index.ts';
import { Lineup, NOTHING } from './lineup.ts';

const FAR = 1e6;

test('a pin relates a pair at any range, layer, channel and gain, from the next tick on', () => {
  const lineup = new Lineup({}, [FAR], { watcher: { sees: 1, channel: 1 } });
  lineup.update(0, { layers: 2, channel: 2, gain: 0 });
  lineup.tick();
  lineup.world.pin(lineup.watcher, lineup.markers[0]);
  expect(lineup.world.related(lineup.watcher, lineup.markers[0])).toBe(false);
  expect(lineup.tick().entered).toEqual([0]);
  expect(lineup.world.senses(lineup.watcher, lineup.markers[0])).toBe(0);
});

test('the loss of one of two reasons does not end the pin', () => {
  const { world, watcher, markers, ...lineup } = withPinned('quest', 'party');
  world.unpin(watcher, markers[0], 'quest');
  expect(lineup.tick()).toEqual(NOTHING);
  world.unpin(watcher, markers[0], 'party');
  expect(lineup.tick().left).toEqual([0]);
});

test('a reason given twice is one reason, and unpin without a pin does nothing', () => {
  const { world, watcher, markers, ...lineup } = withPinned('quest', 'quest');
  world.unpin(watcher, markers[0]);
  world.unpin(watcher, markers[0], 'party');
  expect(lineup.tick()).toEqual(NOTHING);
  world.unpin(watcher, markers[0], 'quest');
  expect(lineup.tick().left).toEqual([0]);
});

test('pin and unpin between two ticks change nothing', () => {
  const lineup = new Lineup({}, [FAR]);
  lineup.tick();
  lineup.world.pin(lineup.watcher, lineup.markers[0]);
  lineup.world.unpin(lineup.watcher, lineup.markers[0]);
  expect(lineup.tick()).toEqual(NOTHING);
});

test('an entity without a range that has a pin is a watcher', () => {
  const lineup = new Lineup({}, [10], { watcher: { range: 0 } });
  expect(lineup.tick()).toEqual(NOTHING);
  lineup.world.pin(lineup.watcher, lineup.markers[0]);
  expect(lineup.tick().entered).toEqual([0]);
  lineup.walk(0, 11);
  expect(lineup.tick().updated).toEqual([0]);
  lineup.world.unpin(lineup.watcher, lineup.markers[0]);
  expect(lineup.tick().left).toEqual([0]);
});

test('a pin on an entity that is no marker has no effect until it is one', () => {
  const lineup = new Lineup({}, [FAR], { marker: { marker: false } });
  lineup.world.pin(lineup.watcher, lineup.markers[0]);
  expect(lineup.tick()).toEqual(NOTHING);
  lineup.update(0, { marker: true });
  expect(lineup.tick().entered).toEqual([0]);
  lineup.update(0, { marker: false });
  expect(lineup.tick().left).toEqual([0]);
});

test('a pinned marker takes a seat, and the cap never cuts it', () => {
  const lineup = new Lineup({ cap: 1 }, [1, FAR, FAR]);
  lineup.tick();
  lineup.world.pin(lineup.watcher, lineup.markers[1]);
  expect(lineup.tick()).toMatchObject({ entered: [1], left: [0] });
  lineup.world.pin(lineup.watcher, lineup.markers[2]);
  expect(lineup.tick()).toMatchObject({ entered: [2], left: [] });
  lineup.world.unpin(lineup.watcher, lineup.markers[1]);
  lineup.world.unpin(lineup.watcher, lineup.markers[2]);
  expect(lineup.tick()).toMatchObject({ entered: [0], left: [1, 2] });
});

test('a removed entity loses its pins, and an entity in its slot has none', () => {
  const lineup = new Lineup({}, [FAR]);
  lineup.world.pin(lineup.watcher, lineup.markers[0]);
  lineup.tick();
  lineup.world.remove(lineup.markers[0]);
  expect(lineup.tick().left).toEqual([0]);
  // Slots are reused once more than 1,024 are free.
  for (let i = 0; i < 1100; i++) lineup.world.remove(lineup.world.add({ x: FAR, y: 0 }));
  lineup.tick();
  for (let i = 0; i < 1100; i++) lineup.add(FAR);
  expect(lineup.tick().entered).toEqual([]);
});

test('a watcher that is removed in the tick in which it got a pin leaves no tie behind', () => {
  const { world, watcher, markers } = new Lineup({}, [500]);
  world.pin(watcher, markers[0]);
  world.remove(watcher);
  world.validate();
  world.tick();
  world.validate();
  expect(world.has(watcher)).toBe(false);
});

test('a pin goes one way', () => {
  const lineup = new Lineup({}, [10], { marker: { range: 1 }, watcher: { marker: true } });
  lineup.world.pin(lineup.watcher, lineup.markers[0]);
  lineup.tick();
  expect(lineup.world.related(lineup.markers[0], lineup.watcher)).toBe(false);
});

/** A marker far away that is pinned for these reasons. */
function withPinned(...reasons: string[]) {
  const lineup = new Lineup({}, [FAR]);
  const { world, watcher, markers } = lineup;
  for (const reason of reasons) world.pin(watcher, markers[0], reason);
  lineup.tick();
  return { world, watcher, markers, tick: () => lineup.tick() };
}

test('pins and blocks are counted in the memory of the world, and no longer when they are gone', () => {
  const world = new World();
  const ids = world.addMany({ x: new Float32Array(200), y: new Float32Array(200), range: 1 });
  world.tick();
  const { memoryBytes } = world.stats();
  for (const id of ids.subarray(1)) world.pin(ids[0] as number, id, 'quest');
  // As V8 takes it, some 500 bytes each: a pin, its reasons, and its place on both sides.
  expect(world.stats().memoryBytes - memoryBytes).toBeGreaterThan(200 * 450);
  for (const id of ids.subarray(1)) world.block(id, ids[0] as number);
  expect(world.stats().memoryBytes - memoryBytes).toBeGreaterThan(200 * 300);
  for (const id of ids.subarray(1)) world.unpin(ids[0] as number, id, 'quest');
  for (const id of ids.subarray(1)) world.unblock(id, ids[0] as number);
  world.tick();
  expect(world.stats().memoryBytes - memoryBytes).toBeLessThan(200 * 300);
});

test('a marker that goes out of reach while it is pinned lingers from then on, when its pin ends', () => {
  const world = new World({ interests: { default: { lingerTicks: 3 } } });
  const watcher = world.add({ x: 0, y: 0, range: 10 });
  const marker = world.add({ x: 5, y: 0 });
  const blocked = world.add({ x: 1, y: 0 });
  world.pin(watcher, marker);
  // A row with a block is decided whole.
  world.block(watcher, blocked);
  for (let tick = 1; tick <= 2; tick++) world.tick();
  world.move(marker, 50, 0);
  world.tick();
  world.unpin(watcher, marker);
  const related: boolean[] = [];
  for (let tick = 4; tick <= 6; tick++) {
    world.tick();
    related.push(world.related(watcher, marker));
  }
  // It was perceived last in tick 2.
  expect(related).toEqual([true, true, false]);
});
