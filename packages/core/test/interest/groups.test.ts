/** Groups: members of the watcher's own groups are related wherever they are. */
import { describe, expect, test } from 'vitest';
import { World, type WorldOptions } from '../../src/index.ts';
import { Lineup, type LineupOptions } from './lineup.ts';

const FAR = 1e6;

/** A watcher of party 7 and guild 9, whose interest shows these kinds. */
function lineup(showGroup: boolean | string[], more: Partial<LineupOptions> = {}): Lineup {
  const world: WorldOptions = {
    groups: ['party', 'guild'],
    interests: { default: { showGroup }, loner: {} },
  };
  return new Lineup({}, [], { world, watcher: { group: { party: 7, guild: 9 } }, ...more });
}

test('members of the same group are related at any distance, with no sense', () => {
  const members = lineup(true);
  members.add(FAR, { group: 7 });
  members.add(FAR, { group: { guild: 9 } });
  members.add(FAR, { group: 8 });
  members.add(FAR);
  expect(members.tick().entered).toEqual([0, 1]);
  expect(members.world.senses(members.watcher, members.markers[0])).toBe(0);
});

test('a member near enough is perceived as well', () => {
  const members = lineup(true);
  members.add(FAR, { group: 7 });
  members.tick();
  members.walk(0, 50);
  expect(members.tick()).toMatchObject({ entered: [], sensed: [0] });
  expect(members.world.senses(members.watcher, members.markers[0])).toBe(1);
  members.update(0, { group: 0 });
  expect(members.tick()).toMatchObject({ left: [], sensed: [] });
});

test('only groups of the named kinds are shown', () => {
  const members = lineup(['guild']);
  members.add(FAR, { group: 7 });
  members.add(FAR, { group: { guild: 9 } });
  members.tick();
  expect(members.seen).toEqual([1]);
});

test('numbers of different kinds are independent', () => {
  const members = lineup(true);
  members.add(FAR, { group: { party: 9, guild: 7 } });
  expect(members.tick().entered).toEqual([]);
});

test('group 0 is no group', () => {
  const members = lineup(true, { watcher: { group: 0 } });
  members.add(FAR, { group: 0 });
  expect(members.tick().entered).toEqual([]);
});

test('members must meet: other layers, another channel and no marker are not shown', () => {
  const members = lineup(true, { watcher: { group: 7, sees: 1, channel: 1 } });
  members.add(FAR, { group: 7, layers: 2 });
  members.add(FAR, { group: 7, channel: 2 });
  members.add(FAR, { group: 7, marker: false });
  members.add(FAR, { group: 7, channel: 1 });
  expect(members.tick().entered).toEqual([3]);
});

test('joining and leaving a group is reported with the next tick', () => {
  const members = lineup(true);
  members.add(FAR);
  members.tick();
  members.update(0, { group: 7 });
  expect(members.tick().entered).toEqual([0]);
  members.world.update(members.watcher, { group: { party: 1 } });
  expect(members.tick().left).toEqual([0]);
});

test('members get seats before all others, and the cap never cuts them', () => {
  const members = lineup(true, { watcher: { group: 7, cap: 2 } });
  for (const distance of [1, 2]) members.add(distance);
  members.tick();
  expect(members.seen).toEqual([0, 1]);
  members.add(FAR, { group: 7 });
  expect(members.tick()).toMatchObject({ entered: [2], left: [1] });
  for (let i = 0; i < 3; i++) members.add(FAR, { group: 7 });
  expect(members.tick()).toMatchObject({ entered: [3, 4, 5], left: [0] });
});

test('a cloaked member is shown to its group', () => {
  const members = lineup(true);
  members.add(5, { group: 7, gain: 0 });
  members.add(5, { gain: 0 });
  members.tick();
  expect(members.seen).toEqual([0]);
});

test('when showGroup is switched on for an interest, all members enter at once', () => {
  const members = lineup(false);
  members.add(FAR, { group: 7 });
  members.tick();
  members.world.setInterest('default', { showGroup: true });
  expect(members.tick().entered).toEqual([0]);
  members.world.update(members.watcher, { interest: 'loner' });
  expect(members.tick().left).toEqual([0]);
});

test('who joins a group in the tick in which no interest shows groups any more is shown when one does again', () => {
  const quotas = [{ layers: 2, cap: 1 }];
  const world = new World({ interests: { default: { quotas, showGroup: true } } });
  const watcher = world.add({ x: 0, y: 0, range: 10, group: 7 });
  const near = world.add({ x: 1, y: 0, group: 7, layers: 3 });
  const joining = world.add({ x: FAR, y: 0 });
  world.tick();
  world.setInterest('default', { quotas });
  world.update(joining, { group: 7 });
  // A quota may count it otherwise: in this tick the engine asks who related to it, and so who is of its group.
  world.update(near, { layers: 1 });
  world.tick();
  expect([...world.visibleTo(watcher)]).toEqual([near]);
  world.setInterest('default', { quotas, showGroup: true });
  expect(world.tick().of(watcher)?.entered).toEqual(Uint32Array.of(joining));
});

describe('where a group is shown within reach, a change of reach counts', () => {
  /** A watcher, and a member of its group beyond its reach, that `admit` refuses. */
  function pairBeyondReach() {
    const state = { throws: false };
    const admit = () => {
      if (state.throws) throw new Error('admit failed');
      return false;
    };
    const interests = { default: { showGroup: { within: 'reach' as const }, admit } };
    const world = new World({ interests });
    const watcher = world.add({ x: 0, y: 0, range: 10, marker: false, group: 2 });
    const member = world.add({ x: 15, y: 0, group: 2 });
    const near = world.add({ x: 1, y: 0 });
    world.tick();
    const fail = () => {
      world.touch(near);
      state.throws = true;
      expect(() => world.tick()).toThrow('admit failed');
      state.throws = false;
    };
    return { world, watcher, member, interests, fail };
  }

  test.each(['range', 'minReach'] as const)('after a failed tick: %s', (changed) => {
    const { world, watcher, member, fail } = pairBeyondReach();
    fail();
    world.update(changed === 'range' ? watcher : member, { [changed]: 20 });
    world.tick();
    expect([...world.visibleTo(watcher)]).toEqual([member]);
  });

  test.each(['range', 'minReach'] as const)('in a restored world: %s', (changed) => {
    const { world, watcher, member, interests } = pairBeyondReach();
    world.update(changed === 'range' ? watcher : member, { [changed]: 20 });
    const restored = World.restore(world.snapshot(), { interests });
    restored.tick();
    expect([...restored.visibleTo(watcher)]).toEqual([member]);
  });
});
