/**
 * Which entity the keys go to: without a selection the most interesting watcher, then one after the other by id.
 */
import type { Crowd } from './crowd.ts';

/**
 * Index of the watcher nearest to a world point, preferring those that moved recently: a world's first ids are often cameras and
 * traps that stand in a corner. -1 if there is no watcher. Cost: O(n).
 */
export function firstWatcher(crowd: Crowd, tick: number, x: number, y: number): number {
  const between = crowd.between(tick);
  const place = new Float64Array(3);
  let found = -1;
  let best = Number.POSITIVE_INFINITY;
  let isBestMoving = false;
  for (let i = 0; i < crowd.count; i++) {
    if (crowd.watchers[i] !== 1) continue;
    const isMoving = crowd.hasMoved(i);
    if (isBestMoving && !isMoving) continue;
    crowd.placeInto(i, between, place);
    const distance = Math.hypot((place[0] as number) - x, (place[1] as number) - y);
    if (isMoving === isBestMoving && distance >= best) continue;
    found = i;
    best = distance;
    isBestMoving = isMoving;
  }
  return found;
}

/** Which entities are candidates: all; or watchers, only those that moved recently if there are several. */
export type Whom = 'anybody' | 'watchers';

/** Index of the next (1) or previous (-1) entity by id after `index`, wrapping around; -1 if there is none. Cost: O(n). */
export function nextIndex(crowd: Crowd, index: number, direction: 1 | -1, whom: Whom): number {
  if (whom === 'anybody') return nextOf(crowd, index, direction, () => true);
  const isWatcher = (i: number) => crowd.watchers[i] === 1;
  const moves = (i: number) => isWatcher(i) && crowd.hasMoved(i);
  const moving = nextOf(crowd, index, direction, moves);
  const isAlone = moving < 0 || nextOf(crowd, moving, direction, moves) === moving;
  // If only one watcher moves, go through all watchers: otherwise the keys could not leave it.
  return isAlone ? nextOf(crowd, index, direction, isWatcher) : moving;
}

function nextOf(
  { count }: Crowd,
  index: number,
  direction: 1 | -1,
  isMeant: (index: number) => boolean,
): number {
  let next = index < 0 && direction < 0 ? 0 : index;
  for (let i = 0; i < count; i++) {
    next = (next + direction + count) % count;
    if (isMeant(next)) return next;
  }
  return -1;
}
