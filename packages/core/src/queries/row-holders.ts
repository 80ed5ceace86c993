/**
 * Which watchers with a row may relate to a marker from beyond their reach: by a pin, a group, as one shown always, or
 * lingering. All others that relate to it are near it, and the detector's index gives those.
 *
 * A kind of relation that reaches farther than ranges and margins must be named here; random scripts hold the answers of
 * `watchersOf` to the model.
 *
 * Memory: some 20 bytes for each that has a row and a group, and for each pair that lingers, where a question was asked about
 * such a marker. Cost: of those that it answers; the first question after a tick, where groups are shown or anybody lingers, a
 * look at all with a row, or at all that linger.
 */
import { ALWAYS } from '../entities/entity-state.ts';
import type { EntityStore } from '../entities/entity-store.ts';
import type { InterestBook } from '../interest/interest-book.ts';
import type { Ties } from '../interest/rules/ties.ts';
import type { Seating } from '../interest/seating.ts';

/** What is asked of a world. */
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
  /** By marker's slot: slots of watchers that relate to it by no sense any more. */
  #lingering: Lists = new Map();
  /** The ticks that they are of. */
  #membersTick = -1;
  #lingeringTick = -1;

  /** Slots, some of them without a row; `undefined`: anybody with a row may. */
  of(sources: Sources, marker: number): ReadonlySet<number> | undefined {
    const { store, ties, interests } = sources;
    const { last, ids } = store;
    if ((last.flags[marker] & ALWAYS) !== 0) return undefined;
    let found = NOBODY as Set<number>;
    const add = (watcher: number) => {
      if (found === NOBODY) found = new Set();
      found.add(watcher);
    };
    ties.eachHolder(ids.idOf[marker], (watcher) => add(watcher >>> 10));
    this.#listLingering(sources);
    for (const watcher of this.#lingering.get(marker) ?? []) add(watcher);
    const shown = interests.settled.reduce((kinds, { groupKinds }) => kinds | groupKinds, 0);
    for (let kind = 0; shown >>> kind !== 0; kind++) {
      const group = (shown & (1 << kind)) === 0 ? 0 : last.groups[kind].at(marker);
      if (group === 0) continue;
      this.#listMembers(sources);
      for (const watcher of this.#members[kind].get(group) ?? []) add(watcher);
    }
    return found;
  }

  #listMembers({ store, seating, tickCount }: Sources): void {
    if (this.#membersTick === tickCount) return;
    this.#membersTick = tickCount;
    this.#members = store.last.groups.map((groups) => {
      const members = new Map<number, number[]>();
      for (const watcher of seating.withRow) {
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
    seating.lingering.each((watcher, marker) => addTo(lists, marker, watcher));
    this.#lingering = lists;
  }
}

function addTo(lists: Map<number, number[]>, key: number, watcher: number): void {
  const list = lists.get(key);
  if (list === undefined) lists.set(key, [watcher]);
  else list.push(watcher);
}
