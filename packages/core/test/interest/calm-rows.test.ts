/** Rows that hold pairs by the margin, or have quotas, are calm, too: a pair still ends in the tick in which the margin ends, and the best get the seats. */
import { afterEach, describe, expect, test } from 'vitest';
import { type EntityId, type EntityPatch, type Interest, World, type WorldOptions } from '../../src/index.ts';
import { nearShares } from '../../src/interest/grids/near-watchers.ts';
import { KERNEL_ROWS, NEVER_SEARCHED, numbersFrom, oneOf, withShares } from './searched-lives.ts';

const USUAL = { ...nearShares };
afterEach(() => void Object.assign(nearShares, USUAL));

/** Far enough apart that none perceives a marker of another. */
const APART = 1024;
/** Exact in float32. */
const STEP = 1 / 8;

interface Place {
  readonly watcher: EntityId;
  readonly marker: EntityId;
  readonly others: readonly EntityId[];
  readonly x: number;
}

/**
 * Twenty watchers of range 40, each with a seated marker at 41 that the margin of 2 holds, and a marker at 39.5. With a cap of 2 this one has no seat, and
 * no seat changes hands by its rank for a long time.
 */
function placesOf(world: World, cap: number, patch: EntityPatch = {}): Place[] {
  const places = Array.from({ length: 20 }, (_, i): Place => {
    const x = APART * i;
    const watcher = world.add({ x, y: 0, range: 40, cap });
    const [near, marker] = [world.add({ x: x + 3, y: 0 }), world.add({ x: x + 39, y: 0, ...patch })];
    return { watcher, marker, others: [near], x };
  });
  withShares(KERNEL_ROWS, () => world.tick());
  const all = places.map((place) => {
    world.move(place.marker, place.x + 41, 0);
    return { ...place, others: [...place.others, world.add({ x: place.x + 39.5, y: 0 })] };
  });
  withShares(KERNEL_ROWS, () => world.tick());
  return all;
}

/**
 * All markers walk for twelve ticks: those that the margin holds outward, the others to and fro. Returns each tick in which one of the former was in that
 * list of its watcher.
 */
function ticksWith(list: 'left' | 'sensed', world: World, places: readonly Place[]): number[] {
  const ticks: number[] = [];
  for (let tick = 1; tick <= 12; tick++) {
    for (const { marker, others, x } of places) {
      world.move(marker, x + 41 + STEP * tick, 0);
      world.move(others[0]!, x + 3, STEP * (tick % 2));
      world.move(others[1]!, x + 39.5, STEP * (tick % 2));
    }
    const changes = withShares(KERNEL_ROWS, () => world.tick());
    for (const { watcher, marker } of places)
      if (changes.of(watcher)?.[list].includes(marker)) ticks.push(tick);
  }
  return ticks;
}

function worldWith(interest: Interest): World {
  return new World({ interests: { default: { leaveMargin: 2, incumbentBonus: 0.5, ...interest } } });
}

describe.each([2, 9])('with a cap of %i, a seat that only the margin holds', (cap) => {
  test('ends where the margin ends, in a crowd that walks slowly', () => {
    const world = worldWith({});
    const places = placesOf(world, cap);
    // At 42 it is still held.
    expect(ticksWith('left', world, places)).toEqual(places.map(() => 9));
  });

  test.each([
    ['looked for in all rows', { rows: Number.POSITIVE_INFINITY }],
    ['looked for around it', { rows: 0, moving: 0 }],
    ['the only thing that moves', { rows: 0, pending: 0, visits: 1000 }],
  ])('ends where the margin ends, for a marker that leaps, %s', (_, shares) => {
    Object.assign(nearShares, shares);
    const world = worldWith({});
    const { watcher, marker, x } = placesOf(world, cap)[7]!;
    const relatedAt = [41, 41, 41.5, 41.5, 42.5].map((to) => {
      world.move(marker, x + to, 0);
      withShares(KERNEL_ROWS, () => world.tick());
      return world.related(watcher, marker);
    });
    expect(relatedAt).toEqual([true, true, true, true, false]);
  });
});

test('under a quota, a marker that is shown always is sensed until the margin ends', () => {
  const world = worldWith({ quotas: [{ layers: 1, cap: 1 }] });
  const places = placesOf(world, 9, { always: true });
  expect(ticksWith('sensed', world, places)).toEqual(places.map(() => 9));
});

test('a step that is tiny compared with all that was walked since ends what the margin holds', () => {
  const world = new World({
    interests: { near: { leaveMargin: 9e-4, enterBudget: 9 }, far: { leaveMargin: 1e9, enterBudget: 9 } },
  });
  const [near, far] = [
    { range: 1e-3, sees: 2, interest: 'near' },
    { range: 1e9, sees: 4, interest: 'far' },
  ].map((init) => world.add({ x: 0, y: 0, ...init, marker: false })) as [EntityId, EntityId];
  const marker = world.add({ x: 9e-4, y: 0, layers: 2 });
  const bell = world.add({ x: 9e8, y: 0, layers: 4 });
  const walkers = world.addMany({
    x: Float32Array.from({ length: 20 }, (_, i) => i),
    y: new Float32Array(20),
  });
  const tick = () => withShares(KERNEL_ROWS, () => world.tick());
  tick();
  // This row stays calm for a long way.
  world.move(bell, 1.2e9, 0);
  tick();
  world.moveMany(walkers, new Float32Array(20).fill(2 ** 20), new Float32Array(20));
  tick();
  const end = Math.fround(Math.fround(1e-3) + Math.fround(9e-4));
  world.move(marker, end, 0);
  tick();
  expect([world.related(far, bell), world.related(near, marker)]).toEqual([true, true]);
  // The next number of float32.
  world.move(marker, end + 2 ** -33, 0);
  tick();
  expect([world.related(far, bell), world.related(near, marker)]).toEqual([true, false]);
});

const someWeight = (random: () => number): EntityPatch => ({ weight: oneOf(random, [0, 0.4, 1, 1, 3]) });
let round = 0;
/** Answers otherwise from time to time: a call too many or too few shows. */
function admit(watcher: number, marker: number): boolean {
  return ((watcher >>> 10) + (marker >>> 10) + round) % 4 !== 0;
}

const KINDS: readonly [string, Interest, WorldOptions, (random: () => number) => EntityPatch][] = [
  ['with a margin', { leaveMargin: 3 }, {}, () => ({})],
  ['with a margin, a bonus and weights', { leaveMargin: 6, incumbentBonus: 0.5 }, {}, someWeight],
  [
    'with a margin, dwell, memory and weights',
    { leaveMargin: 3, minDwellTicks: 9, memoryTicks: 30 },
    {},
    someWeight,
  ],
  [
    'that consent mutually, with a margin and a bonus',
    { mutual: true, leaveMargin: 6, incumbentBonus: 0.4 },
    {},
    () => ({}),
  ],
  [
    'with a margin and two senses',
    { leaveMargin: 3 },
    { senses: ['sight', 'smell'] },
    (random) => ({ range: { sight: 30, smell: 15 + 20 * random() } }),
  ],
  ['with a margin, in boxes', { leaveMargin: 3 }, { rangeShape: 'box', rangeRatio: [1, 0.6] }, () => ({})],
  [
    'that a function admits, with a margin',
    { admit, leaveMargin: 3 },
    {},
    (random) => ({ volatile: random() < 0.005 }),
  ],
  [
    'under quotas',
    {
      quotas: [
        { layers: 1, cap: 4 },
        { layers: 2, cap: 7 },
      ],
      incumbentBonus: 0,
    },
    {},
    (random) => ({ layers: oneOf(random, [1, 2, 3, 4]), sees: 7 }),
  ],
  [
    'that consent mutually, under quotas, with a margin',
    { mutual: true, quotas: [{ layers: 1, cap: 3 }], leaveMargin: 6 },
    {},
    (random) => ({ layers: oneOf(random, [1, 2]), sees: 3 }),
  ],
  [
    'under quotas, with a margin, weights and markers shown always',
    { quotas: [{ layers: 1, cap: 3 }], leaveMargin: 6 },
    {},
    (random) => ({ ...someWeight(random), layers: oneOf(random, [1, 2]), sees: 3, always: random() < 0.02 }),
  ],
];

describe.each(KINDS)('a slow crowd %s', (_, interest, options, oddity) => {
  test.each([1, 2, 3])(
    'reports what one reports in which every row is decided in each tick, seed %i',
    (seed) => {
      const random = numbersFrom(seed);
      const count = 150;
      const worlds = [0, 1].map(() => new World({ ...options, interests: { default: interest } }));
      const x = Float32Array.from({ length: count }, () => 130 * random());
      const y = Float32Array.from({ length: count }, () => 130 * random());
      const [dx, dy] = [0, 1].map(() => Float32Array.from({ length: count }, () => 0.15 * (random() - 0.5)));
      const inits = Array.from(x, (_, i) => ({
        x: x[i]!,
        y: y[i]!,
        range: 30,
        cap: 3 + Math.floor(30 * random()),
        ...oddity(random),
      }));
      const ids = Uint32Array.from(inits, (init) => worlds.map((world) => world.add(init))[0]!);
      const all = [KERNEL_ROWS, NEVER_SEARCHED];
      for (let tick = 0; tick < 120; tick++) {
        for (let i = 0; i < count; i++) {
          x[i] = x[i]! + dx![i]!;
          y[i] = y[i]! + dy![i]!;
        }
        if (tick % 10 === 9) x[Math.floor(count * random())] = 130 * random();
        round = tick >> 1;
        const [one, other] = [oneOf(random, [...ids]), oneOf(random, [...ids])];
        for (const world of worlds) {
          if (tick % 9 === 4 && one !== other) world.block(one, other);
          if (tick % 9 === 8) world.unblock(one, other);
          if (tick % 25 === 12) world.touch(one);
        }
        const [calm, decided] = worlds.map((world, w) => {
          world.moveMany(ids, x, y);
          return withShares(all[w]!, () => world.tick().hash());
        });
        expect(calm, `tick ${tick}`).toBe(decided);
      }
    },
  );
});
