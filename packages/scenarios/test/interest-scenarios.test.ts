/** What the scenarios that show interest promise: seats, senses, groups and channels, in a world that plays them. */
import { type Changes, World } from 'umwelt';
import { describe, expect, it } from 'vitest';
import {
  createFestival,
  createParty,
  createRaid,
  createStealth,
  type Simulation,
  WorldDriver,
} from '../src/index.ts';
import { listed } from './simulation-model.ts';

/** A world that plays a simulation. */
class Played {
  readonly world: World;
  readonly driver: WorldDriver;
  readonly simulation: Simulation;

  constructor(simulation: Simulation) {
    this.simulation = simulation;
    this.world = new World(simulation.worldOptions);
    this.driver = new WorldDriver(simulation, this.world);
  }

  tick(count = 1): Changes {
    for (let i = 0; i < count; i++) {
      this.driver.step();
      this.world.tick();
    }
    return this.world.lastChanges;
  }
}

describe('raid', () => {
  it('has one boss, and a crowd of which most perceive hundreds', () => {
    const simulation = createRaid();
    const { interests, ...options } = simulation.worldOptions;
    const world = new World(options);
    const driver = new WorldDriver(simulation, world);
    for (let i = 0; i < 100; i++) driver.step();
    world.tick();
    const perceived = [...world.ids()].map((id) => world.visibleTo(id).length).sort((a, b) => a - b);
    expect(simulation.kind.filter((kind) => kind === 0).length).toBe(1);
    expect(interests?.default?.cap).toBe(50);
    expect(perceived[0]).toBeGreaterThan(100);
    expect(perceived[500]).toBeGreaterThan(300);
  });

  it('jostles: neighbours change although the crowd stays together', () => {
    const simulation = createRaid({ entities: 400 });
    const nearest = () => {
      const { x, y } = simulation;
      const distances = Array.from(x, (_, actor) => Math.hypot(x[actor]! - x[9]!, y[actor]! - y[9]!));
      return new Set([...distances.keys()].sort((a, b) => distances[a]! - distances[b]!).slice(1, 51));
    };
    simulation.step();
    const before = nearest();
    let last = before;
    let changes = 0;
    for (let i = 0; i < 50; i++) {
      simulation.step();
      const now = nearest();
      for (const actor of now) if (!last.has(actor)) changes++;
      last = now;
    }
    // Many changes, and most of them undone again: what seats are to ride out.
    expect(changes).toBeGreaterThan(15);
    expect([...last].filter((actor) => before.has(actor)).length).toBeGreaterThan(40);
    const far = Array.from(simulation.x, (x, actor) =>
      Math.hypot(x - simulation.x[0]!, simulation.y[actor]! - simulation.y[0]!),
    );
    expect(Math.max(...far)).toBeLessThan(80);
  });

  it('changes seats at most a fifth as often with steady seats as with plain ones', () => {
    const changes = [0, 1].map((steady) => {
      const played = new Played(createRaid({ entities: 300, steady }));
      played.tick(30);
      let count = 0;
      for (let i = 0; i < 60; i++) {
        const { enteredCount, leftCount } = played.tick();
        count += enteredCount + leftCount;
      }
      return count;
    });
    expect(changes[0]).toBeGreaterThan(10_000);
    expect(changes[1]! / changes[0]!).toBeLessThan(0.2);
  });

  it('can be played with plain nearest-first seats, for comparison', () => {
    expect(createRaid({ steady: 0, cap: 20 }).worldOptions.interests).toEqual({
      default: { cap: 20, incumbentBonus: 0 },
    });
  });
});

describe('stealth', () => {
  it('cloaks rogues in turn, and nobody else', () => {
    const simulation = createStealth({ entities: 300, cloakSeconds: 1 });
    simulation.step();
    const changes = new Map<number, number>();
    for (let i = 0; i < 400; i++) {
      simulation.step();
      for (const actor of listed(simulation.changed!)) changes.set(actor, (changes.get(actor) ?? 0) + 1);
    }
    expect(changes.size).toBe(90);
    for (const [actor, count] of changes) {
      expect(simulation.kinds[simulation.kind[actor]!]).toBe('rogue');
      // 400 ticks in spells of 10 to 30.
      expect(count).toBeGreaterThanOrEqual(13);
      expect(count).toBeLessThanOrEqual(40);
    }
  });

  it('leaves a cloaked rogue heard close by and seen by nobody', () => {
    const played = new Played(createStealth({ entities: 300, perceived: 100, speed: 0 }));
    const { world, driver, simulation } = played;
    let sensed = 0;
    for (let i = 0; i < 200; i++) sensed += played.tick().sensedCount;
    let heard = 0;
    for (let actor = 0; actor < 300; actor++) {
      const patch = simulation.kind[actor] === 1 ? simulation.patchFor?.(actor) : undefined;
      const isCloaked = (patch?.gain as Record<string, number> | undefined)?.sight === 0;
      if (!isCloaked) continue;
      const rogue = driver.idOf(actor);
      for (const watcher of world.watchersOf(rogue)) {
        expect(world.senses(watcher, rogue)).toBe(2);
        heard++;
      }
    }
    expect(heard).toBeGreaterThan(10);
    expect(sensed).toBeGreaterThan(100);
  });
});

describe('party', () => {
  it('puts five into each party, all over the map', () => {
    const simulation = createParty({ entities: 1001 });
    const groups = Array.from({ length: 1001 }, (_, actor) => simulation.initFor?.(actor).group as number);
    expect(new Set(groups).size).toBe(201);
    for (let group = 1; group <= 200; group++) expect(groups.filter((each) => each === group).length).toBe(5);
    let far = 0;
    for (let actor = 0; actor + 1 < 1001; actor++) {
      if (groups[actor] !== groups[actor + 1]) continue;
      const dx = simulation.x[actor]! - simulation.x[actor + 1]!;
      const dy = simulation.y[actor]! - simulation.y[actor + 1]!;
      if (Math.hypot(dx, dy) > 50) far++;
    }
    expect(far / 800).toBeGreaterThan(0.9);
  });
});

describe('festival', () => {
  it('fills up and empties: from a tenth of all to all of them', () => {
    const simulation = createFestival({ entities: 1000 });
    const counts: number[] = [];
    for (let i = 0; i < 2400; i++) {
      simulation.step();
      counts.push(simulation.count);
    }
    expect(counts[0]).toBe(510);
    expect(Math.max(...counts)).toBeGreaterThan(950);
    expect(Math.min(...counts)).toBeLessThan(250);
  });

  it('is split at its height and merged again, guests in channels and stalls in none', () => {
    const played = new Played(createFestival({ entities: 400, target: 40 }));
    const { driver, world, simulation } = played;
    const seen = { most: 0, least: 99 };
    for (let i = 0; i < 2400; i++) {
      driver.step();
      if (i % 100 === 0) world.tick();
      const count = driver.channels!.channelCount;
      seen.most = Math.max(seen.most, count);
      seen.least = Math.min(seen.least, count);
    }
    expect(seen.most).toBeGreaterThanOrEqual(8);
    expect(seen.least).toBeLessThanOrEqual(3);
    for (let actor = 0; actor < 400; actor++) {
      if (simulation.present[actor] === 0) continue;
      const isGuest = simulation.kind[actor] === 1;
      expect(driver.channels!.channelOf(driver.idOf(actor)) > 0).toBe(isGuest);
    }
  });
});
