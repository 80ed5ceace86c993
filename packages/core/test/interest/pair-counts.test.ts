/**
 * The numbers of lingering and of waiting pairs in `stats`, compared with what `explain` says of each pair.
 */
import { describe, expect, test, vi } from 'vitest';
import { createScript, runScript } from '../../src/conformance/index.ts';
import {
  type DetectorName,
  detectorNames,
  RecordedWorld,
  Replay,
  World,
  type WorldOptions,
} from '../../src/index.ts';
import { RuledWatchers } from '../../src/interest/standing/ruled-watchers.ts';

/** Counts what `explain` says of all pairs. */
function counted(world: World): { lingeringCount: number; waitingCount: number } {
  const ids = world.ids();
  const rules = [...ids].flatMap((watcher) => [...ids].map((marker) => world.explain(watcher, marker).rule));
  const count = (wanted: string) => rules.filter((rule) => rule === wanted).length;
  return { lingeringCount: count('linger'), waitingCount: count('waiting') };
}

function told(world: World): { lingeringCount: number; waitingCount: number } {
  const { lingeringCount, waitingCount } = world.stats();
  return { lingeringCount, waitingCount };
}

const OPTIONS = { interests: { default: { lingerTicks: 2, enterBudget: 2 } } } satisfies WorldOptions;

/** A watcher amid a crowd, some of which step out of its range later. */
function crowd(world: Pick<World, 'add' | 'addMany'>) {
  const watcher = world.add({ x: 0, y: 0, range: 10, marker: false });
  return { watcher, markers: world.addMany({ x: [1, 2, 3, 4, 5], y: [0, 0, 0, 0, 0] }) };
}

describe.each(detectorNames)('a world with detector %s', (detector: DetectorName) => {
  test('counts waiting pairs from tick to tick, and lingering pairs until their ticks are over', () => {
    const world = new World({ ...OPTIONS, detector });
    expect(told(world)).toEqual({ lingeringCount: 0, waitingCount: 0 });
    const { markers } = crowd(world);
    const waiting = [0, 1, 2, 3].map(() => {
      world.tick();
      expect(told(world)).toEqual(counted(world));
      return world.stats().waitingCount;
    });
    expect(waiting).toEqual([3, 1, 0, 0]);
    const lingering = [0, 1, 2, 3].map((tick) => {
      if (tick < 2) world.move(markers[tick], 100, 0);
      world.tick();
      expect(told(world)).toEqual(counted(world));
      return world.stats().lingeringCount;
    });
    expect(lingering).toEqual([1, 2, 1, 0]);
  });

  test('counts no pairs of a watcher that went to rest, was removed, or has other rules', () => {
    for (const end of ['rest', 'removal', 'rules', 'a name'] as const) {
      const world = new World({ interests: { ...OPTIONS.interests, plain: {} }, detector });
      const { watcher, markers } = crowd(world);
      world.tick();
      world.move(markers[0], 100, 0);
      world.tick();
      expect(told(world)).toEqual({ lingeringCount: 1, waitingCount: 1 });
      if (end === 'rest') world.update(watcher, { watches: false });
      else if (end === 'removal') world.remove(watcher);
      else if (end === 'rules') world.setInterest('default', {});
      else world.update(watcher, { interest: 'plain' });
      expect(told(world)).toEqual({ lingeringCount: 1, waitingCount: 1 });
      world.tick();
      expect(told(world)).toEqual({ lingeringCount: 0, waitingCount: 0 });
    }
  });
});

test('counts no pairs of watchers whose seats are searched with their new rules', () => {
  const world = new World({ interests: { default: { lingerTicks: 8 } } });
  const crowd = world.addMany({
    x: Array.from({ length: 50 }, (_, i) => i),
    y: new Float32Array(50),
    range: 60,
  });
  world.tick();
  world.move(crowd[0], 1000, 0);
  world.tick();
  expect(told(world).lingeringCount).toBe(2 * 49);
  world.setInterest('default', { cap: 3 });
  world.tick();
  expect(told(world).lingeringCount).toBe(0);
});

test('counts neither forced pairs as lingering, nor markers attached to a lingering one', () => {
  const world = new World(OPTIONS);
  const { watcher, markers } = crowd(world);
  for (let tick = 0; tick < 3; tick++) world.tick();
  const saddle = world.add({ x: 0, y: 0 });
  world.attach(saddle, markers[0]);
  world.pin(watcher, markers[1]);
  for (const marker of markers.subarray(0, 2)) world.move(marker, 100, 0);
  world.tick();
  expect([...world.visibleTo(watcher)]).toEqual([...markers, saddle]);
  expect(told(world)).toEqual({ lingeringCount: 1, waitingCount: 0 });
  expect(told(world)).toEqual(counted(world));
});

test('a failed tick does not change the numbers', () => {
  let fails = false;
  const admit = () => {
    if (fails) throw new Error('it is over');
    return true;
  };
  const world = new World({ interests: { default: { ...OPTIONS.interests.default, admit } } });
  const { markers } = crowd(world);
  world.tick();
  world.move(markers[0], 100, 0);
  world.tick();
  const before = told(world);
  expect(before).toEqual({ lingeringCount: 1, waitingCount: 1 });
  fails = true;
  world.add({ x: 1, y: 1 });
  expect(() => world.tick()).toThrow('it is over');
  expect(told(world)).toEqual(before);
});

test('a restored world has the same numbers, before its first tick and after; one stored at rest has none', () => {
  const world = new World(OPTIONS);
  const { markers } = crowd(world);
  world.tick();
  world.move(markers[0], 100, 0);
  world.tick();
  const twin = World.restore(world.snapshot());
  for (let tick = 0; tick < 4; tick++) {
    expect(told(twin), `tick ${tick}`).toEqual(told(world));
    for (const each of [world, twin]) each.tick();
  }
  expect(told(World.restore(world.snapshot({ atRest: true })))).toEqual({
    lingeringCount: 0,
    waitingCount: 0,
  });
});

test('a replay has the same numbers at each tick, also from a snapshot in the middle on', () => {
  const world = new RecordedWorld(OPTIONS);
  const pieces: Uint8Array[] = [];
  const { markers } = crowd(world);
  world.record((bytes) => pieces.push(bytes.slice()), { snapshotBytes: 1 });
  const expected = Array.from({ length: 6 }, (_, tick) => {
    if (tick === 1) world.move(markers[0], 100, 0);
    world.tick();
    return told(world);
  });
  world.stopRecording();
  expect(expected.filter(({ lingeringCount }) => lingeringCount > 0)).toHaveLength(2);
  const replay = new Replay(new Uint8Array(Buffer.concat(pieces)));
  for (const counts of expected) {
    replay.step();
    expect(told(replay.world), `tick ${replay.tick}`).toEqual(counts);
  }
  for (let tick = expected.length; tick > 0; tick--) {
    replay.seek(tick);
    expect(told(replay.world), `tick ${tick}`).toEqual(expected[tick - 1]);
  }
});

test('random scripts check the numbers: with one that is wrong by one they fail', () => {
  for (const name of ['lingeringCount', 'waitingCount'] as const) {
    class Miscounting extends World {
      override stats() {
        const stats = super.stats();
        return stats[name] === 0 ? stats : { ...stats, [name]: stats[name] + 1 };
      }
    }
    const create = (options: WorldOptions) => new Miscounting(options);
    const size = { operations: 150, entities: 10, interests: true };
    const seeds = Array.from({ length: 300 }, (_, i) => i + 1);
    const isFound = (seed: number) =>
      runScript(createScript(seed, size), { detector: 'brute-force', create }) !== undefined;
    expect(seeds.some(isFound), name).toBe(true);
  }
});

test('a world without enter budgets looks at no watcher to count waiting pairs', () => {
  const world = new World({ interests: { default: { cap: 2 }, quick: { cap: 2, leaveMargin: 1 } } });
  const x = Float32Array.from({ length: 100 }, (_, i) => i);
  world.addMany({ x, y: new Float32Array(100), range: 5 });
  world.tick();
  const looks = vi.spyOn(RuledWatchers.prototype, 'interestIn');
  const { waitingCount } = world.stats();
  const { length: lookCount } = looks.mock.calls;
  looks.mockRestore();
  expect({ waitingCount, lookCount }).toEqual({ waitingCount: 0, lookCount: 0 });
});
