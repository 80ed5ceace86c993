/**
 * Searched watchers in a wide world through which all walk for long, beside a world in which nobody is searched: what is known of who
 * is near must stay true while all of those come and go.
 */
import { describe, expect, test } from 'vitest';
import { type EntityPatch, type Interest, World, type WorldOptions } from '../../src/index.ts';
import { storeOf } from '../../src/world.ts';
import { NEVER_SEARCHED, numbersFrom, oneOf, SOON_SEARCHED, withShares } from './searched-lives.ts';

const COUNT = 400;
const TICKS = 70;
const SIZE = 200;
/** How many walks of each kind; more are for after a change of these kernels. */
const WALKS = Number(process.env['UMWELT_SEARCHED_WALKS'] ?? 1);
/** Some two dozen are perceived. */
const RANGE = 28;
const STEP = 0.7;

interface Kind {
  readonly interest?: Interest;
  readonly options?: WorldOptions;
  /** What sets one apart. */
  readonly oddity?: (random: () => number) => EntityPatch;
  /** How many leap in each tick, across the world and a few steps far. */
  readonly leaps?: number;
  readonly hops?: number;
  /** What one of them is changed to, each tick. */
  readonly change?: (random: () => number) => EntityPatch;
  /** How many others each of them pins, and blocks, at the beginning. */
  readonly pins?: number;
  readonly pinsWithin?: number;
  readonly blocks?: number;
  /** Whether a pin or a block begins or ends in each tick. */
  readonly areTiesChanged?: boolean;
  /** Whether all of them leap at once now and then: more seats change than there is room for edits, and the heap moves. */
  readonly areShuffled?: boolean;
  /** How many of them walk in each tick, as a share; and are touched. */
  readonly walking?: number;
  readonly touched?: number;
}

let admitted = 0;
/** Says otherwise from time to time: who is asked too seldom or too often shows. */
function admit(watcher: number, marker: number): boolean {
  return ((watcher >>> 10) + (marker >>> 10) + (admitted >>> 2)) % 5 !== 0;
}

function someWeights(random: () => number): EntityPatch {
  return random() < 0.3 ? { weight: oneOf(random, [0, 0.4, 0.8, 2, 4]) } : {};
}

function fewOdd(random: () => number): EntityPatch {
  if (random() < 0.9) return {};
  return oneOf(random, [
    { gain: 0.4 },
    { gain: 3 },
    { minReach: 90 },
    { maxReach: 12 },
    { layers: 2, sees: 3 },
    { channel: 1 },
    { marker: false },
    { weight: 6 },
  ]);
}

/** As in most games: hardly any two are perceived from equally far, and all are met alike. */
function someType(random: () => number): EntityPatch {
  return oneOf(random, [
    {},
    { gain: { sight: 0.5, smell: 2 } },
    { gain: { sight: 1.5, smell: 0 }, weight: 1.5 },
    { gain: { smell: 1e-44 }, minReach: { smell: 20 } },
    { minReach: { sight: 70 }, weight: 0.5 },
    { maxReach: { sight: 15, smell: 40 } },
    { maxReach: { sight: 0 }, gain: { smell: 3 }, weight: 4 },
  ]);
}

function someTypedWatcher(random: () => number): EntityPatch {
  return { ...someType(random), range: { sight: RANGE, smell: RANGE * (0.3 + random()) } };
}

/** Also one that was seen or heard from afar, and is no more. */
function someChange(random: () => number): EntityPatch {
  return oneOf(random, [
    { weight: 1 },
    { weight: 12 },
    { gain: 1 },
    { gain: 6 },
    { minReach: 0 },
    { minReach: 120, maxReach: Number.POSITIVE_INFINITY },
    { layers: 1 },
    { layers: 2 },
  ]);
}

const KINDS: Readonly<Record<string, Kind>> = {
  'with caps alone': {},
  'with a party each, leaping': {
    interest: { showGroup: true },
    oddity: (random) => ({ group: 1 + Math.floor(80 * random()) }),
    leaps: 3,
  },
  'with pins, a margin and two senses': {
    interest: { leaveMargin: 3 },
    options: { senses: ['sight', 'smell'] },
    oddity: (random) => ({ range: { sight: RANGE, smell: RANGE * (0.3 + random()) } }),
    pins: 2,
    leaps: 1,
  },
  'with pins and blocks that change': { pins: 1, blocks: 3, areTiesChanged: true },
  'with blocks, weights and odd ones': { blocks: 3, oddity: fewOdd, leaps: 2 },
  'with blocks, under quotas': {
    blocks: 3,
    interest: { quotas: [{ layers: 1, cap: 9 }] },
    areTiesChanged: true,
  },
  'with pins and blocks, mutually, with a margin': {
    interest: { mutual: true, leaveMargin: 3, memoryTicks: 10 },
    pins: 1,
    blocks: 1,
    areTiesChanged: true,
  },
  'with blocks, all leaping at once': { blocks: 3, areShuffled: true },
  'with blocks, under quotas, all leaping at once': {
    interest: { quotas: [{ layers: 1, cap: 9 }] },
    blocks: 3,
    areShuffled: true,
  },
  'under quotas, a few of whom enter in a tick': {
    interest: { quotas: [{ layers: 1, cap: 9 }], enterBudget: 1, minDwellTicks: 2, leaveMargin: 2 },
    oddity: fewOdd,
    leaps: 9,
  },
  'with pins and blocks, all leaping at once, of whom five enter in a tick': {
    interest: { enterBudget: 5 },
    pins: 1,
    blocks: 2,
    areShuffled: true,
  },
  'with two senses, two of whom enter in a tick': {
    interest: { enterBudget: 2 },
    options: { senses: ['sight', 'smell'] },
    oddity: (random) => ({ range: { sight: RANGE, smell: RANGE * (0.3 + random()) } }),
    leaps: 9,
  },
  'of whom few walk': { walking: 0.02, leaps: 1 },
  'of whom few walk, under quotas': {
    interest: { quotas: [{ layers: 1, cap: 9 }], minDwellTicks: 5 },
    walking: 0.02,
  },
  'of whom few walk, with a function': { interest: { admit }, walking: 0.02, touched: 1, blocks: 1 },
  'with a function, a margin and a party each': {
    interest: { admit, leaveMargin: 3, showGroup: true },
    oddity: (random) => ({ group: 1 + Math.floor(80 * random()) }),
    touched: 3,
  },
  'of whom few walk, mutually': { interest: { mutual: true, leaveMargin: 3 }, walking: 0.05 },
  'with pins within a distance': { pins: 2, pinsWithin: 60, walking: 0.05 },
  'with one shown always': {
    oddity: (random) => (random() < 0.01 ? { always: true } : {}),
    leaps: 1,
  },
  'with a margin': { interest: { leaveMargin: 3 } },
  'with a bonus and dwell': { interest: { incumbentBonus: 0.3, minDwellTicks: 6 } },
  'without bonus, leaping': { interest: { incumbentBonus: 0 }, leaps: 3 },
  'with memory': { interest: { memoryTicks: 15 } },
  'with memory and a margin, leaping': { interest: { memoryTicks: 15, leaveMargin: 3 }, leaps: 2 },
  'with weights': { oddity: someWeights },
  'with weights, margin, bonus, dwell and memory': {
    interest: { leaveMargin: 3, incumbentBonus: 0.3, minDwellTicks: 4, memoryTicks: 15 },
    oddity: someWeights,
  },
  'with odd ones among them': { oddity: fewOdd, leaps: 1 },
  'with odd ones among them, and a margin': { interest: { leaveMargin: 3 }, oddity: fewOdd },
  'with two senses and a margin': {
    interest: { leaveMargin: 3 },
    options: { senses: ['sight', 'smell'] },
    oddity: (random) => ({ range: { sight: RANGE, smell: RANGE * (0.3 + random()) } }),
  },
  'of types': { options: { senses: ['sight', 'smell'] }, oddity: someTypedWatcher, leaps: 1 },
  'of types that change, with a margin, a bonus and memory': {
    interest: { leaveMargin: 3, incumbentBonus: 0.3, memoryTicks: 10 },
    options: { senses: ['sight', 'smell'] },
    oddity: someTypedWatcher,
    change: (random) =>
      oneOf(random, [
        { gain: 1 },
        { gain: { sight: 0.5 } },
        { gain: { smell: 4 } },
        { minReach: 0 },
        { minReach: { smell: 5 } },
        { weight: 1 },
        { weight: 3 },
      ]),
  },
  'who change': { oddity: someWeights, change: someChange },
  'who change, with a margin': {
    interest: { leaveMargin: 3 },
    oddity: fewOdd,
    change: someChange,
  },
  'who hop, without bonus': { interest: { incumbentBonus: 0 }, hops: 12 },
  'who hop, with a bonus': { interest: { incumbentBonus: 0.5 }, hops: 12 },
  'of four kinds of groups': {
    options: { groups: ['a', 'b', 'c', 'd'] },
    oddity: (random) => (random() < 0.1 ? { group: { d: 1 + Math.floor(3 * random()) } } : {}),
    change: (random) => ({ group: { d: Math.floor(3 * random()) } }),
  },
  mutually: { interest: { mutual: true } },
  'mutually, with a margin': { interest: { mutual: true, leaveMargin: 3 } },
  'in space': { options: { dimensions: 3 } },
};

/** One of three kinds walks with TypeScript kernels, too: plain-kernels.test.ts compares each of their calls. */
const ONE_OF = 3;

describe.each(Object.entries(KINDS))('walkers %s', (name, kind) => {
  const isPlainToo = Object.keys(KINDS).indexOf(name) % ONE_OF === 0;
  const kernelsTried = isPlainToo ? (['auto', 'typescript'] as const) : (['auto'] as const);
  const walks = Array.from({ length: WALKS }, (_, i) => 2 * i + 3).flatMap((seed) =>
    kernelsTried.map((kernels, k) => [kernels, seed + k] as const),
  );
  test.each(walks)('report the same with %s kernels, seed %d', (kernels, seed) => {
    const random = numbersFrom(seed as number);
    const { interest = {}, oddity = () => ({}), leaps = 0, hops = 0, change } = kind;
    const { pins = 0, pinsWithin = Number.POSITIVE_INFINITY, blocks = 0, walking = 1, touched = 0 } = kind;
    const options: WorldOptions = { ...kind.options, kernels, interests: { default: interest } };
    const worlds = [new World(options), new World(options)] as const;
    // As many in a ball as in a square.
    const sizes = options.dimensions === 3 ? [SIZE / 2, SIZE / 2, SIZE / 4] : [SIZE, SIZE];
    const at = sizes.map((size) => Float32Array.from({ length: COUNT }, () => size * random()));
    const steps = sizes.map(() => Float32Array.from({ length: COUNT }, () => STEP * (random() - 0.5)));
    const inits = Array.from({ length: COUNT }, () => ({
      cap: Math.round(6 + 30 * random()),
      range: RANGE,
      ...oddity(random),
    }));
    const ids = inits.map((init, i) => {
      const [x = 0, y = 0, z = 0] = at.map((axis) => axis[i] as number);
      const [id] = worlds.map((world) => world.add({ x, y, z, ...init }));
      return id as number;
    });
    const [searched, plain] = worlds;
    const tie = (one: number, other: number, kindOfTie: 'pin' | 'unpin' | 'block' | 'unblock') => {
      if (one === other) return;
      for (const world of worlds) {
        if (kindOfTie === 'pin') world.pin(one, other, 'walk', { within: pinsWithin });
        else if (kindOfTie === 'unpin') world.unpin(one, other, 'walk');
        else world[kindOfTie](one, other);
      }
    };
    for (const id of ids) {
      for (let i = 0; i < pins; i++) tie(id, oneOf(random, ids), 'pin');
      for (let i = 0; i < blocks; i++) tie(id, oneOf(random, ids), 'block');
    }
    for (let tick = 0; tick < TICKS; tick++) {
      const hashes = [
        withShares(SOON_SEARCHED, () => searched.tick().hash()),
        withShares(NEVER_SEARCHED, () => plain.tick().hash()),
      ];
      expect(hashes[0], `tick ${tick}`).toBe(hashes[1]);
      sizes.forEach((size, axis) => {
        const [places, own] = [at[axis] as Float32Array, steps[axis] as Float32Array];
        for (let i = 0; i < COUNT; i++) {
          if (walking < 1 && random() >= walking) continue;
          (places[i] as number) += own[i] as number;
          if ((places[i] as number) < 0 || (places[i] as number) > size) own[i] = -(own[i] as number);
        }
        if (kind.areShuffled === true && tick % 20 === 19) places.set(places.map(() => size * random()));
        for (let leap = 0; leap < leaps; leap++) places[Math.floor(COUNT * random())] = size * random();
        for (let hop = 0; hop < hops; hop++)
          (places[Math.floor(COUNT * random())] as number) += 24 * (random() - 0.5);
      });
      if (change !== undefined) {
        const [id, patch] = [oneOf(random, ids), change(random)];
        for (const world of worlds) world.update(id, patch);
      }
      if (kind.areTiesChanged === true) {
        tie(oneOf(random, ids), oneOf(random, ids), oneOf(random, ['pin', 'unpin', 'block']));
        const near = oneOf(random, ids);
        for (const other of searched.visibleTo(near).subarray(0, 3))
          tie(near, other, oneOf(random, ['pin', 'block', 'unblock']));
      }
      admitted++;
      for (let touch = 0; touch < touched; touch++) {
        const id = oneOf(random, ids);
        for (const world of worlds) world.touch(id);
      }
      const [x, y, z] = at;
      for (const world of worlds) world.moveMany(Uint32Array.from(ids), x!, y!, z);
    }
    const { last } = storeOf(searched);
    const isSearched = (id: number) => last.hidden.at(id >>> 10) === 1;
    const { quotas, admit: asks, enterBudget } = interest;
    if (quotas === undefined && asks === undefined && enterBudget === undefined)
      expect(ids.filter(isSearched).length).toBeGreaterThan(COUNT / 4);
    for (const world of worlds) void world.dispose();
  });
});
