/**
 * Positions and ranges of the entities of a random script.
 *
 * Problem: uniform points in a square find few bugs; cell edges, rims, coincidence and extremes find most. Method:
 * each script draws its own world (extent per axis, origin, lattice step) and its own habits: how often it places an
 * entity on the lattice, anywhere, in a crowd, on one spot, far outside, or at an exact distance from another entity
 * (3-4-5 triangles and straight lines at its range). Many scripts lack some habits, so that bugs hidden by one habit
 * show in other scripts [swarm testing: Groce et al., ISSTA 2012]. Cost: a few random numbers a place.
 */
import type { WorldOptions } from '../index.ts';
import type { Random } from './random.ts';

export interface Place {
  x: number;
  y: number;
  z: number;
}

/** An entity that exists already, on whose rim a new one may be placed. */
export interface Neighbour extends Place {
  /** Largest range in any sense, world units. */
  range: number;
}

const PLACES = ['lattice', 'anywhere', 'crowd', 'spot', 'outlier', 'rim', 'edge'] as const;
const RANGES = ['none', 'lattice', 'share', 'tiny', 'huge', 'far'] as const;

/** Offsets of length 1 whose fractions are exact on lattices of five: along an axis, and 3-4-5. */
const UNIT_OFFSETS: readonly (readonly [number, number, number])[] = [
  [1, 0, 0],
  [0, -1, 0],
  [0.6, 0.8, 0],
  [-0.8, 0.6, 0],
  [0, 0.6, -0.8],
  [0, 0, 1],
];

export class Geography {
  readonly dimensions: 2 | 3;
  /** Lattice step and, if the world has cells, the cell size, world units. */
  readonly step: number;
  readonly #random: Random;
  readonly #origin: readonly [number, number, number];
  readonly #extent: readonly [number, number, number];
  readonly #placeWeights: number[];
  readonly #rangeWeights: number[];
  readonly #spots: Place[] = [];

  constructor(random: Random, dimensions: 2 | 3) {
    this.#random = random;
    this.dimensions = dimensions;
    this.step = random.pick([0.25, 1, 1, 2.5, 10, 64, 0.1, 1000]);
    const side = () => this.step * random.pick([2, 3, 5, 8, 20, 60]);
    const corner = (extent: number) =>
      this.step * Math.round(random.pick([0, -0.5, -0.5, -1, 3, -1e4]) * (extent / this.step));
    this.#extent = [side(), side(), side()];
    this.#origin = [corner(this.#extent[0]), corner(this.#extent[1]), corner(this.#extent[2])];
    this.#placeWeights = sparseWeights(random, PLACES.length);
    this.#rangeWeights = sparseWeights(random, RANGES.length);
    // Frequent outliers and world-wide ranges would hide all else.
    this.#placeWeights[PLACES.indexOf('outlier')] *= 0.1;
    this.#rangeWeights[RANGES.indexOf('huge')] *= 0.3;
    this.#rangeWeights[RANGES.indexOf('far')] *= 0.1;
    for (let i = 0; i < 3; i++) this.#spots.push(this.#anywhere());
  }

  /** Useful cell sizes: none, the lattice's own, finer, coarser, uneven. */
  cellSize(): Pick<WorldOptions, 'cellSize'> {
    const { step } = this;
    const edge = () => step * this.#random.pick([0.25, 1, 1, 3, 20]);
    switch (this.#random.below(3)) {
      case 0:
        return {};
      case 1:
        return { cellSize: edge() };
      default:
        return { cellSize: this.dimensions === 2 ? [edge(), edge()] : [edge(), edge(), edge()] };
    }
  }

  /** Perception by cells: of any useful size, and rounded either way. */
  granularity(): Pick<WorldOptions, 'granularity' | 'rangeShape' | 'cellSize' | 'cellRounding'> {
    const cellRounding = this.#random.pick(['up', 'up', 'down'] as const);
    const usual = { cellSize: this.step * this.#random.pick([1, 2]) };
    return { ...usual, ...this.cellSize(), granularity: 'cell', rangeShape: 'circle', cellRounding };
  }

  /** A place by one of the script's habits. `neighbours` are the entities present. */
  place(neighbours: readonly Neighbour[]): Place {
    const random = this.#random;
    switch (PLACES[random.weighted(this.#placeWeights)]) {
      case 'lattice':
        return this.#lattice();
      case 'crowd': {
        const { x, y, z } = random.pick(this.#spots);
        const off = () => (random.fraction() - random.fraction()) * this.step * 2;
        return { x: x + off(), y: y + off(), z: z + off() };
      }
      case 'spot':
        return { ...random.pick(this.#spots) };
      case 'outlier': {
        const place = this.#anywhere();
        const far = random.pick([1e4, 1e6, 1e9, 1e12, 16777216]) * random.pick([1, -1]);
        const axis = random.below(4);
        if (axis === 0 || axis === 3) place.x = far;
        if (axis === 1 || axis === 3) place.y = random.pick([far, -far]);
        if (axis === 2) place.z = far;
        return place;
      }
      case 'rim':
        return neighbours.length === 0 ? this.#lattice() : this.rimOf(random.pick(neighbours));
      case 'edge': {
        // Slightly beside a lattice line, where float32 and float64 disagree on the cell.
        const { x, y, z } = this.#lattice();
        const hair = () => random.pick([0, 2 ** -24, -(2 ** -24)]);
        return { x: x * (1 + hair()), y: y * (1 + hair()), z: z * (1 + hair()) };
      }
      default:
        return this.#anywhere();
    }
  }

  /** A step away from `place`: a lattice step, a short distance, or none at all. */
  stepFrom({ x, y, z }: Place): Place {
    const random = this.#random;
    if (random.chance(0.1)) return { x, y, z };
    if (random.chance(0.4)) {
      const lattice = () => (random.below(3) - 1) * this.step;
      return within(x + lattice(), y + lattice(), z + lattice());
    }
    const short = () => (random.fraction() - 0.5) * this.step;
    return within(x + short(), y + short(), z + short());
  }

  /** A range, minReach or length of the script's kind, world units; may be 0. */
  range(): number {
    const random = this.#random;
    const widest = Math.max(...this.#extent.slice(0, this.dimensions));
    switch (RANGES[random.weighted(this.#rangeWeights)]) {
      case 'none':
        return 0;
      case 'lattice':
        return this.step * random.pick([1, 1, 2, 5, 5, 10, 13, Math.SQRT2]);
      case 'tiny':
        return random.pick([1e-7, 2e-6, 1e-3, this.step / 64]);
      case 'huge':
        return widest * random.pick([1, 2, 10]);
      case 'far':
        return random.pick([1e6, 1e9, 1e12]);
      default:
        return widest * random.between(0.02, 0.5);
    }
  }

  #anywhere(): Place {
    const at = (axis: number) => this.#origin[axis] + this.#extent[axis] * this.#random.fraction();
    return { x: at(0), y: at(1), z: at(2) };
  }

  #lattice(): Place {
    const at = (axis: number) =>
      this.#origin[axis] + this.step * this.#random.below(Math.round(this.#extent[axis] / this.step) + 1);
    return { x: at(0), y: at(1), z: at(2) };
  }

  /** A range that reaches other entities, world units. */
  ampleRange(): number {
    const random = this.#random;
    if (random.chance(0.5)) return this.step * random.pick([2, 3, 5, 5, 10]);
    return Math.max(...this.#extent.slice(0, this.dimensions)) * random.between(0.2, 0.9);
  }

  /** A place some widths of the world away. */
  awayFrom({ x, y, z }: Place): Place {
    const far = Math.max(...this.#extent) * this.#random.pick([2, 20]) * this.#random.pick([1, -1]);
    return within(x + far, y, z);
  }

  /** A place at the range of a neighbour plus `margin` world units. */
  rimOf({ x, y, z, range }: Neighbour, margin = 0): Place {
    const [dx, dy, dz] = this.#random.pick(UNIT_OFFSETS);
    const reach = (range > 0 ? range : this.step) + margin;
    return within(x + dx * reach, y + dy * reach, z + dz * reach);
  }
}

/** Weights of which about a third are 0, never all. */
export function sparseWeights(random: Random, count: number): number[] {
  const weights: number[] = Array.from({ length: count }, () =>
    random.chance(0.35) ? 0 : random.between(0.1, 1),
  );
  if (!weights.some((weight) => weight > 0)) weights[random.below(count)] = 1;
  return weights;
}

/** Clamps a place to the limit on positions, so that a walk from there stays valid. */
function within(x: number, y: number, z: number): Place {
  const held = (value: number) => Math.min(1e12, Math.max(-1e12, value));
  return { x: held(x), y: held(y), z: held(z) };
}

/** Columns for `addMany` and `moveMany`; in 2-D the third is ignored, which is tested too. */
export function columnsOf(places: readonly Place[]): { x: number[]; y: number[]; z: number[] } {
  return { x: places.map(({ x }) => x), y: places.map(({ y }) => y), z: places.map(({ z }) => z) };
}
