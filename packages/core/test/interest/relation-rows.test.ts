/**
 * Rows of relations in worlds of some thousands of entities, and the memory they take. The `updated` lists
 * are compared with the definition, while watchers are added and removed and switch `updates` on and off, few
 * or all entities move, and rows grow much and shrink again.
 */
import { describe, expect, test } from 'vitest';
import { Random } from '../../src/conformance/random.ts';
import { type EntityId, World } from '../../src/index.ts';

const ENTITIES = 2600;
const SIDE = 400;
/** So that a watcher perceives about ten markers, or hundreds with the far range. */
const RANGE = 12;
const FAR = 90;
/** Memory is reviewed every 64 ticks; what a single tick needed is freed after two reviews. */
const TICKS_UNTIL_LOOKED_AT = 130;

interface Actor {
  id: EntityId;
  x: number;
  y: number;
  range: number;
  updates: boolean;
  /** Whether it moved in the tick under way. */
  isMoved: boolean;
  /** The relations as of the last tick, and whether it had `updates` before. */
  related: Set<EntityId>;
  toldBefore: boolean;
}

class Crowd {
  readonly #random: Random;
  readonly world: World;
  readonly actors: Actor[] = [];

  constructor(kernels: 'wasm' | 'typescript', seed: number) {
    this.#random = new Random(seed);
    this.world = new World({ kernels });
  }

  add(count: number): void {
    for (let i = 0; i < count; i++) {
      const [x, y] = [this.#random.below(SIDE), this.#random.below(SIDE)];
      const updates = this.#random.below(8) > 0;
      const range = this.#random.below(10) === 0 ? 0 : RANGE;
      const id = this.world.add({ x, y, range, updates });
      this.actors.push({ id, x, y, range, updates, isMoved: true, related: new Set(), toldBefore: updates });
    }
  }

  remove(count: number): void {
    for (let i = 0; i < count; i++) {
      const [actor] = this.actors.splice(this.#random.below(this.actors.length), 1);
      if (actor !== undefined) this.world.remove(actor.id);
    }
  }

  /** Moves each by at least one unit; there is room for that on one side at least. */
  move(share: number): void {
    for (const actor of this.actors) {
      actor.isMoved = this.#random.below(1000) < 1000 * share;
      if (!actor.isMoved) continue;
      actor.x += actor.x < SIDE / 2 ? 1 : -1;
      actor.y = Math.min(SIDE, Math.max(0, actor.y + this.#random.below(5) - 2));
      this.world.move(actor.id, actor.x, actor.y);
    }
  }

  /** Gives some entities another range, or switches their `updates`. */
  change(count: number, range: number): void {
    for (let i = 0; i < count; i++) {
      const actor = this.actors[this.#random.below(this.actors.length)];
      if (actor === undefined) continue;
      actor.range = range;
      actor.updates = this.#random.below(3) > 0;
      this.world.update(actor.id, { range, updates: actor.updates });
    }
  }

  /** Runs a tick and checks each watcher's list: what was related before, still is, and moved. */
  tick(): string {
    const changes = this.world.tick();
    this.world.validate();
    const moved = new Set(this.actors.filter(({ isMoved }) => isMoved).map(({ id }) => id));
    for (const actor of this.actors) {
      const related = new Set(this.#perceived(actor));
      const told = [...related].filter((id) => moved.has(id) && actor.related.has(id)).sort((a, b) => a - b);
      const expected = actor.updates ? told : [];
      const got = [...(changes.of(actor.id)?.updated ?? [])];
      // An `expect` for each of thousands costs more than the tick.
      if (`${got}` !== `${expected}`) expect(got, `of ${actor.id}`).toEqual(expected);
      actor.related = related;
    }
    return changes.hash();
  }

  #perceived(watcher: Actor): EntityId[] {
    const squared = watcher.range * watcher.range;
    return this.actors
      .filter(({ id, x, y }) => id !== watcher.id && (x - watcher.x) ** 2 + (y - watcher.y) ** 2 <= squared)
      .filter(() => watcher.range > 0)
      .map(({ id }) => id);
  }
}

/** Runs one life. Returns the hash of each tick. */
function live(kernels: 'wasm' | 'typescript', seed: number): string[] {
  const crowd = new Crowd(kernels, seed);
  const hashes: string[] = [];
  const tick = (share: number) => {
    crowd.move(share);
    hashes.push(crowd.tick());
  };
  crowd.add(ENTITIES);
  tick(0);
  tick(1);
  tick(1);
  tick(0.02);
  crowd.change(40, FAR);
  tick(1);
  tick(1);
  crowd.change(300, RANGE);
  tick(0.5);
  crowd.remove(900);
  tick(1);
  crowd.add(1200);
  tick(1);
  tick(1);
  crowd.change(60, FAR);
  crowd.remove(300);
  crowd.add(200);
  tick(0.9);
  tick(0);
  crowd.change(600, 0);
  tick(1);
  crowd.change(600, RANGE);
  tick(1);
  tick(1);
  return hashes;
}

describe('updated lists of thousands of rows', () => {
  test.each([3, 4])('are the markers that moved and stay related, with both kernels: seed %i', (seed) => {
    expect(live('wasm', seed)).toEqual(live('typescript', seed));
  });

  test.each(['wasm', 'typescript'] as const)(
    'keep no row for watchers without updates behind one with updates, with %s kernels',
    (kernels) => {
      const world = new World({ kernels });
      const [first] = world.addMany({ x: [0, 1], y: [0, 0], range: 5 });
      world.tick();
      const at = (tick: number) => ({
        x: Array.from({ length: 700 }, (_, i) => 10 * i),
        y: Array(700).fill(tick),
      });
      const ids = world.addMany({ ...at(100), range: 11, updates: false });
      for (let tick = 1; tick <= 3; tick++) {
        world.moveMany(ids, at(100 + tick).x, at(100 + tick).y);
        world.move(first, 0, tick);
        const told = [...world.tick()]
          .filter(({ updated }) => updated.length > 0)
          .map(({ watcher }) => watcher);
        expect(told).toEqual([first + 1024]);
        world.validate();
      }
    },
  );

  test.each(['wasm', 'typescript'] as const)(
    'stay right behind rows that were emptied and freed, with %s kernels',
    (kernels) => {
      const count = 8 * 1024;
      const world = new World({ kernels });
      const x = Float32Array.from({ length: count }, (_, i) => i);
      const ids = world.addMany({ x, y: new Float32Array(count), range: 1 });
      world.tick();
      // Three quarters of the entities move apart.
      const gone = 6 * 1024;
      for (let i = 0; i < gone; i++) world.move(ids[i] as EntityId, 1000 + 10 * i, -1000);
      for (let tick = 0; tick < TICKS_UNTIL_LOOKED_AT; tick++) world.tick();
      world.validate();
      for (let i = gone; i < count; i++) world.move(ids[i] as EntityId, i + 0.25, 0);
      const changes = world.tick();
      world.validate();
      for (let i = gone; i < count; i++) {
        const id = ids[i] as EntityId;
        expect([...(changes.of(id)?.updated ?? [])]).toEqual([...world.visibleTo(id)]);
      }
      expect(changes.updatedCount).toBe(2 * 2 * 1024 - 2);
    },
  );

  test.each(['wasm', 'typescript'] as const)(
    'are freed step by step as watchers switch updates off, and relations still end, with %s kernels',
    (kernels) => {
      const count = 6 * 1024;
      const world = new World({ kernels });
      const ids = world.addMany({
        x: Float32Array.from({ length: count }, (_, i) => i),
        y: new Float32Array(count),
        range: 100,
      });
      const giveUp = (from: number, to: number) => {
        for (let i = from; i < to; i++) world.update(ids[i] as EntityId, { updates: false });
        for (let tick = 0; tick < 150; tick++) world.tick();
        world.validate();
      };
      world.tick();
      for (let i = 0; i < 1024; i++) world.update(ids[i] as EntityId, { range: 3 });
      giveUp(3 * 1024, count);
      giveUp(1024, 3 * 1024);
      world.move(ids[count - 1] as EntityId, 100_000, 0);
      expect(world.tick().leftCount).toBe(200);
      world.validate();
    },
  );
});

describe('what updated lists add to a world of walkers', () => {
  const COUNT = 4000;

  /** Two worlds with the same walkers; in one of them watchers get updates. */
  class Twins {
    readonly #random = new Random(6);
    readonly #worlds = [true, false].map(() => new World({ capacity: COUNT }));
    readonly #x = new Float32Array(COUNT);
    readonly #y = new Float32Array(COUNT);
    readonly #ids: Uint32Array;

    constructor() {
      for (let i = 0; i < COUNT; i++) {
        this.#x[i] = this.#random.between(0, SIDE);
        this.#y[i] = this.#random.between(0, SIDE);
      }
      const all = { x: this.#x, y: this.#y, range: 25 };
      const [ids] = this.#worlds.map((world, i) => world.addMany({ ...all, updates: i === 0 }));
      this.#ids = ids as Uint32Array;
    }

    ticks(count: number, resting = 0): void {
      for (let tick = 0; tick < count; tick++) {
        for (let i = 0; i < COUNT; i++) this.#x[i] += this.#x[i] < SIDE / 2 ? 1 : -1;
        for (const world of this.#worlds) {
          world.moveMany(this.#ids.subarray(resting), this.#x.subarray(resting), this.#y.subarray(resting));
          world.tick();
        }
      }
    }

    /** Additional bytes of the world with updates, per relation. */
    get bytes(): number {
      const [withUpdates, without] = this.#worlds.map((world) => world.stats());
      if (withUpdates === undefined || without === undefined) throw new Error('there are two worlds');
      return (withUpdates.memoryBytes - without.memoryBytes) / withUpdates.relationCount;
    }
  }

  test('is less than 6 bytes a relation if all move', () => {
    const twins = new Twins();
    twins.ticks(20);
    expect(twins.bytes).toBeLessThan(6);
    twins.ticks(120);
    expect(twins.bytes).toBeLessThan(6);
  });

  test('is little if few watchers get updates, from the first tick on', () => {
    const memoryOf = (told: number) => {
      const world = new World({ capacity: COUNT });
      const random = new Random(8);
      const at = () => Float32Array.from({ length: COUNT }, () => random.between(0, SIDE));
      const [x, y] = [at(), at()];
      const init = { range: 25, updates: false };
      const ids = world.addMany({ x, y, ...init });
      for (const id of ids.subarray(0, told)) world.update(id, { updates: true });
      world.tick();
      return world.stats().memoryBytes;
    };
    // Some 50 relations, 16 bytes a slot for columns by slot, and the rest of a memory page.
    expect(memoryOf(1) - memoryOf(0)).toBeLessThan(35 * COUNT);
    expect(memoryOf(COUNT) - memoryOf(0)).toBeGreaterThan(100 * COUNT);
  });

  test('is freed when the only resting walker moves again', () => {
    const twins = new Twins();
    twins.ticks(10);
    twins.ticks(3, 1);
    expect(twins.bytes).toBeGreaterThan(7);
    twins.ticks(TICKS_UNTIL_LOOKED_AT);
    expect(twins.bytes).toBeLessThan(6);
  });
});
