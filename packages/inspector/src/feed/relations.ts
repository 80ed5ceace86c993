/**
 * The markers that a watcher is related to, with the rule that relates them, and those that its cap leaves without a seat. A
 * page draws each differently.
 *
 * The rule is looked up only where it may not be a sense: if the watcher has a leave margin, or no sense perceives the marker.
 * Cost: one check per relation, two in those cases.
 */
import type { EntityId, WorldReader } from 'umwelt';
import { FOCUS_LIST_MAX, HOLDS, OUTRANKED_MAX, type PerceivedList, type Seats } from '../focus-frame.ts';

/** For a removed entity, or one whose relations are not known. */
export const NOT_KNOWN: PerceivedList = {
  total: 0,
  ids: new Uint32Array(0),
  senses: new Uint8Array(0),
  holds: new Uint8Array(0),
};
export const NO_SEATS: Seats = {
  seats: undefined,
  seated: 0,
  outrankedTotal: 0,
  outranked: new Uint32Array(0),
  places: new Uint32Array(0),
};

/** Whether this process knows the watcher's relations: in a world that several processes share, each knows only those it shows. */
export function isShown(world: WorldReader, watcher: EntityId): boolean {
  return (world as { shows?(watcher: EntityId): boolean }).shows?.(watcher) ?? true;
}

export function perceivedBy(world: WorldReader, watcher: EntityId): PerceivedList {
  if (!isShown(world, watcher)) return NOT_KNOWN;
  const ids = world.visibleTo(watcher);
  const senses = new Uint8Array(ids.length);
  const holds = new Uint8Array(ids.length);
  const hasMargin = world.leaveMargin(watcher) > 0;
  // At most this many are sent.
  for (let i = 0; i < Math.min(ids.length, FOCUS_LIST_MAX); i++) {
    const marker = ids[i] as EntityId;
    const mask = world.senses(watcher, marker);
    senses[i] = mask;
    if (mask !== 0 && !hasMargin) continue;
    const rule: string = world.explain(watcher, marker).rule;
    holds[i] = Math.max(0, (HOLDS as readonly string[]).indexOf(rule));
  }
  return { total: ids.length, ids, senses, holds };
}

export function seatsOf(world: WorldReader, watcher: EntityId): Seats {
  if (!isShown(world, watcher)) return NO_SEATS;
  const { seats, seated, total, ids, places } = world.outranked(watcher, OUTRANKED_MAX);
  return {
    seats: Number.isFinite(seats) ? seats : undefined,
    seated,
    outrankedTotal: total,
    outranked: ids,
    places,
  };
}
