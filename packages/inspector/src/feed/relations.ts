/**
 * Whom a watcher is related to and by what, and whom its cap leaves without a seat: what a page draws each in its own way.
 *
 * A rule is asked for only where it may be another than a sense: where the watcher has a margin, or no sense perceives the
 * marker. Cost: a look at each relation, twice there.
 */
import type { EntityId, WorldReader } from 'umwelt';
import { FOCUS_LIST_MAX, HOLDS, OUTRANKED_MAX, type PerceivedList, type Seats } from '../focus-frame.ts';

/** Of one that is gone, or of which nothing is known. */
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

/** Whether this process knows what the watcher perceives: of a world that several share it knows that of those it shows. */
export function isShown(world: WorldReader, watcher: EntityId): boolean {
  return (world as { shows?(watcher: EntityId): boolean }).shows?.(watcher) ?? true;
}

export function perceivedBy(world: WorldReader, watcher: EntityId): PerceivedList {
  if (!isShown(world, watcher)) return NOT_KNOWN;
  const ids = world.visibleTo(watcher);
  const senses = new Uint8Array(ids.length);
  const holds = new Uint8Array(ids.length);
  const hasMargin = world.leaveMargin(watcher) > 0;
  // More are not sent.
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
