/**
 * The meadow: the initial state and the rules, shared by both ways of storing it.
 *
 * 4,000 sheep, of which three in four graze on the spot and the rest wander; 40 wolves that perceive up to 30 away. Now and then
 * a wolf eats the first sheep that entered its sight, and a lamb is born somewhere, which wanders until it has found a place.
 */
const SHEEP = 4000;
export const WOLVES = 40;
export const ROWS_MAX = SHEEP + WOLVES;
const SIDE = 1000;
export const WOLF_RANGE = 30;
const WOLVES_HUNGRY_EVERY = 10;

export interface Creature {
  readonly x: number;
  readonly y: number;
  /** Movement per tick. */
  readonly dx: number;
  readonly dy: number;
  readonly isWolf: boolean;
}

/** The result of one tick. */
export interface MeadowTick {
  readonly moved: number;
  readonly eaten: number;
  /** Number of sheep in sight, summed over all wolves: counted by the meadow itself, from what enters and leaves. */
  readonly inSight: number;
  /** Hash of the engine's report. */
  readonly hash: string;
}

/** The `index`-th creature ever created; wolves come first. */
export function creature(index: number): Creature {
  const isWolf = index < WOLVES;
  const rests = !isWolf && index % 4 !== 0;
  const [x, y] = [Math.fround((index * 619.3) % SIDE), Math.fround((index * 281.7) % SIDE)];
  const pace = rests ? 0 : isWolf ? 3 : 1;
  const [dx, dy] = [Math.fround(pace * Math.cos(index)), Math.fround(pace * Math.sin(index))];
  return { x, y, dx, dy, isWolf };
}

/**
 * The position after a step: the meadow has no edge, a creature that leaves on one side enters on the other. Rounded as a
 * Float32Array rounds, so that a number[] has the same values.
 */
export function wrapped(place: number): number {
  return Math.fround((place + SIDE) % SIDE);
}

/** Whether the wolf in that row of the report eats. */
export function isHungry(row: number, tick: number): boolean {
  return (row + tick) % WOLVES_HUNGRY_EVERY === 0;
}
