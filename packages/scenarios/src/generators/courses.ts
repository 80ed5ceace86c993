/**
 * Courses: points that wander smoothly at a constant speed and turn back at the edges, for other actors to follow.
 *
 * A course's rate of turn drifts at random and tends back to zero, so it moves in long curves. Its rate of climb stays constant
 * until it meets the floor or the ceiling. A heading is a unit vector in the plane, turned by adding a little of its normal
 * and rescaling: no angles, so no sin and cos, which differ between runtimes.
 */
import type { Random } from '../random.ts';
import type { Bounds } from '../simulation.ts';

/** Fraction of its turning that a course keeps per step, and the maximum added, as a fraction of the tightest turn. */
const TURN_KEPT = 0.99;
const TURN_CHANGE = 0.12;
/** Approximate maximum turn in radians per step: keeps a course a curve even if its speed is large for its turns. */
const MOST_TURN = 0.06;
/** Steepest climb, as a fraction of the speed. */
const MOST_CLIMB = 0.1;

export class Courses {
  readonly count: number;
  /** World units, by course. */
  readonly x: Float64Array;
  readonly y: Float64Array;
  /** All 0 in 2-D. */
  readonly z: Float64Array;
  /** Unit vectors, by course. */
  readonly headingX: Float64Array;
  readonly headingY: Float64Array;
  readonly #climb: Float64Array;
  readonly #turn: Float64Array;
  readonly #random: Random;
  readonly #bounds: Bounds;
  readonly #pace: number;
  readonly #mostTurn: number;

  /** `count` courses anywhere in `bounds`, each moving `pace` units per step, in curves of `radius` units or wider. */
  constructor(count: number, bounds: Bounds, pace: number, radius: number, random: Random) {
    this.count = count;
    this.x = new Float64Array(count);
    this.y = new Float64Array(count);
    this.z = new Float64Array(count);
    this.headingX = new Float64Array(count);
    this.headingY = new Float64Array(count);
    this.#climb = new Float64Array(count);
    this.#turn = new Float64Array(count);
    this.#random = random;
    this.#bounds = bounds;
    this.#pace = pace;
    this.#mostTurn = Math.min(MOST_TURN, pace / radius);
    const direction = new Float64Array(2);
    for (let course = 0; course < count; course++) {
      this.x[course] = random.between(bounds.minX, bounds.maxX);
      this.y[course] = random.between(bounds.minY, bounds.maxY);
      this.z[course] = random.between(bounds.minZ ?? 0, bounds.maxZ ?? 0);
      random.directionInto(direction);
      this.headingX[course] = direction[0]!;
      this.headingY[course] = direction[1]!;
      this.#climb[course] = random.between(-MOST_CLIMB, MOST_CLIMB);
    }
  }

  /** Steps all courses. */
  advance(): void {
    for (let course = 0; course < this.count; course++) {
      this.#bend(course);
      this.#go(course);
    }
  }

  #bend(course: number): void {
    const most = this.#mostTurn;
    const change = this.#random.between(-TURN_CHANGE, TURN_CHANGE) * most;
    const turn = within(this.#turn[course]! * TURN_KEPT + change, -most, most);
    const oldX = this.headingX[course]!;
    const oldY = this.headingY[course]!;
    const x = oldX - oldY * turn;
    const y = oldY + oldX * turn;
    const length = Math.sqrt(x * x + y * y);
    this.#turn[course] = turn;
    this.headingX[course] = x / length;
    this.headingY[course] = y / length;
  }

  #go(course: number): void {
    const { minX, minY, maxX, maxY, minZ = 0, maxZ = 0 } = this.#bounds;
    const x = this.x[course]! + this.headingX[course]! * this.#pace;
    const y = this.y[course]! + this.headingY[course]! * this.#pace;
    const z = this.z[course]! + this.#climb[course]! * this.#pace;
    if (x < minX || x > maxX) this.headingX[course] = -this.headingX[course]!;
    if (y < minY || y > maxY) this.headingY[course] = -this.headingY[course]!;
    if (z < minZ || z > maxZ) this.#climb[course] = -this.#climb[course]!;
    this.x[course] = within(x, minX, maxX);
    this.y[course] = within(y, minY, maxY);
    this.z[course] = within(z, minZ, maxZ);
  }
}

/** `value`, clamped to the edges. */
export function within(value: number, min: number, max: number): number {
  return value < min ? min : value > max ? max : value;
}
