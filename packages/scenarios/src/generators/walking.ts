/**
 * Common parts of all walkers: the square they are in, where they start, how they walk and turn back.
 *
 * A walker goes straight and bounces off the edges, so its axes are independent and each is one loop over two columns. Cost:
 * about a nanosecond per actor and axis.
 */
import type { Random } from '../random.ts';
import type { Bounds } from '../simulation.ts';

/** Options of every scenario; each documents where it differs. A member that is `undefined` counts as absent. */
export interface ScenarioOptions {
  /** Number of actors in total, 1 to 4,193,280. Default 5,000. */
  entities?: number | undefined;
  /** An integer; the same seed gives the same world. Default 1. */
  seed?: number | undefined;
  /** Seconds per step, 0.001 to 10. Default 0.05: 20 steps per second. */
  tickSeconds?: number | undefined;
  /** Range of a watcher, in world units. Default 50. Scenarios with unequal ranges use it as the middle one. */
  range?: number | undefined;
  /** Speed, in world units per second. Default 5. */
  speed?: number | undefined;
  /** How many others an actor would perceive on average if all were spread evenly; sets the size of the world. Default 30. */
  perceived?: number | undefined;
}

/** Edges of a box around the origin, as float32 numbers so that a stored position can lie on them. */
export function centredBounds(width: number, height: number): Bounds {
  const maxX = Math.fround(width / 2);
  const maxY = Math.fround(height / 2);
  return { minX: -maxX, minY: -maxY, maxX, maxY };
}

/** The area in which `entities` spread evenly have `perceived` others each within `range`, ignoring edges. */
export function areaFor(entities: number, perceived: number, range: number): number {
  return (entities * Math.PI * range * range) / perceived;
}

/** A square around the origin with the area of `areaFor`. */
export function squareFor(entities: number, perceived: number, range: number): Bounds {
  const side = Math.sqrt(areaFor(entities, perceived, range));
  return centredBounds(side, side);
}

/** Places all actors anywhere in `bounds`, evenly. */
export function scatter(random: Random, x: Float32Array, y: Float32Array, bounds: Bounds): void {
  for (let actor = 0; actor < x.length; actor++) {
    x[actor] = random.between(bounds.minX, bounds.maxX);
    y[actor] = random.between(bounds.minY, bounds.maxY);
  }
}

/** Gives each actor a random direction: `stepX`, `stepY` become vectors of length `pace` (units per step). */
export function setOff(random: Random, stepX: Float32Array, stepY: Float32Array, pace: number): void {
  const direction = new Float64Array(2);
  for (let actor = 0; actor < stepX.length; actor++) {
    random.directionInto(direction);
    stepX[actor] = direction[0]! * pace;
    stepY[actor] = direction[1]! * pace;
  }
}

/** One step along one axis for all actors: `position` += `step`, reflected at `min` and `max`. */
export function walkAxis(position: Float32Array, step: Float32Array, min: number, max: number): void {
  const count = position.length;
  for (let actor = 0; actor < count; actor++) {
    const next = position[actor]! + step[actor]!;
    if (next < min || next > max) {
      position[actor] = reflected(next, min, max);
      step[actor] = -step[actor]!;
    } else {
      position[actor] = next;
    }
  }
}

/** As `walkAxis`, for the first `count` of `actors` only. */
export function walkAxisOf(
  actors: Uint32Array,
  count: number,
  position: Float32Array,
  step: Float32Array,
  min: number,
  max: number,
): void {
  for (let i = 0; i < count; i++) {
    const actor = actors[i]!;
    const next = position[actor]! + step[actor]!;
    if (next < min || next > max) {
      position[actor] = reflected(next, min, max);
      step[actor] = -step[actor]!;
    } else {
      position[actor] = next;
    }
  }
}

/** Reflects a position beyond an edge. One farther out than the world is wide stops at the other edge. */
function reflected(beyond: number, min: number, max: number): number {
  if (beyond > max) return Math.max(min, max + max - beyond);
  return Math.min(max, min + min - beyond);
}

/** Moves one actor `pace` units straight towards a goal, and exactly onto it if it is within reach: then true. */
export function walkTowards(
  x: Float32Array,
  y: Float32Array,
  actor: number,
  goalX: number,
  goalY: number,
  pace: number,
): boolean {
  const fromX = x[actor]!;
  const fromY = y[actor]!;
  const dx = goalX - fromX;
  const dy = goalY - fromY;
  const squared = dx * dx + dy * dy;
  if (squared <= pace * pace) {
    x[actor] = goalX;
    y[actor] = goalY;
    return true;
  }
  const part = pace / Math.sqrt(squared);
  x[actor] = fromX + dx * part;
  y[actor] = fromY + dy * part;
  return false;
}
