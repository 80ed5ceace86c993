/**
 * Many small rooms in one process: matches of eight, rooms of twenty or fifty. One world with a channel for each room, a world for each
 * room, and what people write instead: two loops and Sets.
 *
 * Sizes are drawn from the seed. All move, and each perceives at most as many as walkers do.
 */
import { Random, type Simulation } from '@umwelt/scenarios';
import { roomLoops, roomWorlds } from '../engines/rooms.ts';
import { umwelt } from '../engines/umwelt.ts';
import type { RaceCase } from '../measure/race.ts';
import { crowdOf, joined } from './joined-crowds.ts';
import { withInits } from './odd-crowds.ts';
import { type Choice, type Suite, seedsOf, walkersWork } from './suite.ts';

/** Average size, and how many of them. */
const ROOMS = [
  { size: 8, count: 500 },
  { size: 20, count: 200 },
  { size: 50, count: 100 },
  { size: 200, count: 20 },
];
const ROOMS_AT_SMOKE = 4;

function crowds(sizes: readonly number[], seed: number): Simulation {
  return joined(sizes.map((size, i) => crowdOf(size, seed + i)));
}

function inChannels(sizes: readonly number[], seed: number): Simulation {
  const channels = sizes.flatMap((size, i) => Array.from({ length: size }, () => ({ channel: 1 + i })));
  return withInits(crowds(sizes, seed), new Map(channels.entries()));
}

function roomsCase({ smoke }: Choice, seed: number, size: number, count: number, updates: boolean): RaceCase {
  const random = new Random(seed);
  const rooms = smoke ? ROOMS_AT_SMOKE : count;
  const sizes = Array.from({ length: rooms }, () => Math.max(2, Math.round(size * random.between(0.5, 1.5))));
  const byHand = roomLoops(sizes);
  const common = { updates, work: 'rooms', judge: byHand };
  const apart = [roomWorlds(sizes), byHand].map((engine) => ({
    ...common,
    label: engine.title,
    engine,
    simulate: () => crowds(sizes, seed),
  }));
  return {
    kind: 'race',
    name: `seed ${seed}: ${rooms} rooms of about ${size}${updates ? ', with updated' : ''}`,
    work: walkersWork(sizes.reduce((sum, members) => sum + members, 0)),
    lanes: [
      {
        ...common,
        label: 'one world, a channel for each room',
        engine: umwelt,
        simulate: () => inChannels(sizes, seed),
      },
      ...apart,
    ],
  };
}

export const rooms: Suite = {
  name: 'rooms',
  summary: 'many small rooms: one world with channels, a world for each, and loops by hand',
  cases: (choice) =>
    seedsOf(choice, 1, 1).flatMap((seed) =>
      ROOMS.flatMap(({ size, count }) =>
        [false, true].map((updates) => roomsCase(choice, seed, size, count, updates)),
      ),
    ),
};
