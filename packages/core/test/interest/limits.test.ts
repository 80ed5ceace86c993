/** Pins and groups that relate a pair within a distance: what crosses it begins or ends, and nothing else is decided. */
import { expect, test } from 'vitest';
import { type Interest, World } from '../../src/index.ts';
import { Lineup, NOTHING } from './lineup.ts';

const PARTY: Interest = { showGroup: { within: 300 } };

/** A watcher of group 7, whose members are at these distances. */
function party(distances: readonly number[], interest: Interest = PARTY, gain = 1): Lineup {
  return new Lineup(interest, distances, { watcher: { group: 7 }, marker: { group: 7, gain } });
}

test('a member is shown while it is within the distance, the boundary included', () => {
  const members = party([300, 301]);
  expect(members.tick().entered).toEqual([0]);
  members.walk(1, 300);
  expect(members.tick()).toMatchObject({ entered: [1], left: [] });
  members.walk(0, 300.5);
  expect(members.tick()).toMatchObject({ entered: [], left: [0] });
  expect(members.tick()).toEqual(NOTHING);
});

test('a watcher that moves is shown the members that it comes near to', () => {
  const members = party([500, 600]);
  members.tick();
  members.world.move(members.watcher, 250, 0);
  expect(members.tick().entered).toEqual([0]);
  members.world.move(members.watcher, 2000, 0);
  expect(members.tick().left).toEqual([0]);
});

test('a distance of 0 shows members in the same place only', () => {
  const members = party([0, 200], { showGroup: { within: 0, through: ['gain'] } }, 0);
  expect(members.tick().entered).toEqual([0]);
  members.walk(1, 0);
  members.walk(0, 2 ** -40);
  expect(members.tick()).toMatchObject({ entered: [1], left: [0] });
});

test('a member that joins, moves and leaves is shown while it is one', () => {
  const members = party([]);
  members.add(200);
  members.tick();
  members.update(0, { group: 8 });
  members.walk(0, 250);
  expect(members.tick().left).toEqual([0]);
  members.walk(0, 400);
  members.update(0, { group: 7 });
  members.tick();
  members.walk(0, 290);
  expect(members.tick().entered).toEqual([0]);
});

test('groups whose numbers differ by 65,535 are two groups', () => {
  const members = party([]);
  members.add(200, { group: 7 + 65_535 });
  members.tick();
  members.walk(0, 250);
  expect(members.tick()).toEqual(NOTHING);
});

test('a longer distance of the interest counts from the next tick on, also for what moves later', () => {
  const members = party([350, 450]);
  members.tick();
  members.world.setInterest('default', { showGroup: { within: 400 } });
  expect(members.tick().entered).toEqual([0]);
  members.walk(1, 395);
  expect(members.tick().entered).toEqual([1]);
});

test('an entity that becomes a watcher by a pin is shown the members that come near', () => {
  const members = party([400, 9000], {});
  const camera = members.world.add({ x: 0, y: 0, group: 8, marker: false });
  members.update(0, { group: 8 });
  members.tick();
  members.world.setInterest('default', { showGroup: { within: 300, through: ['gain'] } });
  members.tick();
  members.world.pin(camera, members.markers[1], 'on screen');
  members.tick();
  expect([...members.world.visibleTo(camera)]).toEqual([members.markers[1]]);
  members.walk(0, 250);
  members.tick();
  expect([...members.world.visibleTo(camera)]).toEqual(members.markers);
});

test('what crosses in a tick that fails is reported by the next one', () => {
  let throws = false;
  const admit = () => {
    if (throws) throw new Error('admit failed');
    return true;
  };
  const members = party([400], { ...PARTY, admit });
  members.add(50, { group: 0 });
  members.tick();
  const npc = members.markers[members.add(700, { group: 0 })];
  members.world.pin(members.watcher, npc, 'quest', { within: 600 });
  members.tick();
  throws = true;
  members.walk(0, 290);
  members.walk(2, 500);
  members.world.touch(members.markers[1]);
  expect(() => members.world.tick()).toThrow('admit failed');
  throws = false;
  expect(members.tick().entered).toEqual([0, 2]);
});

test('a restored world reports what crosses in its first tick', () => {
  const members = party([400]);
  const npc = members.add(700, { group: 0 });
  members.world.pin(members.watcher, members.markers[npc], 'quest', { within: 600 });
  members.tick();
  const restored = World.restore(members.world.snapshot());
  for (const world of [members.world, restored]) {
    world.move(members.markers[0], 300, 0);
    world.move(members.markers[npc], 600, 0);
  }
  expect(members.tick().entered).toEqual([0, npc]);
  expect(restored.tick().hash()).toBe(members.world.lastChanges.hash());
});

test('a pin holds while any of its reasons does, and a reason that is given anew replaces its distance', () => {
  const { world, watcher, markers } = new Lineup({}, [500]);
  const seen = () => {
    world.tick();
    world.validate();
    return world.related(watcher, markers[0]);
  };
  world.pin(watcher, markers[0], 'quest', { within: 400 });
  world.pin(watcher, markers[0], 'duel', { within: 600 });
  expect(seen()).toBe(true);
  world.unpin(watcher, markers[0], 'duel');
  expect(seen()).toBe(false);
  world.pin(watcher, markers[0], 'quest', { within: 450 });
  world.move(markers[0], 460, 0);
  expect(seen()).toBe(false);
  world.move(markers[0], 440, 0);
  expect(seen()).toBe(true);
  world.move(watcher, -20, 0);
  expect(seen()).toBe(false);
});

test('between ticks the reasons of the last tick explain a pin', () => {
  const line = new Lineup({}, [500]);
  line.world.pin(line.watcher, line.markers[0], 'quest', { within: 600 });
  line.tick();
  line.world.pin(line.watcher, line.markers[0], 'duel');
  line.world.unpin(line.watcher, line.markers[0], 'quest');
  expect(line.world.explain(line.watcher, line.markers[0])).toMatchObject({ reasons: ['quest'] });
  line.tick();
  expect(line.world.explain(line.watcher, line.markers[0])).toMatchObject({ reasons: ['duel'] });
});

test('with a cap that is reached, members that come within the distance take seats and give them back', () => {
  const members = party([], { ...PARTY, cap: 2 });
  for (const distance of [1, 2, 3]) members.add(distance, { group: 0 });
  members.add(400);
  expect(members.tick().entered).toEqual([0, 1]);
  members.walk(3, 290);
  expect(members.tick()).toMatchObject({ entered: [3], left: [1] });
  members.walk(3, 310);
  expect(members.tick()).toMatchObject({ entered: [1], left: [3] });
});

test('entities that are shown a group to their reach are shown it in cells, too', () => {
  const world = new World({
    detector: 'tower',
    granularity: 'cell',
    cellSize: 10,
    interests: { default: { showGroup: { within: 'reach', through: ['gain'] } } },
  });
  const watcher = world.add({ x: 5, y: 5, range: 20, group: 1, marker: false });
  const cloaked = world.add({ x: 35, y: 5, gain: 0, group: 1 });
  world.tick();
  expect(world.related(watcher, cloaked)).toBe(false);
  world.move(cloaked, 29, 5);
  world.tick();
  expect(world.related(watcher, cloaked)).toBe(true);
  world.move(watcher, -1, 5);
  world.tick();
  expect(world.related(watcher, cloaked)).toBe(false);
});
