/**
 * Counts on how many each watcher without a row relates to, of the crossings of a tick; see interest/ruled-watchers.ts. Both
 * loops stop at a crossing whose watcher is to be looked at, and go on from behind it.
 *
 * Twin: wasm/count-relations.ts. Cost: some 1.5 ns a crossing there. Whether a pair comes or goes nobody can guess, so no
 * branch asks.
 */
import type { HeapViews } from './heap-views.ts';

/** Words of the job: byte offsets into the heap, and a count. */
export const CROSSINGS = 0;
export const CROSSING_COUNT = 1;
export const IS_EASY = 2;
/** Words by slot: how many relations; and most that there may be. */
export const RELATIONS = 3;
export const LIMITS = 4;
export const JOB_WORDS = 5;

/** Of a crossing's low word: by a sense or without, at the last tick and now. */
const RELATED_BEFORE = 0x100ff;
const RELATED_AFTER = 0x2ff00;

/**
 * The first crossing, from one on, at which an easy watcher would be past its limit if all of its crossings up to there
 * were new; the count of crossings if there is none. Crossings are sorted by watcher.
 */
export function findReached({ u32, u8 }: HeapViews, jobOffset: number, from: number): number {
  const job = jobOffset >>> 2;
  const words = u32[job + CROSSINGS] >>> 2;
  const count = u32[job + CROSSING_COUNT];
  const isEasy = u32[job + IS_EASY];
  const relations = u32[job + RELATIONS] >>> 2;
  const limits = u32[job + LIMITS] >>> 2;
  let previous = -1;
  let crossed = 0;
  for (let i = from; i < count; i++) {
    const watcher = u32[words + 2 * i + 1] >>> 10;
    crossed = (crossed & -isZero(watcher ^ previous)) + 1;
    previous = watcher;
    if (u32[relations + watcher] + crossed > u32[limits + watcher] && u8[isEasy + watcher] !== 0) return i;
  }
  return count;
}

/**
 * Counts the crossings of easy watchers from one on. Answers the first at which one came to relate to more than three
 * quarters of its limit, which is counted; the count of crossings if there is none.
 */
export function countRelations({ u32, u8 }: HeapViews, jobOffset: number, from: number): number {
  const job = jobOffset >>> 2;
  const words = u32[job + CROSSINGS] >>> 2;
  const count = u32[job + CROSSING_COUNT];
  const isEasy = u32[job + IS_EASY];
  const relations = u32[job + RELATIONS] >>> 2;
  const limits = u32[job + LIMITS] >>> 2;
  for (let i = from; i < count; i++) {
    const low = u32[words + 2 * i];
    const watcher = u32[words + 2 * i + 1] >>> 10;
    const easy = u8[isEasy + watcher];
    const entered = isZero(low & RELATED_BEFORE);
    const related = u32[relations + watcher] + (entered - isZero(low & RELATED_AFTER)) * easy;
    u32[relations + watcher] = related;
    const limit = u32[limits + watcher];
    if (related > limit - (limit >>> 2) && entered * easy !== 0) return i;
  }
  return count;
}

/** 1 for 0, and 0 for any other number below 2^31. */
function isZero(value: number): number {
  return (value - 1) >>> 31;
}
