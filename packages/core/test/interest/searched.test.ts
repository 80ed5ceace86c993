/** Seats of crowded watchers: the same as if every marker in reach had been visited. */
import { describe, expect, test, vi } from 'vitest';
import { type DetectorName, detectorNames, World, type WorldOptions } from '../../src/index.ts';
import { RowEdits } from '../../src/interest/seats/row-edits.ts';
import { searchShares } from '../../src/interest/seats/searched-watchers.ts';
import { storeOf } from '../../src/world.ts';
import {
  ALWAYS_SEARCHED,
  differenceIn,
  NEVER_SEARCHED,
  SOON_SEARCHED,
  withShares,
} from './searched-lives.ts';

const LIVES = 12;
/** What a detector can get wrong about watchers that are hidden from it shows in a few lives; what a search can, with any detector. */
const livesWith = (detector: DetectorName) => (detector === 'sweep' ? LIVES : 4);

describe.each(detectorNames)('compared with a world in which no watcher is searched, with %s', (detector) => {
  test.each([
    ['always searched, under simple rules,', ALWAYS_SEARCHED, true],
    ['always searched, under any rules,', ALWAYS_SEARCHED, false],
    ['searched now and then', { ...searchShares, leave: 1, isForNewcomers: false, ofAll: 0 }, true],
    ['searched now and then, under any rules,', { ...searchShares, ofAll: 0 }, false],
    ['searched together with enough others,', { ...searchShares, ofAll: 1 }, false],
  ])('a world with watchers %s reports the same', (_, factors, isSimple) => {
    for (let life = 0; life < livesWith(detector); life++) {
      const seed = detector.length * 1000 + (isSimple ? 0 : 500) + life;
      expect(differenceIn({ seed, detector, factors, isSimple })).toBeUndefined();
    }
  });
});

test.each([
  ['simple', true],
  ['any', false],
])('the kernel decides whole rows the same, under %s rules', (_, isSimple) => {
  const { commit } = RowEdits.prototype;
  const decided = vi.spyOn(RowEdits.prototype, 'commit').mockImplementation(function (this: RowEdits) {
    for (const watcher of this.decided)
      if (this.limitOf(watcher) === 0 && !this.taken.includes(watcher)) full++;
    commit.call(this);
  });
  let full = 0;
  for (let seed = 3000; seed < 3030; seed++) {
    const factors = { ...searchShares, enter: Number.POSITIVE_INFINITY, isForNewcomers: false };
    const detector = detectorNames[seed % detectorNames.length] as DetectorName;
    expect(differenceIn({ seed, detector, factors, isSimple, keepsRows: true })).toBeUndefined();
  }
  decided.mockRestore();
  // Otherwise the case was not tested at all.
  expect(full).toBeGreaterThan(10_000);
});

test('TypeScript kernels give crowded watchers the same reports', () => {
  for (let seed = 0; seed < LIVES; seed++) {
    expect(
      differenceIn({
        seed,
        detector: 'sweep',
        factors: ALWAYS_SEARCHED,
        isSimple: true,
        kernels: 'typescript',
      }),
    ).toBeUndefined();
  }
});

/** A world with `count` entities on one point, each with five seats. */
function pileOf(count: number): { world: World; ids: Uint32Array } {
  const world = new World({ interests: { default: { cap: 5 } } });
  const ids = world.addMany({ x: new Float32Array(count), y: new Float32Array(count), range: 10 });
  return { world, ids };
}

test('in a pile on one point the lowest ids get the seats, and the pile never reaches the detector', () => {
  const { world, ids } = pileOf(300);
  world.tick();
  expect([...world.visibleTo(ids[200] as number)]).toEqual([...ids.subarray(0, 5)]);
  expect([...world.visibleTo(ids[2] as number)]).toEqual([...ids.subarray(0, 6)].filter((_, i) => i !== 2));
  const { last } = storeOf(world);
  expect(ids.every((id) => !last.isWatcher(id >>> 10) && last.perceives(id >>> 10))).toBe(true);
});

test('a freed seat in a pile goes to the next in the same tick', () => {
  const { world, ids } = pileOf(300);
  world.tick();
  world.remove(ids[3] as number);
  const view = world.tick().of(ids[100] as number);
  expect([...(view?.left ?? [])]).toEqual([ids[3]]);
  expect([...(view?.entered ?? [])]).toEqual([ids[5]]);
});

test('a crowd that disperses is found by the detector again', () => {
  const { world, ids } = pileOf(300);
  world.tick();
  ids.forEach((id, i) => {
    world.move(id, 6 * i, 0);
  });
  world.tick();
  world.move(ids[0] as number, 1, 0);
  world.tick();
  expect(storeOf(world).last.isWatcher((ids[100] as number) >>> 10)).toBe(true);
  expect([...world.visibleTo(ids[100] as number)]).toEqual([ids[99], ids[101]]);
});

test('a watcher that becomes crowded, or ceases to be, does not count as changed', () => {
  const { world, ids } = pileOf(300);
  world.tick();
  ids.forEach((id, i) => {
    world.move(id, 6 * i, 0);
  });
  world.update(ids[3] as number, { range: 11 });
  world.tick();
  expect(world.stats()).toMatchObject({ changedCount: 1, movedCount: 299 });
  for (const id of ids) world.move(id, 0, 0);
  world.tick();
  expect(world.stats()).toMatchObject({ changedCount: 0, movedCount: 299 });
});

test('the range of a crowded watcher can be changed', () => {
  const { world, ids } = pileOf(300);
  world.tick();
  world.update(ids[7] as number, { range: 0 });
  const view = world.tick().of(ids[7] as number);
  expect(view?.left.length).toBe(5);
  world.update(ids[7] as number, { range: 3 });
  expect(world.tick().of(ids[7] as number)?.entered.length).toBe(5);
});

test('a marker cut by the cap in a crowd is explained with its rank among all', () => {
  const { world, ids } = pileOf(300);
  world.tick();
  const { rule, place, seats } = world.explain(ids[9] as number, ids[99] as number);
  expect({ rule, place, seats }).toEqual({ rule: 'cap', place: 99, seats: 5 });
});

/**
 * Hashes of the ticks of a world in which hundreds mill about on one spot, some of them with other weights.
 */
function hashesOf(options: WorldOptions): string[] {
  const world = new World({ dimensions: options.dimensions ?? 2, ...options });
  const count = 300;
  const place = (i: number, tick: number) => 20 * Math.sin(i * (1.7 + 0.0003 * tick) + tick * 0.01 * (i % 7));
  const at = (tick: number, turn: number) =>
    Float32Array.from({ length: count }, (_, i) => place(i + turn, tick));
  const [x, y, z] = [at(0, 0), at(0, 0.5), at(0, 0.9)];
  const ids = world.addMany({ x, y, z, range: 60 });
  for (let i = 0; i < count; i += 9) world.update(ids[i] as number, { weight: i % 2 === 0 ? 3 : 0.5 });
  world.update(ids[0] as number, { always: true });
  const hashes: string[] = [];
  for (let tick = 1; tick <= 12; tick++) {
    hashes.push(world.tick().hash());
    world.moveMany(ids, at(tick, 0), at(tick, 0.5), at(tick, 0.9));
    if (tick === 6) world.remove(ids[77] as number);
    // A removed entity cannot move; a repeated id is moved twice.
    if (tick === 6) ids[77] = ids[78] as number;
  }
  void world.dispose();
  return hashes;
}

const STEADY = { cap: 20, incumbentBonus: 0.4, minDwellTicks: 4, memoryTicks: 5 };

describe.each([
  ['in the plane', { interests: { default: { cap: 20 } } }],
  ['in space, with bonus, dwell and memory', { dimensions: 3, interests: { default: STEADY } }],
  ['with a margin', { interests: { default: { cap: 20, leaveMargin: 5 } } }],
] as const)('a crowd %s', (_, options) => {
  test('gets the same reports from both kinds of kernels, and as if no watcher were searched', () => {
    const [wasm, typescript] = withShares(SOON_SEARCHED, () => [
      hashesOf(options),
      hashesOf({ ...options, kernels: 'typescript' } as WorldOptions),
    ]);
    const plain = withShares(NEVER_SEARCHED, () => hashesOf(options));
    expect(wasm).toEqual(plain);
    expect(typescript).toEqual(plain);
  });
});

/**
 * Hashes of the ticks of a world in which equal entities turn about a centre, in rings that grow and shrink.
 */
function hashesOfRings(rings: number, options: WorldOptions): string[] {
  const world = new World(options);
  const count = 300;
  const at = (tick: number, turn: number) =>
    Float32Array.from({ length: count }, (_, i) => {
      const radius = 10 * (1 + (i % rings)) + 0.1 * Math.sin(tick + i);
      return radius * Math.sin(i * 2.4 + tick * 0.02 + turn);
    });
  const ids = world.addMany({ x: at(0, 0), y: at(0, Math.PI / 2), z: at(0, 1), range: 90 });
  const hashes: string[] = [];
  for (let tick = 1; tick <= 24; tick++) {
    hashes.push(world.tick().hash());
    world.moveMany(ids, at(tick, 0), at(tick, Math.PI / 2), at(tick, 1));
  }
  // One in the centre, at the same distance from all in a ring.
  world.add({ x: 0, y: 0, z: 0, range: 90 });
  hashes.push(world.tick().hash());
  world.moveMany(ids, at(99, 0), at(99, Math.PI / 2), at(99, 1));
  hashes.push(world.tick().hash());
  void world.dispose();
  return hashes;
}

describe.each([
  ['in one ring', 1, { interests: { default: { cap: 20 } } }],
  ['in rings, without bonus', 4, { interests: { default: { cap: 60, incumbentBonus: 0 } } }],
  ['in rings in space', 4, { dimensions: 3, interests: { default: { cap: 60 } } }],
  ['with long rows', 5, { interests: { default: { cap: 290 } } }],
  ['with a margin', 5, { interests: { default: { cap: 30, leaveMargin: 5 } } }],
] as const)('a crowd of equals %s', (_, rings, options) => {
  test('gets the same reports from both kinds of kernels, and as if no watcher were searched', () => {
    const [wasm, typescript] = withShares(ALWAYS_SEARCHED, () => [
      hashesOfRings(rings, options),
      hashesOfRings(rings, { ...options, kernels: 'typescript' }),
    ]);
    const plain = withShares(NEVER_SEARCHED, () => hashesOfRings(rings, options));
    expect(wasm).toEqual(plain);
    expect(typescript).toEqual(plain);
  });
});

test('in a pile on one point that moves as a whole no marker enters or leaves', () => {
  const { world, ids } = pileOf(300);
  world.tick();
  world.moveMany(ids, new Float32Array(300).fill(1), new Float32Array(300));
  const { enteredCount, leftCount } = world.tick();
  expect([enteredCount, leftCount]).toEqual([0, 0]);
});

test('watchers at their caps are searched only if they perceive enough of what moves, and shown again when not', () => {
  const count = 600;
  const world = new World({ interests: { default: {} } });
  // Rows of forty that walk to and fro; each perceives ten on either side.
  const x = Float32Array.from({ length: count }, (_, i) => i % 40);
  const y = Float32Array.from({ length: count }, (_, i) => 100 * Math.floor(i / 40));
  const ids = world.addMany({ x, y, range: 10 });
  const walk = (ticks: number) => {
    for (let t = 0; t < ticks; t++) {
      world.moveMany(
        ids,
        x.map((at) => at + (world.tickCount % 2)),
        y,
      );
      world.tick();
    }
  };
  const hiddenCount = () => ids.filter((id) => storeOf(world).last.hidden.at(id >>> 10) === 1).length;
  walk(2);
  world.update(ids[20] as number, { cap: 2 });
  walk(4);
  expect(hiddenCount()).toBe(0);
  expect(world.visibleTo(ids[20] as number).length).toBe(2);
  for (const id of ids) world.update(id, { cap: 2 });
  walk(4);
  expect(hiddenCount()).toBeGreaterThan(500);
  // All but three perceive nothing any more; searching for the rest is not worth it.
  for (const id of ids.subarray(0, 597)) world.update(id, { range: 0.5 });
  walk(4);
  expect(hiddenCount()).toBeGreaterThan(0);
  walk(130);
  expect(hiddenCount()).toBe(0);
  expect([...world.visibleTo(ids[598] as number)].length).toBe(2);
});
