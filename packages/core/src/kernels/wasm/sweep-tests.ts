/**
 * The double test: for each pair of two entries, did either come into the reach of the other, or go out of it? If so, crossings are
 * appended. Four pairs are tested at once, both directions in one go. No pair is stored.
 *
 *   searching \ searched    crowd, things                 odd
 *   crowd, things           levels                        profiles
 *   odd                     two distances                 ranges, or profiles
 *
 *   levels          all that watch have the same ranges, so being within reach is mutual. A *level* is one of the distinct ranges,
 *                   farthest first; a pair has changed if it is inside other levels than before
 *   two distances   one perceives all of these markers from one distance, and all of these watchers perceive it from another
 *   ranges          plain markers: the ranges of their watchers lie beside the positions
 *   profiles        gains, minReaches and maxReaches do, too
 *   by sense        in place of the last three where there are several senses, and of the last two in 3-D; and for other shapes
 *                   than circles: a loop over senses finds the pairs that may have crossed, and the definition decides them
 *
 * Each way is a function of its own, because V8 would keep the vectors of an inlined loop in memory. Cost: see
 * docs/internals/speed.md, "Mixed worlds".
 */
import { BOX, CIRCLE } from '../layouts/perception';
import { is3D, senseCount, shape } from './sweep-crossing';
import { scanLevels } from './sweep-levels';
import { distances, distancesIn3D, profiled, ranged } from './sweep-odd';
import { boxes, circles, cylinders } from './sweep-senses';
import { isSearchedOdd, isSearchingOdd, openSides } from './sweep-sides';

// Ways to test.
const LEVELS: u32 = 0;
const DISTANCES: u32 = 1;
const RANGED: u32 = 2;
const PROFILED: u32 = 3;
const BY_SENSE: u32 = 4;

/** How the current call tests; set by openTests. */
let way: u32 = 0;

/**
 * Call this after openCrossings and openProfiles. The classes whose pairs are tested; `arePlain`: whether all members of both have
 * plain profiles; `marked`: see `openSides`.
 */
export function openTests(own: u32, other: u32, arePlain: bool, marked: usize): void {
  openSides(own, other, marked);
  way = BY_SENSE;
  if (shape != CIRCLE) return;
  if (!isSearchingOdd && !isSearchedOdd) way = LEVELS;
  else if (senseCount == 1 && !isSearchedOdd) way = DISTANCES;
  else if (senseCount == 1 && !is3D) way = arePlain ? RANGED : PROFILED;
}

/**
 * Tests each entry of a group against the entries of a run, of its own class only those that come after it. False if the crossings
 * may not fit.
 */
export function scanRuns(first: u32, next: u32, begin: u32, end: u32): bool {
  if (begin >= end) return true;
  if (way == LEVELS) return scanLevels(first, next, begin, end);
  if (way == DISTANCES) return is3D ? distancesIn3D(first, next, begin, end) : distances(first, next, begin, end);
  if (way == RANGED) return ranged(first, next, begin, end);
  if (way == PROFILED) return profiled(first, next, begin, end);
  if (shape == BOX) return boxes(first, next, begin, end);
  return shape == CIRCLE ? circles(first, next, begin, end) : cylinders(first, next, begin, end);
}
