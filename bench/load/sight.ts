/**
 * A number for what a client sees, comparable between processes: equal for the same entities at the same positions, in
 * any order of addition.
 */

/** World units of a step: a power of two, so that multiples of it are exact. */
export const POSITION_STEP = 1 / 64;

export function stepsOf(coordinate: number): number {
  return Math.floor(coordinate / POSITION_STEP + 0.5);
}

/** What an entity adds to the sum; the sum is modulo 2^32. */
export function sighting(id: number, xSteps: number, ySteps: number): number {
  let hash = Math.imul(id ^ 0x9e3779b9, 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 15) ^ xSteps, 0xc2b2ae35);
  hash = Math.imul(hash ^ (hash >>> 13) ^ ySteps, 0x27d4eb2f);
  return (hash ^ (hash >>> 16)) >>> 0;
}

/** Milliseconds of a clock that all processes of a machine share. */
export function machineMs(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}
