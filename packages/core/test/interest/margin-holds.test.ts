/**
 * Margin-held pairs in large numbers: the kernels process their list in blocks, and must agree with what the
 * definition says of each pair by itself.
 *
 * A kernel uses the definition when any gain is not 1. So the same crowd lives in three worlds, and in one of
 * them an entity far away has a gain of 2.
 */
import { expect, test } from 'vitest';
import { Random } from '../../src/conformance/random.ts';
import { type EntityId, type EntityInit, type Interest, type KernelChoice, World } from '../../src/index.ts';

const ENTITIES = 400;
const TICKS = 40;
const SIDE = 120;
const FAR = 1e6;
const INTERESTS = ['default', 'wide', 'none'];
/** Ranges of a crowd that is alike: a pair that leaves is held in one sense, in the other, or in both. */
const ALIKE: Record<string, number> = { sight: 24, hearing: 21, smell: 6 };
/** Ranges so far apart that no two margins touch. */
const APART: Record<string, number> = { sight: 24, hearing: 12, smell: 12 };
/** Two interests with the same margin as the first. */
const ONE_MARGIN: Record<string, Interest> = {
  wide: { leaveMargin: 4, mutual: true },
  none: { leaveMargin: 4, cap: 40 },
};
const WORLDS: readonly { kernels: KernelChoice; gain: number }[] = [
  { kernels: 'auto', gain: 1 },
  { kernels: 'typescript', gain: 1 },
  { kernels: 'auto', gain: 2 },
];

/** A crowd that walks, leaps, comes, goes and changes at random; the same in each world. */
class Crowd {
  readonly #worlds: World[];
  readonly #ids: EntityId[] = [];
  readonly #x = new Map<EntityId, readonly [number, number]>();
  readonly #random: Random;
  readonly #alike: Record<string, number> | undefined;

  readonly #areMixed: boolean;

  constructor(seed: number, { alike, cap, isOneMargin = false }: Manner) {
    this.#random = new Random(seed);
    this.#alike = alike;
    this.#areMixed = alike === undefined || isOneMargin;
    this.#worlds = WORLDS.map(({ kernels, gain }) => {
      const world = new World({
        kernels,
        senses: ['sight', 'hearing', 'smell'],
        interests: {
          default: { leaveMargin: 4, ...(cap && { cap }) },
          ...(isOneMargin ? ONE_MARGIN : { wide: { leaveMargin: 9, cap: 300 }, none: {} }),
        },
      });
      world.add({ x: FAR, y: FAR, gain });
      return world;
    });
    while (this.#ids.length < ENTITIES) this.#add();
  }

  /** What a tick reports in each world, and the relations of one entity of the crowd. */
  tick(): string[] {
    const asked = this.#random.pick(this.#ids);
    return this.#worlds.map((world) => {
      const { enteredCount, leftCount, sensedCount } = world.tick();
      const seen = [...world.visibleTo(asked)].map((id) => `${id}:${world.senses(asked, id)}`);
      const told = `${seen.join(' ')} seen by ${world.watchersOf(asked).join(' ')}`;
      return `${enteredCount} ${leftCount} ${sensedCount} ${world.lastChanges.hash()} ${told}`;
    });
  }

  /** Whether the worlds that differ only in their kernels store the same. */
  areKeptAlike(): boolean {
    const [one, other] = this.#worlds.map((world) => world.snapshot());
    return one.length === other.length && one.every((byte, i) => byte === other[i]);
  }

  /** Most entities walk a little; now and then one leaps, and with `isBusy`, some come, go and change. */
  step(isBusy: boolean): void {
    for (const id of this.#ids) {
      const [x, y] = this.#x.get(id) as readonly [number, number];
      const isLeap = this.#random.chance(0.005);
      const step = isLeap ? SIDE : 2;
      this.#put(id, x + step * (this.#random.fraction() - 0.5), y + step * (this.#random.fraction() - 0.5));
    }
    if (!isBusy) return;
    for (let i = 0; i < 6; i++) {
      const at = this.#random.below(this.#ids.length);
      const id = this.#ids[at];
      const range = this.#random.chance(0.02) ? { sight: 30, hearing: 4, smell: 0 } : this.#ranges();
      const interest = this.#areMixed ? this.#random.pick(INTERESTS) : 'default';
      if (this.#random.chance(0.4)) {
        for (const world of this.#worlds) world.remove(id);
        this.#ids.splice(at, 1);
        this.#add();
      } else if (this.#random.chance(0.5)) for (const world of this.#worlds) world.update(id, { range });
      else for (const world of this.#worlds) world.update(id, { interest });
    }
  }

  #add(): void {
    const x = SIDE * this.#random.fraction();
    const y = SIDE * this.#random.fraction();
    const init: EntityInit = { x, y, range: this.#ranges(), updates: this.#random.chance(0.5) };
    if (this.#areMixed) init.interest = this.#random.pick(INTERESTS);
    const [id] = this.#worlds.map((world) => world.add(init));
    this.#ids.push(id);
    this.#x.set(id, [x, y]);
  }

  #put(id: EntityId, x: number, y: number): void {
    for (const world of this.#worlds) world.move(id, x, y);
    this.#x.set(id, [x, y]);
  }

  /** Often two senses have the same range: a pair is then held in both. */
  #ranges(): Record<string, number> {
    if (this.#alike) return this.#alike;
    const sight = 20 + this.#random.below(3) * 5;
    return { sight, hearing: this.#random.chance(0.5) ? sight : 12, smell: this.#random.chance(0.2) ? 0 : 6 };
  }
}

interface Manner {
  readonly name: string;
  readonly isBusy: boolean;
  /**
   * The ranges of all entities, with one interest, except for one entity now and then; with `isOneMargin` the
   * interests differ but have one margin.
   */
  readonly alike?: Record<string, number>;
  /** Cap of the first interest. */
  readonly cap?: number;
  readonly isOneMargin?: boolean;
}

const MANNERS: readonly Manner[] = [
  { name: '', isBusy: false },
  { name: ', while many come, go and change', isBusy: true },
  { name: ', where all have the same ranges', isBusy: false, alike: ALIKE },
  { name: ', where all have the same ranges, except for an entity now and then', isBusy: true, alike: ALIKE },
  { name: ', where it holds in one sense at most', isBusy: false, alike: APART },
  {
    name: ', where it holds in one sense at most, except for an entity now and then',
    isBusy: true,
    alike: APART,
  },
  { name: ', where caps are reached now and then', isBusy: false, alike: APART, cap: 80 },
  { name: ', where several interests have one margin', isBusy: false, alike: APART, isOneMargin: true },
  {
    name: ', where several interests have one margin and many change',
    isBusy: true,
    alike: APART,
    isOneMargin: true,
  },
  { name: ', where caps are reached and many come, go and change', isBusy: true, alike: APART, cap: 80 },
];

for (const manner of MANNERS) {
  test(`both kinds of kernels hold the pairs that the definition holds${manner.name}`, () => {
    for (let seed = 1; seed <= 3; seed++) {
      const crowd = new Crowd(seed, manner);
      for (let tick = 1; tick <= TICKS; tick++) {
        const [found, ...others] = crowd.tick();
        for (const other of others) expect(other, `seed ${seed}, tick ${tick}`).toBe(found);
        // Now and then nothing happens.
        if (tick % 8 !== 0) crowd.step(manner.isBusy);
      }
      expect(crowd.areKeptAlike(), `seed ${seed}`).toBe(true);
    }
  });
}

test('memory for the margin-held pairs of a crowd is freed when the crowd is gone', () => {
  const world = new World({ interests: { default: { leaveMargin: 20 } } });
  const random = new Random(1);
  const add = () =>
    world.add({ x: SIDE * random.fraction(), y: SIDE * random.fraction(), range: 20, updates: false });
  const crowd = Uint32Array.from({ length: 3000 }, add);
  const ticks = (count: number) => {
    for (let tick = 0; tick < count; tick++) {
      for (const id of world.ids()) world.move(id, SIDE * random.fraction(), SIDE * random.fraction());
      world.tick();
    }
  };
  ticks(4);
  const large = world.stats().memoryBytes;
  world.removeMany(crowd.subarray(100));
  ticks(260);
  expect(world.stats().memoryBytes).toBeLessThan(large / 10);
});

test('queries are right for an entity added after many queries', () => {
  const world = new World({ interests: { default: { leaveMargin: 10 } } });
  const watchers = Array.from({ length: 8 }, () => world.add({ x: 0, y: 0, range: 10 }));
  const marker = world.add({ x: 5, y: 0 });
  world.tick();
  world.move(marker, 15, 0);
  world.tick();
  for (const watcher of watchers) expect(world.related(watcher, marker)).toBe(true);
  const others = Array.from({ length: 5000 }, () => world.add({ x: 500, y: 0, range: 1 }));
  expect(world.related(others[4999] as EntityId, marker)).toBe(false);
  expect([...world.watchersOf(others[4999] as EntityId)]).toEqual([]);
  expect([...world.watchersOf(marker)]).toEqual(watchers);
});
