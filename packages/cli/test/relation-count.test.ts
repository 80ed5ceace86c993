/** The running count of relations against what the world itself answers. */
import { createScenario, WorldDriver } from '@umwelt/scenarios';
import { World } from 'umwelt';
import { describe, expect, it } from 'vitest';
import { RelationCount } from '../src/relation-count.ts';

function counted(world: World): number {
  let count = 0;
  for (const id of world.ids()) count += world.visibleTo(id).length;
  return count;
}

describe('the count of relations', () => {
  it('follows a world that moves', () => {
    const simulation = createScenario('teleporters', { entities: 300, seed: 3 });
    const world = new World({ ...simulation.worldOptions, detector: 'brute-force' });
    const driver = new WorldDriver(simulation, world);
    const relations = new RelationCount();
    for (let tick = 0; tick < 20; tick++) {
      driver.step();
      relations.record(world.tick());
      expect(relations.total).toBe(counted(world));
    }
    expect(relations.total).toBeGreaterThan(0);
  });

  it('loses the relations of a watcher that is removed, and those to it', () => {
    const world = new World();
    const relations = new RelationCount();
    const [first] = [0, 1, 2].map((x) => world.add({ x, y: 0, range: 10 })) as [number];
    relations.record(world.tick());
    expect(relations.total).toBe(6);
    world.remove(first);
    relations.record(world.tick());
    expect(relations.total).toBe(2);
  });

  it('stays right when everybody goes and others take their slots', () => {
    const world = new World();
    const relations = new RelationCount();
    let present: number[] = [];
    for (let round = 0; round < 20; round++) {
      for (const id of present) world.remove(id);
      present = Array.from({ length: 300 }, (_, i) => world.add({ x: i, y: round, range: 2 }));
      relations.record(world.tick());
      expect(relations.total).toBe(counted(world));
    }
  });

  it('grows with the world', () => {
    const world = new World();
    const relations = new RelationCount();
    const x = Float32Array.from({ length: 2000 }, (_, i) => i * 10);
    world.addMany({ x, y: new Float32Array(2000), range: 10 });
    relations.record(world.tick());
    expect(relations.total).toBe(2 * 1999);
  });
});
