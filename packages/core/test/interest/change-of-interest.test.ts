/**
 * A change of interest, for one watcher or for a name: seats stay, aged as of the last tick, and memory is
 * cleared.
 */
import { expect, test, vi } from 'vitest';
import { type Interest, World } from '../../src/index.ts';
import { RowEdits } from '../../src/interest/seats/row-edits.ts';
import { RuledWatchers } from '../../src/interest/standing/ruled-watchers.ts';
import { Lineup, NOTHING } from './lineup.ts';

const CROWDED: Interest = { cap: 2, incumbentBonus: 0.5 };

function lineup(interests: Record<string, Interest>, distances: readonly number[]): Lineup {
  return new Lineup({}, distances, { world: { interests } });
}

test('setInterest applies from the next tick on, to all watchers with that interest', () => {
  const line = lineup({}, [10, 20, 30]);
  line.tick();
  line.world.setInterest('default', { cap: 1 });
  expect(line.seen).toEqual([0, 1, 2]);
  expect(line.tick().left).toEqual([1, 2]);
});

test('a new interest can be defined, and watchers can use it', () => {
  const line = lineup({}, [10, 20]);
  line.tick();
  line.world.setInterest('busy', { cap: 1 });
  expect(line.tick()).toEqual(NOTHING);
  line.world.update(line.watcher, { interest: 'busy' });
  expect(line.tick().left).toEqual([1]);
});

test('the same rules under another name change no relation', () => {
  const line = lineup({ default: CROWDED, other: CROWDED }, [10, 20, 30]);
  line.tick();
  line.world.update(line.watcher, { interest: 'other' });
  expect(line.ticks(3)).toEqual(NOTHING);
});

test('relations become the seats: a shown marker ranks as an incumbent', () => {
  const line = lineup({ default: {}, crowded: CROWDED }, [10, 20]);
  line.tick();
  line.add(15);
  line.world.update(line.watcher, { interest: 'crowded' });
  expect(line.tick()).toEqual(NOTHING);
});

test('seats are as young as the last tick, so that the dwell begins again', () => {
  const dwell: Interest = { cap: 1, incumbentBonus: 0, minDwellTicks: 3 };
  const line = lineup({ default: dwell, other: dwell }, [10]);
  line.ticks(10);
  line.world.update(line.watcher, { interest: 'other' });
  line.add(5);
  expect(line.ticks(2).entered).toEqual([]);
  expect(line.tick()).toMatchObject({ entered: [1], left: [0] });
});

test('memory is cleared', () => {
  const remembers: Interest = { cap: 1, incumbentBonus: 0.5, memoryTicks: 10 };
  const line = lineup({ default: remembers, other: remembers }, [10, 20]);
  line.tick();
  line.walk(0, 200);
  line.tick();
  line.world.update(line.watcher, { interest: 'other' });
  line.walk(0, 19);
  expect(line.tick().entered).toEqual([]);
});

test('a watcher without a row needs none when its margin changes', () => {
  const line = lineup({ default: { leaveMargin: 10 } }, [90, 95, 120]);
  line.ticks(3);
  for (const [place, distance] of [102, 107].entries()) line.walk(place, distance);
  expect(line.tick().left).toEqual([]);
  const rows = vi.spyOn(RuledWatchers.prototype, 'giveRow');
  line.world.setInterest('default', { leaveMargin: 5 });
  expect(line.tick().left).toEqual([1]);
  line.world.setInterest('default', { leaveMargin: 20 });
  expect(line.tick()).toEqual(NOTHING);
  line.walk(0, 119);
  expect(line.tick().left).toEqual([]);
  line.world.setInterest('default', { leaveMargin: 1 });
  expect(line.tick().left).toEqual([0]);
  expect(rows).not.toHaveBeenCalled();
  rows.mockRestore();
});

test('after a tick that fails, the next one has the changed margin', () => {
  let isBroken = false;
  const rank = (_watcher: number, _marker: number, distance: number) => {
    if (isBroken) throw new Error('broken');
    return distance;
  };
  const line = lineup({ default: { leaveMargin: 10 }, ranked: { cap: 1, rank } }, [90, 95, 50]);
  line.world.add({ x: 0, y: 0, range: 100, marker: false, interest: 'ranked' });
  line.tick();
  line.walk(1, 107);
  expect(line.tick()).toMatchObject({ left: [], updated: [1] });
  isBroken = true;
  line.world.setInterest('default', { leaveMargin: 5 });
  line.walk(0, 91);
  expect(() => line.world.tick()).toThrow('broken');
  expect(line.seen).toEqual([0, 1, 2]);
  isBroken = false;
  expect(line.tick()).toMatchObject({ left: [1], updated: [0] });
});

test('a row in which a margin holds nothing is not decided when the margin changes', () => {
  const line = lineup({ default: { cap: 2, leaveMargin: 10 } }, [70, 80, 90]);
  line.ticks(3);
  const asked = vi.spyOn(RowEdits.prototype, 'ask');
  line.world.setInterest('default', { cap: 2, leaveMargin: 5 });
  expect(line.tick()).toEqual(NOTHING);
  expect(asked).not.toHaveBeenCalled();
  line.walk(0, 104);
  expect(line.tick()).toMatchObject({ entered: [], left: [] });
  asked.mockRestore();
  line.world.setInterest('default', { cap: 2, leaveMargin: 3 });
  expect(line.tick()).toMatchObject({ entered: [2], left: [0] });
});

test('rules can be removed: all perceived markers enter again', () => {
  const line = lineup({ default: { cap: 1 } }, [10, 20, 30]);
  line.tick();
  line.world.setInterest('default', {});
  expect(line.tick().entered).toEqual([1, 2]);
});

test('a listener with an interest gets events only of watchers with that interest', () => {
  const world = new World({ interests: { bots: {}, players: { cap: 5 } } });
  const [bot, player] = ['bots', 'players'].map((interest) =>
    world.add({ x: 0, y: 0, range: 10, marker: false, interest }),
  );
  const marker = world.add({ x: 1, y: 0 });
  const told: [string, number][] = [];
  world.on('enter', (watcher) => void told.push(['players', watcher]), { interest: 'players' });
  world.on('enter', (watcher) => void told.push(['all', watcher]));
  world.on('leave', (watcher) => void told.push(['bots leave', watcher]), { interest: 'bots' });
  world.tick();
  expect(told).toEqual([
    ['all', bot],
    ['players', player],
    ['all', player],
  ]);
  told.length = 0;
  world.remove(marker);
  world.tick();
  expect(told).toEqual([['bots leave', bot]]);
});

test('the leave margin of an interest that is new since the tick is that which the next tick will use', () => {
  const world = new World({ interests: { default: { leaveMargin: 2 } } });
  const watcher = world.add({ x: 0, y: 0, range: 10 });
  world.tick();
  world.setInterest('default', { leaveMargin: 3 });
  world.setInterest('wide', { leaveMargin: 5 });
  expect(world.leaveMargin(watcher)).toBe(2);
  const other = world.add({ x: 0, y: 0, range: 10, interest: 'wide' });
  world.update(watcher, { interest: 'wide' });
  expect([watcher, other].map((id) => world.leaveMargin(id))).toEqual([5, 5]);
  world.tick();
  expect([watcher, other].map((id) => world.leaveMargin(id))).toEqual([5, 5]);
});

test('the key of an interest differs from the tick on in which the watcher has another one', () => {
  const world = new World({ interests: { other: {} } });
  const watcher = world.add({ x: 0, y: 0, range: 10 });
  const keys = new Set<object>();
  const isNew = (): boolean => keys.size < keys.add(world.interestKey(watcher)).size;
  expect(isNew()).toBe(true);
  const changes = [
    () => {},
    () => world.update(watcher, { interest: 'other' }),
    () => world.setInterest('default', { cap: 3 }),
    () => world.setInterest('other', {}),
    () => world.update(watcher, { interest: 'default' }),
  ];
  const told = changes.map((change) => {
    change();
    const isEarly = isNew();
    world.tick();
    return [isEarly, isNew()];
  });
  expect(told).toEqual([
    [false, false],
    [false, true],
    [false, false],
    [false, true],
    [false, true],
  ]);
});
