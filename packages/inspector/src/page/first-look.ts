/**
 * Chooses the entity that the page follows before the user has done anything: a moving view from within the world says more
 * than the whole world from above.
 *
 * It is a watcher that moves, of the first kind that has one, with some neighbours but not in a dense crowd, so that the
 * lines to the markers it perceives can be told apart.
 */
import type { Crowd } from './crowd.ts';

/** Number of entities tried, spread over the ids. */
const TRIED_MAX = 24;
/** The best number of neighbours within a circle that would hold `EVEN_COMPANY` entities if all were spread evenly. */
const EVEN_COMPANY = 12;
const BEST_COMPANY = 34;

/** Index of the entity to follow; -1: no watcher moves. `area`: of the world's bounds. Cost: O(n), `TRIED_MAX` times. */
export function firstLook(crowd: Crowd, tick: number, area: number): number {
  const tried = moversOfFirstKind(crowd);
  const between = crowd.between(tick);
  const place = new Float64Array(3);
  const radius = Math.sqrt((area * EVEN_COMPANY) / Math.max(1, crowd.count) / Math.PI);
  let found = -1;
  let best = Number.POSITIVE_INFINITY;
  for (const index of tried) {
    crowd.placeInto(index, between, place);
    const company = crowd.countWithin(place[0] as number, place[1] as number, radius, between);
    const misfit = Math.abs(Math.log((company + 1) / BEST_COMPANY));
    if (misfit >= best) continue;
    best = misfit;
    found = index;
  }
  return found;
}

function moversOfFirstKind(crowd: Crowd): number[] {
  let kind = 256;
  let movers: number[] = [];
  for (let i = 0; i < crowd.count; i++) {
    const own = crowd.kinds[i] as number;
    if (own > kind || crowd.watchers[i] !== 1 || !crowd.hasMoved(i)) continue;
    if (own < kind) movers = [];
    kind = own;
    movers.push(i);
  }
  const stride = Math.max(1, movers.length / TRIED_MAX);
  return Array.from(
    { length: Math.min(TRIED_MAX, movers.length) },
    (_, i) => movers[Math.floor(i * stride)] as number,
  );
}
