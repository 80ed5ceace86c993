/**
 * Pairs that margins hold, in numbers: kernels go through lists of them in blocks, and have to come to what the definition
 * says of each pair by itself.
 *
 * The definition decides where any gain is not 1. So the same crowd lives in three worlds, and in one of them somebody far
 * away is loud.
 */
import { expect, test } from 'vitest';
import { Random } from '../../src/conformance/random.ts';
import { type EntityId, type EntityInit, type KernelChoice, World } from '../../src/index.ts';

const ENTITIES = 400;
const TICKS = 40;
const SIDE = 120;
const FAR = 1e6;
const INTERESTS = ['default', 'wide', 'none'];
/** Of a crowd that is alike: a pair that goes is held in one of them, in the other, or in both. */
const ALIKE: Record<string, number> = { sight: 24, hearing: 21, smell: 6 };
const WORLDS: readonly { kernels: KernelChoice; gain: number }[] = [
  { kernels: 'auto', gain: 1 },
  { kernels: 'typescript', gain: 1 },
  { kernels: 'auto', gain: 2 },
];

/** A crowd that walks, leaps, comes, goes and changes its ways, by chance; the same in each world. */
class Crowd {
  readonly #worlds: World[];
  readonly #ids: EntityId[] = [];
  readonly #x = new Map<EntityId, readonly [number, number]>();
  readonly #random: Random;
  readonly #isAlike: boolean;

  /** `isAlike`: all have the same ranges and one interest, but for somebody now and then. */
  constructor(seed: number, isAlike: boolean) {
    this.#random = new Random(seed);
    this.#isAlike = isAlike;
    this.#worlds = WORLDS.map(({ kernels, gain }) => {
      const world = new World({
        kernels,
        senses: ['sight', 'hearing', 'smell'],
        interests: { default: { leaveMargin: 4 }, wide: { leaveMargin: 9, cap: 300 }, none: {} },
      });
      world.add({ x: FAR, y: FAR, gain });
      return world;
    });
    while (this.#ids.length < ENTITIES) this.#add();
  }

  /** What a tick reports in each world, with whom one of the crowd is related to. */
  tick(): string[] {
    const asked = this.#random.pick(this.#ids);
    return this.#worlds.map((world) => {
      const { enteredCount, leftCount, sensedCount } = world.tick();
      const seen = [...world.visibleTo(asked)].map((id) => `${id}:${world.senses(asked, id)}`);
      return `${enteredCount} ${leftCount} ${sensedCount} ${world.lastChanges.hash()} ${seen.join(' ')}`;
    });
  }

  /** Whether the worlds that differ in their kernels alone keep the same. */
  areKeptAlike(): boolean {
    const [one, other] = this.#worlds.map((world) => world.snapshot());
    return one.length === other.length && one.every((byte, i) => byte === other[i]);
  }

  /** Most walk a little; now and then somebody leaps, and where `isBusy`, some come, go and change. */
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
      const interest = this.#isAlike ? 'default' : this.#random.pick(INTERESTS);
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
    if (!this.#isAlike) init.interest = this.#random.pick(INTERESTS);
    const [id] = this.#worlds.map((world) => world.add(init));
    this.#ids.push(id);
    this.#x.set(id, [x, y]);
  }

  #put(id: EntityId, x: number, y: number): void {
    for (const world of this.#worlds) world.move(id, x, y);
    this.#x.set(id, [x, y]);
  }

  /** Often two senses of one range: a pair is then held in both. */
  #ranges(): Record<string, number> {
    if (this.#isAlike) return ALIKE;
    const sight = 20 + this.#random.below(3) * 5;
    return { sight, hearing: this.#random.chance(0.5) ? sight : 12, smell: this.#random.chance(0.2) ? 0 : 6 };
  }
}

const MANNERS = [
  { name: '', isBusy: false, isAlike: false },
  { name: ', while many come, go and change', isBusy: true, isAlike: false },
  { name: ', where all have the same ranges', isBusy: false, isAlike: true },
  { name: ', where all have the same ranges but for somebody now and then', isBusy: true, isAlike: true },
];

for (const { name, isBusy, isAlike } of MANNERS) {
  test(`either kind of kernels holds whom the definition holds${name}`, () => {
    for (let seed = 1; seed <= 3; seed++) {
      const crowd = new Crowd(seed, isAlike);
      for (let tick = 1; tick <= TICKS; tick++) {
        const [found, ...others] = crowd.tick();
        for (const other of others) expect(other, `seed ${seed}, tick ${tick}`).toBe(found);
        // Now and then nothing happens at all.
        if (tick % 8 !== 0) crowd.step(isBusy);
      }
      expect(crowd.areKeptAlike(), `seed ${seed}`).toBe(true);
    }
  });
}

test('what a crowd needed that margins held is given back when it is gone', () => {
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
