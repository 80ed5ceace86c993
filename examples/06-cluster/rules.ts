/** Constants shared by all parts of the example: the land, its speeds, and the encoding of a goal. */
export const TICK_MS = 50;
/** World units. */
export const LAND = { width: 320, height: 200 };
export const TILE_SIZE = 40;
/** How far players see. */
export const SIGHT = 45;
/** Units per tick. */
export const WALKER_PACE = 0.5;
export const PLAYER_PACE = 0.9;
/** Number of walkers of the three initial nodes together. */
export const WALKERS = 300;
/** A node without a record for more than this many ticks is gone, and the others take over its entities. */
export const SILENCE_TICKS = 24;

export interface Goal {
  readonly x: number;
  readonly y: number;
}

/** A goal as bytes: a player's input, and what is kept with each walker. */
export function writeGoal({ x, y }: Goal): Uint8Array {
  return new Uint8Array(Float32Array.of(x, y).buffer);
}

/** The bytes are untrusted: `undefined` if they are no goal; else a place on the land. */
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
