/**
 * Who stands where in the frames' columns.
 */

import { World } from 'umwelt';
import { describe, expect, it } from 'vitest';
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
