/**
 * Who would perceive a place: beside a plain reading of the definition, beside a marker that stands there, and what it
 * costs where a few perceive very far.
 */
import { describe, expect, test } from 'vitest';
import {
  applyPatch,
  type Figure,
  modelOptions,
  plainFigure,
  watchersOfPlace,
} from '../../src/conformance/perception.ts';
import { Random } from '../../src/conformance/random.ts';
import { bruteForce } from '../../src/detectors/brute-force.ts';
import {
  type DetectorFactory,
  type DetectorName,
  detectorNames,
  type EntityId,
  type EntityInit,
  type Place,
  UmweltError,
  World,
  type WorldOptions,
} from '../../src/index.ts';

const WIDTH = 400;

/** World options worth a crowd: both dimensions, every shape of ranges, one sense and several. */
const WORLDS: readonly WorldOptions[] = [
  {},
  { rangeShape: 'box', rangeRatio: [2, 0.5] },
  { senses: ['sight', 'hearing', 'smell'] },
  { dimensions: 3 },
  { dimensions: 3, rangeShape: 'box', rangeRatio: [1, 0.5, 2], senses: ['sight', 'hearing'] },
  { dimensions: 3, rangeShape: 'cylinder', rangeRatio: [1, 1, 0.25] },
];

function randomPlace(random: Random): { x: number; y: number; z: number } {
  const at = () => random.between(-WIDTH / 2, WIDTH / 2);
  return { x: at(), y: at(), z: at() / 8 };
}

/** Most perceive a little, some far, a few everything. */
function randomRange(random: Random): number {
  if (random.chance(0.1)) return 0;
  if (random.chance(0.9)) return random.between(1, 30);
  return random.pick([random.between(100, 200), random.between(1000, 9000), 1e12]);
}

function randomInit(random: Random, { senses = ['sight'] }: WorldOptions): EntityInit {
  const range = Object.fromEntries(senses.map((sense) => [sense, randomRange(random)]));
  const init: EntityInit = { ...randomPlace(random), range, marker: random.chance(0.5) };
  if (random.chance(0.2)) init.sees = random.pick([0, 1, 2, 3]);
  if (random.chance(0.2)) init.channel = random.pick([0, 1, 2]);
  return init;
}

function randomNoise(random: Random, { senses = ['sight'] }: WorldOptions): Place {
  const place: Place = randomPlace(random);
  const bySense = (value: () => number) =>
    random.chance(0.5) ? value() : Object.fromEntries(senses.map((sense) => [sense, value()]));
  if (random.chance(0.4)) place.gain = bySense(() => random.pick([0, 0.5, 2, 10]));
  if (random.chance(0.3)) place.minReach = bySense(() => random.pick([0, 5, 60, 1e6]));
  if (random.chance(0.3)) place.maxReach = bySense(() => random.pick([1e6, 1e7, Number.POSITIVE_INFINITY]));
  else if (place.minReach === undefined && random.chance(0.5))
    place.maxReach = bySense(() => random.pick([0, 4, 20]));
  if (random.chance(0.3)) place.layers = random.pick([1, 2, 3, 0]);
  if (random.chance(0.3)) place.channel = random.pick([0, 1, 2]);
  if (random.chance(0.3)) place.senses = senses.filter(() => random.chance(0.5));
  return place;
}

/** A crowd that lives, and what the definition knows of it. */
class Crowd {
  readonly world: World;
  readonly figures = new Map<EntityId, Figure>();
  readonly #random: Random;
  readonly #options: WorldOptions;

  constructor(seed: number, options: WorldOptions, detector: DetectorName) {
    this.#random = new Random(seed);
    this.#options = options;
    this.world = new World({ ...options, detector });
  }

  add(): void {
    const init = randomInit(this.#random, this.#options);
    this.#write(this.world.add(init), plainFigure(modelOptions(this.#options)), init);
  }

  /** Comes, goes, moves and changes, then ticks. */
  live(): void {
    const random = this.#random;
    for (const [id, figure] of [...this.figures]) {
      if (random.chance(0.05)) {
        this.world.remove(id);
        this.figures.delete(id);
      } else if (random.chance(0.3)) {
        const place = randomPlace(random);
        this.world.move(id, place.x, place.y, place.z);
        this.#write(id, figure, place);
      } else if (random.chance(0.1)) {
        const range = { [(this.#options.senses ?? ['sight'])[0]]: randomRange(random) };
        this.world.update(id, { range });
        applyPatch(figure, { range }, modelOptions(this.#options));
      }
    }
    while (this.figures.size < 300) this.add();
    this.world.tick();
  }

  expected(noise: Place): EntityId[] {
    return [...watchersOfPlace(this.figures, noise, modelOptions(this.#options))];
  }

  #write(id: EntityId, figure: Figure, init: Partial<EntityInit> & { x: number; y: number }): void {
    const { x, y, z, ...traits } = init;
    Object.assign(figure, this.#stored({ x, y, z: z as number }));
    applyPatch(figure, traits as EntityInit, modelOptions(this.#options));
    this.figures.set(id, figure);
  }

  #stored({ x, y, z }: { x: number; y: number; z: number }): { x: number; y: number; z: number } {
    return { x: Math.fround(x), y: Math.fround(y), z: this.#options.dimensions === 3 ? Math.fround(z) : 0 };
  }
}

describe.each(detectorNames)('with %s', (detector) => {
  test.each(WORLDS.map((options, i) => [i, options] as const))(
    'a crowd some of whom perceive very far answers as the definition does (world %i)',
    (i, options) => {
      const crowd = new Crowd(100 + i, options, detector);
      const random = new Random(i);
      let answered = 0;
      for (let tick = 0; tick < 8; tick++) {
        crowd.live();
        for (let k = 0; k < 20; k++) {
          const noise = randomNoise(random, options);
          const got = [...crowd.world.watchersAt(noise)];
          expect(got, JSON.stringify(noise)).toEqual(crowd.expected(noise));
          answered += got.length;
        }
      }
      expect(answered).toBeGreaterThan(300);
    },
  );
});

describe.each([
  ['nine-grid', 2, 'up'],
  ['nine-grid', 2, 'down'],
  ['tower', 2, 'up'],
  ['tower', 3, 'down'],
  ['cross-list', 2, 'down'],
  ['cross-list', 3, 'up'],
] as const)('by cells with %s in %i-D, rounded %s', (detector, dimensions, cellRounding) => {
  test('a place is perceived by those who perceive a marker that stands there', () => {
    const random = new Random(7);
    const options: WorldOptions = {
      detector,
      dimensions,
      granularity: 'cell',
      cellRounding,
      cellSize: 16,
      senses: ['sight', 'hearing'],
    };
    let answered = 0;
    for (let round = 0; round < 6; round++) {
      const world = new World(options);
      for (let k = 0; k < 150; k++) world.add({ ...randomInit(random, options), marker: false });
      const noises = Array.from({ length: 20 }, () => randomNoise(random, options));
      const markers = noises.map(({ senses, ...init }) => {
        const all = { sight: init.gain ?? 1, hearing: init.gain ?? 1 };
        const gain = typeof init.gain === 'object' ? { sight: 1, hearing: 1, ...init.gain } : all;
        // A marker is cloaked in the senses that do not count.
        for (const sense of ['sight', 'hearing'] as const)
          if (senses !== undefined && !senses.includes(sense)) gain[sense] = 0;
        return world.add({ ...init, gain: gain as Record<string, number> });
      });
      world.tick();
      noises.forEach((noise, k) => {
        const got = [...world.watchersAt(noise)];
        expect(got, JSON.stringify(noise)).toEqual([...world.watchersOf(markers[k])]);
        answered += got.length;
      });
    }
    expect(answered).toBeGreaterThan(100);
  });
});

test('it answers as of the last tick, less who was removed since', () => {
  const world = new World();
  const [stays, goes, dies] = [0, 1, 2].map((x) => world.add({ x, y: 0, range: 5 }));
  const here = () => [...world.watchersAt({ x: 0, y: 0 })];
  expect(here()).toEqual([]);
  world.tick();
  world.move(goes, 100, 0);
  world.update(stays, { range: 0 });
  world.remove(dies);
  world.add({ x: 0, y: 0, range: 5 });
  expect(here()).toEqual([stays, goes]);
  world.tick();
  expect(here()).toHaveLength(1);
});

test('caps, pins, blocks and margins are not asked', () => {
  const world = new World({ interests: { default: { cap: 0, leaveMargin: 10 } } });
  const watcher = world.add({ x: 0, y: 0, range: 5 });
  const marker = world.add({ x: 4, y: 0 });
  world.block(watcher, marker);
  world.tick();
  expect([...world.watchersAt({ x: 4, y: 0 })]).toEqual([watcher]);
  expect([...world.watchersAt({ x: 6, y: 0 })]).toEqual([]);
});

test('a crowd far beyond its cap perceives a place as it perceives a marker', () => {
  const world = new World({ interests: { default: { cap: 5 } } });
  const random = new Random(3);
  const ids: EntityId[] = [];
  for (let i = 0; i < 3000; i++) {
    ids.push(
      world.add({ x: random.between(0, 50), y: random.between(0, 50), range: i % 7 === 0 ? 20 : 500 }),
    );
  }
  for (let tick = 0; tick < 3; tick++) world.tick();
  const expected = ids.filter((id) => {
    const [x, y] = world.position(id);
    return ids.indexOf(id) % 7 !== 0 || Math.hypot(x - 10, y - 10) <= 20;
  });
  expect([...world.watchersAt({ x: 10, y: 10 })]).toEqual(expected);
});

test('`out` is filled as by other lists, and the `Into` form counts', () => {
  const world = new World();
  const ids = [0, 1, 2].map((x) => world.add({ x, y: 0, range: 5 }));
  world.tick();
  const out = new Uint32Array(4);
  const list = world.watchersAt({ x: 0, y: 0 }, out);
  expect([...list]).toEqual(ids);
  expect(list.buffer).toBe(out.buffer);
  const tight = new Uint32Array(2);
  expect(world.watchersAtInto({ x: 0, y: 0 }, tight)).toBe(3);
  expect([...tight]).toEqual(ids.slice(0, 2));
  expect([...world.watchersAt({ x: 0, y: 0 }, tight)]).toEqual(ids);
});

test.each([
  [null, 'BAD_OPTION'],
  [[], 'BAD_OPTION'],
  [{ x: 0 }, 'BAD_POSITION'],
  [{ x: Number.NaN, y: 0 }, 'BAD_POSITION'],
  [{ x: 0, y: 0, range: 5 }, 'BAD_OPTION'],
  [{ x: 0, y: 0, Gain: 5 }, 'BAD_OPTION'],
  [{ x: 0, y: 0, gain: -1 }, 'BAD_GAIN'],
  [{ x: 0, y: 0, gain: { touch: 1 } }, 'UNKNOWN_SENSE'],
  [{ x: 0, y: 0, minReach: Number.NaN }, 'BAD_RANGE'],
  [{ x: 0, y: 0, maxReach: -1 }, 'BAD_RANGE'],
  [{ x: 0, y: 0, minReach: 2, maxReach: 1 }, 'BAD_RANGE'],
  [{ x: 0, y: 0, layers: 0.5 }, 'BAD_LAYERS'],
  [{ x: 0, y: 0, channel: -1 }, 'BAD_OPTION'],
  [{ x: 0, y: 0, senses: ['touch'] }, 'UNKNOWN_SENSE'],
  // A hole in the list.
  [{ x: 0, y: 0, senses: new Array(1) }, 'UNKNOWN_SENSE'],
  [{ x: 0, y: 0, senses: 'sight' }, 'BAD_OPTION'],
] as const)('%j is a mistake: %s', (place, code) => {
  const world = new World();
  const call = () => world.watchersAt(place as never);
  expect(call).toThrow(UmweltError);
  expect(call).toThrow(expect.objectContaining({ code }));
});

test('in 3-D z is needed', () => {
  const world = new World({ dimensions: 3 });
  expect(() => world.watchersAt({ x: 0, y: 0 })).toThrow(expect.objectContaining({ code: 'BAD_POSITION' }));
});

test('a few who perceive across the world do not make each call look at everybody', () => {
  let visited = 0;
  const counting: DetectorFactory = (store) => {
    const detector = bruteForce(store);
    const { collect } = detector;
    detector.collect = (population, bounds, visit) =>
      collect.call(detector, population, bounds, (slot) => {
        const { x, y } = population.last;
        const isIn =
          x[slot] >= bounds.minX &&
          x[slot] <= bounds.maxX &&
          y[slot] >= bounds.minY &&
          y[slot] <= bounds.maxY;
        if (isIn) visited++;
        visit(slot);
      });
    return detector;
  };
  const world = new World({ detector: counting });
  const random = new Random(5);
  for (let i = 0; i < 1500; i++) {
    world.add({ x: random.between(0, 2500), y: random.between(0, 2500), range: i % 150 === 0 ? 1e6 : 50 });
  }
  // Somebody so far away that it says nothing about where the crowd is.
  world.add({ x: 1e12, y: 1e12, range: 50 });
  world.tick();
  expect(world.watchersAt({ x: 1250, y: 1250 }).length).toBeGreaterThanOrEqual(10);
  expect(visited).toBeGreaterThan(0);
  expect(visited).toBeLessThan(20);
});
