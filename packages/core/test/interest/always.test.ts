/** Always: a marker that every watcher is shown, wherever it is: a boss, a flag, a clock. */
import { describe, expect, test, vi } from 'vitest';
import { type Interest, World } from '../../src/index.ts';
import { RowDecider } from '../../src/interest/row-decider.ts';
import { searchShares } from '../../src/interest/seats/searched-watchers.ts';
import { storeOf } from '../../src/world.ts';
import { Lineup, NOTHING } from './lineup.ts';
import { ALWAYS_SEARCHED, withShares } from './searched-lives.ts';

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

describe.each([
  ['a watcher with a whole row', searchShares],
  ['a searched watcher', ALWAYS_SEARCHED],
])('under a cap, the kernel decides what is shown always from now on, or no more, for %s', (_, shares) => {
  function withKernel(run: () => void): void {
    const slow = vi.spyOn(RowDecider.prototype, 'decide');
    withShares(shares, run);
    expect(slow).not.toHaveBeenCalled();
    slow.mockRestore();
  }

  /** A watcher is hidden from the detector in a tick with a change. */
  function begun(interest: Interest, distances: readonly number[]): Lineup {
    const line = new Lineup(interest, distances);
    line.tick();
    line.walk(0, 11);
    line.tick();
    expect(storeOf(line.world).last.hidden.at(line.watcher >>> 10)).toBe(shares === ALWAYS_SEARCHED ? 1 : 0);
    return line;
  }

  test('it takes the worst seat, and gives it back', () => {
    withKernel(() => {
      const line = begun({ cap: 3, incumbentBonus: 0 }, [10, 20, 30, 40, 50]);
      line.update(4, { always: true });
      expect(line.tick()).toMatchObject({ entered: [4], left: [2] });
      line.update(1, { always: true });
      expect(line.tick()).toEqual(NOTHING);
      line.update(3, { always: true });
      expect(line.tick()).toMatchObject({ entered: [3], left: [0] });
      line.update(4, { always: false });
      expect(line.tick()).toMatchObject({ entered: [0], left: [4] });
      line.update(1, { always: false });
      line.update(3, { always: false });
      expect(line.tick()).toMatchObject({ entered: [2], left: [3] });
    });
  });

  test('more of them than the cap are shown, and no other', () => {
    withKernel(() => {
      const line = begun({ cap: 2 }, [10, 20, 30, 40, FAR]);
      for (const place of [2, 3, 4]) line.update(place, { always: true });
      expect(line.tick()).toMatchObject({ entered: [2, 3, 4], left: [0, 1] });
      for (const place of [2, 3, 4]) line.update(place, { always: false });
      expect(line.tick()).toMatchObject({ entered: [0, 1], left: [2, 3, 4] });
    });
  });

  test('the margin holds it in every sense when it is shown no more', () => {
    withKernel(() => {
      const line = begun({ cap: 2, leaveMargin: 5, incumbentBonus: 1 }, [10, 20, 30, 40, 104]);
      line.update(4, { always: true });
      expect(line.tick()).toMatchObject({ entered: [4], left: [1] });
      line.update(4, { always: false });
      expect(line.tick()).toMatchObject({ entered: [], left: [], sensed: [4] });
      expect(line.world.senses(line.watcher, line.markers[4] as number)).toBe(1);
      line.walk(4, 106);
      expect(line.tick()).toMatchObject({ entered: [1], left: [4] });
    });
  });

  test('when it is shown no more and others rank better, the cap is why it is not related, although the margin holds it', () => {
    withKernel(() => {
      const line = begun({ cap: 2, leaveMargin: 5, incumbentBonus: 0 }, [10, 20, 30, 40, 104]);
      line.update(4, { always: true });
      expect(line.tick()).toMatchObject({ entered: [4], left: [1] });
      line.update(4, { always: false });
      expect(line.tick()).toMatchObject({ entered: [1], left: [4] });
      const { rule, place, distance } = line.world.explain(line.watcher, line.markers[4] as number);
      expect({ rule, place, distance }).toEqual({ rule: 'cap', place: 5, distance: 104 });
    });
  });

  test('what was related by it alone is not remembered', () => {
    withKernel(() => {
      const line = begun({ cap: 2, memoryTicks: 10 }, [10, 20, 30, 40, FAR]);
      line.update(4, { always: true });
      line.tick();
      line.update(4, { always: false });
      expect(line.tick()).toMatchObject({ entered: [1], left: [4] });
      line.walk(4, 19);
      expect(line.tick()).toMatchObject({ entered: [], left: [] });
    });
  });
});
