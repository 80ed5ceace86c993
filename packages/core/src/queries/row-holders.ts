/**
 * The watchers with a row that may relate to a marker beyond their reach: by a pin, by a group, because the marker is
 * set to `always`, or because it lingers. All other watchers that relate to the marker are near it; the detector's
 * index finds those.
 *
 * A new kind of relation that reaches farther than ranges and margins must be added here; random scripts compare the
 * results of `watchersOf` with the model. Cost: proportional to the watchers returned.
 */
import { ALWAYS } from '../entities/entity-state.ts';
import type { EntityStore } from '../entities/entity-store.ts';
import type { InterestBook } from '../interest/rules/interest-book.ts';
import type { Ties } from '../interest/rules/ties.ts';
import type { Seating } from '../interest/seating.ts';

/** What is read of a world. */
interface Sources {
  readonly store: EntityStore;
  readonly seating: Seating;
  readonly interests: InterestBook;
  readonly ties: Ties;
}

/**
 * Slots, some without a row; `undefined`: any watcher with a row may relate to it. As of the last tick, without those that left a group in a
 * tick under way; `isUnderWay`: those that did and still do in that tick.
 */
export function farRowHolders(
  { store, seating, ties, interests }: Sources,
  marker: number,
  isUnderWay = false,
): ReadonlySet<number> | undefined {
  const { last, now, ids } = store;
  const { forced, lingering } = seating.tables;
  if ((last.flags[marker] & ALWAYS) !== 0) return undefined;
  const found = new Set<number>();
  ties.eachHolder(ids.idOf[marker], (watcher) => found.add(watcher >>> 10));
  for (const watcher of lingering.holdersOf(marker)) found.add(watcher);
  const rules = isUnderWay ? interests.current : interests.settled;
  const shown = rules.reduce((kinds, { groupKinds }) => kinds | groupKinds, 0);
  for (let kind = 0; shown >>> kind !== 0; kind++) {
    const group = (shown & (1 << kind)) === 0 ? 0 : (isUnderWay ? now : last).groups[kind].at(marker);
    if (group === 0) continue;
    for (const watcher of forced.membersBefore(store, kind, group)) found.add(watcher);
  }
  return found;
}
