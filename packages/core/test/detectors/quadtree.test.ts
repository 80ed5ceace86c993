/**
 * Quadtree beyond the conformance suite: random lives beside the definition, and what is its own: nodes that split and
 * merge, depth that stays bounded, pile-ups, the few that reach far.
 */
import { afterEach, describe, expect, test, vi } from 'vitest';
import { PairSieve } from '../../src/detectors/pairs/pair-sieve.ts';
import { PairTest } from '../../src/detectors/pairs/pair-test.ts';
import { quadtree } from '../../src/detectors/quadtree.ts';
import { World } from '../../src/index.ts';
import { liveMany, type Place, randomFrom, SideBySide } from './side-by-side.ts';

afterEach(() => {
  vi.restoreAllMocks();
});

/** How many pairs the sieve is given while `work` runs. */
function pairsLookedAt(work: () => void): number {
  const sift = vi.spyOn(PairSieve.prototype, 'sift');
  work();
  return sift.mock.calls.reduce((sum, [, , from, to]) => sum + to - from, 0);
}

/** The figures of the first line of the tree's description. */
function figuresOf(world: SideBySide): { members: number; leaves: number; nodes: number; depth: number } {
  const found = /(\d+) members in (\d+) leaves of (\d+) nodes, (\d+) deep/.exec(world.detector.describe());
  const [members, leaves, nodes, depth] = (found ?? []).slice(1).map(Number) as [
    number,
    number,
    number,
    number,
  ];
  return { members, leaves, nodes, depth };
}

function crowd(count: number, extent: number, range: number): { world: SideBySide; slots: number[] } {
  const random = randomFrom(count);
  const world = new SideBySide(quadtree);
  const place = (): Place => [random() * extent, random() * extent];
  const slots = Array.from({ length: count }, () => world.add(place(), { range }));
  world.tick();
  return { world, slots };
}

test('random lives report what the definition reports', () => {
  liveMany(quadtree, {}, 1, 200);
});

describe('the tree', () => {
  test('splits where many stand, and is one leaf again when they are gone', () => {
    const { world, slots } = crowd(500, 100, 5);
    expect(figuresOf(world).leaves).toBeGreaterThan(500 / 24);
    for (const slot of slots.slice(10)) world.store.remove(slot);
    world.tick();
    expect(figuresOf(world)).toEqual({ members: 10, leaves: 1, nodes: 1, depth: 0 });
    for (const slot of slots.slice(0, 10)) world.store.remove(slot);
    world.tick();
    expect(world.detector.describe()).toBe('quadtree: empty');
  });

  test('uses its nodes again', () => {
    const { world, slots } = crowd(400, 100, 1);
    const random = randomFrom(1);
    const wander = (ticks: number) => {
      for (let tick = 0; tick < ticks; tick++) {
        const [x, y] = [random() * 1e6, random() * 1e6];
        for (const slot of slots) world.move(slot, [x + random() * 100, y + random() * 100]);
        world.tick();
      }
      return world.detector.memoryBytes;
    };
    expect(wander(20)).toBe(wander(20));
  });

  test('is hardly deeper for someone at the end of the world', () => {
    const { world } = crowd(300, 100, 5);
    const { depth } = figuresOf(world);
    for (const far of [1e9, 1e12, -1e12]) world.add([far, far / 3], { range: 5 });
    world.tick();
    expect(figuresOf(world).depth).toBeLessThanOrEqual(depth + 3);
  });

  test('stays within its bound for places that halve their distance for ever', () => {
    const world = new SideBySide(quadtree);
    for (let i = 0; i < 140; i++) {
      for (let k = 0; k < 3; k++) world.add([1e12 * 2 ** -i, 0], { range: 1e-3 * k });
    }
    world.tick();
    const { depth, nodes } = figuresOf(world);
    expect(depth).toBeLessThanOrEqual(82);
    expect(nodes).toBeLessThan(420);
  });

  test('holds apart who stands on either side of the origin, and of any power of two', () => {
    const world = new SideBySide(quadtree);
    for (const edge of [0, 1, -1, 1024, -(2 ** 30)]) {
      for (let i = 0; i < 30; i++) world.add([edge + (i % 2) - 0.5, edge - (i % 3) + 1], { range: 0.75 });
    }
    world.tick();
    for (let slot = 0; slot < 150; slot++) {
      const { x, y } = world.store.now;
      world.move(slot, [-(y[slot] ?? 0), x[slot] ?? 0]);
    }
    world.tick();
  });
});

describe('a pile on one point', () => {
  const pile = (count: number, range: number) => {
    const world = new World({ detector: quadtree });
    const place = new Float32Array(count).fill(7);
    const ids = world.addMany({ x: place, y: place, range });
    world.tick();
    return { world, ids, place };
  };

  test('is one leaf, and splits when one of them moves away', () => {
    const world = new SideBySide(quadtree);
    for (let i = 0; i < 300; i++) world.add([3, 4], {});
    world.tick();
    expect(figuresOf(world)).toMatchObject({ leaves: 1, depth: 0 });
    world.move(5, [3.001, 4]);
    world.tick();
    expect(figuresOf(world)).toMatchObject({ leaves: 2, depth: 1 });
  });

  test('that walks off in all directions is split like any crowd', () => {
    const world = new SideBySide(quadtree);
    const random = randomFrom(4);
    const angles = Array.from({ length: 300 }, () => random() * 7);
    const slots = angles.map(() => world.add([0, 0], { range: 1 }));
    for (let tick = 0; tick < 40; tick++) {
      world.tick();
      slots.forEach((slot, i) => {
        world.move(slot, [Math.cos(angles[i]!) * tick * 0.5, Math.sin(angles[i]!) * tick * 0.5]);
      });
    }
    expect(figuresOf(world).leaves).toBeGreaterThan(300 / 24);
  });

  test('in which all perceive all moves without a pair being looked at', () => {
    const { world, ids, place } = pile(600, 50);
    const random = randomFrom(3);
    const looks = pairsLookedAt(() => {
      for (let tick = 0; tick < 4; tick++) {
        for (let i = 0; i < 600; i++) place[i] = 7 + random() * 3;
        world.moveMany(ids, place, place.toReversed());
        expect(world.tick().viewCount).toBe(600);
      }
    });
    expect(looks).toBe(0);
    expect(world.lastChanges.enteredCount + world.lastChanges.leftCount).toBe(0);
  });

  test('of things costs one who comes or goes no more than the watchers there', () => {
    const world = new SideBySide(quadtree);
    world.add([3, 4], { range: 2 });
    for (let i = 0; i < 400; i++) world.add([3, 4], {});
    world.tick();
    const both = vi.spyOn(PairTest.prototype, 'both');
    for (let slot = 1; slot <= 200; slot++) world.store.remove(slot);
    expect(world.tick()).toHaveLength(200);
    expect(both.mock.calls.length).toBe(200);
  });
});

describe('the work of a tick', () => {
  test('is nothing where nobody moves', () => {
    const { world } = crowd(400, 100, 5);
    expect(pairsLookedAt(() => world.tick())).toBe(0);
  });

  test('is the surroundings of the one that moved', () => {
    const { world, slots } = crowd(2000, 1000, 20);
    world.move(slots[9]!, [500, 500]);
    world.tick();
    world.move(slots[9]!, [501, 500]);
    const looks = pairsLookedAt(() => world.tick());
    expect(looks).toBeGreaterThan(0);
    expect(looks).toBeLessThan(60);
  });

  test('does not grow much for those who reach far, but for themselves', () => {
    const { world, slots } = crowd(2000, 1000, 20);
    const step = () => {
      for (const slot of slots) {
        const { x, y } = world.store.now;
        world.move(slot, [(x[slot] ?? 0) + 0.5, y[slot] ?? 0]);
      }
      world.tick();
    };
    const before = pairsLookedAt(step);
    world.add([300, 300], { range: 1e12 });
    world.add([700, 700], { minReach: 1e12 });
    world.tick();
    vi.restoreAllMocks();
    const after = pairsLookedAt(step);
    // Each of the others is looked at with both of them.
    expect(after).toBeLessThan(before + 2.5 * slots.length);
  });
});

test('leaves are drawn with how many they hold, and the text stays short', () => {
  const world = new World({ detector: quadtree });
  const random = randomFrom(8);
  const coordinates = () => Float32Array.from({ length: 800 }, () => random() * 64);
  world.addMany({ x: coordinates(), y: coordinates(), range: 10 });
  world.tick();
  const { cells } = world.sketch({ minX: 0, minY: 0, maxX: 64, maxY: 64 });
  let sum = 0;
  for (let i = 4; i < cells.length; i += 5) sum += cells[i] ?? 0;
  expect(sum).toBe(800);
  const many = crowd(3000, 100, 1).world;
  expect(many.detector.describe().split('\n').length).toBeLessThanOrEqual(40);
});
