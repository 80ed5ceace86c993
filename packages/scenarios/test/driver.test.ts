/** A simulation in a real world: the same entities at the same places, told apart, added and removed with it. */
import { type EntityId, World } from 'umwelt';
import { describe, expect, it } from 'vitest';
import {
  createChoke,
  createCity,
  createScenario,
  createWalkers,
  scenarioNames,
  WorldDriver,
} from '../src/index.ts';
import { listed, presentActors } from './simulation-model.ts';

/** Everything that the world tells of the driver's actors, held against the columns. */
function compare(driver: WorldDriver, world: World, simulation: ReturnType<typeof createScenario>): void {
  const actors = presentActors(simulation);
  expect(world.size).toBe(actors.length);
  const ids = actors.map((actor) => driver.idOf(actor));
  expect([...world.ids()]).toEqual(ids.toSorted((a, b) => a - b));
  actors.forEach((actor, i) => {
    const id = ids[i]!;
    expect(driver.actorOf(id)).toBe(actor);
    const position = world.position(id);
    const expected = [simulation.x[actor]!, simulation.y[actor]!, simulation.z[actor]!];
    expect([...position]).toEqual(expected.slice(0, simulation.dimensions));
  });
}

describe('WorldDriver', () => {
  it.each(scenarioNames)('keeps a world like the simulation, step for step: %s', (name) => {
    const simulation = createScenario(name, { entities: 200, speed: 50 });
    const world = new World(simulation.worldOptions);
    const driver = new WorldDriver(simulation, world);
    for (let i = 0; i < 60; i++) {
      driver.step();
      world.tick();
      if (i % 5 === 0) compare(driver, world, simulation);
    }
  });

  it('keeps a 3-D world like the simulation', () => {
    const simulation = createScenario('flocks', { entities: 200, dimensions: 3 });
    const world = new World(simulation.worldOptions);
    const driver = new WorldDriver(simulation, world);
    for (let i = 0; i < 30; i++) {
      driver.step();
      world.tick();
    }
    compare(driver, world, simulation);
  });

  it('gives each watcher its range: the world perceives what the columns say', () => {
    const simulation = createCity({ entities: 400, perceived: 20 });
    const world = new World(simulation.worldOptions);
    const driver = new WorldDriver(simulation, world);
    for (let i = 0; i < 40; i++) {
      driver.step();
      world.tick();
    }
    const { x, y, range } = simulation;
    const actors = presentActors(simulation);
    let relations = 0;
    for (const watcher of actors) {
      const expected: EntityId[] = [];
      for (const marker of actors) {
        if (marker === watcher || simulation.initFor?.(marker).marker === false) continue;
        const dx = Math.fround(x[marker]! - x[watcher]!);
        const dy = Math.fround(y[marker]! - y[watcher]!);
        const squared = Math.fround(Math.fround(dx * dx) + Math.fround(dy * dy));
        if (range[watcher]! > 0 && squared <= Math.fround(range[watcher]! * range[watcher]!)) {
          expected.push(driver.idOf(marker));
        }
      }
      relations += expected.length;
      expect([...world.visibleTo(driver.idOf(watcher))]).toEqual(expected.sort((a, b) => a - b));
    }
    expect(relations).toBeGreaterThan(500);
  });

  it('gives one who comes back a new id, and knows the old one no more', () => {
    const simulation = createChoke({ entities: 60, speed: 200, insideSeconds: 0.2 });
    const world = new World(simulation.worldOptions);
    const driver = new WorldDriver(simulation, world);
    const gone = new Map<number, EntityId>();
    let returns = 0;
    for (let i = 0; i < 2000; i++) {
      const before = presentActors(simulation).map((actor) => [actor, driver.idOf(actor)] as const);
      driver.step();
      world.tick();
      for (const [actor, id] of before) {
        if (simulation.present[actor] === 0) gone.set(actor, id);
      }
      for (const actor of listed(simulation.removed)) {
        expect(driver.idOf(actor)).toBe(0);
        expect(driver.actorOf(gone.get(actor)!)).toBe(-1);
        expect(world.has(gone.get(actor)!)).toBe(false);
      }
      for (const actor of listed(simulation.added)) {
        const old = gone.get(actor);
        if (old === undefined) continue;
        returns++;
        expect(driver.idOf(actor)).not.toBe(old);
      }
    }
    expect(returns).toBeGreaterThan(20);
  });

  it('knows no actor of an id that is none of its own', () => {
    const simulation = createWalkers({ entities: 10 });
    const world = new World(simulation.worldOptions);
    const stranger = world.add({ x: 0, y: 0 });
    const driver = new WorldDriver(simulation, world);
    driver.step();
    expect(driver.actorOf(stranger)).toBe(-1);
    expect(driver.actorOf(0)).toBe(-1);
    expect(driver.actorOf(0xffff_ffff)).toBe(-1);
    expect(driver.idOf(10)).toBe(0);
    expect(driver.idOf(-1)).toBe(0);
  });

  it('adds at once those whom earlier steps have brought in', () => {
    const simulation = createWalkers({ entities: 30 });
    simulation.step();
    simulation.step();
    const world = new World(simulation.worldOptions);
    const driver = new WorldDriver(simulation, world);
    compare(driver, world, simulation);
    driver.step();
    compare(driver, world, simulation);
  });

  it('spares watchers their updates when asked to', () => {
    const updatesOf = (options: { updates?: boolean }): number => {
      const simulation = createWalkers({ entities: 200 });
      const world = new World(simulation.worldOptions);
      const driver = new WorldDriver(simulation, world, options);
      driver.step();
      world.tick();
      driver.step();
      return world.tick().updatedCount;
    };
    expect(updatesOf({})).toBeGreaterThan(1000);
    expect(updatesOf({ updates: false })).toBe(0);
  });
});

describe('arguments of a wrong kind', () => {
  const simulation = createWalkers({ entities: 3 });

  it.each([
    ['simulation', [undefined, new World()]],
    ['simulation', [null, new World()]],
    ['simulation', [new World(), simulation]],
    ['world', [simulation]],
    ['world', [simulation, simulation]],
    ['options', [simulation, new World(), null]],
    ['updats', [simulation, new World(), { updats: false }]],
  ] as const)('are refused, naming %s: %#', (field, given) => {
    const construct = () => Reflect.construct(WorldDriver, given);
    expect(construct).toThrow(
      expect.objectContaining({ code: 'BAD_OPTION', details: expect.objectContaining({ field }) }),
    );
  });
});
