/**
 * What server and page both know of the game: sizes, paces, and what the numbers in fields and messages mean.
 */

/** World units; the wood is a square, its middle at 0, 0, where the fire is. */
export const SIDE = 2000;
/** How far a player perceives. A runner is heard farther than anyone is seen. */
export const SIGHT = 220;
export const HEARING = 340;
/** Around the fire no warden comes, and what one carries is safe. */
export const FIRE_RADIUS = 110;
export const TICK_MS = 40;

export const KIND = { player: 1, warden: 2, ember: 3, fire: 4 } as const;
export const MOOD = { calm: 0, curious: 1, chasing: 2 } as const;
export const PACE = { still: 0, walking: 1, running: 2 } as const;
/** First byte of a message. */
export const MESSAGE = { caught: 1, saved: 2 } as const;

/** Units a second, by pace. */
export const SPEED = [0, 80, 150] as const;
export const CLOAKED_SHARE = 0.7;
/** Gain of hearing, by pace. */
export const LOUDNESS = [0, 0.3, 1] as const;
/** A cloak lasts so long, and takes so long to be whole again. */
export const CLOAK_SECONDS = 7;
export const REST_SECONDS = 10;
/** What an entity is, as a bit: players perceive all, wardens only players. */
export const LAYER = { player: 1, warden: 2, thing: 4 } as const;

/** The wood ends there. */
export function within(place: number): number {
  return Math.max(-SIDE / 2, Math.min(SIDE / 2, place));
}
