/**
 * Mutual: a seat is kept only if the other side gave one, too. For trade and duels: no watcher sees a marker
 * that does not see it.
 */
import { expect, test, vi } from 'vitest';
import { type EntityId, type EntityPatch, type Interest, World } from '../../src/index.ts';
import { RowEdits } from '../../src/interest/seats/row-edits.ts';
import { searchShares } from '../../src/interest/seats/searched-watchers.ts';
import { RuledWatchers } from '../../src/interest/standing/ruled-watchers.ts';
import { KERNEL_ROWS, NEVER_SEARCHED, numbersFrom, SOON_SEARCHED, withShares } from './searched-lives.ts';

const MUTUAL: Interest = { mutual: true, cap: 1, incumbentBonus: 0 };

/** Watchers along a line, all with the same interest. */
function people(interest: Interest, places: readonly number[], patch: EntityPatch = {}) {
  const world = new World({ interests: { default: interest, other: {} } });
  const ids = places.map((x) => world.add({ x, y: 0, range: 100, ...patch }));
  return { world, ids };
}

function pairsOf(world: World, ids: readonly EntityId[]): string[] {
  return ids.flatMap((watcher, i) => [...world.visibleTo(watcher)].map((id) => `${i}-${ids.indexOf(id)}`));
}

test('two watchers that give each other a seat relate; without consent there is no relation', () => {
  // The middle one is nearer to the second, for which it is the nearest as well.
  const { world, ids } = people(MUTUAL, [0, 30, 40]);
  world.tick();
  expect(pairsOf(world, ids)).toEqual(['1-2', '2-1']);
});

test('a seat without consent is not given to the next candidate', () => {
  const { world, ids } = people({ ...MUTUAL, cap: 2 }, [0, 50, 60, 70]);
  world.tick();
  // The first gives seats to 1 and 2; neither gives it one.
  expect(pairsOf(world, ids)).toEqual(['1-2', '1-3', '2-1', '2-3', '3-1', '3-2']);
});

test('without caps it is perception both ways', () => {
  const { world, ids } = people({ mutual: true }, [0, 50]);
  world.update(ids[1], { range: 10 });
  world.tick();
  expect(pairsOf(world, ids)).toEqual([]);
  world.update(ids[1], { range: 50 });
  expect(world.tick().enteredCount).toBe(2);
});

test('only the watcher’s own interest must be mutual, not the other side’s', () => {
  const { world, ids } = people({ mutual: true }, [0, 50]);
  world.update(ids[1], { interest: 'other', range: 60 });
  world.tick();
  expect(pairsOf(world, ids)).toEqual(['0-1', '1-0']);
  world.update(ids[1], { range: 10 });
  world.tick();
  expect(pairsOf(world, ids)).toEqual([]);
  world.update(ids[0], { range: 10 });
  world.update(ids[1], { range: 60 });
  world.tick();
  expect(pairsOf(world, ids)).toEqual(['1-0']);
});

test('markers that do not watch, and cameras that are no markers, are exempt', () => {
  const { world, ids } = people({ mutual: true }, [0, 10]);
  world.update(ids[0], { marker: false });
  const chest = world.add({ x: 5, y: 0 });
  world.tick();
  expect([...world.visibleTo(ids[0])]).toEqual([ids[1], chest]);
  expect([...world.visibleTo(ids[1])]).toEqual([chest]);
});

test('one that becomes a camera needs no consent from then on; one that becomes a marker needs it', () => {
  const { world, ids } = people({ mutual: true }, [0, 50]);
  world.update(ids[1], { range: 10 });
  world.tick();
  expect(pairsOf(world, ids)).toEqual([]);
  world.update(ids[0], { marker: false });
  expect([...(world.tick().of(ids[0])?.entered ?? [])]).toEqual([ids[1]]);
  world.update(ids[0], { marker: true });
  expect([...(world.tick().of(ids[0])?.left ?? [])]).toEqual([ids[1]]);
  expect(pairsOf(world, ids)).toEqual([]);
});

test('markers that are pinned, of the group or shown always are exempt', () => {
  const { world, ids } = people({ mutual: true, showGroup: true }, [0, 10, 20, 30], { range: 5 });
  world.pin(ids[0], ids[1]);
  world.update(ids[0], { group: 3 });
  world.update(ids[2], { group: 3, interest: 'other' });
  world.update(ids[3], { always: true });
  world.tick();
  expect([...world.visibleTo(ids[0])]).toEqual([ids[1], ids[2], ids[3]]);
});

test('a pin that holds only within a distance: beyond it, a marker that does not see its watcher is lost', () => {
  const { world, ids } = people({ mutual: true }, [0, 8]);
  world.update(ids[1], { range: 5 });
  world.pin(ids[0], ids[1], 'quest', { within: 10 });
  world.tick();
  expect([...world.visibleTo(ids[0])]).toEqual([ids[1]]);
  world.move(ids[1], 12, 0);
  const { left } = world.tick().of(ids[0])!;
  expect([...left]).toEqual([ids[1]]);
  expect([...world.visibleTo(ids[0])]).toEqual([]);
  world.update(ids[1], { range: 15 });
  world.tick();
  expect([...world.visibleTo(ids[0])]).toEqual([ids[1]]);
});

test.each<[string, (world: World, ids: readonly EntityId[], isOn: boolean) => void]>([
  ['pinned', (world, [a, b], isOn) => (isOn ? world.pin(a!, b!) : world.unpin(a!, b!))],
  ['shown always', (world, [, b], isOn) => world.update(b!, { always: isOn })],
])('a marker that does not see its watcher is lost when it is no longer %s', (_, relate) => {
  const { world, ids } = people({ mutual: true }, [0, 50]);
  world.update(ids[1], { range: 10 });
  relate(world, ids, true);
  world.tick();
  // The watcher has no row from here on.
  world.tick();
  expect(pairsOf(world, ids)).toEqual(['0-1']);
  relate(world, ids, false);
  expect([...(world.tick().of(ids[0])?.left ?? [])]).toEqual([ids[1]]);
  expect(pairsOf(world, ids)).toEqual([]);
});

test('seats count for the next tick as they were before the consent check', () => {
  const { world, ids } = people({ ...MUTUAL, incumbentBonus: 0.5 }, [0, 30, 40]);
  world.tick();
  // The first gives the second a seat without consent; a newcomer must be better than that seat by more than
  // the bonus.
  const newcomer = world.add({ x: -20, y: 0, range: 100 });
  world.tick();
  expect(world.related(ids[0], newcomer)).toBe(false);
  world.move(newcomer, -14, 0);
  world.tick();
  expect(world.related(ids[0], newcomer)).toBe(true);
});

test('a margin-held seat without consent ends, even in a tick in which nothing happens', () => {
  const { world, ids } = people({ mutual: true, cap: 1, leaveMargin: 5, incumbentBonus: 0.5 }, [0, 9, -9.9], {
    range: 10,
  });
  const [watcher, friend, thing] = ids as [number, number, number];
  world.update(friend, { range: 30 });
  world.update(thing, { range: 0 });
  world.tick();
  expect([...world.visibleTo(watcher)]).toEqual([friend]);
  // The friend walks away, is margin-held, and gives a nearer one its seat.
  world.move(friend, 12, 0);
  world.add({ x: 12.5, y: 0 });
  world.tick();
  expect([...world.visibleTo(watcher)]).toEqual([]);
  expect(world.explain(watcher, friend).rule).toBe('mutual');
  world.tick();
  expect([...world.visibleTo(watcher)]).toEqual([thing]);
});

test.each([
  ['searched watcher', SOON_SEARCHED, 0],
  ['watcher with a row', NEVER_SEARCHED, 0],
  ['watcher whose row was decided since', NEVER_SEARCHED, 1],
  ['watcher whose row a kernel decided since', KERNEL_ROWS, 1],
])('a seat that awaits consent is remembered when it is lost from sight, by a %s', (_, shares, newcomers) => {
  withShares({ ...searchShares, ...shares }, () => {
    const interest = { cap: 8, memoryTicks: 10, incumbentBonus: 0.5, mutual: true };
    const world = new World({ interests: { default: {}, duel: interest } });
    const thing = (x: number) => world.add({ x, y: 0 });
    const watcher = world.add({ x: 0, y: 0, range: 30, interest: 'duel' });
    // One more than seats, so that the watcher has a row.
    const [, , ...going] = [1, 2, 3, 4, 5, 6, 7, 8, 9].map(thing);
    world.tick();
    for (const id of going) world.move(id, 500, 0);
    // It perceives too little to consent.
    const other = world.add({ x: 10, y: 0, range: 1 });
    world.tick();
    for (let i = 0; i < newcomers; i++) {
      thing(2.5);
      world.tick();
    }
    world.move(other, 100, 0);
    world.tick();
    const farthest = [3, 4, 5, 6, 7, 20].slice(newcomers).map(thing).at(-1)!;
    world.tick();
    expect(world.related(watcher, farthest)).toBe(true);
    // As an incumbent it ranks before the farthest, as a newcomer behind it.
    world.move(other, 12, 0);
    world.tick();
    expect(world.related(watcher, farthest)).toBe(false);
  });
});

// The detector's index does not lead from such a marker to its watcher.
test.each<[string, EntityPatch]>([
  ['has no range', { range: 0 }],
  ['is at rest', { watches: false }],
])('a marker that lingers without consent is related when it comes back and %s', (_, patch) => {
  const world = new World({ interests: { default: {}, duel: { mutual: true, lingerTicks: 9 } } });
  const watcher = world.add({ x: 0, y: 0, range: 30, interest: 'duel' });
  const marker = world.add({ x: 10, y: 0, range: 10 });
  world.tick();
  expect(world.related(watcher, marker)).toBe(true);
  world.move(watcher, 0, 100);
  world.tick();
  expect(world.related(watcher, marker)).toBe(false);
  world.move(marker, 10, 100);
  world.update(marker, patch);
  expect([...(world.tick().of(watcher)?.entered ?? [])]).toEqual([marker]);
});

test('a marker that was admitted is not asked about again when consent comes', () => {
  let isOpen = true;
  const interests = { default: {}, duel: { mutual: true, admit: () => isOpen } };
  const world = new World({ interests });
  const watcher = world.add({ x: 0, y: 0, range: 10, interest: 'duel' });
  const marker = world.add({ x: 50, y: 0, range: 1 });
  world.tick();
  world.move(marker, 5, 0);
  world.tick();
  expect(world.related(watcher, marker)).toBe(false);
  isOpen = false;
  world.update(marker, { weight: 2 });
  world.move(marker, 0.5, 0);
  world.tick();
  expect(world.related(watcher, marker)).toBe(true);
});

test.each([true, false])(
  'rows with many seats that await consent are not dropped and made in turn, updates %s',
  (updates) => {
    const random = numbersFrom(3);
    const world = new World({ interests: { default: { mutual: true, cap: 35 } } });
    // Who sees less far is seated by more than it seats.
    const ids = Array.from({ length: 400 }, (_, i) =>
      world.add({ x: 120 * random(), y: 120 * random(), range: i % 2 === 0 ? 20 : 14, updates }),
    );
    const given = vi.spyOn(RuledWatchers.prototype, 'giveRow');
    for (let tick = 0; tick < 40; tick++) {
      if (tick === 10) given.mockClear();
      for (const id of ids) {
        const [x = 0, y = 0] = world.position(id);
        world.move(id, x + random() - 0.5, y + random() - 0.5);
      }
      world.tick();
    }
    const count = given.mock.calls.length;
    given.mockRestore();
    expect(count).toBeLessThan(30);
  },
);

test('when a marker is shown always, or no more, consent is looked up for it, not for all other seats', () => {
  const { world, ids } = people(
    { mutual: true, cap: 8 },
    Array.from({ length: 40 }, (_, i) => 10 * i),
  );
  const boss = world.add({ x: 1e6, y: 0 });
  world.tick();
  world.tick();
  const seats = pairsOf(world, ids).length;
  expect(seats).toBeGreaterThan(250);
  const looks = vi.spyOn(RowEdits.prototype, 'stateOf');
  world.update(boss, { always: true });
  world.tick();
  expect([...world.watchersOf(boss)]).toEqual(ids);
  const turnedOn = looks.mock.calls.length;
  looks.mockClear();
  world.update(boss, { always: false });
  world.tick();
  expect([...world.watchersOf(boss)]).toEqual([]);
  expect(pairsOf(world, ids)).toHaveLength(seats);
  expect([turnedOn, looks.mock.calls.length].every((count) => count < 5 * ids.length)).toBe(true);
  looks.mockRestore();
});
