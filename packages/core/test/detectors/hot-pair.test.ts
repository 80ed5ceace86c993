/**
 * Hot pairs beyond the conformance suite: random lives beside the definition, with rows of every length, and what is its
 * own: places, drifting, which pairs wait, versions that come round, rows that grow too long.
 */
import { afterEach, describe, expect, test, vi } from 'vitest';
import { Places } from '../../src/detectors/hot-pair/places.ts';
import { createHotPair, hotPair } from '../../src/detectors/hot-pair.ts';
import { PairSieve } from '../../src/detectors/pairs/pair-sieve.ts';
import { World } from '../../src/index.ts';
import { liveMany, randomFrom, SideBySide } from './side-by-side.ts';

afterEach(() => {
  vi.restoreAllMocks();
});

/** How many pairs the sieve is given while `work` runs. */
function pairsLookedAt(work: () => void): number {
  const sift = vi.spyOn(PairSieve.prototype, 'sift');
  work();
  return sift.mock.calls.reduce((sum, [, , from, to]) => sum + to - from, 0);
}

/** A world in which a range of 10 is usual, and neighbours stand on one point as far as places are concerned. */
function worldOfTens(): SideBySide {
  const world = new SideBySide(hotPair);
  for (let i = 0; i < 40; i++) world.add([0, 500], { range: 10, layers: 2 ** 31, sees: 0 });
  return world;
}

function rowOf(world: SideBySide, slot: number): string {
  const line = world.detector
    .describe()
    .split('\n')
    .find((text) => text.startsWith(`slot ${slot} `));
  return line ?? '';
}

test('random lives report what the definition reports', () => {
  liveMany(hotPair, {}, 1, 150);
});

test('random lives with rows of a few pairs report what the definition reports', () => {
  liveMany(createHotPair({ longestRow: 12 }), {}, 1000, 100);
  liveMany(createHotPair({ longestRow: 0 }), {}, 2000, 50);
});

test('crowds that walk slowly for long report what the definition reports', () => {
  for (const rangeShape of ['circle', 'box'] as const) {
    const random = randomFrom(21);
    const world = new SideBySide(hotPair, { rangeShape, ratioX: 0.5, ratioY: 2 });
    const places = Array.from({ length: 60 }, () => [random() * 70, random() * 30] as [number, number]);
    const steps = places.map(() => [random() - 0.5, random() - 0.5] as const);
    const slots = places.map((place, i) => world.add(place, i % 4 === 0 ? {} : { range: 3 + (i % 9) }));
    for (let tick = 0; tick < 150; tick++) {
      world.tick();
      slots.forEach((slot, i) => {
        const place = places[i]!;
        place[0] += steps[i]![0];
        place[1] += steps[i]![1];
        if (random() < 0.9) world.move(slot, place);
      });
    }
  }
});

test('a crowd that goes, or becomes short-sighted, all at once does not look at all with all', () => {
  const random = randomFrom(5);
  for (const end of ['goes', 'becomes short-sighted'] as const) {
    const world = new SideBySide(hotPair);
    const slots = Array.from({ length: 1500 }, () =>
      world.add([random() * 900, random() * 900], { range: 20 }),
    );
    expect(world.tick().length).toBeGreaterThan(1000);
    for (const slot of slots) {
      if (end === 'goes') world.store.remove(slot);
      else world.update(slot, { range: 1 });
    }
    const searches = vi.spyOn(Places.prototype, 'surroundingsInto');
    world.tick();
    const lookedAt = searches.mock.results.reduce((sum, { value }) => sum + (value as number), 0);
    expect(lookedAt).toBeLessThan(slots.length * 100);
    // What suits those who are left is found with the next tick.
    world.add([0, 0], { range: 1 });
    world.tick();
    expect(world.detector.describe()).toContain('usual range 1,');
    searches.mockRestore();
  }
});

test('the six points of the cross-list article are perceived by boxes of 2, before and after a move', () => {
  const world = new SideBySide(hotPair, { rangeShape: 'box' });
  const places = { a: [1, 5], f: [6, 6], c: [3, 1], b: [2, 2], e: [5, 3] } as const;
  const slots = Object.values(places).map((place) => world.add(place, {}));
  const [a, f, c, b, e] = slots as [number, number, number, number, number];
  const d = world.add([3, 3], { range: 2 });
  expect(world.tick().map(([, marker]) => marker)).toEqual([a, c, b, e]);
  world.move(d, [4, 4]);
  expect(world.tick()).toEqual([
    [d, a, 1, 0],
    [d, f, 0, 1],
    [d, c, 1, 0],
  ]);
  expect([b, e]).toHaveLength(2);
});

describe('a place', () => {
  test('is kept while one is no farther from it than half its range', () => {
    const world = worldOfTens();
    const walker = world.add([0, 0], { range: 10 });
    world.tick();
    // Described first come first: make room for the walker.
    for (let slot = 0; slot < 40; slot++) world.store.remove(slot);
    world.tick();
    world.move(walker, [3, 4]);
    world.tick();
    expect(rowOf(world, walker)).toContain('placed at 0 0,');
    world.move(walker, [3, 4.01]);
    world.tick();
    expect(rowOf(world, walker)).toMatch(/placed at 3 4\.01/);
  });

  test('is left for a property as for a step', () => {
    const world = worldOfTens();
    const walker = world.add([7, 0], { range: 10 });
    const other = world.add([37, 0], {});
    world.tick();
    world.update(walker, { range: 30 });
    expect(world.tick()).toEqual([[walker, other, 0, 1]]);
    world.update(other, { channel: 3 });
    world.update(walker, { channel: 4 });
    expect(world.tick()).toEqual([[walker, other, 1, 0]]);
  });
});

describe('a pair', () => {
  test('waits while its places are no farther apart than twice the range, and no longer', () => {
    const entries = (distance: number) => {
      const world = worldOfTens();
      world.add([0, 0], { range: 10 });
      world.add([distance, 0], { range: 10 });
      world.tick();
      return Number(/(\d+) entries/.exec(world.detector.describe())?.[1]);
    };
    expect(entries(9)).toBe(2);
    expect(entries(20)).toBe(2);
    expect(entries(20.01)).toBe(0);
  });

  test('that drifts together from afar enters on the very step that brings it into range, and leaves so', () => {
    const world = worldOfTens();
    const left = world.add([0, 0], { range: 10 });
    const right = world.add([20.25, 0], { range: 10 });
    const events: [step: number, after: number | undefined][] = [];
    for (let step = 0; step <= 140; step++) {
      const crossings = world.tick();
      if (crossings.length > 0) events.push([step, crossings[0]?.[3]]);
      world.move(left, [Math.fround(step * 0.125), 0]);
      world.move(right, [Math.fround(20.25 - step * 0.125), 0]);
    }
    // Not a hot pair at first, and within range one step after both have used up their slack: 20.25 - 0.25 s <= 10 from
    // s = 41 on, which the next tick reports; past each other, farther than 10 from s = 122 on.
    expect(events).toEqual([
      [42, 1],
      [123, 0],
    ]);
  });

  test('outlives more placements than there are versions', () => {
    const world = worldOfTens();
    const still = world.add([0, 0], { range: 10 });
    const restless = world.add([9, 0], { range: 10 });
    world.tick();
    for (let i = 1; i <= 2100; i++) {
      world.move(restless, [i % 2 === 0 ? 9 : -3 - (i % 7), 0]);
      expect(world.tick()).toEqual([]);
    }
    expect(Number(/(\d+) entries/.exec(world.detector.describe())?.[1])).toBeLessThan(100);
    world.move(restless, [10.5, 0]);
    expect(world.tick()).toEqual([
      [still, restless, 1, 0],
      [restless, still, 1, 0],
    ]);
  });
});

describe('the work of a tick', () => {
  const crowd = (options: { eye?: boolean } = {}) => {
    const world = new SideBySide(hotPair);
    const slots = Array.from({ length: 400 }, (_, i) =>
      world.add([(i % 20) * 10, Math.floor(i / 20) * 10], { range: 15 }),
    );
    if (options.eye) {
      world.add([1e12, 0], { range: 1e12 });
      world.add([0, 1e9], { minReach: 1e12 });
    }
    world.tick();
    return { world, slots };
  };

  test('is nothing where nobody moves', () => {
    const { world } = crowd();
    expect(pairsLookedAt(() => world.tick())).toBe(0);
  });

  test('is the pairs of the one that moved', () => {
    const { world, slots } = crowd();
    world.move(slots[210]!, [101, 101]);
    const looks = pairsLookedAt(() => world.tick());
    // Within 30 on a lattice of 10 stand 28 others.
    expect(looks).toBeGreaterThan(20);
    expect(looks).toBeLessThan(40);
  });

  test('is each pair once where all move', () => {
    const { world, slots } = crowd();
    for (const slot of slots) world.move(slot, [(slot % 20) * 10 + 1, Math.floor(slot / 20) * 10]);
    expect(pairsLookedAt(() => world.tick())).toBeLessThan((400 * 29) / 2);
  });

  test('grows by one pair for each far-reaching one', () => {
    const { world, slots } = crowd({ eye: true });
    world.move(slots[210]!, [101, 101]);
    expect(pairsLookedAt(() => world.tick())).toBeLessThan(40);
  });
});

describe('a crowd', () => {
  test('on one point takes no more memory than its longest rows', () => {
    const world = new World({ detector: hotPair });
    const place = new Float32Array(1500).fill(3);
    world.addMany({ x: place, y: place, range: 5, sees: 2 });
    const { memoryBytes } = world.stats();
    world.tick();
    world.validate();
    expect(world.stats().memoryBytes - memoryBytes).toBeLessThan(1500 * 8192);
  });

  test('of those who cannot see takes no memory for pairs, whoever sees them', () => {
    const world = new SideBySide(hotPair);
    for (let i = 0; i < 3000; i++) world.add([1, 1], {});
    world.tick();
    const { memoryBytes } = world.detector;
    const eye = world.add([1, 1], { range: 2 });
    expect(world.tick()).toHaveLength(3000);
    expect(world.detector.memoryBytes - memoryBytes).toBeLessThan(3000 * 256);
    expect(world.detector.describe()).toContain('1 crowded');
    world.move(eye, [2.5, 1]);
    expect(world.tick()).toEqual([]);
    world.move(7, [9, 1]);
    expect(world.tick()).toEqual([[eye, 7, 1, 0]]);
  });
});

test('memory stays where it was while the same crowd walks on', () => {
  const world = new SideBySide(createHotPair());
  const slots = Array.from({ length: 300 }, (_, i) =>
    world.add([(i % 20) * 10, Math.floor(i / 20) * 10], { range: 15 }),
  );
  const walk = (ticks: number) => {
    for (let tick = 0; tick < ticks; tick++) {
      for (const slot of slots) {
        const [column, row] = [slot % 20, Math.floor(slot / 20)];
        world.move(slot, [column * 10 + ((tick * 3 + row) % 40), row * 10]);
      }
      world.tick();
    }
  };
  walk(80);
  const { memoryBytes } = world.detector;
  walk(160);
  expect(world.detector.memoryBytes).toBeLessThanOrEqual(memoryBytes * 1.3);
});

test('pairs are drawn as lines, and the text stays short', () => {
  const world = new World({ detector: hotPair });
  world.addMany({ x: [5, 6, 25, 300], y: [5, 6, 5, 5], range: 10 });
  world.tick();
  const sketch = world.sketch({ minX: 0, minY: 0, maxX: 50, maxY: 50 });
  expect(sketch.lines.length / 4).toBe(3);
  expect(sketch.lines.slice(0, 4).sort((a, b) => a - b)).toEqual([5, 5, 6, 6]);
  const many = new SideBySide(hotPair);
  for (let i = 0; i < 500; i++) many.add([i, 0], { range: 3 });
  many.tick();
  expect(many.detector.describe().split('\n').length).toBeLessThanOrEqual(40);
});
