/**
 * Searched watchers that are not queried for many ticks, compared with a world in which no watcher is
 * searched.
 */
import { describe, expect, test } from 'vitest';
import { type Interest, World, type WorldOptions } from '../../src/index.ts';
import { storeOf } from '../../src/world.ts';
import { NEVER_SEARCHED, numbersFrom, SOON_SEARCHED, withShares } from './searched-lives.ts';

const COUNT = 160;
const TICKS = 25;

/**
 * More than a hundred entities that stroll in a ball or disc, in a world where many are crowded and in one
 * where none is searched.
 */
class Stroll {
  readonly worlds: [crowded: World, plain: World];
  ids: Uint32Array;
  readonly #random: () => number;
  readonly #at: [x: Float32Array, y: Float32Array, z: Float32Array];
  readonly #toward: Float32Array[];

  constructor(seed: number, options: WorldOptions) {
    this.#random = numbersFrom(seed);
    this.worlds = [new World(options), new World(options)];
    const axis = (size: number) => Float32Array.from({ length: COUNT }, () => size * (this.#random() - 0.5));
    this.#at = [axis(40), axis(40), axis(10)];
    this.#toward = [axis(0.8), axis(0.8), axis(0.2)];
    const [x, y, z] = this.#at;
    const [ids] = this.worlds.map((world) => world.addMany({ x, y, z, range: 60 }));
    this.ids = ids as Uint32Array;
  }

  both(change: (world: World) => void): void {
    for (const world of this.worlds) change(world);
  }

  /** Moves every entity by a step; `leaps` entities leap across. */
  step(leaps = 0): void {
    this.#at.forEach((places, axis) => {
      const steps = this.#toward[axis] as Float32Array;
      for (let i = 0; i < COUNT; i++) {
        if (Math.abs((places[i] as number) + (steps[i] as number)) > 20) steps[i] = -(steps[i] as number);
        (places[i] as number) += steps[i] as number;
      }
      for (let leap = 0; leap < leaps; leap++) places[this.someone()] = 30 * (this.#random() - 0.5);
    });
    const [x, y, z] = this.#at;
    this.both((world) => world.moveMany(this.ids, x, y, z));
  }

  /** A random index, not an id. */
  someone(): number {
    return Math.floor(this.#random() * COUNT);
  }

  /** The two hashes of a tick, which must be equal. */
  tick(): [crowded: string, plain: string] {
    const [crowded, plain] = this.worlds;
    return [
      withShares(SOON_SEARCHED, () => crowded.tick().hash()),
      withShares(NEVER_SEARCHED, () => plain.tick().hash()),
    ];
  }

  /** Steps and ticks; both worlds must report the same. */
  live(ticks: number, leaps = 0): void {
    for (let tick = 0; tick < ticks; tick++) {
      this.step(leaps);
      const [crowded, plain] = this.tick();
      expect(crowded).toBe(plain);
    }
  }

  /** Number of searched watchers of the first world. */
  get searchedCount(): number {
    const { last } = storeOf(this.worlds[0]);
    return this.ids.filter((id) => last.hidden.at(id >>> 10) === 1).length;
  }

  dispose(): void {
    this.both((world) => void world.dispose());
  }
}

const KINDS: readonly [string, WorldOptions & { interests: { default: Interest } }][] = [
  ['with the usual bonus', { interests: { default: { cap: 20 } } }],
  ['without bonus', { interests: { default: { cap: 12, incumbentBonus: 0 } } }],
  [
    'with the largest bonus that the search supports',
    { interests: { default: { cap: 20, incumbentBonus: 0.59 } } },
  ],
  ['with one seat', { interests: { default: { cap: 1 } } }],
  ['in space', { dimensions: 3, interests: { default: { cap: 20 } } }],
  ['that remembers', { interests: { default: { cap: 20, memoryTicks: 5 } } }],
  ['with a margin and dwell', { interests: { default: { cap: 20, leaveMargin: 4, minDwellTicks: 3 } } }],
  ['with caps hardly reached', { interests: { default: { cap: COUNT - 5 } } }],
  ['in boxes', { rangeShape: 'box', rangeRatio: [1, 0.5], interests: { default: { cap: 20 } } }],
  ['with two senses', { senses: ['sight', 'smell'], interests: { default: { cap: 20 } } }],
];

describe.each(KINDS)('a crowd %s', (_, options) => {
  test('gets the same reports for many ticks, leaping and strolling', () => {
    for (let seed = 0; seed < 2; seed++) {
      const stroll = new Stroll(seed, options);
      stroll.live(TICKS);
      expect(stroll.searchedCount).toBeGreaterThan(COUNT / 3);
      stroll.live(5, 4);
      stroll.dispose();
    }
  });

  test('gets the same reports while some entities come, go, change and are queried', () => {
    for (let seed = 10; seed < 12; seed++) {
      const stroll = new Stroll(seed, options);
      for (let round = 0; round < 12; round++) {
        stroll.live(3);
        const [one, other] = [stroll.ids[stroll.someone()] as number, stroll.ids[stroll.someone()] as number];
        const [crowded, plain] = stroll.worlds;
        expect([...crowded.visibleTo(one)]).toEqual([...plain.visibleTo(one)]);
        if (one !== other)
          expect(crowded.explain(one, other).sentence).toBe(plain.explain(one, other).sentence);
        if (round % 4 === 1) stroll.both((world) => world.update(one, { range: 20 + (other % 50) }));
        if (round % 4 === 2 && one !== other) stroll.both((world) => world.pin(one, other));
        if (round % 4 === 3 && one !== other) stroll.both((world) => world.unpin(one, other));
        if (round === 6)
          stroll.both((world) => world.setInterest('default', { ...options.interests.default, cap: 9 }));
        if (round % 3 === 2) {
          const init = { x: round, y: -round, z: 0, range: 60 };
          stroll.both((world) => world.remove(one));
          const [id] = stroll.worlds.map((world) => world.add(init));
          stroll.ids = stroll.ids.map((known) => (known === one ? (id as number) : known));
        }
      }
      expect(stroll.searchedCount).toBeGreaterThan(0);
      for (const world of stroll.worlds) world.validate();
      stroll.dispose();
    }
  });
});

test('rows that were never read are in a snapshot', () => {
  const options = { interests: { default: { cap: 20 } } };
  const stroll = new Stroll(5, options);
  stroll.live(10);
  expect(stroll.searchedCount).toBeGreaterThan(0);
  stroll.worlds[0] = World.restore(stroll.worlds[0].snapshot());
  stroll.live(5);
  stroll.dispose();
});

test('a crowd that gathers on one point and spreads again gets the same reports', () => {
  const stroll = new Stroll(6, { interests: { default: { cap: 20 } } });
  stroll.live(3);
  const nowhere = new Float32Array(COUNT);
  for (let round = 0; round < 3; round++) {
    stroll.both((world) => world.moveMany(stroll.ids, nowhere, nowhere, nowhere));
    expect(new Set(stroll.tick()).size).toBe(1);
    stroll.live(4);
  }
  stroll.dispose();
});

/**
 * Most entities walk about `at` in a square of this size; of a few far away, one leaps. Returns how many
 * watchers were searched in the end.
 */
function walkTold(
  seed: number,
  size: number,
  at: number,
  step: number,
  leap: number,
  options: WorldOptions,
): number {
  const random = numbersFrom(seed);
  const stroll = new Stroll(seed, options);
  const axes = [0, 1, 2].map(() => Float32Array.from({ length: COUNT }, () => at + size * (random() - 0.5)));
  const steps = axes.map(() => Float32Array.from({ length: COUNT }, () => 2 * step * (random() - 0.5)));
  // A few perceive nothing.
  for (const id of stroll.ids.subarray(COUNT - 20)) stroll.both((world) => world.update(id, { range: 0 }));
  for (let tick = 0; tick < 24; tick++) {
    axes.forEach((places, axis) => {
      const own = steps[axis] as Float32Array;
      for (let i = 0; i < COUNT; i++) {
        if (leap > 0 && i >= COUNT - 20) {
          if (tick === 0) places[i] = 20 * leap * (random() - 0.5);
          continue;
        }
        if (Math.abs((places[i] as number) + (own[i] as number) - at) > size / 2)
          own[i] = -(own[i] as number);
        (places[i] as number) += own[i] as number;
      }
    });
    if (tick < 4 || tick === 12) (axes[0] as Float32Array)[COUNT - 1] = tick % 2 === 0 ? leap : 2 * leap;
    const [x, y, z] = axes as [Float32Array, Float32Array, Float32Array];
    stroll.both((world) => world.moveMany(stroll.ids, x, y, z));
    const [crowded, plain] = stroll.tick();
    expect(crowded, `seed ${seed}, tick ${tick}`).toBe(plain);
  }
  const held = stroll.searchedCount;
  stroll.dispose();
  return held;
}

test('no marker is missed where the cutoff is within a few steps of float32', () => {
  // In two of these, the kernel takes the middle of a frame for exact.
  for (let seed = 44; seed < 54; seed++) {
    const interest = { cap: 1 + (seed % 2), incumbentBonus: seed % 3 === 0 ? 0.05 : 0.59 };
    walkTold(seed, 1, 1e6, 0.07, 0, { interests: { default: interest } });
  }
});

test('no marker is missed when another leaps across the world', () => {
  for (const leap of [3e6, 2e7, 1e9]) {
    expect(walkTold(1, 40, 0, 0.6, leap, { interests: { default: { cap: 6 } } })).toBeGreaterThan(COUNT / 3);
  }
});

test('no marker is missed where squared distances underflow to 0', () => {
  for (let seed = 0; seed < 4; seed++) {
    const options: WorldOptions = {
      dimensions: seed % 2 === 0 ? 3 : 2,
      interests: { default: { cap: 1 + seed } },
    };
    walkTold(seed, 1e-21, 0, 1e-22, 0, options);
  }
});

test('very large and very small ranges and positions get the same reports', () => {
  for (const size of [0, 1e-30, 1e-3, 1e6, 1e12]) {
    const options = { interests: { default: { cap: 10 } } };
    const stroll = new Stroll(7, options);
    const far = (axis: number) =>
      Float32Array.from({ length: COUNT }, (_, i) => size * Math.sin(i * (axis + 1)));
    for (let tick = 0; tick < 3; tick++) {
      stroll.both((world) => world.moveMany(stroll.ids, far(tick), far(tick + 1), far(tick)));
      for (const id of stroll.ids.subarray(0, 40)) {
        stroll.both((world) => world.update(id, { range: Math.min(1e6, 4 * size + 1) }));
      }
      expect(new Set(stroll.tick()).size).toBe(1);
    }
    stroll.dispose();
  }
});

test('slots that were freed while no watcher was searched, and are reused, are found', () => {
  const worlds = [
    new World({ interests: { default: { cap: 3 } } }),
    new World({ interests: { default: { cap: 3 } } }),
  ];
  const both = <T>(act: (world: World) => T) => worlds.map(act)[0] as T;
  const crowd = (count: number, at: number) => {
    const axis = Float32Array.from({ length: count }, (_, i) => at + (i % 7) * 0.3 + i * 0.02);
    return both((world) => world.addMany({ x: axis, y: axis, range: 10 }));
  };
  let step = 0;
  const first: Uint32Array = crowd(20, 0);
  const tick = () => {
    step += 0.1;
    both((world) => world.move(first[0] as number, step, step));
    const [searched, plain] = worlds as [World, World];
    const hash = withShares(SOON_SEARCHED, () => searched.tick().hash());
    expect(hash).toBe(withShares(NEVER_SEARCHED, () => plain.tick().hash()));
  };
  const others = crowd(2000, 1);
  for (let i = 0; i < 3; i++) {
    const axis = Float32Array.from(others, (_, k) => (k % 50) + i);
    both((world) => world.moveMany(others, axis, axis));
    tick();
  }
  // No watcher has a cap, and most entities are removed: their slots are freed.
  both((world) => world.setInterest('default', {}));
  tick();
  both((world) => world.removeMany(others));
  for (let i = 0; i < 150; i++) tick();
  both((world) => world.setInterest('default', { cap: 3 }));
  for (let i = 0; i < 5; i++) tick();
  // Fewer slots are in use than the removed entities had.
  expect(storeOf(worlds[0] as World).slotCount).toBeLessThan(100);
  expect(storeOf(worlds[0] as World).last.hidden.column?.array.includes(1)).toBe(true);
  crowd(200, 0.5);
  for (let i = 0; i < 3; i++) tick();
  for (const world of worlds) void world.dispose();
});
