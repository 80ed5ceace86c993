/** The engines do the same work: each reports, tick by tick, what brute force reports. */
import {
  createIdle,
  createTeleporters,
  createWalkers,
  createWorldOfThings,
  type Simulation,
} from '@umwelt/scenarios';
import { World } from 'umwelt';
import { describe, expect, test } from 'vitest';
import { bruteForce } from '../engines/brute-force.ts';
import type { Engine, EngineKind } from '../engines/engine.ts';
import { engineList } from '../engines/engine-list.ts';
import { kdbush } from '../engines/kdbush.ts';
import { kdbushThings } from '../engines/kdbush-things.ts';
import { native, native128 } from '../engines/native.ts';
import { PairHash } from '../engines/pair-hash.ts';
import { PairList } from '../engines/pair-list.ts';
import { pomeloAoi, TOWERS_A_RANGE } from '../engines/pomelo-aoi.ts';
import {
  threeSensesJudge,
  umwelt,
  umweltThreeSenses,
  umweltThreeSensesTypeScript,
} from '../engines/umwelt.ts';
import { umweltAllRules, umweltCap, umweltMargin } from '../engines/umwelt-interest.ts';

import { createUnequalWalkers } from '../suites/unequal.ts';

const TICKS = 12;

/** These engines do work that brute force cannot, and have judges of their own. */
const withJudges: readonly (readonly [EngineKind, EngineKind])[] = [
  [umweltThreeSenses, threeSensesJudge],
  [umweltThreeSensesTypeScript, threeSensesJudge],
  [umweltMargin.engine, umweltMargin.judge],
  [umweltCap.engine, umweltCap.judge],
  [umweltAllRules.engine, umweltAllRules.judge],
];

/** These engines keep no pairs, so they cannot report updated. */
const natives: readonly EngineKind[] = [native, native128];

const simulations: readonly (readonly [string, () => Simulation])[] = [
  ['walkers', () => createWalkers({ entities: 250, speed: 60 })],
  ['walkers in a crowd', () => createWalkers({ entities: 90, perceived: 80, speed: 200 })],
  ['some idle', () => createIdle({ entities: 250, share: 0.2, speed: 100 })],
  ['teleporters', () => createTeleporters({ entities: 200 })],
  ['few among things', () => createWorldOfThings({ entities: 250, players: 30, perceived: 40, speed: 100 })],
  ['walkers with unequal ranges', () => createUnequalWalkers({ entities: 250, speed: 60 })],
];

function reports(kind: EngineKind, simulate: () => Simulation, updates: boolean): string[] {
  const simulation = simulate();
  const engine = kind.create(simulation, { updates });
  const lines = Array.from({ length: TICKS }, () => {
    simulation.step();
    const { entered, left, updated } = engine.tick();
    return `${entered} entered, ${left} left, ${updated} updated: ${engine.hash()}`;
  });
  engine.dispose();
  return lines;
}

describe.each(simulations)('%s', (_name, simulate) => {
  const expected = new Map([false, true].map((updates) => [updates, reports(bruteForce, simulate, updates)]));
  const judged = withJudges.map(([kind]) => kind);
  const names = engineList
    .filter((kind) => kind !== bruteForce && kind.ownRule === undefined && !judged.includes(kind))
    .map(({ name }) => name);

  test.each(names)('%s reports what brute force reports', (name) => {
    const kind = engineList.find((one) => one.name === name)!;
    for (const updates of natives.includes(kind) ? [false] : [false, true]) {
      // Without a C compiler there is nothing to test.
      if (kind.absent?.() !== undefined) continue;
      expect(reports(kind, simulate, updates)).toEqual(expected.get(updates));
    }
  });
});

test.each(withJudges)(
  '$name reports what its judge reports, and not what is reported without',
  (kind, judge) => {
    const simulate = () => createWalkers({ entities: 250, speed: 60 });
    const report = reports(kind, simulate, true);
    expect(report).toEqual(reports(judge, simulate, true));
    const isOther = report.join() !== reports(umwelt, simulate, true).join();
    // The cap is never reached.
    expect(isOther).toBe(kind !== umweltCap.engine);
  },
);

test('brute force finds pairs that enter, leave and stay', () => {
  const [first, ...later] = reports(bruteForce, () => createWalkers({ entities: 250, speed: 60 }), true);
  expect(first).toMatch(/^[1-9]\d* entered, 0 left, 0 updated/);
  expect(later.join()).toMatch(/[1-9]\d* entered, [1-9]\d* left, [1-9]\d* updated/);
});

test('the hash of a list of pairs is that of the same pairs in a world', () => {
  const world = new World();
  const ids = world.addMany({ x: [0, 1, 9], y: [0, 0, 0], range: 5 });
  const pairs = new PairList();
  pairs.push(1, 0);
  pairs.push(0, 1);
  const byHand = (kind: 'entered' | 'left' | 'updated'): string =>
    new PairHash().add(kind, pairs, ids).toString();

  expect(world.tick().hash()).toBe(byHand('entered'));
  world.moveMany(ids, [0.5, 1.5, 9], [0, 0, 0]);
  expect(world.tick().hash()).toBe(byHand('updated'));
  world.move(ids[0]!, 90, 0);
  expect(world.tick().hash()).toBe(byHand('left'));
});

test('reading sums the ids of every list', () => {
  const simulation = createWalkers({ entities: 100 });
  const sums = ['umwelt', 'umwelt-views'].map((name) => {
    const same = createWalkers({ entities: 100 });
    const engine: Engine = engineList.find((one) => one.name === name)!.create(same, { updates: true });
    same.step();
    engine.tick();
    same.step();
    return engine.tick();
  });
  const world = new World(simulation.worldOptions);
  simulation.step();
  const ids = world.addMany({ x: simulation.x, y: simulation.y, range: 50 });
  world.tick();
  simulation.step();
  world.moveMany(ids, simulation.x, simulation.y);
  let [byColumns, byViews] = [0, 0];
  for (const view of world.tick()) {
    const lists = [view.entered, view.left, view.updated];
    const markers = lists.reduce((sum, list) => list.reduce((a, b) => a + b, sum), 0);
    byColumns += markers + view.watcher * lists.filter((list) => list.length > 0).length;
    byViews += markers + view.watcher;
  }
  expect(sums[0]!.idSum).toBe(byColumns | 0);
  expect(sums[1]!.idSum).toBe(byViews | 0);
});

test('an index of things that was built once refuses moving things', () => {
  const simulation = createWorldOfThings({ entities: 20, players: 5 });
  simulation.moved.indices[0] = 0;
  const engine = kdbushThings.create(simulation, { updates: false });
  simulation.step();
  engine.tick();
  simulation.step();
  expect(() => engine.tick()).toThrow('actor 0 is a thing, but moves');
});

test('a peer refuses a crowd in which an entity is removed', () => {
  const simulation = createWalkers({ entities: 10 });
  const engine = kdbush.create(
    { ...simulation, removed: { count: 1, indices: new Uint32Array(1) } },
    { updates: false },
  );
  expect(() => engine.tick()).toThrow(/more than the peers support/);
});

test('pomelo-aoi relates entities whose towers are near each other', () => {
  const simulation = createWalkers({ entities: 300, speed: 100 });
  const engine = pomeloAoi.create(simulation, { updates: false });
  const { x, y, bounds, capacity } = simulation;
  const tower = simulation.range[0]! / TOWERS_A_RANGE;
  const towers = Math.ceil((bounds.maxX - bounds.minX + tower) / tower);
  const towerOf = (place: number): number => Math.floor((place - bounds.minX) / tower);
  /** At an edge of the map its window is moved inwards and stays as wide. */
  const isNear = (watcher: number, marker: number): boolean => {
    const from = Math.min(
      Math.max(watcher - TOWERS_A_RANGE, 0),
      Math.max(0, towers - 1 - 2 * TOWERS_A_RANGE),
    );
    return marker >= from && marker <= from + 2 * TOWERS_A_RANGE;
  };
  let related = 0;
  for (let tick = 0; tick < TICKS; tick++) {
    simulation.step();
    const { entered, left } = engine.tick();
    related += entered - left;
    let pairs = 0;
    for (let i = 0; i < capacity; i++) {
      for (let j = 0; j < capacity; j++) {
        if (i === j || !isNear(towerOf(x[i]!), towerOf(x[j]!))) continue;
        if (isNear(towerOf(y[i]!), towerOf(y[j]!))) pairs++;
      }
    }
    expect(related).toBe(pairs);
  }
});
