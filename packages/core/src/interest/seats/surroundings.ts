/**
 * The slow path for a searched watcher: finds the markers whose state may change, without a list of all that the watcher
 * perceives.
 *
 * A seat goes to a marker that had it, to one that is remembered or relates by force, or to one of the nearest others. No other
 * marker's state can change. If ties, memory or mutual consent matter, row-decider.ts decides the row from these few markers;
 * otherwise a kernel does (seat-search.ts).
 *
 *   row as it was + remembered + forced + nearest others   ->   news, by ascending slot, with the senses now
 *
 * Cost: O(cap) a watcher, however large the crowd.
 */
import type { Crossings } from '../../detectors/crossings.ts';
import type { EntityStore } from '../../entities/entity-store.ts';
import { perceivedSenses } from '../../entities/perception.ts';
import type { ForcedMarker } from '../rules/forced.ts';
import { distanceBetween, rankByDistance } from '../rules/rank.ts';
import type { SeatMemory } from '../rules/seat-memory.ts';
import { FORCED, type PairRows, SEATED } from '../table/pair-rows.ts';
import type { SeatSearch } from './seat-search.ts';

/** Of some markers, by ascending slot: what the decider reads of `Crossings`. */
type SurroundingNews = Pick<Crossings, 'count' | 'markerAt' | 'afterAt'>;

export class Surroundings {
  readonly #store: EntityStore;
  readonly #pairs: PairRows;
  readonly #memory: SeatMemory;
  readonly #search: SeatSearch;

  constructor(store: EntityStore, pairs: PairRows, memory: SeatMemory, search: SeatSearch) {
    this.#store = store;
    this.#pairs = pairs;
    this.#memory = memory;
    this.#search = search;
  }

  /**
   * All markers whose state with a searched watcher may change now. `forced`: markers that relate by force, as slots; `blocks`:
   * ids.
   */
  newsOf(
    watcher: number,
    cap: number,
    forced: readonly ForcedMarker[],
    blocks: ReadonlySet<number> | undefined,
  ): SurroundingNews {
    const store = this.#store;
    const { start, size, marker } = this.#pairs;
    const row = marker.subarray(start[watcher], start[watcher] + size[watcher]);
    const known = new Set(row);
    let seats = cap;
    for (const [slot] of forced) {
      known.add(slot);
      if (store.now.isPresent(slot) && blocks?.has(store.ids.idOf[slot]) !== true) seats--;
    }
    for (const id of this.#memory.markersOf(watcher)) if (store.has(id)) known.add(id >>> 10);
    const news = [...known];
    for (const id of blocks ?? []) if (store.has(id)) known.add(id >>> 10);
    if (seats > 0) {
      const farthest = this.#worstOf(watcher, row, seats, forced, blocks);
      for (const slot of this.#search.othersOf(watcher, seats, farthest, [...known])) news.push(slot);
    }
    const markers = Uint32Array.from(news).sort();
    const { settings, now } = store;
    return {
      count: markers.length,
      markerAt: (i) => markers[i],
      afterAt: (i) => perceivedSenses(settings, now, watcher, markers[i], now.ownRanges),
    };
  }

  /**
   * The worst rank of the incumbents that may keep their seats; infinite if there are fewer of them than seats. A newcomer must
   * rank before it: with equal ranks incumbents come first, and only they have the bonus.
   */
  #worstOf(
    watcher: number,
    row: Uint32Array,
    seats: number,
    forced: readonly ForcedMarker[],
    blocks: ReadonlySet<number> | undefined,
  ): number {
    const { settings, now, ids } = this.#store;
    const { state, start } = this.#pairs;
    const apart = new Set(forced.map(([slot]) => slot));
    let sitting = 0;
    let worst = 0;
    row.forEach((slot, i) => {
      const wasSeated = (state[start[watcher] + i] & (SEATED | FORCED)) !== 0;
      if (!wasSeated || apart.has(slot) || blocks?.has(ids.idOf[slot]) === true) return;
      if (perceivedSenses(settings, now, watcher, slot, now.ownRanges) === 0) return;
      sitting++;
      const distance = distanceBetween(settings, now, watcher, slot);
      worst = Math.max(worst, rankByDistance(distance, now.weights.at(slot)));
    });
    return sitting < seats ? Number.POSITIVE_INFINITY : worst;
  }
}
