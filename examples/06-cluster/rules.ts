/** What all parts of the example know: the land, its paces, and the shape of a goal on the wire. */
export const TICK_MS = 50;
/** World units. */
export const LAND = { width: 320, height: 200 };
export const TILE_SIZE = 40;
/** How far players see. */
export const SIGHT = 45;
/** Units a tick. */
export const WALKER_PACE = 0.5;
export const PLAYER_PACE = 0.9;
/** Of three nodes at the start together. */
export const WALKERS = 300;
/** A node that says nothing for so many ticks is gone, and the others take over what it had. */
export const SILENCE_TICKS = 24;

export interface Goal {
  readonly x: number;
  readonly y: number;
}

/** A goal as bytes: what a player sends, and what is kept with each walker. */
export function writeGoal({ x, y }: Goal): Uint8Array {
  return new Uint8Array(Float32Array.of(x, y).buffer);
}

/** `undefined` for bytes that are none, from whoever sent them; else a place on the land. */
export function readGoal(bytes: Uint8Array): Goal | undefined {
  if (bytes.length !== 8) return undefined;
  const [x = 0, y = 0] = new Float32Array(bytes.slice().buffer);
  if (!Number.isFinite(x) || !Number.isFinite(y)) return undefined;
  return { x: within(x, LAND.width), y: within(y, LAND.height) };
}

export function anywhere(): Goal {
  return { x: Math.random() * LAND.width, y: Math.random() * LAND.height };
}

function within(value: number, most: number): number {
  return Math.max(0, Math.min(most, value));
}
