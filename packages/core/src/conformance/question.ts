/**
 * Random questions to a world: shapes, nearest, and their options.
 *
 * Problem: an index that finds pairs rightly may still lose entities at the rim of a query. Method: shapes of every
 * kind about the script's own places and lengths, some of them degenerate (radius 0, width 0, a whole turn), with
 * every option that can be written down. Cost: a few random numbers.
 */
import type { Place, Shape } from '../index.ts';
import type { Geography, Neighbour } from './geography.ts';
import type { Key, Operation } from './operations.ts';
import type { PlainQueryOptions } from './query-model.ts';
import type { Random } from './random.ts';

/** The share of questions that are about who would perceive a place. */
const ABOUT_A_PLACE = 0.3;

/** A query, a nearest or a watchersAt, about the places of those present or anywhere in the world. */
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

/** A place with some of what markers have: by sense, for all senses, or not at all. */
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
  if (random.chance(0.3)) place.layers = random.pick([0, 1, 2, 3, 6, 0xffffffff, -1]);
  if (random.chance(0.3)) place.channel = random.pick([0, 1, 2]);
  if (random.chance(0.3)) place.senses = some();
  return place;
}

/** Whom a skill of that entity may hit: a query among its relations, by senses of `senses` now and then. */
export function randomTargets(
  random: Random,
  geography: Geography,
  neighbours: readonly Neighbour[],
  key: Key,
  senses: readonly string[],
): Operation {
  const options: Extract<Operation, { kind: 'targets' }>['options'] = randomOptions(random);
  if (random.chance(0.3)) options.groups = random.pick([[1], [0, 2], []]);
  if (random.chance(0.4)) options.senses = senses.filter(() => random.chance(0.5));
  return { kind: 'targets', key, shape: randomShape(random, geography, neighbours), options };
}

function randomOptions(random: Random): PlainQueryOptions {
  const options: PlainQueryOptions = {};
  if (random.chance(0.2)) options.layers = random.pick([1, 2, 3, 0xffffffff, -1]);
  if (random.chance(0.2)) options.channel = random.pick([0, 1, 2]);
  if (random.chance(0.2)) options.markersOnly = random.chance(0.7);
  if (random.chance(0.3)) options.order = random.pick(['id', 'nearest'] as const);
  if (random.chance(0.2)) options.limit = random.below(4) + 1;
  return options;
}

function randomShape(random: Random, geography: Geography, neighbours: readonly Neighbour[]): Shape {
  const isFlat = geography.dimensions === 2;
  const { x, y, z } = geography.place(neighbours);
  const radius = geography.range();
  const angle = () => random.pick([0, Math.PI / 2, -Math.PI, random.between(-7, 7)]);
  const width = random.pick([0, Math.PI / 2, Math.PI, 2 * Math.PI, random.between(0, 6)]);
  switch (random.below(4)) {
    case 0:
      return isFlat ? { kind: 'circle', x, y, radius } : { kind: 'sphere', x, y, z, radius };
    case 1: {
      const box = { x, y, halfWidth: radius, halfHeight: geography.range() };
      const turned = random.chance(0.5) ? { angle: angle() } : {};
      if (isFlat) return { kind: 'box', ...box, ...turned };
      return { kind: 'box', ...box, z, halfDepth: geography.range(), ...turned };
    }
    case 2: {
      if (isFlat) return { kind: 'sector', x, y, radius, direction: angle(), width };
      const axis = () => random.pick([1, -1, random.between(-2, 2)]);
      return { kind: 'cone', x, y, z, dx: axis(), dy: axis(), dz: axis(), radius, width };
    }
    default: {
      const { x: x2, y: y2, z: z2 } = random.chance(0.1) ? { x, y, z } : geography.place(neighbours);
      const ends = { x1: x, y1: y, x2, y2, radius };
      return isFlat ? { kind: 'capsule', ...ends } : { kind: 'capsule', ...ends, z1: z, z2 };
    }
  }
}
