/**
 * Who stands where in the frames' columns.
 */
import { World } from 'umwelt';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { Population } from '../src/feed/population.ts';

function sourceOf(world: World) {
  return { world, kindOf: (id: number) => id % 3, rangeOf: (id: number) => world.position(id)[0] as number };
}

describe('a population', () => {
  it('lists everybody by ascending id with kind and whether it watches', () => {
    const world = new World();
    const ids = [2, 0, 5].map((x) => world.add({ x, y: 0 }));
    const population = new Population();
    population.refresh(sourceOf(world));
    expect([...population.ids]).toEqual([...ids].sort((a, b) => a - b));
    expect([...population.kinds]).toEqual([...population.ids].map((id) => id % 3));
    expect([...population.watchers]).toEqual([1, 0, 1]);
  });

  it('keeps its version while nobody comes or goes', () => {
    const world = new World();
    const id = world.add({ x: 0, y: 0 });
    const population = new Population();
    population.refresh(sourceOf(world));
    const { version } = population;
    world.move(id, 5, 5);
    world.tick();
    population.refresh(sourceOf(world));
    expect(population.version).toBe(version);
  });

  it('has a new version when one goes and another comes in its stead', () => {
    const world = new World();
    const gone = world.add({ x: 0, y: 0 });
    const population = new Population();
    population.refresh(sourceOf(world));
    const { version } = population;
    world.remove(gone);
    const come = world.add({ x: 0, y: 0 });
    population.refresh(sourceOf(world));
    expect(population.version).toBe(version + 1);
    expect(population.indexOf(gone)).toBe(-1);
    expect(population.indexOf(come)).toBe(0);
  });

  it('asks about a new entity at once, and about a large crowd again in parts', () => {
    const world = new World();
    const ids = world.addMany({ x: new Float32Array(5000), y: new Float32Array(5000) });
    const population = new Population();
    const asked: number[] = [];
    let kind = 0;
    const source = { world, rangeOf: () => 0, kindOf: (id: number) => asked.push(id) && kind };
    // Three milliseconds from one look at the clock to the next.
    let nowMs = 0;
    const clock = vi.spyOn(performance, 'now').mockImplementation(() => (nowMs += 3));
    onTestFinished(() => clock.mockRestore());
    const counts = () => {
      asked.length = 0;
      population.refresh(source);
      return [asked.length, population.kinds.filter((one) => one === kind).length, population.version];
    };
    expect(counts()).toEqual([5000, 5000, 1]);
    expect(counts()).toEqual([0, 5000, 1]);
    kind = 7;
    const added = world.add({ x: 0, y: 0 });
    expect(counts()).toEqual([1025, 1025, 2]);
    expect(asked[0]).toBe(added);
    expect([counts(), counts(), counts(), counts(), counts()]).toEqual([
      [1024, 2049, 3],
      [1024, 3073, 4],
      [1024, 4097, 5],
      [905, 5001, 6],
      [0, 5001, 6],
    ]);
    expect(population.kindCount).toBe(8);
    world.removeMany(ids.subarray(0, 4000));
    expect(counts()).toEqual([1001, 1001, 7]);
    expect([...population.ids]).toEqual([...world.ids()]);
    expect(world.ids().every((id, i) => population.indexOf(id) === i)).toBe(true);
  });

  it('has the kind and the range of each entity, whichever come and go', () => {
    let seed = 3;
    const below = (limit: number) => {
      seed = (seed * 1664525 + 1013904223) >>> 0;
      return Math.floor((seed / 2 ** 32) * limit);
    };
    const world = new World();
    const population = new Population();
    const kinds = new Map<number, number>();
    const source = {
      world,
      kindOf: (id: number) => kinds.get(id) ?? 0,
      rangeOf: (id: number) => world.ranges(id)[0]!,
    };
    // Fewer than are always asked about again: no step depends on the clock.
    for (let step = 0; step < 100; step++) {
      for (let k = below(20); k > 0; k--) kinds.set(world.add({ x: 0, y: 0, range: below(2) }), below(256));
      const present = world.ids();
      for (let k = below(15); k > 0 && present.length > 0; k--) {
        const id = present[below(present.length)]!;
        if (world.has(id) && below(3) > 0) world.remove(id);
        else if (world.has(id)) kinds.set(id, below(256));
      }
      world.add({ x: 0, y: 0 });
      if (below(2) === 0) world.tick();
      population.refresh(source);
      const ids = [...world.ids()];
      expect(ids.length).toBeLessThan(1024);
      expect([...population.ids], `step ${step}`).toEqual(ids);
      expect([...population.kinds]).toEqual(ids.map((id) => kinds.get(id) ?? 0));
      expect([...population.watchers]).toEqual(ids.map((id) => (world.ranges(id)[0]! > 0 ? 1 : 0)));
    }
  });

  it('says what a version has changed: who was removed, who is new or has another kind', () => {
    const world = new World();
    const ids = world.addMany({ x: new Float32Array(100), y: new Float32Array(100) });
    const kinds = new Map<number, number>();
    const source = { world, kindOf: (id: number) => kinds.get(id) ?? 0, rangeOf: () => 0 };
    const population = new Population();
    population.refresh(source);
    expect(population.change).toBeUndefined();
    world.removeMany(Uint32Array.of(ids[5]!, ids[99]!));
    const added = world.add({ x: 0, y: 0 });
    kinds.set(added, 3).set(ids[7]!, 2);
    population.refresh(source);
    expect(population.change).toEqual({
      removed: Uint32Array.of(ids[5]!, ids[99]!),
      set: Uint32Array.of(ids[7]!, added),
    });
    expect(population.of(Uint32Array.of(ids[7]!, added)).kinds).toEqual(Uint8Array.of(2, 3));
    // More than a quarter of 74.
    world.removeMany(ids.subarray(10, 35));
    population.refresh(source);
    expect(population.change).toBeUndefined();
  });

  it('asks about all entities of another world at once, also about those with equal ids', () => {
    const worlds = [new World(), new World()];
    for (const world of worlds) world.addMany({ x: new Float32Array(5000), y: new Float32Array(5000) });
    let world = worlds[0]!;
    const source = {
      get world() {
        return world;
      },
      kindOf: () => worlds.indexOf(world),
      rangeOf: () => 0,
    };
    // Three milliseconds from one look at the clock to the next.
    let nowMs = 0;
    const clock = vi.spyOn(performance, 'now').mockImplementation(() => (nowMs += 3));
    onTestFinished(() => clock.mockRestore());
    const population = new Population();
    population.refresh(source);
    world = worlds[1]!;
    population.refresh(source);
    expect(population.version).toBe(2);
    expect(population.kinds.every((kind) => kind === 1)).toBe(true);
  });

  it('is read as a whole after a question that threw: pages have the version before', () => {
    const world = new World();
    const ids = world.addMany({ x: new Float32Array(100), y: new Float32Array(100) });
    let isBroken = false;
    const rangeOf = () => {
      if (isBroken) throw new Error('not yet');
      return 1;
    };
    const source = { world, kindOf: () => 0, rangeOf };
    const population = new Population();
    population.refresh(source);
    world.remove(ids[5]!);
    world.add({ x: 0, y: 0 });
    isBroken = true;
    expect(() => population.refresh(source)).toThrow('not yet');
    isBroken = false;
    population.refresh(source);
    expect([population.version, population.change]).toEqual([2, undefined]);
    expect([...population.watchers]).toEqual(new Array(100).fill(1));
  });

  it('has a version when the world is empty', () => {
    const population = new Population();
    population.refresh(sourceOf(new World()));
    expect(population.version).toBe(1);
    expect(population.count).toBe(0);
  });

  it('finds everybody by id, and nobody else, at any size', () => {
    const world = new World();
    const ids = world.addMany({ x: new Float32Array(5000), y: new Float32Array(5000) });
    world.removeMany(ids.filter((_, i) => i % 3 === 0));
    const population = new Population();
    population.refresh(sourceOf(world));
    ids.forEach((id, i) => {
      const index = population.indexOf(id);
      if (i % 3 === 0) expect(index).toBe(-1);
      else expect(population.ids[index]).toBe(id);
    });
    expect(population.indexOf(0xffffffff)).toBe(-1);
    expect(population.indexOf(0)).toBe(-1);
  });
});
