/**
 * A meadow: what both ways of keeping it begin with, and the rules of its life.
 *
 * 4,000 sheep, of whom three in four graze on the spot and the rest wander; 40 wolves that perceive up to 30 away. Now and then
 * a wolf eats the first sheep that came into its sight, and a lamb is born somewhere, which wanders until it has found a place.
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
  /** Steps a tick. */
  readonly dx: number;
  readonly dy: number;
  readonly isWolf: boolean;
}

/** What one tick came to. */
export interface MeadowTick {
  readonly moved: number;
  readonly eaten: number;
  /** Sheep that wolves have in sight, over all wolves: kept by the meadow itself, from what enters and leaves. */
  readonly inSight: number;
  /** Of the engine's report. */
  readonly hash: string;
}

/** The `index`-th creature ever: wolves come first. */
export function creature(index: number): Creature {
  const isWolf = index < WOLVES;
  const rests = !isWolf && index % 4 !== 0;
  const [x, y] = [Math.fround((index * 619.3) % SIDE), Math.fround((index * 281.7) % SIDE)];
  const pace = rests ? 0 : isWolf ? 3 : 1;
  const [dx, dy] = [Math.fround(pace * Math.cos(index)), Math.fround(pace * Math.sin(index))];
  return { x, y, dx, dy, isWolf };
}

/**
 * Where a step leads: the meadow has no edge, who leaves on one side comes in on the other. Rounded as a Float32Array rounds, so
 * that a number[] holds the same.
 */
export function wrapped(place: number): number {
  return Math.fround((place + SIDE) % SIDE);
}

/** Whether the wolf of that row of the report eats. */
export function isHungry(row: number, tick: number): boolean {
  return (row + tick) % WOLVES_HUNGRY_EVERY === 0;
}
