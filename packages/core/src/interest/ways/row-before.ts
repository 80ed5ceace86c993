/**
 * Rebuilds the row of a watcher that had none: the state of each pair at the last tick, from perception, the
 * margin-held pairs and the overrides.
 */
import type { EntityId } from '../../entities/entity-ids.ts';
import { perceivedSenses } from '../../entities/perception.ts';
import { plainState, RELATED, STORED_BITS } from '../pair-rows.ts';
import { longestLine, ownReachOf } from '../searched/own-reach.ts';
import type { SeatTables } from '../seat-tables.ts';
import type { TakenOverrides } from './overrides/override-rows.ts';

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
  tick: number,
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
  pairs.reported.fill(tick - 1, start, to);
}

/**
 * Ids, ascending, of all markers that a watcher without a row related to at the last tick. Also valid after
 * the detector holds the new state. Cost: visits every slot.
 */
export function findRelatedBefore(
  { store, pairs, holds, overrides }: SeatTables,
  watcher: number,
): Uint32Array {
  const { settings, last, slotCount, ids } = store;
  const { x, y } = last;
  const farthest = longestLine(store, ownReachOf(store, last, watcher));
  const held = new Set<number>();
  holds.eachHeld(watcher, (marker) => held.add(marker));
  const overridden = overrides.markersOf(watcher);
  const related: number[] = [];
  for (let slot = 0; slot < slotCount; slot++) {
    const isNear = Math.abs(x[slot] - x[watcher]) <= farthest && Math.abs(y[slot] - y[watcher]) <= farthest;
    if (!isNear && !held.has(slot) && !overridden.has(slot)) continue;
    const isRelated = overridden.has(slot)
      ? (pairs.state[overrides.find(watcher, slot)] & RELATED) !== 0
      : held.has(slot) || perceivedSenses(settings, last, watcher, slot) !== 0;
    if (isRelated) related.push(ids.idOf[slot]);
  }
  return Uint32Array.from(related);
}
