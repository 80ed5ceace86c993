/**
 * The watchers with a row that may relate to a marker beyond their reach: by a pin, by a group, because the marker is
 * set to `always`, or because it lingers. All other watchers that relate to the marker are near it; the detector's
 * index finds those.
 *
 * A new kind of relation that reaches farther than ranges and margins must be added here; random scripts compare the
 * results of `watchersOf` with the model.
 *
 * Memory: some 20 bytes for each watcher with a row and a group, and for each lingering pair, once such a marker was
 * queried. Cost: proportional to the watchers returned. The first query after a tick also visits all watchers with a
 * row if an interest shows groups, and all lingering pairs if there are any.
 */
import { ALWAYS } from '../entities/entity-state.ts';
import type { EntityStore } from '../entities/entity-store.ts';
import type { InterestBook } from '../interest/interest-book.ts';
import type { Ties } from '../interest/rules/ties.ts';
import type { Seating } from '../interest/seating.ts';

/** What is read of a world. */
interface Sources {
  readonly store: EntityStore;
  readonly seating: Seating;
  readonly interests: InterestBook;
  readonly ties: Ties;
  readonly tickCount: number;
}

type Lists = ReadonlyMap<number, readonly number[]>;

const NOBODY: ReadonlySet<number> = new Set();

export class RowHolders {
  /** By kind: slots of watchers with a row, by their group as of the last tick. */
  #members: readonly Lists[] = [];
  /** By the marker's slot: slots of watchers that relate to it but no longer perceive it. */
  #lingering: Lists = new Map();
  /** The ticks that the lists are of. */
  #membersTick = -1;
  #lingeringTick = -1;

  /**
   * Slots, some without a row; `undefined`: any watcher with a row may relate to it. As of the last tick; `isUnderWay`: those that did and
   * still do in the tick under way.
   */
  of(sources: Sources, marker: number, isUnderWay = false): ReadonlySet<number> | undefined {
    const { store, seating, ties, interests } = sources;
    const { last, now, ids } = store;
    if ((last.flags[marker] & ALWAYS) !== 0) return undefined;
    let found = NOBODY as Set<number>;
    const add = (watcher: number) => {
      if (found === NOBODY) found = new Set();
      found.add(watcher);
    };
    ties.eachHolder(ids.idOf[marker], (watcher) => add(watcher >>> 10));
    this.#listLingering(sources);
    for (const watcher of this.#lingering.get(marker) ?? []) add(watcher);
    const rules = isUnderWay ? interests.current : interests.settled;
    const shown = rules.reduce((kinds, { groupKinds }) => kinds | groupKinds, 0);
    for (let kind = 0; shown >>> kind !== 0; kind++) {
      const group = (shown & (1 << kind)) === 0 ? 0 : (isUnderWay ? now : last).groups[kind].at(marker);
      if (group === 0) continue;
      if (!isUnderWay) this.#listMembers(sources);
      const { forced } = seating.tables;
      const members = isUnderWay ? forced.membersOf(kind, group) : this.#members[kind].get(group);
      for (const watcher of members ?? []) add(watcher);
    }
    return found;
  }

  #listMembers({ store, seating, tickCount }: Sources): void {
    if (this.#membersTick === tickCount) return;
    this.#membersTick = tickCount;
    this.#members = store.last.groups.map((groups) => {
      const members = new Map<number, number[]>();
      for (const watcher of seating.watchers.withRow) {
        const group = groups.at(watcher);
        if (group !== 0) addTo(members, group, watcher);
      }
      return members;
    });
  }

  #listLingering({ seating, tickCount }: Sources): void {
    if (this.#lingeringTick === tickCount) return;
    this.#lingeringTick = tickCount;
    const lists = new Map<number, number[]>();
    seating.tables.lingering.each((watcher, marker) => addTo(lists, marker, watcher));
    this.#lingering = lists;
  }
}

function addTo(lists: Map<number, number[]>, key: number, watcher: number): void {
  const list = lists.get(key);
  if (list === undefined) lists.set(key, [watcher]);
  else list.push(watcher);
}
