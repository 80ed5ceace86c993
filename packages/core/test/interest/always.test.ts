/** Always: a marker that every watcher is shown, wherever it is: a boss, a flag, a clock. */
import { expect, test } from 'vitest';
import { World } from '../../src/index.ts';
import { Lineup } from './lineup.ts';

const FAR = 1e6;

test('it is related to every watcher that has a range and meets it, at any distance', () => {
  const lineup = new Lineup({}, []);
  const boss = lineup.add(FAR, { always: true });
  const { world } = lineup;
  const blind = world.add({ x: 0, y: 0, marker: false });
  const other = world.add({ x: -FAR, y: 0, range: 1, marker: false });
  const elsewhere = world.add({ x: 0, y: 0, range: 1, marker: false, sees: 2 });
  expect(lineup.tick().entered).toEqual([boss]);
  expect([blind, other, elsewhere].map((id) => world.related(id, lineup.markers[boss]))).toEqual([
    false,
    true,
    false,
  ]);
});

test('it may be switched on and off', () => {
  const lineup = new Lineup({}, [FAR]);
  lineup.tick();
  lineup.update(0, { always: true });
  expect(lineup.tick().entered).toEqual([0]);
  lineup.update(0, { always: false });
  expect(lineup.tick().left).toEqual([0]);
});

test('it has no sense unless it is perceived, and its changes are reported', () => {
  const lineup = new Lineup({}, []);
  lineup.add(FAR, { always: true });
  lineup.tick();
  expect(lineup.world.senses(lineup.watcher, lineup.markers[0])).toBe(0);
  lineup.walk(0, FAR + 1);
  expect(lineup.tick().updated).toEqual([0]);
  lineup.walk(0, 10);
  expect(lineup.tick()).toMatchObject({ updated: [0], sensed: [0], entered: [] });
});

test('it takes one of the seats', () => {
  const lineup = new Lineup({ cap: 1 }, [1]);
  lineup.tick();
  lineup.add(FAR, { always: true });
  expect(lineup.tick()).toMatchObject({ entered: [1], left: [0] });
});

test('cloaked or not, it is shown', () => {
  const lineup = new Lineup({}, []);
  lineup.add(FAR, { always: true, gain: 0 });
  expect(lineup.tick().entered).toEqual([0]);
});

test('a watcher may relate to a hundred and fifty thousand markers by force, and get a row', () => {
  const world = new World({ interests: { default: { leaveMargin: 1 } } });
  const watcher = world.add({ x: 0, y: 0, range: 10 });
  const count = 150_000;
  world.addMany({ x: new Float32Array(count).fill(1000), y: new Float32Array(count), always: true });
  world.tick();
  world.update(watcher, { cap: 5 });
  world.tick();
  expect(world.visibleTo(watcher)).toHaveLength(count);
});

test('a new watcher is shown what is shown always in the tick in which no interest shows groups any more', () => {
  const world = new World({
    interests: { default: { quotas: [{ layers: 2, cap: 1 }] }, party: { showGroup: true } },
  });
  world.add({ x: 0, y: 0, range: 10 });
  const near = world.add({ x: 1, y: 0, group: 7, layers: 3 });
  world.tick();
  world.setInterest('party', {});
  // A quota may count it otherwise: the engine asks who related to it, and so who was of its group.
  world.update(near, { layers: 1 });
  const bell = world.add({ x: 1e6, y: 0, always: true });
  const watcher = world.add({ x: 500, y: 0, range: 10 });
  expect(world.tick().of(watcher)?.entered).toEqual(Uint32Array.of(bell));
});
