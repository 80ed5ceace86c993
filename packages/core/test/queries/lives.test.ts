/**
 * Random lives of small worlds, asked for shapes of every kind, most of them without extent, on cell edges and in places where somebody
 * stands: every detector, by either kind of kernels, answers as brute force does.
 *
 *     UMWELT_QUERY_LIVES=2000 npm test -- queries/lives
 *
 * Box-shaped ranges in most, several senses, negative coordinates, cells of all sizes; entities come, move along an axis or onto each
 * other, all at once too, change, go; ticks fail, detectors take over, worlds are stored and restored; questions are about the last tick and
 * about now. The seed that goes wrong is named.
 */
import { expect, test } from 'vitest';
import { Random } from '../../src/conformance/random.ts';
import { type DetectorName, detectorNames, type Shape, World, type WorldOptions } from '../../src/index.ts';

const LIVES = Number(process.env.UMWELT_QUERY_LIVES ?? 6);
const FIRST_SEED = 90_001;
const TICKS = 12;
const QUESTIONS = 30;
const KERNELS = ['typescript', 'auto'] as const;

interface Spot {
  readonly x: number;
  readonly y: number;
  readonly z: number;
}

interface Subject {
  readonly name: DetectorName;
  readonly kernels: (typeof KERNELS)[number];
  world: World;
}

class QueryLife {
  found = 0;
  readonly #random: Random;
  readonly #is3D: boolean;
  readonly #step: number;
  readonly #half: number;
  readonly #origin: number;
  readonly #worlds: readonly Subject[];
  readonly #interests: NonNullable<WorldOptions['interests']>;
  readonly #spots = new Map<number, Spot>();
  #fails = false;

  constructor(seed: number) {
    const random = new Random(seed);
    this.#random = random;
    this.#is3D = random.chance(0.25);
    this.#step = random.pick([1, 1, 2, 0.5, 0.1, 3]);
    this.#half = random.pick([2, 4, 10]);
    this.#origin = random.pick([0, 0, -7, 100]);
    const cell = random.pick([undefined, 0.7, 1, 2, 5]);
    this.#interests = {
      default: {
        ...(random.chance(0.3) ? { cap: 3 } : {}),
        admit: () => {
          if (this.#fails) throw new Error('a rule that fails');
          return true;
        },
      },
    };
    const options: WorldOptions = {
      dimensions: this.#is3D ? 3 : 2,
      senses: ['sight', 'hearing'].slice(0, random.pick([1, 2])),
      ...(cell === undefined ? {} : { cellSize: cell * this.#step }),
      rangeShape: random.pick(['box', 'box', 'circle']),
      interests: this.#interests,
    };
    this.#worlds = ['brute-force' as const, ...detectorNames].flatMap((name) =>
      KERNELS.map((kernels) => ({
        name,
        kernels,
        world: new World({ ...options, detector: name, kernels }),
      })),
    );
  }

  /** The first difference. */
  live(): string | undefined {
    for (let tick = 0; tick < TICKS; tick++) {
      for (let i = this.#random.below(14); i >= 0; i--) this.#change();
      this.#tick();
      for (let i = 0; i < QUESTIONS; i++) {
        const difference = this.#ask(this.#shape());
        if (difference !== undefined) return difference;
      }
    }
    return undefined;
  }

  #each(act: (world: World) => unknown): unknown[] {
    return this.#worlds.map(({ world }) => act(world));
  }

  #change(): void {
    const random = this.#random;
    const ids = [...this.#spots.keys()];
    const at = ids.length === 0 ? 0 : random.fraction();
    const id = ids.length === 0 ? 0 : random.pick(ids);
    if (at < 0.25 && ids.length < 40) {
      const spot = this.#spot();
      const traits = this.#traits();
      const [added] = this.#each((world) => world.add({ ...this.#placed(spot), ...traits }));
      this.#spots.set(added as number, spot);
    } else if (at < 0.8) {
      const axis = random.pick(['x', 'y', 'z'] as const);
      const spot = random.chance(0.5)
        ? { ...(this.#spots.get(id) as Spot), [axis]: this.#coordinate() }
        : this.#spot();
      this.#each((world) => world.move(id, spot.x, spot.y, this.#is3D ? spot.z : undefined));
      this.#spots.set(id, spot);
    } else if (at < 0.9) {
      const traits = this.#traits();
      this.#each((world) => world.update(id, traits));
    } else if (at < 0.93) {
      this.#moveAll(ids);
    } else {
      this.#each((world) => world.remove(id));
      this.#spots.delete(id);
    }
  }

  /** Along one axis or two, in one call. */
  #moveAll(ids: readonly number[]): void {
    const axes = this.#random.pick([['x'], ['y'], ['x', 'y']] as const);
    const spots = ids.map((id) => {
      const to = Object.fromEntries(axes.map((axis) => [axis, this.#coordinate()]));
      return { ...(this.#spots.get(id) as Spot), ...to };
    });
    const along = (axis: 'x' | 'y' | 'z') => Float64Array.from(spots, (spot) => spot[axis]);
    const [x, y, z] = [along('x'), along('y'), along('z')];
    this.#each((world) => world.moveMany(Uint32Array.from(ids), x, y, this.#is3D ? z : undefined));
    for (const [i, id] of ids.entries()) this.#spots.set(id, spots[i] as Spot);
  }

  #tick(): void {
    const random = this.#random;
    if (random.chance(0.1)) {
      this.#fails = true;
      this.#each((world) => {
        try {
          world.tick();
        } catch {
          // As it should, where anybody was to be admitted.
        }
      });
      this.#fails = false;
    } else if (random.chance(0.9)) this.#each((world) => world.tick());
    for (const one of this.#worlds) {
      if (random.chance(0.02)) one.world.setDetector(one.name);
      if (!random.chance(0.02)) continue;
      const { name, kernels } = one;
      const interests = this.#interests;
      one.world = World.restore(one.world.snapshot(), { detector: name, kernels, interests });
    }
  }

  #ask(shape: Shape): string | undefined {
    const options = this.#random.chance(0.25) ? { now: true } : {};
    const answers = this.#each((world) => world.query(shape, options).join()) as string[];
    const [expected] = answers;
    if (expected !== '') this.found++;
    const wrong = answers.findIndex((answer) => answer !== expected);
    if (wrong < 0) return undefined;
    const { name, kernels } = this.#worlds[wrong] as Subject;
    return `${name} (${kernels}) answers [${answers[wrong]}] to ${JSON.stringify({ ...shape, ...options })}, expected [${expected}]`;
  }

  #traits() {
    const random = this.#random;
    const range = () => this.#step * random.pick([0, 1, 2, 5, 20, 1e4]);
    return {
      range: random.chance(0.6) ? range() : { sight: range() },
      ...(random.chance(0.2) ? { marker: random.chance(0.5) } : {}),
      ...(random.chance(0.2) ? { gain: random.pick([0, 0.5, 10]) } : {}),
      ...(random.chance(0.1) ? { minReach: range() } : {}),
    };
  }

  #coordinate(): number {
    const random = this.#random;
    const lattice = (this.#origin + random.below(2 * this.#half + 1) - this.#half) * this.#step;
    const hair = random.chance(0.1) ? 1 + random.pick([-1, 1]) * 2 ** -24 : 1;
    return random.chance(0.02) ? random.pick([-0, 1e9, -1e12]) : lattice * hair;
  }

  #spot(): Spot {
    const known = [...this.#spots.values()];
    if (known.length > 0 && this.#random.chance(0.2)) return this.#random.pick(known);
    return { x: this.#coordinate(), y: this.#coordinate(), z: this.#coordinate() };
  }

  /** Where somebody stands, to the last bit, or anywhere. */
  #target(): Spot {
    const known = [...this.#spots.values()];
    const { x, y, z } =
      known.length > 0 && this.#random.chance(0.7) ? this.#random.pick(known) : this.#spot();
    return { x: stored(x), y: stored(y), z: stored(z) };
  }

  #placed({ x, y, z }: Spot): { x: number; y: number; z?: number } {
    return this.#is3D ? { x, y, z } : { x, y };
  }

  #shape(): Shape {
    const random = this.#random;
    const from = this.#target();
    const { x, y, z } = from;
    const size = () =>
      random.chance(0.6) ? 0 : random.pick([1e-30, 5e-324, this.#step / 3, this.#step, 1e12]);
    const flat = !this.#is3D;
    switch (random.below(5)) {
      case 0:
        return flat ? { kind: 'circle', x, y, radius: size() } : { kind: 'sphere', x, y, z, radius: size() };
      case 1: {
        const box = { kind: 'box' as const, x, y, halfWidth: size(), halfHeight: size() };
        const angle = random.chance(0.4) ? { angle: random.pick([0, Math.PI / 2, -Math.PI, 0.3]) } : {};
        return flat ? { ...box, ...angle } : { ...box, ...angle, z, halfDepth: size() };
      }
      case 2: {
        const width = random.pick([0, 0, Math.PI / 2, 2 * Math.PI]);
        const radius = this.#step * random.pick([0, 1, 5]);
        if (!flat)
          return {
            kind: 'cone',
            x,
            y,
            z,
            dx: random.pick([1, -1]),
            dy: random.pick([0, 1]),
            dz: 0,
            radius,
            width,
          };
        return { kind: 'sector', x, y, radius, width, direction: random.pick([0, Math.PI / 2, Math.PI, -1]) };
      }
      default: {
        const axis = random.pick(flat ? (['x', 'y'] as const) : (['x', 'y', 'z'] as const));
        const other = this.#target();
        const to = random.chance(0.8) ? { ...from, [axis]: other[axis] } : other;
        const capsule = {
          kind: 'capsule' as const,
          x1: x,
          y1: y,
          x2: to.x,
          y2: to.y,
          radius: random.chance(0.7) ? 0 : size(),
        };
        return flat ? capsule : { ...capsule, z1: z, z2: to.z };
      }
    }
  }
}

/** What a world makes of a coordinate. */
function stored(value: number): number {
  return Math.min(1e12, Math.max(-1e12, Math.fround(value)));
}

test(`${LIVES} small worlds answer queries without width as brute force does`, {
  timeout: 60_000 + LIVES * 10_000,
}, () => {
  let found = 0;
  for (let seed = FIRST_SEED; seed < FIRST_SEED + LIVES; seed++) {
    const life = new QueryLife(seed);
    const difference = life.live();
    expect(difference === undefined ? undefined : `seed ${seed}: ${difference}`).toBeUndefined();
    found += life.found;
  }
  expect(found).toBeGreaterThan(LIVES * 20);
});

test.each(detectorNames)('%s finds one that stands on a segment along an axis, after moves', (detector) => {
  for (const kernels of KERNELS) {
    const world = new World({ detector, kernels, rangeShape: 'box' });
    const crowd = Array.from({ length: 12 }, (_, i) => world.add({ x: i - 12, y: i % 5, range: i % 4 }));
    const it = world.add({ x: 0, y: 0, range: 3 });
    world.tick();
    const segment = { kind: 'capsule', x1: -9, y1: 4, x2: -9, y2: 0, radius: 0 } as const;
    for (const y of [2, 4, 0, 3, 2]) {
      world.move(it, -9, y);
      for (const [i, id] of crowd.entries()) world.move(id, ((i * 7 + y) % 12) - 14, (i + y) % 6);
      world.tick();
      const expected = [it, ...crowd].filter((id) => {
        const [x = 0, at = 0] = world.position(id);
        return x === -9 && at >= 0 && at <= 4;
      });
      expect([...world.query(segment)]).toEqual(expected.sort((one, other) => one - other));
    }
  }
});
