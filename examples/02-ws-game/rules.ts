/**
 * Constants shared by server and page: sizes, speeds, and the meaning of numbers in fields and messages.
 */

/** World units; the wood is a square with the fire at its centre, 0, 0. */
export const SIDE = 2000;
/** How far a player perceives. A runner can be heard farther than a player can be seen. */
export const SIGHT = 220;
export const HEARING = 340;
/** Wardens do not enter this radius around the fire, and carried embers are safe there. */
export const FIRE_RADIUS = 110;
export const TICK_MS = 40;

export const KIND = { player: 1, warden: 2, ember: 3, fire: 4 } as const;
export const MOOD = { calm: 0, curious: 1, chasing: 2 } as const;
export const PACE = { still: 0, walking: 1, running: 2 } as const;
/** First byte of a message. */
export const MESSAGE = { caught: 1, saved: 2 } as const;

/** Units per second, by pace. */
export const SPEED = [0, 80, 150] as const;
export const CLOAKED_SHARE = 0.7;
/** Gain of hearing, by pace. */
export const LOUDNESS = [0, 0.3, 1] as const;
/** How long a cloak lasts, and how long it takes to recover. */
export const CLOAK_SECONDS = 7;
export const REST_SECONDS = 10;
/** The layer of an entity, as a bit: players perceive all layers, wardens only players. */
export const LAYER = { player: 1, warden: 2, thing: 4 } as const;

/** Clamps a coordinate to the wood. */
export function within(place: number): number {
  return Math.max(-SIDE / 2, Math.min(SIDE / 2, place));
}
