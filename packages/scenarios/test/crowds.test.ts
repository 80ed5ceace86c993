/** What each generator alone promises. */
import { describe, expect, it } from 'vitest';
import {
  createChoke,
  createCity,
  createFlocks,
  createIdle,
  createPileUp,
  createTeleporters,
  createWalkers,
  createWorldOfThings,
  type Simulation,
} from '../src/index.ts';
import { listed } from './simulation-model.ts';

/** How far each actor gets in a step, in world units; only of those present before and after. */
function stepLengths(simulation: Simulation): Float64Array {
  const x = simulation.x.slice();
  const y = simulation.y.slice();
  const z = simulation.z.slice();
  const before = simulation.present.slice();
  simulation.step();
  return Float64Array.from(x, (oldX, actor) => {
    if (before[actor] === 0 || simulation.present[actor] === 0) return 0;
    const dx = simulation.x[actor]! - oldX;
    const dy = simulation.y[actor]! - y[actor]!;
    return Math.hypot(dx, dy, simulation.z[actor]! - z[actor]!);
  });
}

function steps(simulation: Simulation, count: number): Simulation {
  for (let i = 0; i < count; i++) simulation.step();
  return simulation;
}

describe('walkers', () => {
  it('perceive as many others as was asked for, away from the edges', () => {
    const simulation = steps(createWalkers({ entities: 20_000, perceived: 30, range: 50 }), 100);
    const { x, y, bounds } = simulation;
    let watchers = 0;
    let perceived = 0;
    for (let watcher = 0; watcher < simulation.capacity && watchers < 300; watcher++) {
      if (Math.abs(x[watcher]!) > bounds.maxX - 50 || Math.abs(y[watcher]!) > bounds.maxY - 50) continue;
      watchers++;
      for (let marker = 0; marker < simulation.capacity; marker++) {
        const dx = x[marker]! - x[watcher]!;
        const dy = y[marker]! - y[watcher]!;
        if (marker !== watcher && dx * dx + dy * dy <= 2500) perceived++;
      }
    }
    expect(watchers).toBe(300);
    expect(perceived / watchers).toBeGreaterThan(27);
    expect(perceived / watchers).toBeLessThan(33);
  });

  it('all move by speed times tick, but where they bounce', () => {
    const simulation = steps(createWalkers({ entities: 2000, speed: 5 }), 1);
    const lengths = stepLengths(simulation);
    expect(simulation.moved.count).toBe(2000);
    const straight = lengths.filter((length) => Math.abs(length - 0.25) < 0.001);
    expect(straight.length).toBeGreaterThan(1980);
    expect(Math.max(...lengths)).toBeLessThan(0.251);
  });

  it('turn back at the edges', () => {
    const simulation = steps(createWalkers({ entities: 1, speed: 5 }), 1);
    const seen = { left: false, right: false };
    let direction = 0;
    for (let i = 0; i < 2000; i++) {
      const before = simulation.x[0]!;
      simulation.step();
      const now = Math.sign(simulation.x[0]! - before);
      if (direction > 0 && now < 0) seen.right = true;
      if (direction < 0 && now > 0) seen.left = true;
      direction = now;
    }
    expect(seen).toEqual({ left: true, right: true });
  });
});

describe('teleporters', () => {
  it('jump in exactly the share that was asked for, and others walk', () => {
    const simulation = steps(createTeleporters({ entities: 10_000, share: 0.02 }), 1);
    const jumpers = new Set<number>();
    for (let i = 0; i < 50; i++) {
      const lengths = stepLengths(simulation);
      const far: number[] = [];
      lengths.forEach((length, actor) => {
        if (length > 0.3) far.push(actor);
      });
      // One in a hundred thousand jumps ends where it began: the area within 0.3 of it, of all the world.
      expect(far.length).toBeGreaterThanOrEqual(198);
      expect(far.length).toBeLessThanOrEqual(200);
      for (const actor of far) jumpers.add(actor);
    }
    // 10,000 draws of 10,000 leave a part of 1/e out: other ones jump each time.
    expect(jumpers.size).toBeGreaterThan(6000);
  });

  it('jump to everywhere', () => {
    const simulation = steps(createTeleporters({ entities: 1000, share: 1 }), 2);
    const { maxX, maxY } = simulation.bounds;
    for (const [column, edge] of [
      [simulation.x, maxX],
      [simulation.y, maxY],
    ] as const) {
      expect(Math.max(...column)).toBeGreaterThan(0.98 * edge);
      expect(Math.min(...column)).toBeLessThan(-0.98 * edge);
    }
  });
});

describe('a world of things', () => {
  it('has players who walk and watch, and things that rest and are only seen', () => {
    const simulation = steps(createWorldOfThings({ entities: 3000, players: 40, range: 60 }), 1);
    expect(simulation.count).toBe(3000);
    const players = [...simulation.kind.keys()].filter((actor) => simulation.kind[actor] === 1);
    expect(players).toHaveLength(40);
    const lengths = stepLengths(simulation);
    for (const [actor, length] of lengths.entries()) {
      const isPlayer = simulation.kinds[simulation.kind[actor]!] === 'player';
      expect(simulation.range[actor]).toBe(isPlayer ? 60 : 0);
      if (!isPlayer) expect(length).toBe(0);
    }
    expect(lengths.filter((length) => length > 0)).toHaveLength(40);
    expect(listed(simulation.moved)).toEqual(players);
  });

  it('has a hundred players by itself, all who are there where they are fewer, or none', () => {
    const players = (options: Parameters<typeof createWorldOfThings>[0]) =>
      createWorldOfThings(options).kind.filter((kind) => kind === 1).length;
    expect(players({ entities: 1000 })).toBe(100);
    expect(players({ entities: 7 })).toBe(7);
    expect(players({ entities: 7, players: 0 })).toBe(0);
    expect(() => players({ entities: 7, players: 8 })).toThrow(
      /players is 8; expected a whole number from 0 to 7/,
    );
  });
});

describe('idle', () => {
  it('moves exactly the share that was asked for at each step', () => {
    for (const [share, expected] of [
      [0, 0],
      [0.01, 20],
      [0.5, 1000],
      [1, 2000],
    ] as const) {
      const simulation = steps(createIdle({ entities: 2000, share }), 1);
      for (let i = 0; i < 100; i++) {
        const lengths = stepLengths(simulation);
        expect(simulation.moved.count).toBe(expected);
        expect(lengths.filter((length) => length > 0.1).length).toBeLessThanOrEqual(expected);
        expect(lengths.filter((length) => length > 0).length).toBeGreaterThanOrEqual(0.98 * expected);
      }
    }
  });

  it('lets one walk for about as long as was asked for', () => {
    const simulation = steps(createIdle({ entities: 1000, share: 0.05, walkSeconds: 1 }), 2);
    let stopped = 0;
    let walking = new Set(listed(simulation.moved));
    for (let i = 0; i < 1000; i++) {
      simulation.step();
      const now = new Set(listed(simulation.moved));
      for (const actor of walking) if (!now.has(actor)) stopped++;
      walking = now;
    }
    // 50 walk, for 20 steps each: 2.5 stop a step.
    expect(stopped / 1000).toBeGreaterThan(2.2);
    expect(stopped / 1000).toBeLessThan(2.6);
  });
});

describe('pile-up', () => {
  const spread = (simulation: Simulation): number => {
    const middleX = simulation.x.reduce((sum, x) => sum + x, 0) / simulation.capacity;
    const middleY = simulation.y.reduce((sum, y) => sum + y, 0) / simulation.capacity;
    return Math.max(
      ...simulation.x.map((x, actor) => Math.hypot(x - middleX, simulation.y[actor]! - middleY)),
    );
  };

  it('brings everybody within its radius, sends them home, and begins again', () => {
    const simulation = steps(createPileUp({ entities: 300, radius: 5, speed: 50, staySeconds: 1 }), 1);
    const homeX = simulation.x.slice();
    const homeY = simulation.y.slice();
    for (let round = 0; round < 2; round++) {
      let waited = 0;
      while (spread(simulation) > 11 && waited++ < 2000) simulation.step();
      expect(spread(simulation)).toBeLessThanOrEqual(11);
      waited = 0;
      while (simulation.moved.count > 0 && waited++ < 2000) simulation.step();
      expect(simulation.moved.count).toBe(0);
      expect(simulation.x).toEqual(homeX);
      expect(simulation.y).toEqual(homeY);
      simulation.step();
    }
  });

  it('is there from the start and for good when gathered, and still moves', () => {
    const simulation = steps(createPileUp({ entities: 1000, gathered: 1, radius: 8 }), 1);
    for (let i = 0; i < 600; i++) {
      simulation.step();
      expect(simulation.moved.count).toBe(1000);
    }
    expect(spread(simulation)).toBeLessThan(17);
  });

  it('can be all at one point', () => {
    const simulation = steps(createPileUp({ entities: 100, gathered: 1, radius: 0 }), 10);
    expect(new Set(simulation.x).size).toBe(1);
    expect(new Set(simulation.y).size).toBe(1);
  });
});

describe('choke', () => {
  it('lets nobody cross the wall but in the gate', () => {
    const simulation = steps(createChoke({ entities: 2000, speed: 40, insideSeconds: 1 }), 1);
    const gate = 0.02 * 2 * simulation.bounds.maxY;
    let crossings = 0;
    for (let i = 0; i < 3000; i++) {
      const x = simulation.x.slice();
      const y = simulation.y.slice();
      simulation.step();
      for (const actor of listed(simulation.moved)) {
        const newX = simulation.x[actor]!;
        if (x[actor]! * newX > 0) continue;
        crossings++;
        expect(Math.abs(y[actor]!) <= gate * 1.001 || Math.abs(simulation.y[actor]!) <= gate * 1.001).toBe(
          true,
        );
      }
    }
    expect(crossings).toBeGreaterThan(1000);
  });

  it('removes those who go in, adds those who come out, and keeps a crowd at the gate', () => {
    const simulation = steps(createChoke({ entities: 1000, speed: 40, insideSeconds: 2 }), 2000);
    let added = 0;
    let removed = 0;
    let standing = 0;
    for (let i = 0; i < 1000; i++) {
      simulation.step();
      added += simulation.added.count;
      removed += simulation.removed.count;
      standing += simulation.count - simulation.moved.count - simulation.added.count;
    }
    expect(added).toBeGreaterThan(300);
    expect(removed).toBeGreaterThan(300);
    expect(standing / 1000).toBeGreaterThan(100);
    expect(standing / 1000).toBeLessThan(500);
  });

  it('lets no more through than its flow', () => {
    const simulation = steps(createChoke({ entities: 1000, speed: 100, flow: 4, insideSeconds: 0 }), 400);
    let through = 0;
    for (let i = 0; i < 1000; i++) {
      const x = simulation.x.slice();
      simulation.step();
      for (const actor of listed(simulation.moved)) {
        if (x[actor] !== 0 && simulation.x[actor] === 0) through++;
      }
    }
    // 50 seconds, 4 a second, each way.
    expect(through).toBeGreaterThan(380);
    expect(through).toBeLessThanOrEqual(402);
  });
});

describe('flocks', () => {
  it.each([2, 3])('keep together, and turn, in %d-D', (dimensions) => {
    const simulation = steps(createFlocks({ entities: 500, dimensions, flockSize: 100, range: 20 }), 1500);
    expect(simulation.dimensions).toBe(dimensions);
    // Three hawks, then birds of five flocks in turn.
    const flock = Array.from({ length: 99 }, (_, i) => 3 + 5 * i);
    const middleX = flock.reduce((sum, actor) => sum + simulation.x[actor]!, 0) / flock.length;
    const middleY = flock.reduce((sum, actor) => sum + simulation.y[actor]!, 0) / flock.length;
    const farthest = Math.max(
      ...flock.map((actor) => Math.hypot(simulation.x[actor]! - middleX, simulation.y[actor]! - middleY)),
    );
    const radius = 20 * Math.sqrt(100 / 30);
    expect(farthest).toBeLessThan(3 * radius);
    expect(simulation.bounds.maxX).toBeGreaterThan(6 * radius);
  });

  it('never fly faster than their pace allows', () => {
    const simulation = steps(createFlocks({ entities: 400, dimensions: 3, speed: 10 }), 200);
    for (let i = 0; i < 200; i++) expect(Math.max(...stepLengths(simulation))).toBeLessThan(10 * 0.05 * 1.61);
  });

  it('use the height in 3-D, and none in 2-D', () => {
    const flat = steps(createFlocks({ entities: 500 }), 50);
    expect(flat.z.every((z) => z === 0)).toBe(true);
    expect(flat.bounds.minZ).toBeUndefined();
    const deep = steps(createFlocks({ entities: 500, dimensions: 3 }), 50);
    expect(deep.bounds.minZ).toBe(0);
    expect(new Set(deep.z).size).toBeGreaterThan(400);
  });

  it('are hunted by hawks, who see twice as far and catch up with one bird after another', () => {
    const simulation = steps(createFlocks({ entities: 400, range: 30 }), 1);
    const hawks = [...simulation.kind.keys()].filter(
      (actor) => simulation.kinds[simulation.kind[actor]!] === 'hawk',
    );
    expect(hawks).toEqual([0, 1]);
    expect(hawks.map((hawk) => simulation.range[hawk])).toEqual([60, 60]);
    expect(simulation.range[2]).toBe(30);
    const close = new Set<number>();
    for (let i = 0; i < 4000; i++) {
      simulation.step();
      for (let bird = 2; bird < 400; bird++) {
        if (Math.hypot(simulation.x[bird]! - simulation.x[0]!, simulation.y[bird]! - simulation.y[0]!) < 1)
          close.add(bird);
      }
    }
    expect(close.size).toBeGreaterThan(5);
  });
});

describe('city', () => {
  const actorsOf = (simulation: Simulation, kind: string): number[] =>
    [...simulation.kind.keys()].filter((actor) => simulation.kinds[simulation.kind[actor]!] === kind);

  it('has players of three ranges, and passers-by, cars and shops that do not watch', () => {
    const simulation = createCity({ entities: 4000, range: 40 });
    const ranges = (kind: string): number[] =>
      [...new Set(actorsOf(simulation, kind).map((actor) => simulation.range[actor]!))].sort((a, b) => a - b);
    expect(ranges('player')).toEqual([20, 40, 80]);
    expect(ranges('camera')).toEqual([80]);
    for (const kind of ['passer-by', 'car', 'shop']) {
      expect(ranges(kind)).toEqual([0]);
      expect(actorsOf(simulation, kind).length).toBeGreaterThan(300);
    }
    expect(actorsOf(simulation, 'player').length).toBeGreaterThan(700);
  });

  it('has cameras that cannot be seen; all else can', () => {
    const simulation = createCity({ entities: 2000 });
    const unseen = [...simulation.kind.keys()].filter(
      (actor) => simulation.initFor?.(actor).marker === false,
    );
    expect(unseen).toEqual(actorsOf(simulation, 'camera'));
    expect(unseen.length).toBeGreaterThan(3);
  });

  it('has shops and cameras that never move, and people and cars that never jump', () => {
    const simulation = steps(createCity({ entities: 2000, speed: 5 }), 1);
    const fixed = new Set([...actorsOf(simulation, 'shop'), ...actorsOf(simulation, 'camera')]);
    const cars = new Set(actorsOf(simulation, 'car'));
    for (let i = 0; i < 1500; i++) {
      const lengths = stepLengths(simulation);
      lengths.forEach((length, actor) => {
        const most = fixed.has(actor) ? 0 : cars.has(actor) ? 0.25 * 3 * 1.2 : 0.25 * 1.2;
        if (length > most * 1.001) throw new Error(`actor ${actor} went ${length} in one step`);
      });
    }
  });

  it('keeps everybody in a street or on a square', () => {
    const range = 50;
    const block = 1.6 * range;
    const simulation = steps(createCity({ entities: 3000, range }), 1);
    const { minX, minY } = simulation.bounds;
    // The first street in each direction is 0.3 blocks from the edge.
    const beside = (at: number, edge: number): number => {
      const blocks = (at - edge) / block - 0.3;
      return Math.abs(blocks - Math.round(blocks));
    };
    for (let i = 0; i < 1000; i++) {
      simulation.step();
      if (i % 50 > 0) continue;
      for (let actor = 0; actor < simulation.capacity; actor++) {
        const besideX = beside(simulation.x[actor]!, minX);
        const besideY = beside(simulation.y[actor]!, minY);
        const inStreet = Math.min(besideX, besideY) <= 0.1101;
        const onSquare = Math.hypot(besideX, besideY) <= 0.2501;
        if (!inStreet && !onSquare) throw new Error(`actor ${actor} stands in a house`);
      }
    }
  });

  it('stays crowded on the middle square and lively after minutes', () => {
    const simulation = steps(createCity({ entities: 3000 }), 6000);
    const { minX, maxX, minY, maxY } = simulation.bounds;
    // Counted around the camera of the middle square, which is the first actor.
    const near = [...simulation.x.keys()].filter(
      (actor) =>
        Math.hypot(simulation.x[actor]! - simulation.x[0]!, simulation.y[actor]! - simulation.y[0]!) <= 20,
    ).length;
    const evenly = (3000 * Math.PI * 400) / ((maxX - minX) * (maxY - minY));
    expect(near).toBeGreaterThan(20 * evenly);
    expect(simulation.moved.count).toBeGreaterThan(1200);
    expect(simulation.moved.count).toBeLessThan(2700);
  });

  it('is wider than high', () => {
    const { minX, maxX, minY, maxY } = createCity({ entities: 5000 }).bounds;
    expect((maxX - minX) / (maxY - minY)).toBeGreaterThan(1.3);
  });
});
