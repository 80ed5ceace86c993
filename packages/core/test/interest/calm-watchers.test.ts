/**
 * Calm watchers: searched watchers, and watchers with whole rows, that are skipped while nothing near them moves far. Compared with a
 * world in which no kernel decides seats, and no watcher is skipped.
 */
import { afterEach, expect, test, vi } from 'vitest';
import { type EntityId, type EntityInit, type EntityPatch, type Interest, World } from '../../src/index.ts';
import { searchShares } from '../../src/interest/seats/searched-watchers.ts';
import { SeatSearch } from '../../src/interest/seats/seat-search.ts';
import { storeOf } from '../../src/world.ts';
import { KERNEL_ROWS, NEVER_SEARCHED, numbersFrom, SOON_SEARCHED, withShares } from './searched-lives.ts';

const TICKS = 90;

/** Half as many with TypeScript kernels: they are made of the same source, and plain-kernels.test.ts compares each of their calls. */
function seedsFrom(first: number, count: number, kernels: 'auto' | 'typescript'): number[] {
  return Array.from({ length: kernels === 'auto' ? count : count / 2 }, (_, i) => first + i);
}

afterEach(() => void vi.restoreAllMocks());

/** By walk: what the plain world reported. A walk is the same with either kind of kernels, and its plain world walks once for both. */
const plainHashes = new Map<string, readonly string[]>();

/**
 * Some dozens to hundreds of entities that walk at a pace drawn from a seed; some leap, some change, some are
 * odd.
 */
class Walk {
  readonly #random: () => number;
  /** Without the plain one if what it reports is known. */
  readonly #worlds: readonly [searched: World, ...plain: World[]];
  readonly #walk: string;
  /** Of the plain world, tick by tick. */
  readonly #hashes: string[];
  readonly #is3D: boolean;
  readonly #senses: readonly string[];
  readonly #side: number;
  readonly #step: number;
  readonly #searchShares: typeof SOON_SEARCHED;
  readonly #shares: { moving: number; odd: number; leaps: number; changes: number };
  readonly #walkers = new Map<EntityId, { place: number[]; toward: number[] }>();

  /**
   * `remembers`: a marker that lost its seat recently counts as an incumbent when it is perceived again, and
   * that matters. `isFew`: few entities move or change. `hasRows`: no watcher is searched.
   */
  constructor(
    seed: number,
    kernels: 'typescript' | 'auto',
    { remembers = false, isFew = false, hasRows = false } = {},
  ) {
    this.#walk = JSON.stringify([seed, remembers, isFew, hasRows]);
    const known = plainHashes.get(this.#walk);
    this.#hashes = known === undefined ? [] : [...known];
    this.#searchShares = hasRows ? KERNEL_ROWS : SOON_SEARCHED;
    this.#random = numbersFrom(seed);
    const chance = (share: number) => this.#random() < share;
    this.#is3D = chance(0.25);
    this.#senses = chance(0.3) ? ['sight', 'sound'] : ['sight'];
    this.#side = 200 * this.#pick([1, 1, 1, 1e-4, 1e6]);
    this.#step = this.#side * this.#pick([0.0001, 0.0005, 0.002, 0.01]);
    this.#shares = {
      moving: this.#random(),
      odd: chance(0.6) ? 0 : 0.02 * this.#random(),
      leaps: chance(0.4) ? 0 : 0.02 * this.#random(),
      changes: chance(0.4) ? 0 : 0.01 * this.#random(),
    };
    if (isFew)
      this.#shares = {
        moving: 0.03 * this.#random(),
        odd: 0.3 * this.#random(),
        leaps: 0.005,
        changes: 0.004,
      };
    const interest: Interest = {
      ...(chance(0.5) && { incumbentBonus: this.#pick([0, 0.05, 0.5, 1]) }),
      ...(chance(0.3) && { leaveMargin: this.#side * 0.03 }),
      ...(chance(0.3) && { minDwellTicks: 4 }),
      ...(chance(0.2) && { memoryTicks: 5 }),
      ...(chance(0.2) && { mutual: true }),
      ...(remembers && { incumbentBonus: 0.5, memoryTicks: 8 + this.#below(20), mutual: false }),
    };
    const dimensions = this.#is3D ? 3 : 2;
    const shapes = this.#is3D ? (['circle', 'box', 'cylinder'] as const) : (['circle', 'box'] as const);
    const options = {
      dimensions,
      ...(isFew && { rangeShape: this.#pick(shapes) }),
      senses: [...this.#senses],
      interests: { default: interest },
      kernels,
    } as const;
    const searched = new World(options);
    this.#worlds = known ? [searched] : [searched, new World({ ...options, detector: 'nine-grid' })];
    for (let left = 40 + this.#below(200); left > 0; left--) this.#add();
  }

  /** The two hashes of a tick, which must be equal. */
  tick(): string[] {
    const { moving, leaps, changes } = this.#shares;
    const ids = [...this.#walkers.keys()];
    for (const id of ids) {
      const { place, toward } = this.#walkers.get(id) as { place: number[]; toward: number[] };
      const share = this.#random();
      if (share < leaps) place.splice(0, 2, this.#side * this.#random(), this.#side * this.#random());
      else if (share < 2 * leaps) {
        const other = this.#walkers.get(this.#pick(ids)) as { place: number[] };
        for (const axis of [0, 1])
          place[axis] = (other.place[axis] as number) + 0.1 * this.#side * (this.#random() - 0.5);
      } else if (share < 2 * leaps + moving) {
        place.forEach((at, axis) => {
          if (at < 0 || at > this.#side) toward[axis] = -(toward[axis] as number);
          place[axis] = at + (toward[axis] as number) * this.#step;
        });
      } else continue;
      const [x, y, z] = place as [number, number, number];
      for (const world of this.#worlds) this.#is3D ? world.move(id, x, y, z) : world.move(id, x, y);
    }
    for (let k = 0; k < ids.length * changes; k++) this.#change([...this.#walkers.keys()]);
    const [searched, ...others] = this.#worlds;
    const hash = withShares(this.#searchShares, () => searched.tick().hash());
    for (const plain of others) this.#hashes.push(withShares(NEVER_SEARCHED, () => plain.tick().hash()));
    return [hash, this.#hashes[searched.tickCount - 1] as string];
  }

  /** Number of watchers of the first world that are searched. */
  get searchedCount(): number {
    const { hidden } = storeOf(this.#worlds[0]).last;
    return [...this.#walkers.keys()].filter((id) => hidden.at(id >>> 10) === 1).length;
  }

  /** At the end of the walk. */
  async dispose(): Promise<void> {
    plainHashes.set(this.#walk, this.#hashes);
    await Promise.all(this.#worlds.map((world) => world.dispose()));
  }

  #change(ids: readonly EntityId[]): void {
    const id = this.#pick(ids);
    const other = this.#pick(ids);
    const what = this.#below(9);
    if (what === 0) {
      if (ids.length < 10) return;
      for (const world of this.#worlds) world.remove(id);
      this.#walkers.delete(id);
    } else if (what === 1) this.#add();
    else if (what === 2 && id !== other) {
      const isPin = this.#random() < 0.5;
      for (const world of this.#worlds) isPin ? world.pin(id, other) : world.unpin(id, other);
    } else {
      const patches: readonly EntityPatch[] = [
        { cap: this.#below(20) },
        { range: this.#side * (0.05 + 0.3 * this.#random()) },
        ...[this.#oddity(), { gain: 1, minReach: 0, weight: 1, layers: 1, sees: 1 }],
      ];
      const patch = this.#pick(patches);
      for (const world of this.#worlds) world.update(id, patch);
    }
  }

  #add(): void {
    const place = [
      this.#side * this.#random(),
      this.#side * this.#random(),
      0.3 * this.#side * this.#random(),
    ];
    const [x, y, z] = place as [number, number, number];
    const range = this.#side * (0.05 + 0.3 * this.#random());
    const init: EntityInit = {
      ...(this.#is3D ? { x, y, z } : { x, y }),
      range: this.#senses.length === 1 ? range : { sight: range, sound: range * this.#random() },
      cap: 1 + this.#below(2 + this.#below(13)),
      updates: this.#random() < 0.5,
      ...(this.#random() < this.#shares.odd && this.#oddity()),
    };
    const [id] = this.#worlds.map((world) => world.add(init));
    const toward = [0, 0, 0].map(() => this.#random() - 0.5);
    this.#walkers.set(id as EntityId, { place: this.#is3D ? place : place.slice(0, 2), toward });
  }

  #oddity(): EntityPatch {
    const size = this.#random();
    const oddities = [
      { gain: 3 * size },
      { minReach: this.#side * size },
      { weight: 4 * size },
      { layers: 2 },
    ];
    return this.#pick([...oddities, { marker: false }, { always: true }]);
  }

  #below(end: number): number {
    return Math.floor(this.#random() * end);
  }

  #pick<T>(from: readonly T[]): T {
    return from[this.#below(from.length)] as T;
  }
}

/** Counts the rows of all ticks of the worlds in which a kernel decides seats, and those of them that are due. */
function countDue(counts: { rows: number; due: number }): void {
  const { listDue } = SeatSearch.prototype;
  vi.spyOn(SeatSearch.prototype, 'listDue').mockImplementation(function (this: SeatSearch, ...args) {
    const listed = listDue.call(this, ...args);
    if (!searchShares.areRowsByKernel) return listed;
    counts.rows += this.watchers.withRow.length;
    counts.due += listed.length;
    return listed;
  });
}

test.each(['auto', 'typescript'] as const)(
  'with %s kernels a skipped watcher misses nothing',
  async (kernels) => {
    const counts = { rows: 0, due: 0 };
    countDue(counts);
    for (const seed of seedsFrom(0, 12, kernels)) {
      const walk = new Walk(seed, kernels);
      for (let tick = 0; tick < TICKS; tick++) {
        const [searched, plain] = walk.tick();
        expect(searched, `seed ${seed}, tick ${tick}`).toBe(plain);
      }
      await walk.dispose();
    }
    // Otherwise the case was not tested at all.
    expect(counts.due).toBeLessThan(0.95 * counts.rows);
  },
);

test.each(['auto', 'typescript'] as const)(
  'with %s kernels, where few move, a watcher is skipped while no seat of it changes',
  async (kernels) => {
    const counts = { rows: 0, due: 0 };
    let searched = 0;
    countDue(counts);
    for (const seed of seedsFrom(200, 40, kernels)) {
      const walk = new Walk(seed, kernels, { isFew: true, remembers: seed % 3 === 0 });
      for (let tick = 0; tick < TICKS; tick++) {
        const [hash, plain] = walk.tick();
        expect(hash, `seed ${seed}, tick ${tick}`).toBe(plain);
        searched += walk.searchedCount;
      }
      await walk.dispose();
    }
    // Otherwise the case was not tested at all.
    const skipped = counts.rows - counts.due;
    expect(skipped).toBeGreaterThan(0.25 * searched);
    expect(searched).toBeGreaterThan(0.3 * counts.rows);
  },
);

test.each([
  ['auto', false],
  ['typescript', false],
  ['auto', true],
  ['typescript', true],
] as const)(
  'with %s kernels and whole rows, where few move: %s, a skipped watcher misses nothing',
  async (kernels, isFew) => {
    const counts = { rows: 0, due: 0 };
    countDue(counts);
    for (const seed of seedsFrom(300, 24, kernels)) {
      const walk = new Walk(seed, kernels, { isFew, hasRows: true, remembers: seed % 4 === 0 });
      for (let tick = 0; tick < TICKS; tick++) {
        const [hash, plain] = walk.tick();
        expect(hash, `seed ${seed}, tick ${tick}`).toBe(plain);
      }
      await walk.dispose();
    }
    // Otherwise the case was not tested at all.
    expect(counts.due).toBeLessThan(0.7 * counts.rows);
  },
);

test('a watcher that remembers a marker is skipped, too, until a remembered marker may be perceived again', async () => {
  let skipped = 0;
  const planned = new Set<number>();
  const { keepCalmUntil, listDue } = SeatSearch.prototype;
  vi.spyOn(SeatSearch.prototype, 'keepCalmUntil').mockImplementation(function (
    this: SeatSearch,
    watcher,
    ...rest
  ) {
    planned.add(watcher);
    keepCalmUntil.call(this, watcher, ...rest);
  });
  vi.spyOn(SeatSearch.prototype, 'listDue').mockImplementation(function (this: SeatSearch, ...given) {
    const listed = listDue.apply(this, given);
    for (const watcher of listed) planned.delete(watcher);
    skipped += planned.size;
    planned.clear();
    return listed;
  });
  for (let seed = 100; seed < 124; seed++) {
    const walk = new Walk(seed, 'auto', { remembers: true });
    for (let tick = 0; tick < TICKS; tick++) {
      const [searched, plain] = walk.tick();
      expect(searched, `seed ${seed}, tick ${tick}`).toBe(plain);
    }
    await walk.dispose();
  }
  // Otherwise the case was not tested at all.
  expect(skipped).toBeGreaterThan(1000);
});

test('a marker of little weight loses its seat to one that is far and heavy, though nobody else moves', () => {
  const world = new World({ interests: { default: { incumbentBonus: 0.05 } } });
  const watcher = world.add({ x: 0, y: 0, range: 20, cap: 2 });
  const light = world.add({ x: 1.41, y: 0, weight: 0.5 });
  // Ranks farther behind than the watcher perceives.
  world.add({ x: -15, y: 0, weight: 0.5 });
  for (let i = 0; i < 40; i++) world.add({ x: 100 + i, y: 0, range: 5, cap: 1 });
  for (let tick = 0; tick < 3; tick++) world.tick();
  const heavy = world.add({ x: 0, y: 8.1, weight: 3 });
  world.update(watcher, { cap: 1 });
  world.tick();
  world.tick();
  expect([...world.visibleTo(watcher)]).toEqual([light]);
  world.move(light, 2, 0);
  world.tick();
  expect([...world.visibleTo(watcher)]).toEqual([heavy]);
});

/**
 * The fastest that a seat can change hands: a watcher and the marker that gets it walk toward each other, the one that loses it walks away,
 * each as fast as anything. A watcher that is skipped a tick too long gives the seat too late.
 */
test.each([
  ['whole rows', KERNEL_ROWS, 0],
  ['whole rows and a bonus', KERNEL_ROWS, 0.1],
  ['searches', SOON_SEARCHED, 0],
  ['searches and a bonus', SOON_SEARCHED, 0.1],
] as const)('with %s, no watcher is skipped for longer than distances allow', (_, shares, incumbentBonus) => {
  const counts = { rows: 0, due: 0 };
  countDue(counts);
  withShares(shares, () => {
    const world = new World({ interests: { default: { cap: 1, incumbentBonus } } });
    const random = numbersFrom(8);
    const scenes = Array.from({ length: 80 }, (_, i) => {
      const x = 1000 * i;
      const near = 40 + 10 * random();
      const far = near * (1 + incumbentBonus) + 2.5 + 30 * random();
      // Other watchers are no candidates.
      const watcher = world.add({ x, y: 0, range: 300, layers: 2, sees: 1 });
      const seat = world.add({ x: x - near, y: 0 });
      const other = world.add({ x: x + far, y: 0 });
      return { x, near, far, watcher, seat, other };
    });
    const step = 0.5;
    for (let tick = 0; tick < 40; tick++) {
      const walked = step * tick;
      for (const { x, near, far, watcher, seat, other } of scenes) {
        world.move(watcher, x + walked, 0);
        world.move(seat, x - near - walked, 0);
        world.move(other, x + far - walked, 0);
      }
      world.tick();
      scenes.forEach(({ near, far, watcher, seat, other }, i) => {
        const isKept = (near + 2 * walked) * (1 - incumbentBonus) < far - 2 * walked;
        expect([...world.visibleTo(watcher)], `scene ${i}, tick ${tick}`).toEqual([isKept ? seat : other]);
      });
    }
  });
  // Otherwise no watcher was skipped.
  expect(counts.due).toBeLessThan(0.8 * counts.rows);
});
