/**
 * Random queries to a world: shapes, nearest, and their options.
 *
 * Problem: an index that finds pairs correctly may still lose entities at the rim of a query. Method: shapes of every
 * kind around the script's own places and lengths, many of them without extent: points, segments along an axis, boxes
 * as flat as a line, rays; often exactly through the position of an entity. All options that can be written as data
 * are used. Cost: a few random numbers.
 */
import type { Place, Shape } from '../index.ts';
import type { Geography, Neighbour, Place as Spot } from './geography.ts';
import type { Key, Operation } from './operations.ts';
import type { PlainQueryOptions } from './query-model.ts';
import type { Random } from './random.ts';

/** The share of queries for the watchers of a place. */
const ABOUT_A_PLACE = 0.3;
/** How often a query is as of now. */
const NOW = 0.4;
const AXES = ['x', 'y', 'z'] as const;
const FARTHEST = 1e12;
/** How often a length of a shape is 0, and how often a shape is at the position of an entity. */
const NO_EXTENT = 0.3;
const ON_SOMEBODY = 0.5;

/** A query, a nearest or a watchersAt, at the positions of present entities or anywhere in the world. */
export function randomQuestion(
  random: Random,
  geography: Geography,
  neighbours: readonly Neighbour[],
  senses: readonly string[],
): Operation {
  if (random.chance(ABOUT_A_PLACE))
    return { kind: 'watchersAt', place: randomPlace(random, geography, neighbours, senses) };
  const options = randomOptions(random);
  if (random.chance(0.7))
    return { kind: 'query', shape: randomShape(random, geography, neighbours), options };
  const { x, y, z } = geography.place(neighbours);
  const maxDistance = random.chance(0.4) ? { maxDistance: geography.range() } : {};
  const height = geography.dimensions === 3 ? { z } : {};
  const { order: _order, limit: _limit, ...filters } = options;
  return {
    kind: 'nearest',
    x,
    y,
    k: random.below(6) + 1,
    options: { ...filters, ...maxDistance, ...height },
  };
}

/** A place with some properties of markers: by sense, for all senses, or absent. */
function randomPlace(
  random: Random,
  geography: Geography,
  neighbours: readonly Neighbour[],
  senses: readonly string[],
): Place {
  const { x, y, z } = geography.place(neighbours);
  const place: Place = geography.dimensions === 3 ? { x, y, z } : { x, y };
  const some = () => senses.filter(() => random.chance(0.5));
  const bySense = (value: () => number) =>
    random.chance(0.5) ? value() : Object.fromEntries(some().map((sense) => [sense, value()]));
  if (random.chance(0.3)) place.gain = bySense(() => random.pick([0, 0.5, 1, 2, 3, 1e-7, 1e6]));
  if (random.chance(0.3)) place.minReach = bySense(() => geography.range());
  const least =
    typeof place.minReach === 'number' ? place.minReach : Math.max(0, ...Object.values(place.minReach ?? {}));
  if (random.chance(0.3)) place.maxReach = Math.max(least, geography.range());
  if (random.chance(0.3)) place.layers = random.pick([0, 1, 2, 3, 6, 0xffffffff, -1]);
  if (random.chance(0.3)) place.channel = random.pick([0, 1, 2]);
  if (random.chance(0.1)) place.needs = random.pick([1, 2, 3]);
  if (random.chance(0.2)) {
    place.group = random.pick([0, 1, 2]);
    place.onlyGroup = random.chance(0.7);
  }
  if (random.chance(0.3)) place.senses = some();
  return place;
}

/** The targets of an entity's skill: a query among its relations, sometimes by senses of `senses`. */
export function randomTargets(
  random: Random,
  geography: Geography,
  neighbours: readonly Neighbour[],
  key: Key,
  senses: readonly string[],
): Operation {
  const { now: _now, ...options }: Extract<Operation, { kind: 'targets' }>['options'] = randomOptions(random);
  if (random.chance(0.3)) options.groups = random.pick([[1], [0, 2], []]);
  if (random.chance(0.4)) options.senses = senses.filter(() => random.chance(0.5));
  return { kind: 'targets', key, shape: randomShape(random, geography, neighbours), options };
}

function randomOptions(random: Random): PlainQueryOptions {
  const options: PlainQueryOptions = {};
  // Only a plain circle uses the fast code path.
  if (random.chance(0.3)) return random.chance(0.7) ? { now: true } : options;
  if (random.chance(0.2)) options.layers = random.pick([1, 2, 3, 0xffffffff, -1]);
  if (random.chance(0.2)) options.channel = random.pick([0, 1, 2]);
  if (random.chance(0.2)) options.markersOnly = random.chance(0.7);
  if (random.chance(0.3)) options.order = random.pick(['id', 'nearest'] as const);
  if (random.chance(0.2)) options.limit = random.below(4) + 1;
  if (random.chance(NOW)) options.now = true;
  return options;
}

function randomShape(random: Random, geography: Geography, neighbours: readonly Neighbour[]): Shape {
  const isFlat = geography.dimensions === 2;
  const { x, y, z } = standingPlace(random, geography, neighbours);
  // A shape without extent on some axis finds only entities exactly on it.
  const length = () => (random.chance(NO_EXTENT) ? 0 : geography.range());
  const radius = length();
  const angle = () => random.pick([0, Math.PI / 2, -Math.PI, random.between(-7, 7)]);
  const width = random.pick([0, 0, Math.PI / 2, Math.PI, 2 * Math.PI, random.between(0, 6)]);
  switch (random.below(4)) {
    case 0:
      return isFlat ? { kind: 'circle', x, y, radius } : { kind: 'sphere', x, y, z, radius };
    case 1: {
      const box = { x, y, halfWidth: radius, halfHeight: length() };
      const turned = random.chance(0.5) ? { angle: angle() } : {};
      if (isFlat) return { kind: 'box', ...box, ...turned };
      return { kind: 'box', ...box, z, halfDepth: length(), ...turned };
    }
    case 2: {
      if (isFlat) return { kind: 'sector', x, y, radius, direction: angle(), width };
      return { kind: 'cone', x, y, z, ...axisOf(random), radius, width };
    }
    default: {
      const { x: x2, y: y2, z: z2 } = otherEnd(random, geography, neighbours, { x, y, z });
      const ends = { x1: x, y1: y, x2, y2, radius };
      return isFlat ? { kind: 'capsule', ...ends } : { kind: 'capsule', ...ends, z1: z, z2 };
    }
  }
}

/** Some place, or exactly the position of an entity: positions are float32. */
function standingPlace(random: Random, geography: Geography, neighbours: readonly Neighbour[]): Spot {
  const isSomebodys = neighbours.length > 0 && random.chance(ON_SOMEBODY);
  const { x, y, z } = isSomebodys ? random.pick(neighbours) : geography.place(neighbours);
  return { x: stored(x), y: stored(y), z: stored(z) };
}

/**
 * The other end of a segment: along an axis, past the first end or through it, or anywhere, or the first end again.
 */
function otherEnd(random: Random, geography: Geography, neighbours: readonly Neighbour[], from: Spot): Spot {
  if (random.chance(0.1)) return from;
  if (random.chance(0.4)) return standingPlace(random, geography, neighbours);
  const axis = random.pick(geography.dimensions === 2 ? AXES.slice(0, 2) : AXES);
  const end = standingPlace(random, geography, neighbours)[axis];
  const there = random.chance(0.5) ? end : from[axis] + geography.step * (random.below(9) - 4);
  return { ...from, [axis]: Math.min(FARTHEST, Math.max(-FARTHEST, there)) };
}

/** A direction, often along an axis. */
function axisOf(random: Random): { dx: number; dy: number; dz: number } {
  const along = { dx: 0, dy: 0, dz: 0 };
  if (random.chance(0.4)) return { ...along, [`d${random.pick(AXES)}`]: random.pick([1, -1, 0.3]) };
  const part = () => random.pick([1, -1, random.between(-2, 2)]);
  return { dx: part(), dy: part(), dz: part() };
}

/** A coordinate as the world stores it, clamped to its limit. */
function stored(value: number): number {
  return Math.min(FARTHEST, Math.max(-FARTHEST, Math.fround(value)));
}
