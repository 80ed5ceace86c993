/**
 * A detector on cells and the definition on one store, driven below `World`, where more can be asked of a detector.
 *
 * Problem: granularity 'cell' has no other detector to be compared with in a `World`, and a world never lets a tick fail.
 * Method: the store, the detector and brute force (of changed pairs) are put together by hand. After each tick both have named the
 * same crossings, the structure is valid, and boxes hold whom they should. Now and then the detector is made anew
 * in the middle of changes, or is asked twice about one tick, as when a tick fails and is taken again.
 *
 * Geography: lattices on cell edges, crowds on one point, outliers to the ends of the world, no square anywhere.
 */
import { Crossings } from '../../src/detectors/crossings.ts';
import type { Bounds, Detector, DetectorFactory } from '../../src/detectors/detector.ts';
import { type EntityPatch, emptyValues, readProperties } from '../../src/entities/entity-init.ts';
import { EntityStore } from '../../src/entities/entity-store.ts';
import { Heap } from '../../src/kernels/heap.ts';
import '../../src/kernels/javascript.ts';
import type { WorldSettings } from '../../src/settings.ts';
import { changedPairs } from '../conformance/changed-pairs.ts';

/** A small generator of its own (a linear congruence): what is tried must not depend on the engine. */
export function randomFrom(seed: number): () => number {
  let state = Math.imul(seed, 0x9e3779b1) >>> 0;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}

export const PLAIN: WorldSettings = {
  dimensions: 2,
  senses: ['sight'],
  senseCount: 1,
  rangeShape: 'circle',
  ratioX: 1,
  ratioY: 1,
  ratioZ: 1,
  granularity: 'exact',
  cellRule: 'reach',
  cellRounding: 'up',
  cellSize: undefined,
  groups: ['group'],
  interestNames: new Map([['default', 0]]),
};

/** A place; z counts in 3-D only. */
export type Place = readonly [x: number, y: number, z?: number];

/** The watcher's slot, the marker's, the senses before, the senses after. */
export type Crossing = readonly [watcher: number, marker: number, before: number, after: number];

export class SideBySide {
  readonly store: EntityStore;
  detector: Detector;
  readonly #factory: DetectorFactory;
  readonly #definition: Detector;
  readonly #crossings: Crossings;
  readonly #expected: Crossings;

  constructor(factory: DetectorFactory, settings: Partial<WorldSettings> = {}) {
    const heap = new Heap('typescript');
    const senses = settings.senses ?? PLAIN.senses;
    this.store = new EntityStore(heap, { ...PLAIN, ...settings, senses, senseCount: senses.length }, 0);
    this.#factory = factory;
    this.detector = factory(this.store);
    this.#definition = changedPairs(this.store);
    this.#crossings = new Crossings(heap);
    this.#expected = new Crossings(heap);
  }

  /** Answers the slot. */
  add([x, y, z = 0]: Place, traits: EntityPatch): number {
    this.store.reserve(1);
    return this.store.add(x, y, z, this.#read(traits)) >>> 10;
  }

  update(slot: number, traits: EntityPatch): void {
    this.store.update(slot, this.#read(traits));
  }

  move(slot: number, [x, y, z = 0]: Place): void {
    this.store.move(slot, x, y, z);
  }

  /** A detector of the same kind takes over where this one stands. */
  swap(): void {
    this.detector = this.#factory(this.store);
  }

  /** Asks the detector, and forgets the answer: the tick is to be taken again. */
  fail(): void {
    this.store.settle();
    this.#crossings.clear();
    this.detector.detect(this.store, this.#crossings);
  }

  /** Answers the crossings; throws when the detector and the definition differ, or the structure is broken. */
  tick(): Crossing[] {
    const { store } = this;
    store.settle();
    const found = crossingsOf(this.detector, store, this.#crossings);
    const expected = crossingsOf(this.#definition, store, this.#expected);
    store.endTick();
    this.detector.validate(store);
    if (areAlike(found, expected)) return found;
    const missing = expected.filter((crossing) => !found.some((other) => `${other}` === `${crossing}`));
    const wrong = found.filter((crossing) => !expected.some((other) => `${other}` === `${crossing}`));
    throw new Error(
      `missing ${JSON.stringify(missing)}, wrong ${JSON.stringify(wrong)}\n${this.detector.describe()}`,
    );
  }

  /** Throws unless `collect` visits whoever lies in the box, and nobody twice. */
  expectCollected(bounds: Bounds): void {
    const { store } = this;
    const { last } = store;
    const visited = new Set<number>();
    this.detector.collect(store, bounds, (slot) => {
      if (visited.has(slot)) throw new Error(`slot ${slot} was visited twice`);
      if (!last.isPresent(slot)) throw new Error(`slot ${slot} was visited, and holds nobody`);
      visited.add(slot);
    });
    for (let slot = 0; slot < store.slotCount; slot++) {
      if (!last.isPresent(slot) || visited.has(slot)) continue;
      const z = store.settings.dimensions === 3 ? last.z[slot] : 0;
      const isIn =
        last.x[slot] >= bounds.minX &&
        last.x[slot] <= bounds.maxX &&
        last.y[slot] >= bounds.minY &&
        last.y[slot] <= bounds.maxY &&
        z >= bounds.minZ &&
        z <= bounds.maxZ;
      if (isIn) throw new Error(`slot ${slot} lies in ${JSON.stringify(bounds)} and was not visited`);
    }
  }

  #read(traits: EntityPatch) {
    const { settings, ids } = this.store;
    return readProperties(settings, traits, 'EntityPatch', emptyValues(settings), ids);
  }
}

function areAlike(found: readonly Crossing[], expected: readonly Crossing[]): boolean {
  if (found.length !== expected.length) return false;
  return found.every((crossing, i) => crossing.every((value, j) => value === (expected[i] as Crossing)[j]));
}

function crossingsOf(detector: Detector, store: EntityStore, out: Crossings): Crossing[] {
  out.clear();
  detector.detect(store, out);
  out.resolve(store);
  const found: Crossing[] = [];
  for (let i = 0; i < out.count; i++) {
    found.push([out.watcherAt(i), out.markerAt(i), out.beforeAt(i), out.afterAt(i)]);
  }
  return found;
}

/** A random life of a small world. */
class RandomLife {
  readonly world: SideBySide;
  readonly #random: () => number;
  readonly #step: number;
  readonly #isLattice: boolean;
  readonly #isSwift: boolean;
  readonly #strangeness: number;
  readonly #slots: number[] = [];

  constructor(factory: DetectorFactory, settings: Partial<WorldSettings>, seed: number) {
    const random = randomFrom(seed);
    this.#random = random;
    this.world = new SideBySide(factory, settings);
    this.#step = settings.cellSize?.[0] ?? this.#pick([1, 2.5, 0.1, 64]);
    this.#isLattice = random() < 0.5;
    this.#isSwift = random() < 0.3;
    this.#strangeness = this.#pick([0, 0, 0.02, 0.2]);
  }

  /** So many ticks of up to `changes` changes each, after a first one that adds `population`. */
  live(population: number, ticks: number, changes: number): void {
    for (let i = 0; i < population; i++) this.#add();
    for (let tick = 0; tick < ticks; tick++) {
      if (tick > 0) for (let i = this.#below(changes + 1); i > 0; i--) this.#change();
      if (this.#random() < 0.05) this.world.swap();
      if (this.#random() < 0.1) {
        this.world.fail();
        for (let i = this.#below(4); i > 0; i--) this.#change();
      }
      this.world.tick();
      this.world.expectCollected(this.#bounds());
    }
  }

  #change(): void {
    const { world } = this;
    const what = this.#random();
    if (this.#slots.length === 0 || what < 0.08) {
      this.#add();
      return;
    }
    const at = this.#below(this.#slots.length);
    const slot = this.#slots[at];
    const { now } = world.store;
    const here: Place = [now.x[slot], now.y[slot], now.z[slot] ?? 0];
    if (what < 0.6) world.move(slot, this.#stepFrom(here));
    else if (what < 0.66) world.move(slot, this.#place());
    else if (what < 0.7) {
      world.move(slot, this.#place());
      world.move(slot, here);
    } else if (what < 0.92) world.update(slot, this.#patch());
    else {
      world.store.remove(slot);
      this.#slots.splice(at, 1);
    }
  }

  #add(): void {
    const traits: EntityPatch = this.#random() < 0.75 ? { range: this.#reach() } : {};
    if (this.#random() < this.#strangeness) Object.assign(traits, this.#patch(), this.#patch());
    this.#slots.push(this.world.add(this.#place(), traits));
  }

  #patch(): EntityPatch {
    const { senses } = this.world.store.settings;
    const sense = this.#pick(senses);
    if (this.#random() >= this.#strangeness * 4) return { range: { [sense]: this.#reach() } };
    const patches: EntityPatch[] = [
      { gain: { [sense]: this.#pick([0, 0.5, 1, 1, 2, 1e6]) } },
      {
        minReach: { [sense]: this.#random() < 0.3 ? 0 : this.#reach() },
        maxReach: { [sense]: Number.POSITIVE_INFINITY },
      },
      { minReach: { [sense]: 0 }, maxReach: { [sense]: this.#reach() } },
      { layers: this.#below(4) },
      { sees: this.#below(4) },
      { channel: this.#below(3) },
      { marker: this.#random() < 0.6 },
      { range: { [sense]: 0 } },
    ];
    return this.#pick(patches);
  }

  #reach(): number {
    if (this.#random() < this.#strangeness * 0.3) return this.#pick([1e12, 1e9, this.#step * 300, 1e-6]);
    return this.#step * this.#pick([0.3, 1, 1, 1, 2, 3, Math.SQRT2]);
  }

  #place(): Place {
    if (this.#random() < this.#strangeness * 0.3) {
      const far = this.#pick([1e12, -1e12, 1e9, 16_777_217]);
      return [far, this.#random() < 0.5 ? far / 3 : 0, this.#step * this.#below(3)];
    }
    return [this.#coordinate(7), this.#coordinate(3), this.#coordinate(4)];
  }

  #coordinate(extent: number): number {
    const lattice = this.#step * (this.#below(2 * extent) - extent);
    return this.#isLattice ? lattice : lattice + this.#step * this.#random();
  }

  #stepFrom([x, y, z = 0]: Place): Place {
    const length = this.#step * (this.#isSwift ? 2 : 0.2);
    const held = (value: number) => Math.min(1e12, Math.max(-1e12, value));
    const off = () =>
      this.#isLattice && this.#isSwift ? this.#step * (this.#below(3) - 1) : (this.#random() - 0.5) * length;
    return [held(x + off()), held(y + off()), held(z + off())];
  }

  #bounds(): Bounds {
    const [x, y, z = 0] = this.#place();
    if (this.#random() < 0.1) {
      const [low, high] = [Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY];
      return { minX: low, minY: low, minZ: low, maxX: x, maxY: high, maxZ: high };
    }
    const half = this.#pick([0, 1, 2, 1000, 1e13]) * this.#step;
    const depth = this.world.store.settings.dimensions === 3 ? half : Number.POSITIVE_INFINITY;
    return {
      minX: x - half,
      minY: y - half,
      minZ: z - depth,
      maxX: x + half,
      maxY: y + half / 2,
      maxZ: z + depth,
    };
  }

  #below(count: number): number {
    return Math.floor(this.#random() * count);
  }

  #pick<T>(values: readonly T[]): T {
    return values[this.#below(values.length)];
  }
}

/** Random lives of consecutive seeds, in worlds of every kind; throws at the first that goes wrong, naming the seed. */
export function liveMany(
  factory: DetectorFactory,
  settings: Partial<WorldSettings>,
  from: number,
  count: number,
): void {
  for (let seed = from; seed < from + count; seed++) {
    const random = randomFrom(seed + 0x5eed);
    const isExact = settings.granularity !== 'cell';
    const dimensions = random() < 0.6 ? 2 : 3;
    const size = [1, 2.5, 0.1, 1000][Math.floor(random() * 4)];
    const ratio = () => Math.fround([1, 0.5, 2, 0.7][Math.floor(random() * 4)]);
    const shapes = dimensions === 3 ? (['circle', 'box', 'cylinder'] as const) : (['circle', 'box'] as const);
    const own: Partial<WorldSettings> = {
      dimensions,
      senses: random() < 0.6 ? ['sight'] : ['sight', 'hearing', 'smell'],
      cellSize:
        random() < 0.5 && isExact
          ? undefined
          : ([size, Math.fround(size * ratio()), size].map(Math.fround) as [number, number, number]),
    };
    if (isExact && random() < 0.5) {
      Object.assign(own, {
        rangeShape: shapes[Math.floor(random() * shapes.length)],
        ratioX: ratio(),
        ratioY: ratio(),
        ratioZ: ratio(),
      });
    }
    const population = [3, 12, 40, 150][Math.floor(random() * 4)];
    try {
      new RandomLife(factory, { ...own, ...settings }, seed).live(
        population,
        12,
        random() < 0.5 ? 5 : population * 2,
      );
    } catch (error) {
      throw new Error(`seed ${seed}: ${error instanceof Error ? error.message : error}`, { cause: error });
    }
  }
}
