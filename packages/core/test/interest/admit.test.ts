/** Admit: a function of the game, called seldom. A refused marker gets no seat. */
import { expect, test } from 'vitest';
import { type EntityId, type Interest, World } from '../../src/index.ts';
import { Lineup } from './lineup.ts';

/** An interest that admits all markers except those in `refused`, and logs the markers it was called for. */
function doorkeeper(more: Interest = {}) {
  const asked: EntityId[] = [];
  const refused = new Set<EntityId>();
  const admit = (_watcher: EntityId, marker: EntityId): boolean => {
    asked.push(marker);
    return !refused.has(marker);
  };
  return { asked, refused, interest: { ...more, admit } satisfies Interest };
}

test('a refused marker is not related', () => {
  const { interest } = doorkeeper();
  const lineup: Lineup = new Lineup(
    { ...interest, admit: (_watcher, marker) => marker !== lineup.markers[1] },
    [10, 20, 30],
  );
  expect(lineup.tick().entered).toEqual([0, 2]);
});

test('it is called when a pair becomes a candidate, and not again while it is one', () => {
  const { asked, interest } = doorkeeper();
  const lineup = new Lineup(interest, [10, 500]);
  lineup.tick();
  expect(asked).toEqual([lineup.markers[0]]);
  lineup.walk(0, 11);
  lineup.ticks(3);
  expect(asked.length).toBe(1);
  lineup.walk(1, 20);
  lineup.tick();
  expect(asked).toEqual([...lineup.markers]);
  lineup.walk(0, 500);
  lineup.tick();
  lineup.walk(0, 10);
  lineup.tick();
  expect(asked).toEqual([...lineup.markers, lineup.markers[0]]);
});

test('it is called again whenever the marker or the watcher was touched', () => {
  const { asked, refused, interest } = doorkeeper();
  const lineup = new Lineup(interest, [10, 20]);
  lineup.tick();
  refused.add(lineup.markers[0]);
  expect(lineup.tick().left).toEqual([]);
  lineup.world.touch(lineup.markers[0]);
  expect(lineup.tick().left).toEqual([0]);
  refused.clear();
  asked.length = 0;
  lineup.world.touch(lineup.watcher);
  expect(lineup.tick().entered).toEqual([0]);
  expect(asked).toEqual([...lineup.markers]);
});

test('a refused marker takes no seat from another one', () => {
  const { refused, interest } = doorkeeper({ cap: 1 });
  const lineup = new Lineup(interest, [10, 20]);
  refused.add(lineup.markers[0]);
  lineup.tick();
  expect(lineup.seen).toEqual([1]);
});

test('it is not called for markers that are pinned, of the group or shown always', () => {
  const { asked, interest } = doorkeeper({ showGroup: true });
  const lineup = new Lineup(interest, [10], { watcher: { group: 7 } });
  lineup.add(20, { group: 7 });
  lineup.add(30, { always: true });
  lineup.world.pin(lineup.watcher, lineup.markers[0]);
  lineup.tick();
  expect(lineup.seen).toEqual([0, 1, 2]);
  expect(asked).toEqual([]);
});

test('it is called in each tick for an entity that became volatile while no interest had rules', () => {
  let isOpen = true;
  const world = new World({ interests: { default: {}, ask: { admit: () => true } } });
  const marker = world.add({ x: 1, y: 0 });
  world.add({ x: 500, y: 0, volatile: true });
  world.tick();
  world.setInterest('ask', {});
  world.tick();
  world.update(marker, { volatile: true });
  world.tick();
  const watcher = world.add({ x: 0, y: 0, range: 5, interest: 'ask' });
  world.setInterest('ask', { admit: () => isOpen });
  world.tick();
  expect([...world.visibleTo(watcher)]).toEqual([marker]);
  isOpen = false;
  world.move(marker, 1, 0.2);
  expect(world.tick().leftCount).toBe(1);
});

test.each([
  ['is put to rest', { watches: false }, { watches: true }],
  ['loses its range', { range: 0 }, { range: 10 }],
] as const)('a watcher that %s as its interest changes keeps nothing of a touched marker', (_, off, on) => {
  const ask = { cap: 1, memoryTicks: 20, admit: () => true };
  const world = new World({ interests: { default: {}, ask } });
  const touched = world.add({ x: 5.2, y: 0 });
  const nearer = world.add({ x: 5, y: 0 });
  const watcher = world.add({ x: 0, y: 0, range: 10 });
  world.tick();
  world.update(watcher, { ...off, interest: 'ask' });
  world.touch(touched);
  world.tick();
  void World.restore(world.snapshot(), { interests: { ask } }).dispose();
  world.update(watcher, on);
  world.tick();
  expect([...world.visibleTo(watcher)]).toEqual([nearer]);
});
