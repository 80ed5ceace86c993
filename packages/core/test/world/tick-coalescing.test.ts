/**
 * A tick compares now with the last tick: how the world got from one to the other leaves no trace.
 */
import { describe, expect, test } from 'vitest';
import { Random } from '../../src/conformance/random.ts';
import { detectorNames, World } from '../../src/index.ts';

test('ticks are counted from 1, and lastChanges is what the last one returned', () => {
  const world = new World();
  expect(world.tickCount).toBe(0);
  expect(world.lastChanges.tick).toBe(0);
  expect(world.lastChanges.viewCount).toBe(0);
  expect([...world.lastChanges]).toEqual([]);
  expect([...world.lastChanges.removed]).toEqual([]);
  const first = world.tick();
  expect(first.tick).toBe(1);
  expect(world.lastChanges).toBe(first);
  expect(world.tick().tick).toBe(2);
  expect(world.tickCount).toBe(2);
});

test('the first lastChanges has empty columns and the hash of nothing', () => {
  const { lastChanges } = new World();
  for (const kind of ['entered', 'left', 'updated', 'sensed'] as const) {
    expect(lastChanges.columns(kind).count).toBe(0);
    expect(lastChanges[`${kind}Count`]).toBe(0);
  }
  expect(lastChanges.hash()).toBe('0000000000000000');
  expect(lastChanges.of(1025)).toBeUndefined();
});

describe.each(detectorNames)('with %s', (detector) => {
  test('detours between two ticks leave no trace in any report', () => {
    const [direct, detoured] = [new World({ detector }), new World({ detector })];
    const random = new Random(11);
    const place = () => random.between(-20, 20);
    for (let i = 0; i < 60; i++) {
      const init = { x: place(), y: place(), range: random.below(8) };
      expect(direct.add(init)).toBe(detoured.add(init));
    }
    for (let tick = 0; tick < 40; tick++) {
      for (const id of direct.ids()) {
        const [x, y] = [place(), place()];
        const range = random.below(8);
        for (let i = 0; i < 3; i++) {
          detoured.move(id, place() * 100, place());
          detoured.update(id, { range: random.below(500), layers: random.below(4), marker: i % 2 === 0 });
        }
        detoured.update(id, { layers: 1, marker: true });
        for (const world of [direct, detoured]) {
          world.move(id, x, y);
          world.update(id, { range });
        }
      }
      const [one, other] = [direct.tick(), detoured.tick()];
      expect(other.hash()).toBe(one.hash());
      expect(one.enteredCount).toBeGreaterThan(0);
    }
  });

  test('ghosts that come and go between two ticks are nobody’s business', () => {
    const [quiet, haunted] = [new World({ detector }), new World({ detector })];
    const places = { x: [0, 1, 2, 3], y: [0, 0, 0, 0], range: 2 };
    const ids = quiet.addMany(places);
    haunted.addMany(places);
    for (let tick = 1; tick <= 10; tick++) {
      const ghosts = haunted.addMany({ x: [0, 1, 2], y: [0, 0, 0], range: 100, minReach: 50 });
      haunted.touch(ghosts[0]);
      haunted.move(ghosts[1], 3, 0);
      haunted.removeMany(ghosts);
      for (const world of [quiet, haunted]) world.move(ids[0], tick, 0);
      const [one, other] = [quiet.tick(), haunted.tick()];
      expect(other.hash()).toBe(one.hash());
      expect([...one.removed]).toEqual([]);
      expect([...other.removed]).toEqual([...ghosts]);
    }
  });
});

test('removed lists every id removed since the last tick, ascending, and only those', () => {
  const world = new World();
  const ids = world.addMany({ x: [0, 0, 0, 0, 0], y: [0, 0, 0, 0, 0] });
  world.remove(ids[3]);
  expect([...world.tick().removed]).toEqual([ids[3]]);
  world.removeMany(Uint32Array.of(ids[4], ids[0], ids[2]));
  expect([...world.tick().removed]).toEqual([ids[0], ids[2], ids[4]]);
  expect([...world.tick().removed]).toEqual([]);
});

test('the hash tells reports apart by kind, watcher, marker and senses', () => {
  const hashes = new Set<string>();
  for (const range of [{ sight: 5 }, { hearing: 5 }, { sight: 5, hearing: 5 }]) {
    const world = new World({ senses: ['sight', 'hearing'] });
    const [one, other] = world.addMany({ x: [0, 1], y: [0, 0] });
    world.update(one, { range });
    hashes.add(world.tick().hash());
    world.update(one, { range: { sight: 0, hearing: 0 } });
    hashes.add(world.tick().hash());
    world.update(other, { range });
    hashes.add(world.tick().hash());
    world.touch(one);
    hashes.add(world.tick().hash());
    world.update(other, { range: { sight: 1, hearing: 1 } });
    const sensed = world.tick();
    if (sensed.sensedCount > 0) hashes.add(sensed.hash());
  }
  // Entering tells three masks of senses apart, in both directions; leaving and updated know none; two are sensed.
  expect(hashes.size).toBe(3 + 1 + 3 + 1 + 1);
});

test('the hash is the same whichever way a report came about', () => {
  const reports = [
    [0, 1],
    [1, 0],
  ].map((order) => {
    const world = new World();
    const ids = world.addMany({ x: [0, 100], y: [0, 0], range: 5 });
    const markers = world.addMany({ x: [50, 50], y: [50, 50] });
    world.tick();
    for (const i of order) world.move(markers[i], i === 0 ? 1 : 101, 0);
    expect(ids.length).toBe(2);
    return world.tick().hash();
  });
  expect(reports[0]).toBe(reports[1]);
});
