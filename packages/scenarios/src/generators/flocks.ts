/**
 * Flocks: birds that follow a wandering course together, and hawks that chase them. In 2-D or 3-D.
 *
 * Method: leader-following rather than boids (Reynolds 1987), so that a step is O(n) and needs no neighbour search. Each flock
 * has a course (`courses.ts`); each bird steers like a damped spring towards a place of its own beside it, some eagerly and some
 * late, so that a flock is longer than wide, turns with its course and stretches in turns. A hawk chases one bird until it
 * has caught up, then mostly another of the same flock.
 *
 * For an engine: dense groups, many enter and leave events where flocks cross, unequal ranges, and, in 3-D, a world wider than
 * high. Hawks see twice as far as birds.
 */
import { Crowd, listEveryone } from '../crowd.ts';
import { COMMON_RULES, numberOptions } from '../option-check.ts';
import { Random } from '../random.ts';
import type { Bounds, Simulation } from '../simulation.ts';
import { Courses, within } from './courses.ts';
import { centredBounds, type ScenarioOptions } from './walking.ts';

/** Options of `createFlocks`. */
export interface FlockOptions extends ScenarioOptions {
  /** 2 or 3. Default 2. */
  dimensions?: number | undefined;
  /** Birds per flock. Default 150. */
  flockSize?: number | undefined;
}

const BIRD = 0;
const HAWK = 1;
/** One hawk per so many actors; the first hawk comes with the second actor. */
const ACTORS_PER_HAWK = 200;
/** Area of the world per flock, in areas of a flock. */
const ROOM = 8;
/** Half length and half width of a flock, as a fraction of the radius of a disc of about the same area. */
const LENGTH = 1.6;
const WIDTH = 0.6;
/** Maximum speed of a bird, relative to its course; a hawk is slower than that, and faster than the flock. */
const BIRD_PACE = 1.6;
const HAWK_PACE = 1.4;
/** Fraction of its velocity that a bird keeps per step. */
const DAMPING = 0.9;
/** Probability that a hawk's next prey is of the same flock as its last. */
const SAME_FLOCK = 0.85;

interface FlockPlan {
  readonly bounds: Bounds;
  /** Bounds of the courses: far enough from the edges for the birds beside them. */
  readonly inner: Bounds;
  /** Radius of the disc that a flock would fill, and maximum height difference between a bird's place and its course. */
  readonly radius: number;
  readonly height: number;
}

/** The size of flocks and world. A bird amid a flock has about `perceived` others within `range`, in 2-D. */
function planFlocks(
  flockCount: number,
  flockSize: number,
  range: number,
  perceived: number,
  dimensions: number,
): FlockPlan {
  const radius = range * Math.sqrt(flockSize / perceived);
  const area = ROOM * flockCount * Math.PI * radius * radius;
  const depth = Math.sqrt(area / 1.6);
  const margin = 2 * WIDTH * radius;
  const bounds = centredBounds(1.6 * depth, depth);
  const inner = centredBounds(1.6 * depth - margin, depth - margin);
  if (dimensions === 2) return { bounds, inner, radius, height: 0 };
  const height = range / 2;
  const maxZ = Math.fround(Math.max(2 * range, depth / 8));
  return {
    bounds: { ...bounds, minZ: 0, maxZ },
    inner: { ...inner, minZ: height, maxZ: maxZ - height },
    radius,
    height,
  };
}

class Flocks extends Crowd {
  readonly #random: Random;
  readonly #pace: number;
  /** Hawks are the first actors; all others are birds, assigned to the flocks in turn. */
  readonly #hawkCount: number;
  readonly #courses: Courses;
  /** By actor: its place relative to the course, its velocity in units per step, how eagerly it keeps its place. */
  readonly #placeAhead: Float32Array;
  readonly #placeLeft: Float32Array;
  readonly #placeAbove: Float32Array;
  readonly #stepX: Float32Array;
  readonly #stepY: Float32Array;
  readonly #stepZ: Float32Array;
  readonly #eagerness: Float32Array;
  /** By hawk: the bird that it chases. */
  readonly #prey: Uint32Array;

  constructor(options: FlockOptions) {
    const { entities, seed, tickSeconds, range, speed, perceived, dimensions, flockSize } = numberOptions(
      "scenario 'flocks'",
      options,
      {
        ...COMMON_RULES,
        speed: { ...COMMON_RULES.speed, default: 15 },
        dimensions: { default: 2, min: 2, max: 3, whole: true },
        flockSize: { default: 150, min: 1, max: 1e6, whole: true },
      },
    );
    const hawkCount = Math.min(entities - 1, Math.ceil(entities / ACTORS_PER_HAWK));
    const flockCount = Math.max(1, Math.round((entities - hawkCount) / flockSize));
    const plan = planFlocks(flockCount, flockSize, range, perceived, dimensions);
    super({
      name: 'flocks',
      title: 'Flocks',
      kinds: ['bird', 'hawk'],
      dimensions: dimensions === 3 ? 3 : 2,
      tickSeconds,
      bounds: plan.bounds,
      capacity: entities,
    });
    this.#random = new Random(seed);
    this.#pace = speed * tickSeconds;
    this.#hawkCount = hawkCount;
    this.#courses = new Courses(flockCount, plan.inner, this.#pace, plan.radius, this.#random);
    this.#placeAhead = new Float32Array(entities);
    this.#placeLeft = new Float32Array(entities);
    this.#placeAbove = new Float32Array(entities);
    this.#stepX = new Float32Array(entities);
    this.#stepY = new Float32Array(entities);
    this.#stepZ = new Float32Array(entities);
    this.#eagerness = new Float32Array(entities);
    this.#prey = new Uint32Array(hawkCount);
    this.kind.fill(BIRD).fill(HAWK, 0, hawkCount);
    this.range.fill(range).fill(2 * range, 0, hawkCount);
    this.#gather(plan);
    for (let hawk = 0; hawk < hawkCount; hawk++) this.#prey[hawk] = this.#anyBird();
    listEveryone(this.moved, entities);
  }

  protected override advance(): void {
    const { x, y, z, bounds, dimensions } = this;
    const first = this.#hawkCount;
    const courses = this.#courses;
    courses.advance();
    const { headingX, headingY } = courses;
    const ahead = this.#placeAhead;
    const left = this.#placeLeft;
    // Left of the heading (x, y) is (-y, x); -1 and 1 are the signs of the second part.
    steer(x, this.#stepX, courses.x, headingX, ahead, headingY, left, -1, this.#eagerness, first);
    steer(y, this.#stepY, courses.y, headingY, ahead, headingX, left, 1, this.#eagerness, first);
    if (dimensions === 3) rise(z, this.#stepZ, courses.z, this.#placeAbove, this.#eagerness, first);
    for (let hawk = 0; hawk < this.#hawkCount; hawk++) this.#chase(hawk);
    limitSteps(this.#stepX, this.#stepY, this.#stepZ, BIRD_PACE * this.#pace);
    flyAxis(x, this.#stepX, bounds.minX, bounds.maxX);
    flyAxis(y, this.#stepY, bounds.minY, bounds.maxY);
    if (dimensions === 3) flyAxis(z, this.#stepZ, bounds.minZ!, bounds.maxZ!);
    this.moved.count = this.capacity;
  }

  /** Gives each actor its place, more of them near the middle, and puts it there. */
  #gather({ radius, height }: FlockPlan): void {
    const random = this.#random;
    const { minX, maxX, minY, maxY, minZ = 0, maxZ = 0 } = this.bounds;
    const { count, x, y, z, headingX, headingY } = this.#courses;
    const inDisc = new Float64Array(2);
    for (let actor = 0; actor < this.capacity; actor++) {
      const flock = (actor < this.#hawkCount ? actor : actor - this.#hawkCount) % count;
      random.inDiscInto(inDisc);
      const spread = radius * random.between(0.3, 1);
      const ahead = inDisc[0]! * LENGTH * spread;
      const left = inDisc[1]! * WIDTH * spread;
      const above = random.between(-height, height);
      this.#placeAhead[actor] = ahead;
      this.#placeLeft[actor] = left;
      this.#placeAbove[actor] = above;
      this.#eagerness[actor] = random.between(0.004, 0.02);
      this.x[actor] = within(x[flock]! + headingX[flock]! * ahead - headingY[flock]! * left, minX, maxX);
      this.y[actor] = within(y[flock]! + headingY[flock]! * ahead + headingX[flock]! * left, minY, maxY);
      this.z[actor] = within(z[flock]! + above, minZ, maxZ);
    }
  }

  #anyBird(): number {
    return this.#hawkCount + this.#random.below(this.capacity - this.#hawkCount);
  }

  #chase(hawk: number): void {
    const prey = this.#prey[hawk]!;
    const dx = this.x[prey]! - this.x[hawk]!;
    const dy = this.y[prey]! - this.y[hawk]!;
    const dz = this.z[prey]! - this.z[hawk]!;
    const distance = Math.sqrt(dx * dx + dy * dy + dz * dz);
    const pace = HAWK_PACE * this.#pace;
    if (distance <= pace) this.#prey[hawk] = this.#preyAfter(prey);
    const part = distance > 0 ? Math.min(1, pace / distance) : 0;
    // It keeps most of its old velocity, so that it turns in a curve.
    this.#stepX[hawk] = DAMPING * this.#stepX[hawk]! + (1 - DAMPING) * dx * part;
    this.#stepY[hawk] = DAMPING * this.#stepY[hawk]! + (1 - DAMPING) * dy * part;
    this.#stepZ[hawk] = DAMPING * this.#stepZ[hawk]! + (1 - DAMPING) * dz * part;
  }

  /** Birds of one flock are as many actors apart as there are flocks. */
  #preyAfter(prey: number): number {
    if (this.#random.unit() >= SAME_FLOCK) return this.#anyBird();
    const flockCount = this.#courses.count;
    const first = this.#hawkCount + ((prey - this.#hawkCount) % flockCount);
    const flockSize = Math.ceil((this.capacity - first) / flockCount);
    return first + flockCount * this.#random.below(flockSize);
  }
}

/**
 * Changes velocities along one axis towards the birds' places: a place is the course, plus `heading` * `ahead`, plus `sign` *
 * `normal` * `left`. Birds are the actors from `first` on; `first` belongs to the first flock.
 */
function steer(
  position: Float32Array,
  step: Float32Array,
  course: Float64Array,
  heading: Float64Array,
  ahead: Float32Array,
  normal: Float64Array,
  left: Float32Array,
  sign: number,
  eagerness: Float32Array,
  first: number,
): void {
  const flockCount = course.length;
  let flock = 0;
  for (let actor = first; actor < position.length; actor++) {
    const beside = heading[flock]! * ahead[actor]! + sign * normal[flock]! * left[actor]!;
    const away = course[flock]! + beside - position[actor]!;
    step[actor] = step[actor]! * DAMPING + away * eagerness[actor]!;
    flock = flock + 1 === flockCount ? 0 : flock + 1;
  }
}

/** As `steer`, along the height; a place is `above` the course. */
function rise(
  position: Float32Array,
  step: Float32Array,
  course: Float64Array,
  above: Float32Array,
  eagerness: Float32Array,
  first: number,
): void {
  const flockCount = course.length;
  for (let actor = first; actor < position.length; actor++) {
    const away = course[(actor - first) % flockCount]! + above[actor]! - position[actor]!;
    step[actor] = step[actor]! * DAMPING + away * eagerness[actor]!;
  }
}

/** Shortens every step that is longer than `most`. */
function limitSteps(stepX: Float32Array, stepY: Float32Array, stepZ: Float32Array, most: number): void {
  const mostSquared = most * most;
  for (let actor = 0; actor < stepX.length; actor++) {
    const dx = stepX[actor]!;
    const dy = stepY[actor]!;
    const dz = stepZ[actor]!;
    const squared = dx * dx + dy * dy + dz * dz;
    if (squared <= mostSquared) continue;
    const part = most / Math.sqrt(squared);
    stepX[actor] = dx * part;
    stepY[actor] = dy * part;
    stepZ[actor] = dz * part;
  }
}

/** One step along one axis; an actor that would leave stops at the edge. */
function flyAxis(position: Float32Array, step: Float32Array, min: number, max: number): void {
  for (let actor = 0; actor < position.length; actor++) {
    position[actor] = within(position[actor]! + step[actor]!, min, max);
  }
}

/** Birds in flocks, and hawks after them. Throws `BAD_OPTION`. */
export function createFlocks(options: FlockOptions = {}): Simulation {
  return new Flocks(options);
}
