/**
 * Rebuilds the row of a watcher that had none: the state of each pair at the last tick, from perception, the
 * margin-held pairs and the overrides.
 */
import type { Crossings } from '../../detectors/crossings.ts';
import type { EntityId } from '../../entities/entity-ids.ts';
import type { Property } from '../../entities/entity-state.ts';
import { MomentGrid } from '../../entities/moment-grid.ts';
import { perceivedSenses } from '../../entities/perception.ts';
import { longestLine, ownReachOf } from '../grids/own-reach.ts';
import { plainState, RELATED, STORED_BITS } from '../table/pair-rows.ts';
import type { TakenOverrides } from './override-rows.ts';
import type { SeatTables } from './seat-tables.ts';

/**
 * Writes a row: what was perceived at the last tick or margin-held is related; overridden pairs keep their
 * state. `related`: ids, ascending; `isAsked`: the interest's `admit` accepted them; `since`: the tick from
 * which each counts as seated.
 */
export function fillRow(
  { store: { settings, last, ids }, pairs, holds }: SeatTables,
  watcher: number,
  related: Uint32Array,
  overrides: TakenOverrides | undefined,
  isAsked: boolean,
  since: { readonly byId: ReadonlyMap<EntityId, number>; readonly usual: number },
): void {
  const held = new Map<number, number>();
  holds.eachHeld(watcher, (marker, senses) => held.set(marker, senses));
  const stateOf = (marker: number) => {
    const exact = perceivedSenses(settings, last, watcher, marker);
    return plainState(exact, exact | (held.get(marker) ?? 0), isAsked);
  };
  const states = new Map<number, number>();
  overrides?.marker.forEach((marker, i) => {
    states.set(marker, overrides.state[i] & STORED_BITS);
  });
  const markers = Array.from(related, (id) => id >>> 10);
  if (overrides !== undefined) {
    for (const [marker, state] of states) if (state !== 0) markers.push(marker);
    markers.sort((a, b) => a - b);
  }
  let to = pairs.resize(watcher, markers.length);
  const start = to;
  for (let i = 0; i < markers.length; i++) {
    if (i > 0 && markers[i] === markers[i - 1]) continue;
    pairs.marker[to] = markers[i];
    pairs.since[to] = since.byId.get(ids.idOf[markers[i]]) ?? since.usual;
    pairs.state[to++] = states.get(markers[i]) ?? stateOf(markers[i]);
  }
  pairs.size[watcher] = to - start;
}

/** Of so many watchers in one tick the former relations are found by visiting every slot; for more, a grid is made. */
const FEW = 8;
/** In each sense, so many markers of the greatest gains, and so many of the longest minReaches, are listed. */
const MOST_LOUD = 32;

/**
 * What watchers without a row related to at the last tick, while the detector already holds the new state: found by the definition.
 *
 * Only what reaches its cap within one tick asks. A watcher that leaped lost all of it, or nearly: then its crossings say what it was. Any
 * other is searched for, and there is hardly ever one. If all markers are shown in one tick, everybody asks: then a grid of the last
 * positions says who was near. The loudest markers are listed, so that one that is perceived from far away does not widen the search for
 * all. Cost of a search: visits every slot for the first few watchers of a tick; then what was near, and that list.
 */
export class RelatedBefore {
  readonly #tables: SeatTables;
  #grid: MomentGrid | undefined;
  /** Markers that are tested for every watcher; and the greatest gain and minReach of all others. */
  #loud: ReadonlySet<number> = new Set();
  #gain = 1;
  #minReach = 0;
  #asked = 0;

  constructor(tables: SeatTables) {
    this.#tables = tables;
  }

  /** The tick is over. */
  end(): void {
    this.#asked = 0;
    this.#grid = undefined;
  }

  /** Ids, ascending. `crossings`: those of perception; `seatCount`: of so many markers at most. */
  of(watcher: number, crossings: Crossings, seatCount: number): Uint32Array {
    const { store, pairs, holds, overrides } = this.#tables;
    const { settings, last, ids } = store;
    const related = new Set<number>();
    holds.eachHeld(watcher, (marker) => related.add(marker));
    const end = crossings.firstFrom(watcher + 1, 0);
    for (let i = crossings.firstFrom(watcher, 0); i < end; i++)
      if (crossings.beforeAt(i) !== 0) related.add(crossings.markerAt(i));
    for (const isSearched of [false, true]) {
      if (isSearched) {
        this.#eachNear(watcher, (marker) => {
          if (perceivedSenses(settings, last, watcher, marker) !== 0) related.add(marker);
        });
      }
      for (const marker of overrides.markersOf(watcher)) {
        if ((pairs.state[overrides.find(watcher, marker)] & RELATED) === 0) related.delete(marker);
        else related.add(marker);
      }
      if (related.size >= seatCount) break;
    }
    return Uint32Array.from(related, (marker) => ids.idOf[marker]).sort();
  }

  /** Visits all that a watcher may have perceived, and some others. */
  #eachNear(watcher: number, visit: (marker: number) => void): void {
    const { store } = this.#tables;
    const { last, slotCount } = store;
    const { x, y, z } = last;
    const is3D = store.settings.dimensions === 3;
    if (this.#asked++ === 0) this.#listLoud();
    for (const slot of this.#loud) visit(slot);
    const farthest = longestLine(store, ownReachOf(last, watcher, this.#gain, this.#minReach));
    const visitNear = (slot: number) => {
      if (Math.abs(x[slot] - x[watcher]) <= farthest && Math.abs(y[slot] - y[watcher]) <= farthest)
        visit(slot);
    };
    if (this.#asked <= FEW) {
      for (let slot = 0; slot < slotCount; slot++) visitNear(slot);
      return;
    }
    this.#grid ??= new MomentGrid(last, is3D);
    this.#grid.refresh(slotCount, store.sizeAtLastTick, farthest);
    const [atX, atY, atZ] = [x[watcher], y[watcher], is3D ? z[watcher] : 0];
    const [minX, minY, minZ] = [atX - farthest, atY - farthest, atZ - farthest];
    const [maxX, maxY, maxZ] = [atX + farthest, atY + farthest, atZ + farthest];
    this.#grid.each({ minX, minY, minZ, maxX, maxY, maxZ }, visitNear);
  }

  #listLoud(): void {
    const { gains, minReaches } = this.#tables.store.last;
    const loud = new Set<number>();
    this.#gain = Math.max(1, ...gains.map((gain) => this.#listGreatest(gain, loud)));
    this.#minReach = Math.max(...minReaches.map((minReach) => this.#listGreatest(minReach, loud)));
    this.#loud = loud;
  }

  /** Lists the markers with the greatest values of a property; returns the greatest value of all others. */
  #listGreatest({ column, fallback }: Property<'f32'>, loud: Set<number>): number {
    if (column === undefined) return fallback;
    const { last, slotCount } = this.#tables.store;
    const values = column.array;
    // One more than are listed, the greatest first.
    const greatest: number[] = [];
    let least = fallback;
    for (let slot = 0; slot < slotCount; slot++) {
      if (!(values[slot] > least) || !last.isMarker(slot)) continue;
      let at = greatest.length;
      while (at > 0 && values[greatest[at - 1]] < values[slot]) at--;
      greatest.splice(at, 0, slot);
      greatest.length = Math.min(greatest.length, MOST_LOUD + 1);
      if (greatest.length > MOST_LOUD) least = values[greatest[MOST_LOUD]];
    }
    for (const slot of greatest.slice(0, MOST_LOUD)) loud.add(slot);
    return least;
  }
}
