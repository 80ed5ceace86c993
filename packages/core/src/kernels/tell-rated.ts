/**
 * Lists what watchers with update rates are told in a tick, and notes in their rows that they were; see
 * interest/update-rates.ts.
 *
 * Twin: wasm/tell-rated.ts. Cost: some 3 ns a pair there, most of it waiting for the marker's place.
 */
import type { HeapViews } from './heap-views.ts';

const f32 = Math.fround;

/** Words of the job: byte offsets into the heap, and counts. Slots of watchers, ascending. */
export const WATCHERS = 0;
export const WATCHER_COUNT = 1;
/** By slot: where a row of pairs begins, and how many it has. */
export const STARTS = 2;
export const SIZES = 3;
/** By pair. */
export const MARKERS = 4;
export const STATES = 5;
export const REPORTED = 6;
/** By slot: the tick of its last change; places, Z 0 in the plane; ids. */
export const CHANGED_AT = 7;
export const X = 8;
export const Y = 9;
export const Z = 10;
export const IDS = 11;
/** By watcher listed: the index of its rings among the words RINGS, which are how many, then for each its squared radius and ticks. */
export const RINGS_OF = 12;
export const RINGS = 13;
export const TICK = 14;
/** The bits of a state that are looked at, and those of them that a pair told by its ring has. */
export const STATE_MASK = 15;
export const STATE_TOLD = 18;
/** Written by the kernel: ids told, and by watcher listed where they end. */
export const TOLD = 16;
export const ENDS = 17;
export const JOB_WORDS = 19;

export function tellRated({ u32, f32: floats }: HeapViews, jobOffset: number): number {
  const job = jobOffset >>> 2;
  const at = (word: number) => u32[job + word] >>> 2;
  const [starts, sizes, markers, states, reported] = [STARTS, SIZES, MARKERS, STATES, REPORTED].map(at);
  const [changedAt, x, y, z, ids, rings, told] = [CHANGED_AT, X, Y, Z, IDS, RINGS, TOLD].map(at);
  const tick = u32[job + TICK];
  const mask = u32[job + STATE_MASK];
  const toldState = u32[job + STATE_TOLD];
  const isFlat = u32[job + Z] === 0;
  let count = 0;
  for (let w = 0; w < u32[job + WATCHER_COUNT]; w++) {
    const watcher = u32[at(WATCHERS) + w];
    const firstRing = rings + u32[at(RINGS_OF) + w];
    const end = u32[starts + watcher] + u32[sizes + watcher];
    for (let i = u32[starts + watcher]; i < end; i++) {
      const marker = u32[markers + i];
      const since = u32[reported + i];
      if ((u32[states + i] & mask) !== toldState || u32[changedAt + marker] <= since) continue;
      const dx = f32(floats[x + marker] - floats[x + watcher]);
      const dy = f32(floats[y + marker] - floats[y + watcher]);
      const dz = isFlat ? 0 : f32(floats[z + marker] - floats[z + watcher]);
      const inPlane = f32(f32(dx * dx) + f32(dy * dy));
      const everyTicks = ticksAt(u32, floats, firstRing, isFlat ? inPlane : f32(inPlane + f32(dz * dz)));
      if ((tick + marker) % everyTicks !== 0 && tick - since < everyTicks) continue;
      u32[reported + i] = tick;
      u32[told + count++] = u32[ids + marker];
    }
    u32[at(ENDS) + w] = count;
  }
  return count;
}

/** How often one is told so far away: of the first ring that reaches there, or of the last. */
function ticksAt(u32: Uint32Array, floats: Float32Array, rings: number, squared: number): number {
  let ring = rings + 1;
  const last = rings + 2 * u32[rings] - 1;
  while (ring < last && !(squared <= floats[ring])) ring += 2;
  return u32[ring + 1];
}
