/**
 * What is the sweep's own: when it stays and when it sorts anew, and that neither shows in any report.
 *
 * The conformance suite's worlds are small and busy, so that nobody stays in them; here crowds of 300 with a handful of
 * changes a tick run beside brute force (of changed pairs), on both kinds of kernels, with a validation after each tick.
 */
import { expect, test } from 'vitest';
import { sweep } from '../../src/detectors/sweep.ts';
import {
  type DetectorFactory,
  type EntityId,
  type EntityInit,
  type EntityPatch,
  World,
} from '../../src/index.ts';
import { changedPairs } from '../conformance/changed-pairs.ts';
import { expectAlike as expectWorldsAlike } from './three-worlds.ts';

const SENSES = ['sight', 'hearing', 'smell', 'touch', 'dread'] as const;

/** A small generator of its own (a linear congruence): the scripts must not depend on the engine. */
function randomFrom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}

interface Crowd {
  readonly random: () => number;
  readonly coordinate: () => number;
  readonly isUniform: boolean;
  readonly hasFilters: boolean;
  /** Whether some are louder or quieter than others. */
  readonly hasProfiles: boolean;
  readonly senses: readonly string[];
  readonly dimensions: 2 | 3;
  readonly worlds: readonly World[];
  readonly ids: EntityId[];
}

function gather(seed: number): Crowd {
  const random = randomFrom(seed);
  const isLattice = random() < 0.3;
  const senses = SENSES.slice(0, random() < 0.4 ? 1 : 2 + Math.floor(random() * 4));
  const dimensions = random() < 0.1 ? 3 : 2;
  const options = { senses, dimensions } as const;
  return {
    random,
    senses,
    dimensions,
    hasProfiles: random() < 0.1,
    coordinate: () => {
      if (random() < 0.002) return 1e9;
      return isLattice ? Math.round(random() * 60) * 5 : random() * 300;
    },
    isUniform: random() < 0.5,
    hasFilters: random() < 0.3,
    worlds: [
      new World({ ...options, detector: changedPairs }),
      new World({ ...options, kernels: 'typescript' }),
      new World({ ...options, kernels: 'auto' }),
    ],
    ids: [],
  };
}

/** Ranges by sense: in a uniform crowd the same for all, two senses reaching equally far. */
function ranges({ random, isUniform, senses }: Crowd): Record<string, number> {
  const longest = isUniform ? 30 : random() * 50;
  return Object.fromEntries(
    senses.map((sense, s) => [
      sense,
      isUniform ? longest / Math.max(1, s) : s > 0 && random() < 0.3 ? 0 : random() * longest,
    ]),
  );
}

function add(crowd: Crowd): void {
  const { random, coordinate, hasFilters, hasProfiles, senses, worlds, ids } = crowd;
  const init: EntityInit = { x: coordinate(), y: coordinate(), z: random() * 60, updates: random() < 0.5 };
  if (random() >= 0.2) init.range = ranges(crowd);
  if (hasFilters && random() < 0.3) init.layers = Math.floor(random() * 4);
  if (hasFilters && random() < 0.1) init.marker = false;
  if (hasProfiles && random() < 0.2) init.gain = { [senses[0]!]: random() * 3 };
  if (hasProfiles && random() < 0.1) init.minReach = random() * 60;
  const given = worlds.map((world) => world.add(init));
  ids.push(given[0]!);
}

function change(crowd: Crowd): void {
  const { random, coordinate, hasFilters, worlds, ids } = crowd;
  const index = Math.floor(random() * ids.length);
  const id = ids[index]!;
  const what = random();
  if (what < 0.6) {
    const [x, y, z = 0] = worlds[0]!.position(id);
    const [dx, dy, dz] = [(random() - 0.5) * 8, (random() - 0.5) * 8, (random() - 0.5) * 8];
    for (const world of worlds) world.move(id, x! + dx, y! + dy, z + dz);
  } else if (what < 0.75) {
    const [x, y, z] = [coordinate(), coordinate(), random() * 60];
    for (const world of worlds) world.move(id, x, y, z);
  } else if (what < 0.8) {
    for (const world of worlds) world.touch(id);
  } else if (what < 0.9) {
    const range = random() < 0.3 ? 0 : ranges(crowd);
    const channel = hasFilters ? Math.floor(random() * 3) : 0;
    for (const world of worlds) world.update(id, { range, channel });
  } else if (what < 0.95) {
    for (const world of worlds) world.remove(id);
    ids.splice(index, 1);
  } else {
    add(crowd);
  }
}

function expectAlike({ worlds, ids, random }: Crowd, when: string): void {
  expectWorldsAlike(worlds, when);
  const probe = ids[Math.floor(random() * ids.length)]!;
  const answers = worlds.map((world) => [
    [...world.visibleTo(probe)],
    [...world.watchersOf(probe)],
    [...world.nearest(100, 100, 5, { z: 30 })],
  ]);
  expect(answers, when).toEqual(Array(3).fill(answers[0]));
}

const isStaying = (world: World) => world.describe().includes('staying');

test('a crowd in which few change reports what brute force reports, and stays for many of its ticks', () => {
  let stays = 0;
  for (let seed = 1; seed <= 24; seed++) {
    const crowd = gather(seed * 7919);
    for (let i = 0; i < 300; i++) add(crowd);
    for (let tick = 1; tick <= 30; tick++) {
      const isBusy = crowd.random() < 0.05;
      const count = isBusy ? 150 : Math.floor(crowd.random() * 12);
      for (let i = 0; i < count && tick > 1; i++) change(crowd);
      expectAlike(crowd, `seed ${seed * 7919}, tick ${tick}`);
      if (isStaying(crowd.worlds[2]!)) stays++;
    }
  }
  // A test of staying that never stays proves nothing.
  expect(stays).toBeGreaterThan(24 * 30 * 0.35);
});

test('a cell without room takes some from those around it, and the report is right', () => {
  const crowd = gather(3);
  for (let i = 0; i < 300; i++) add(crowd);
  expectAlike(crowd, 'at first');
  const [first] = crowd.ids;
  for (const world of crowd.worlds) world.move(first!, 10, 10);
  expectAlike(crowd, 'one moves');
  expect(isStaying(crowd.worlds[2]!)).toBe(true);
  for (const id of crowd.ids.slice(1, 19)) for (const world of crowd.worlds) world.move(id, 10, 10);
  expectAlike(crowd, 'eighteen come to one cell');
  expect(isStaying(crowd.worlds[2]!)).toBe(true);
  for (const id of crowd.ids.slice(19, 36)) for (const world of crowd.worlds) world.move(id, 10, 10);
  expectAlike(crowd, 'and seventeen more');
  expect(isStaying(crowd.worlds[2]!)).toBe(true);
});

test.each([2, 3] as const)(
  'a region added at once finds room in its cells and around them, in %i-D',
  (dimensions) => {
    const options = { dimensions, senses: ['sight', 'hearing'] } as const;
    const worlds = [
      new World({ ...options, detector: 'brute-force' }),
      new World({ ...options, kernels: 'typescript' }),
      new World(options),
    ];
    const random = randomFrom(dimensions);
    const addIn = (side: number, corner: number, range: Readonly<Record<string, number>>) => {
      const [x, y] = [corner + random() * side, corner + random() * side];
      const z = dimensions === 3 ? random() * side : 0;
      // Some have a profile, which moves with its entry.
      const gain = random() < 0.2 ? 1 + random() : 1;
      return worlds.map((world) => world.add({ x, y, z, range, gain, updates: false }))[0]!;
    };
    for (let i = 0; i < 1500; i++) addIn(600, 0, i < 20 ? { sight: 40, hearing: 20 } : {});
    let stays = 0;
    for (let round = 0; round < 8; round++) {
      const corner = random() * 400;
      // Of about sixty there, and a hundred and fifty more.
      const ids = Array.from({ length: 150 }, () => addIn(120, corner, {}));
      for (const what of ['stays', 'moves', 'is removed']) {
        for (const id of what === 'moves' ? ids.slice(50, 90) : []) {
          const [x, y] = [corner + random() * 30, corner + random() * 30];
          for (const world of worlds) world.move(id, x, y, dimensions === 3 ? 60 : undefined);
        }
        if (what === 'is removed') for (const world of worlds) world.removeMany(Uint32Array.from(ids));
        expectWorldsAlike(worlds, `round ${round}, the region ${what}`);
        if (isStaying(worlds[2]!)) stays++;
      }
    }
    expect(stays).toBeGreaterThan(20);
  },
);

test('the first ones of a kind find room, however many cells without any are around them', () => {
  const worlds = [new World({ detector: 'brute-force' }), new World({ kernels: 'typescript' }), new World()];
  const random = randomFrom(6);
  const addAt = (x: number, y: number, init: EntityPatch) =>
    worlds.map((world) => world.add({ x, y, updates: false, ...init }))[0]!;
  for (let i = 0; i < 3000; i++) addAt(random() * 2000, random() * 2000, { channel: 1 });
  for (let i = 0; i < 20; i++) addAt(random() * 2000, random() * 2000, { range: 30, channel: 1 });
  const stays: boolean[] = [];
  for (let tick = 0; tick < 60; tick++) {
    // Watchers in no channel, riders that are perceived from afar, and things in no channel: each kind has cells of its own.
    const init: EntityPatch = [{ range: 40 }, { range: 200, gain: 2 }, {}][tick % 3]!;
    if (tick > 1) addAt(random() * 2000, random() * 2000, init);
    expectWorldsAlike(worlds, `tick ${tick}`);
    stays.push(isStaying(worlds[2]!));
  }
  expect(stays.indexOf(true)).toBeLessThan(4);
  expect(stays.slice(4)).toEqual(Array(56).fill(true));
});

test('entries stay where a hundred come to a kind in one tick and leave it in the next', () => {
  const worlds = [new World({ detector: changedPairs }), new World({ kernels: 'typescript' }), new World()];
  const random = randomFrom(8);
  const ids = Array.from({ length: 1000 }, (_, i) => {
    const init = {
      x: random() * 1000,
      y: random() * 1000,
      updates: false,
      ...(i % 5 === 0 && { range: 20 }),
    };
    return worlds.map((world) => world.add(init))[0]!;
  });
  const stays: boolean[] = [];
  for (let tick = 0; tick < 60; tick++) {
    const patch = tick < 20 ? { gain: 1 + 0.3 * (tick % 2) } : { watches: tick % 2 === 0 };
    for (let i = 0; i < 500; i += 5) for (const world of worlds) world.update(ids[i]!, patch);
    expectWorldsAlike(worlds, `tick ${tick}`);
    stays.push(isStaying(worlds[2]!));
  }
  expect(stays.slice(30)).toEqual(Array(30).fill(true));
});

test('a watcher whose row begins is not searched as far as a bell is heard', () => {
  let visits = 0;
  const counting: DetectorFactory = (store) => {
    const detector = sweep(store);
    const collectPerceived = detector.collectPerceived!.bind(detector);
    detector.collectPerceived = (population, watcher, visit) =>
      collectPerceived(population, watcher, (slot) => {
        visits++;
        visit(slot);
      });
    return detector;
  };
  const world = new World({ detector: counting });
  const ids = Array.from({ length: 3600 }, (_, i) =>
    world.add({ x: 20 * (i % 60), y: 20 * Math.floor(i / 60), range: 25, updates: false }),
  );
  const [bell] = ids;
  world.update(bell!, { minReach: 600 });
  world.tick();
  const at = (x: number, y: number) => ids[60 * y + x]!;
  world.update(at(20, 20), { updates: true });
  world.tick();
  expect(visits).toBeLessThan(20);
  const [east, west, north, south] = [at(21, 20), at(19, 20), at(20, 21), at(20, 19)];
  expect(Array.from(world.visibleTo(at(20, 20)))).toEqual([bell, south, west, east, north]);
  expect(world.related(at(30, 30), bell!)).toBe(false);
});

test('where no cell far around has room the stay ends, and the report is right all the same', () => {
  const worlds = [new World({ detector: 'brute-force' }), new World({ kernels: 'typescript' }), new World()];
  const random = randomFrom(5);
  for (let i = 0; i < 2000; i++) {
    const [x, y] = [random() * 1000, random() * 1000];
    for (const world of worlds) world.add({ x, y, range: i < 20 ? 30 : 0, updates: false });
  }
  const stays: boolean[] = [];
  for (let tick = 0; tick < 24; tick++) {
    for (let i = 0; i < (tick === 0 ? 0 : 120); i++) {
      for (const world of worlds) world.add({ x: 500, y: 500 + i / 64, updates: false });
    }
    expectWorldsAlike(worlds, `tick ${tick}`);
    stays.push(isStaying(worlds[2]!));
  }
  expect(stays.slice(1, 4)).toEqual([true, true, true]);
  expect(stays.slice(4)).toContain(false);
});

test('a mover that enters is reported when the scan runs out of room for crossings', () => {
  for (const kernels of ['typescript', 'auto'] as const) {
    const world = new World({ kernels });
    for (let i = 0; i < 99; i++) world.add({ x: (i % 20) * 0.04, y: Math.floor(i / 20) * 0.05 - 0.2 });
    world.add({ x: 0.7, y: 0, range: 0.5 });
    const mover = world.add({ x: 5.66, y: -0.1 });
    world.tick();
    world.move(mover, 0.7, 0);
    expect(world.tick().enteredCount).toBe(1);
    world.validate();
  }
});

test('everyone on one spot may stay, and one step there is reported to all', () => {
  const worlds = [new World({ detector: 'brute-force' }), new World()];
  for (const world of worlds) for (let i = 0; i < 600; i++) world.add({ x: 5, y: 5, range: i < 10 ? 4 : 0 });
  for (const world of worlds) world.tick();
  for (const world of worlds) world.move(world.ids()[20]!, 10, 5);
  const hashes = worlds.map((world) => world.tick().hash());
  expect(hashes[1]).toBe(hashes[0]);
  expect(isStaying(worlds[1]!)).toBe(true);
});

test('a hundred thousand on one spot, of whom the first twenty watch, fit in memory', () => {
  const world = new World();
  const spot = new Float32Array(100_000).fill(7);
  world.addMany({ x: spot.subarray(0, 20), y: spot.subarray(0, 20), range: 50 });
  world.addMany({ x: spot.subarray(20), y: spot.subarray(20) });
  expect(world.tick().enteredCount).toBe(20 * 99_999);
});

const cellsOf = (world: World) => Number(/(\d+) cells\n/.exec(world.describe())?.[1]);

test('a few that wake in a crowd at rest find cells as narrow as they see, and stay in them', () => {
  const random = randomFrom(11);
  const places = (count: number) => Float32Array.from({ length: count }, () => random() * 1000);
  const world = new World();
  const ids = world.addMany({ x: places(5000), y: places(5000), range: 30, watches: false });
  world.tick();
  expect(cellsOf(world)).toBeLessThan(100);
  const awake = ids.subarray(0, 5);
  for (const id of awake) world.update(id, { watches: true });
  world.tick();
  for (let tick = 0; tick < 20; tick++) {
    world.moveMany(awake, places(5), places(5));
    world.tick();
  }
  expect(cellsOf(world)).toBeGreaterThan(500);
  expect(isStaying(world)).toBe(true);
});

test('one entity far away does not widen the grid', () => {
  const random = randomFrom(9);
  const near = new World();
  const far = new World();
  for (let i = 0; i < 2000; i++) {
    const init = { x: random() * 1000, y: random() * 1000, range: 30 };
    near.add(init);
    far.add(init);
  }
  far.add({ x: 1e9, y: -1e12, range: 30 });
  near.tick();
  far.tick();
  expect(cellsOf(near)).toBeGreaterThan(500);
  expect(cellsOf(far)).toBeGreaterThan(500);
});

test.each([2, 3] as const)(
  'everybody moving with several senses, in %i-D, reports what brute force reports',
  (dimensions) => {
    const random = randomFrom(dimensions);
    const senses = [...SENSES];
    for (const used of [1, 2, 3, 5]) {
      const options = { senses, dimensions } as const;
      const worlds = (['typescript', 'auto'] as const).map((kernels) => new World({ ...options, kernels }));
      worlds.unshift(new World({ ...options, detector: 'brute-force' }));
      const range = Object.fromEntries(senses.slice(0, used).map((sense, s) => [sense, 40 / (s + 1)]));
      const place = () => Float32Array.from({ length: 250 }, () => random() * 200);
      const [x, y, z] = [place(), place(), place()];
      for (const world of worlds) {
        world.addMany({ x: x.subarray(0, 200), y: y.subarray(0, 200), z: z.subarray(0, 200), range });
        world.addMany({ x: x.subarray(200), y: y.subarray(200), z: z.subarray(200) });
      }
      const ids = worlds[0]!.ids();
      for (let tick = 1; tick <= 12; tick++) {
        const reports = worlds.map((world) => world.tick());
        expect(reports.map((report) => report.hash())).toEqual(Array(3).fill(reports[0]!.hash()));
        expect(reports[0]!.enteredCount).toBeGreaterThan(0);
        if (tick > 1 && used > 1) expect(reports[0]!.sensedCount).toBeGreaterThan(0);
        for (const column of [x, y, z]) for (let i = 0; i < 250; i++) column[i]! += (random() - 0.5) * 6;
        for (const world of worlds) world.moveMany(ids, x, y, z);
      }
    }
  },
);

/** All step by up to `step` on each axis, on whole units, and so across boundaries and onto them; one in 50 leaps or is new. */
function stepAll(crowd: Crowd, step: number): void {
  const { random, worlds, ids } = crowd;
  for (const id of [...ids]) {
    if (random() < 0.02) {
      change(crowd);
      continue;
    }
    if (!worlds[0]!.has(id)) continue;
    const [x, y, z = 0] = worlds[0]!.position(id);
    const stepped = [x!, y!].map((at) => Math.round(at + (random() * 2 - 1) * step));
    for (const world of worlds) world.move(id, stepped[0]!, stepped[1]!, z);
  }
}

test.each([
  [1, 1],
  [1, 8],
  [1, 60],
  [3, 1],
  [3, 8],
  [4, 2],
])('a crowd with %i senses in which all step by up to %i reports what brute force reports', (count, step) => {
  const senses = SENSES.slice(0, count);
  const uniform = {
    ...gather(11 * count + step),
    isUniform: true,
    hasProfiles: false,
    dimensions: 2,
    senses,
  } as const;
  const options = { senses } as const;
  const crowd: Crowd = {
    ...uniform,
    coordinate: () => Math.round(uniform.random() * 200),
    worlds: [
      new World({ ...options, detector: 'brute-force' }),
      new World({ ...options, kernels: 'typescript' }),
      new World({ ...options, kernels: 'auto' }),
    ],
  };
  for (let i = 0; i < 400; i++) add(crowd);
  for (let tick = 1; tick <= 12; tick++) {
    if (tick > 1) stepAll(crowd, step);
    expectAlike(crowd, `tick ${tick}`);
  }
});

test('a run longer than is looked through at once is looked through to its end', () => {
  const random = randomFrom(29);
  const worlds = [
    new World({ detector: 'brute-force' }),
    new World({ kernels: 'typescript' }),
    new World({ kernels: 'auto' }),
  ];
  // All in one row of cells.
  const places = Array.from({ length: 1300 }, () => [random() * 12, random() * 0.5] as const);
  const ids = places.map(
    ([x, y]) => worlds.map((world) => world.add({ x, y, range: 6, updates: false }))[0]!,
  );
  for (let tick = 1; tick <= 3; tick++) {
    places.forEach(([x, y], i) => {
      const [dx, dy] = [random() - 0.5, random() - 0.5];
      for (const world of worlds) world.move(ids[i]!, x + dx * tick, y + dy * tick);
    });
    const hashes = worlds.map((world) => world.tick().hash());
    expect(hashes).toEqual(Array(3).fill(hashes[0]));
  }
});

test('things that are perceived from nearer than usual have cells of their own, as soon as they are many', () => {
  const world = new World();
  const random = randomFrom(7);
  const places = (count: number) => Float32Array.from({ length: count }, () => random() * 1000);
  const walkers = world.addMany({ x: places(2000), y: places(2000), range: 40 });
  world.tick();
  world.add({ x: 500, y: 500, maxReach: 3 });
  for (let tick = 0; tick < 3; tick++) {
    world.moveMany(walkers, places(2000), places(2000));
    world.tick();
  }
  expect(world.describe()).toContain('class 10: ');
  const cells = () => Number(/class 10: (\d+) x/.exec(world.describe())?.[1]);
  expect(cells()).toBeLessThan(10);
  world.addMany({ x: places(400), y: places(400), maxReach: 3 });
  for (let tick = 0; tick < 3; tick++) {
    world.moveMany(walkers, places(2000), places(2000));
    world.tick();
  }
  expect(cells()).toBeGreaterThan(20);
});

test('the same calls give the same structure, whichever worlds were made before', () => {
  const described = () => {
    const random = randomFrom(5);
    const world = new World();
    const place = () => 400 * random();
    const ids = Array.from({ length: 120 }, () => world.add({ x: place(), y: place(), range: 40 }));
    const lines: string[] = [];
    for (let tick = 0; tick < 300; tick++) {
      // The crowd grows wider, so that its cells are others whenever they are chosen again.
      for (const id of ids) world.move(id, place() * (1 + tick / 100), place());
      world.tick();
      if (tick % 10 === 0) lines.push(world.describe());
    }
    return lines;
  };
  const first = described();
  for (let other = 0; other < 3; other++) expect(described()).toEqual(first);
});
