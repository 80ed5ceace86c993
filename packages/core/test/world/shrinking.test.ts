/**
 * A world that had many and has few: memory comes back, and nothing else can be told. Each life is lived, tick by tick,
 * beside a world that never shrinks: it was given room at once, and a detector that is not the engine's to make anew.
 */
import { describe, expect, test } from 'vitest';
import { Random } from '../../src/conformance/random.ts';
import { nineGrid } from '../../src/detectors/nine-grid.ts';
import { detectorNames, type EntityId, type Interest, World } from '../../src/index.ts';

const MANY = 1500;
const FEW = 40;
const SIDE = 1000;
/** Memory is looked at every 64 ticks; a spike has gone after two of these. */
const TICKS_UNTIL_LOOKED_AT = 130;

/** All but the one that keeps nothing, and takes its time. */
const shrinking = detectorNames.filter((name) => name !== 'brute-force');

/** Two worlds that are told the same. */
class Pair {
  readonly #random = new Random(5);
  readonly world: World;
  readonly judge: World;
  ids: EntityId[] = [];

  constructor(detector: (typeof detectorNames)[number], rules: Interest) {
    this.world = new World({ detector, interests: { default: rules } });
    this.judge = new World({
      detector: (store) => nineGrid(store),
      capacity: 4 * MANY,
      interests: { default: rules },
    });
  }

  add(count: number): void {
    for (let i = 0; i < count; i++) {
      const entity = { ...this.#place(), range: this.#random.below(60) };
      const id = this.world.add(entity);
      expect(this.judge.add(entity)).toBe(id);
      this.ids.push(id);
    }
  }

  remove(count: number, at: 'first' | 'last' | 'anywhere'): void {
    for (let i = 0; i < count; i++) {
      const { length } = this.ids;
      const index = at === 'first' ? 0 : at === 'last' ? length - 1 : this.#random.below(length);
      const [id = 0] = this.ids.splice(index, 1);
      this.world.remove(id);
      this.judge.remove(id);
    }
  }

  ticks(count: number): void {
    for (let tick = 0; tick < count; tick++) {
      for (const id of this.ids.slice(0, 60)) {
        const { x, y } = this.#place();
        this.world.move(id, x, y);
        this.judge.move(id, x, y);
      }
      const changes = this.world.tick();
      expect(changes.hash()).toBe(this.judge.tick().hash());
      if (tick % 16 === 0) this.world.validate();
    }
  }

  get bytes(): number {
    return this.world.stats().memoryBytes;
  }

  #place(): { x: number; y: number } {
    return { x: this.#random.below(SIDE), y: this.#random.below(SIDE) };
  }
}

describe.each(shrinking)('a world with %s that shrinks', (name) => {
  test('tells what a world tells that never was large, before, after, and when it grows again', () => {
    const pair = new Pair(name, {});
    pair.add(MANY);
    pair.ticks(2);
    pair.remove(MANY - FEW, 'last');
    pair.ticks(TICKS_UNTIL_LOOKED_AT);
    pair.add(MANY / 3);
    pair.ticks(3);
    pair.remove(MANY / 3, 'anywhere');
    pair.ticks(70);
    pair.add(2 * MANY);
    pair.ticks(2);
  });

  test('gives back most of its memory', () => {
    const pair = new Pair(name, {});
    const empty = pair.bytes;
    pair.add(MANY);
    pair.ticks(TICKS_UNTIL_LOOKED_AT);
    const large = pair.bytes;
    pair.remove(MANY - FEW, 'last');
    pair.ticks(TICKS_UNTIL_LOOKED_AT);
    // Ids stay, for 4 bytes each, and 4 to 8 of each that is free, in a ring that doubles.
    expect(pair.bytes).toBeLessThan(empty + (large - empty) / 3 + 12 * MANY);
  });
});

test('gives back as much where nothing happens any more', () => {
  const bytesAfter = (quietTicks: number) => {
    const pair = new Pair('sweep', { cap: 12, leaveMargin: 5 });
    pair.add(MANY);
    pair.ticks(2);
    pair.remove(MANY - FEW, 'last');
    pair.ticks(1);
    const large = pair.bytes;
    for (let tick = 0; tick < quietTicks; tick++) pair.world.tick();
    return { large, bytes: pair.bytes };
  };
  const { large, bytes } = bytesAfter(TICKS_UNTIL_LOOKED_AT);
  expect(bytes).toBeLessThan(large / 2);
  expect(bytesAfter(5 * TICKS_UNTIL_LOOKED_AT).bytes).toBe(bytes);
});

test('gives back what a change of rules needed, though nothing moves', () => {
  const bytesAfter = (isMoving: boolean) => {
    const world = new World();
    for (let i = 0; i < 700; i++) world.add({ x: i % 26, y: i / 26, range: 40 });
    const mover = world.add({ x: -900, y: 0 });
    for (let tick = 0; tick < 2 * TICKS_UNTIL_LOOKED_AT; tick++) world.tick();
    world.setInterest('default', { admit: () => false });
    expect(world.tick().leftCount).toBeGreaterThan(400_000);
    for (let tick = 0; tick < TICKS_UNTIL_LOOKED_AT; tick++) {
      if (isMoving) world.move(mover, -900, tick % 2);
      world.tick();
    }
    return world.stats().memoryBytes;
  };
  expect(bytesAfter(false)).toBeLessThan(1.1 * bytesAfter(true));
});

test('gives back what rows needed while all were in one place', () => {
  const rules: Interest = { cap: 8, quotas: [{ layers: 2, cap: 3 }] };
  const world = new World({ interests: { default: rules } });
  const ids = Array.from({ length: 400 }, (_, i) => world.add({ x: 6 * i, y: 0, range: 40 }));
  const walk = (ticks: number, apart: number) => {
    for (let tick = 0; tick < ticks; tick++) {
      for (const [i, id] of ids.entries()) world.move(id, apart * i + (tick % 2), 0);
      world.tick();
    }
  };
  walk(4, 0.05);
  walk(TICKS_UNTIL_LOOKED_AT, 6);
  const restored = World.restore(world.snapshot(), { interests: { default: rules } });
  restored.tick();
  expect(world.stats().memoryBytes).toBeLessThan(1.75 * restored.stats().memoryBytes);
  walk(3, 6);
  world.validate();
});

describe('a world that shrank', () => {
  function shrunken(rules: Interest = {}): { pair: Pair; gone: EntityId[] } {
    const pair = new Pair('sweep', rules);
    pair.add(MANY);
    pair.ticks(1);
    const gone = pair.ids.slice(FEW);
    pair.remove(MANY - FEW, 'last');
    pair.ticks(TICKS_UNTIL_LOOKED_AT);
    return { pair, gone };
  }

  test('still tells ids of those who are gone from ids that never were', () => {
    const { pair, gone } = shrunken();
    expect(() => pair.world.position(gone.at(-1) as EntityId)).toThrow(
      expect.objectContaining({ code: 'STALE_ID' }),
    );
    expect(() => pair.world.position(1024 * (MANY + 7) + 1)).toThrow(
      expect.objectContaining({ code: 'BAD_ID' }),
    );
    expect(pair.world.has(gone[0] as EntityId)).toBe(false);
  });

  test('hands out the slots that were freed first, with ids that nobody had', () => {
    const { pair, gone } = shrunken();
    const ids = pair.world.addMany({ x: [1, 2, 3], y: [1, 2, 3] });
    expect([...ids].map((id) => id >>> 10)).toEqual([MANY - 1, MANY - 2, MANY - 3]);
    for (const id of ids) expect(gone).not.toContain(id);
  });

  test('goes on from a snapshot as if it had not been stored', () => {
    const { pair } = shrunken({ leaveMargin: 5, cap: 12, memoryTicks: 9 });
    const restored = World.restore(pair.world.snapshot());
    expect(restored.add({ x: 3, y: 4, range: 9 })).toBe(pair.world.add({ x: 3, y: 4, range: 9 }));
    for (let tick = 0; tick < 3; tick++) {
      for (const id of pair.ids) {
        restored.move(id, (id % 97) + tick, tick);
        pair.world.move(id, (id % 97) + tick, tick);
      }
      expect(restored.tick().hash()).toBe(pair.world.tick().hash());
    }
  });

  test('stays as large as it was asked to be', () => {
    const world = new World({ capacity: 5000 });
    const asked = world.stats().memoryBytes;
    // With the first tick the detector makes its own least room, for which the heap may need another page.
    world.tick();
    const before = world.stats().memoryBytes;
    expect(before).toBeGreaterThanOrEqual(asked);
    for (let tick = 0; tick < TICKS_UNTIL_LOOKED_AT; tick++) world.tick();
    expect(world.stats().memoryBytes).toBe(before);
  });

  test('with an entity on a high slot is as right as any', () => {
    const pair = new Pair('sweep', { cap: 5, leaveMargin: 2 });
    pair.add(MANY);
    pair.ticks(1);
    pair.remove(MANY - FEW, 'first');
    pair.ticks(TICKS_UNTIL_LOOKED_AT);
    pair.add(1200);
    pair.ticks(2);
  });
});

test('a room of twenty who walk fits into the 128 KB that a heap begins with', () => {
  const world = new World();
  const ids = Array.from({ length: 20 }, (_, i) => world.add({ x: 3 * i, y: 0, range: 20 }));
  for (let tick = 0; tick < 300; tick++) {
    for (const [i, id] of ids.entries()) world.move(id, 3 * i, (tick + 7 * i) % 23);
    world.tick();
  }
  expect(world.lastChanges.updatedCount).toBeGreaterThan(20);
  expect(world.stats().memoryBytes).toBeLessThan(128 * 1024);
});
