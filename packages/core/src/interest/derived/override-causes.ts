/**
 * Finds the pairs for which a rule may decide otherwise than at the last tick: pairs whose tie changed; and
 * pairs of a marker that was added, removed or changed with the watchers that have a tie to it, share a group
 * with it, or are shown it always; and pairs of a watcher that changed itself.
 *
 * An entity that only perceives, or is perceived, farther or less far is none of these, as long as that does not
 * begin or end at 0: what crossed is decided anyway. If the watcher has a whole row, the row is decided again; otherwise the pair is (overrides.ts). Changes of
 * a watcher itself are applied by ruled-watchers.ts. Cost: O(changed ties), and for each changed marker
 * O(watchers that it may concern): all watchers, if it is shown always.
 */
import { ALWAYS, VOLATILE } from '../../entities/entity-state.ts';
import type { EntityStore } from '../../entities/entity-store.ts';
import { ADDED, CHANGED, CONCERNS_MEETING, pendingWith, TOUCHED } from '../../entities/pending.ts';
import { ASKED_ANEW, ONCE, type RelatedIds, type RuledWatchers } from '../standing/ruled-watchers.ts';
import type { SeatTables } from '../standing/seat-tables.ts';
import { BLOCKED, FORCED } from '../table/pair-rows.ts';
import type { LimitCrossings } from './limit-crossings.ts';
import type { Overrides } from './overrides.ts';

/** Returns the slots of watchers that a marker (a slot) had at the last tick, without those removed since. */
export type WatcherSlots = (marker: number) => number[];

/** The members of a group, and the members that changed. Slots. */
interface ChangedGroup {
  readonly members: readonly number[];
  readonly markers: number[];
}

/** To find the rows that contain a marker takes as long as to decide so many rows. */
const ROWS_PER_SEARCH = 8;
const NOBODY: ReadonlySet<number> = new Set();

export class OverrideCauses {
  readonly #tables: SeatTables;
  readonly #store: EntityStore;
  readonly #watchers: RuledWatchers;
  readonly #overrides: Overrides;
  readonly #limits: LimitCrossings;
  /** Slots of the entities that `considerMarkers` considered in the tick under way. */
  #considered: ReadonlySet<number> = NOBODY;
  /** Slots of volatile entities; some may no longer be volatile. `undefined`: not known. */
  #volatile: Set<number> | undefined;

  constructor(tables: SeatTables, watchers: RuledWatchers, overrides: Overrides, limits: LimitCrossings) {
    this.#tables = tables;
    this.#store = tables.store;
    this.#watchers = watchers;
    this.#overrides = overrides;
    this.#limits = limits;
  }

  /**
   * Applies changed ties of a watcher (an id). `related`: the ids that a watcher related to at the last tick.
   */
  applyTies(id: number, tick: number, related: RelatedIds): void {
    const store = this.#store;
    const watcher = id >>> 10;
    if (!store.now.isPresent(watcher)) return;
    if (this.#watchers.hasRow[watcher] === 1) {
      this.#watchers.wake(watcher, ONCE);
      return;
    }
    // Without a range it is a watcher only because of its pins. When the last pin is removed, its group's
    // relations end, too.
    const isAlone = !store.last.isPresent(watcher) || !store.now.perceives(watcher);
    if (isAlone) {
      this.#watchers.applyChange(watcher, this.#tables.book.changed, true, tick, related);
      return;
    }
    this.#tables.ties.eachChanged(id, (marker) => {
      if (store.ids.idOf[marker >>> 10] === marker) this.#overrides.consider(watcher, marker >>> 10);
    });
  }

  /**
   * Considers the markers that were added, removed or changed. After the watchers that changed themselves.
   */
  considerMarkers(): void {
    const { now, last, ids } = this.#store;
    const pending = pendingWith(this.#store, CONCERNS_MEETING);
    const changed = pending.length === 0 ? NOBODY : new Set(pending.filter(isOtherwiseIn(this.#store)));
    this.#considered = changed;
    if (changed.size === 0) return;
    const kinds = this.#tables.book.current.reduce((bits, { groupKinds }) => bits | groupKinds, 0);
    const always: number[] = [];
    const groups = new Map<string, ChangedGroup>();
    for (const marker of changed) {
      this.#considerOwn(marker);
      if (((now.flags[marker] | last.flags[marker]) & ALWAYS) !== 0) always.push(marker);
      if (kinds !== 0) this.#noteGroups(marker, kinds, groups);
      for (const holder of this.#tables.ties.holdersOf(ids.idOf[marker]))
        this.#consider(holder >>> 10, [marker]);
      // The ties of one that was removed are gone. All others that a rule concerns are found above.
      if (!now.isPresent(marker))
        for (const watcher of this.#overrides.rows.holdersOf(marker)) this.#consider(watcher, [marker]);
    }
    for (const { members, markers } of groups.values()) {
      for (const watcher of members) this.#consider(watcher, markers);
    }
    if (always.length === 0) return;
    this.#store.watchers.each((watcher) => {
      if (now.perceives(watcher)) this.#consider(watcher, always);
    });
  }

  /** Considers the pairs whose distance crossed one that a tie or a group has. After `considerMarkers`. */
  considerLimits(): void {
    const { pending } = this.#store;
    this.#limits.each((watcher, marker) => {
      const isConsidered = this.#considered.has(marker) || (pending[watcher] & ADDED) !== 0;
      if (!isConsidered) this.#consider(watcher, [marker]);
    });
  }

  /** Considers what relates by force, or did, to a watcher that changed itself. */
  #considerOwn(watcher: number): void {
    const { now } = this.#store;
    const { ties, forced } = this.#tables;
    // A row is decided whole. One that is new has a row, or nothing that relates by force.
    if (this.#watchers.hasRow[watcher] === 1 || !now.perceives(watcher)) return;
    const consider = (marker: number) => this.#overrides.consider(watcher, marker);
    this.#overrides.rows.markersOf(watcher).forEach(consider);
    const interest = this.#watchers.interestIn(now, watcher);
    for (const [marker] of forced.of(this.#store, interest, ties, watcher, true)) consider(marker);
  }

  /** A marker whose layers changed may count for another quota: decides the rows that contain it. */
  considerLayers(watchersOf: WatcherSlots): void {
    const { now, last } = this.#store;
    if (this.#tables.book.current.every(({ quotas }) => quotas.length === 0)) return;
    for (const marker of pendingWith(this.#store, CHANGED)) {
      if (last.layers.at(marker) === now.layers.at(marker)) continue;
      for (const watcher of watchersOf(marker))
        if (this.#watchers.hasRow[watcher] === 1) this.#watchers.wake(watcher, ONCE);
    }
  }

  /** In place of the others, for a tick without rules: what changes in it is not noted. */
  skip(): void {
    this.#limits.skip();
    this.#volatile = undefined;
  }

  /**
   * Has `admit` called again for entities that were touched or are volatile. `holdersOf`: the watchers that perceived a marker at the last
   * tick, or whose row or overrides contain it.
   */
  considerAsked(tick: number, related: RelatedIds, holdersOf: WatcherSlots): void {
    const { pending, now, last, hasVolatile } = this.#store;
    const watchers = this.#watchers;
    if (this.#tables.book.current.every(({ admit }) => admit === undefined)) {
      this.#volatile = undefined;
      return;
    }
    const slots = [...pendingWith(this.#store, TOUCHED)];
    if (hasVolatile) {
      for (const slot of this.#volatileSlots()) if ((pending[slot] & TOUCHED) === 0) slots.push(slot);
    }
    const asks = (watcher: number) =>
      now.isPresent(watcher) && watchers.interestIn(now, watcher).admit !== undefined;
    // First the watchers themselves: one that has a row is not looked for below.
    for (const slot of slots) {
      if (!asks(slot)) continue;
      // One that is no watcher any more is not derived, whatever its interest.
      if (watchers.counts.isDerived[slot] === 1) {
        watchers.giveRow(slot, related(slot), tick);
        watchers.wake(slot, ONCE);
      }
      if (watchers.hasRow[slot] === 1) watchers.wake(slot, ASKED_ANEW);
    }
    const rowCount = watchers.withRow.length;
    let rowsLeft = rowCount / 2;
    let areAllWoken = false;
    const wakeAll = () => {
      areAllWoken = true;
      for (const watcher of watchers.withRow) if (asks(watcher)) watchers.wake(watcher, ASKED_ANEW);
    };
    if (slots.length * ROWS_PER_SEARCH > rowCount) wakeAll();
    for (const slot of slots) {
      if (areAllWoken && !watchers.counts.hasDerived) return;
      // One that is shown always relates by force to all that perceive it. It may linger with a watcher whose range has ended.
      const isAlways = (last.flags[slot] & now.flags[slot] & ALWAYS) !== 0;
      for (const watcher of isAlways ? this.#tables.lingering.holdersOf(slot) : holdersOf(slot)) {
        if (!asks(watcher) || (isAlways && now.perceives(watcher))) continue;
        if (watchers.counts.isDerived[watcher] === 1) {
          this.#overrides.consider(watcher, slot, true);
          // It may get a row in this tick.
          watchers.look[watcher] |= ASKED_ANEW;
        } else if (watchers.hasRow[watcher] === 1 && (watchers.look[watcher] & ASKED_ANEW) === 0) {
          watchers.wake(watcher, ASKED_ANEW);
          if (--rowsLeft < 0) wakeAll();
        }
      }
    }
  }

  /** Slots of the entities that are volatile now. Cost: O(n) once, then O(changed and volatile entities). */
  #volatileSlots(): Iterable<number> {
    const { slotCount, notOnlyMoved } = this.#store;
    const { flags } = this.#store.now;
    const volatile = this.#volatile ?? new Set<number>();
    if (this.#volatile === undefined) {
      for (let slot = 0; slot < slotCount; slot++) if ((flags[slot] & VOLATILE) !== 0) volatile.add(slot);
    }
    this.#volatile = volatile;
    for (const slot of notOnlyMoved) if ((flags[slot] & VOLATILE) !== 0) volatile.add(slot);
    for (const slot of volatile) if ((flags[slot] & VOLATILE) === 0) volatile.delete(slot);
    return volatile;
  }

  /** Adds the groups that a marker belongs to, or belonged to at the last tick. */
  #noteGroups(marker: number, kinds: number, groups: Map<string, ChangedGroup>): void {
    const { now, last } = this.#store;
    for (let kind = 0; kind < now.groups.length; kind++) {
      if ((kinds & (1 << kind)) === 0) continue;
      for (const state of [last, now]) {
        const group = state.isPresent(marker) ? state.groups[kind].at(marker) : 0;
        const members = group === 0 ? [] : this.#tables.forced.membersOf(kind, group);
        if (members.length === 0) continue;
        const key = `${kind} ${group}`;
        const changed = groups.get(key);
        if (changed === undefined) groups.set(key, { members, markers: [marker] });
        else changed.markers.push(marker);
      }
    }
  }

  /** Has the pairs of one watcher decided, or its whole row. Nothing, if `#considerOwn` has all of its pairs decided. */
  #consider(watcher: number, markers: readonly number[]): void {
    const { now, last } = this.#store;
    const isOwnDone = this.#considered.has(watcher) && now.perceives(watcher);
    if (this.#watchers.hasRow[watcher] === 1) {
      // Its row is read for all that relates by force.
      if ((this.#watchers.look[watcher] & ONCE) !== 0 && !this.#tables.maybeForced.has(watcher)) return;
      if (markers.some((marker) => this.#isOther(watcher, marker))) this.#wakeFor(watcher, markers);
    } else if (!isOwnDone && now.isPresent(watcher) && last.isPresent(watcher) && !now.isResting(watcher)) {
      for (const marker of markers) this.#overrides.consider(watcher, marker);
    }
  }

  /** Has a row decided because it may relate to some of these markers by force otherwise than it says. */
  #wakeFor(watcher: number, markers: readonly number[]): void {
    const { maybeForced } = this.#tables;
    const lists = maybeForced.get(watcher);
    if (lists !== undefined) {
      lists.push(markers);
      return;
    }
    this.#watchers.wake(watcher, ONCE);
    // Only now: a row that is woken is read for all that relates by force.
    maybeForced.set(watcher, [markers]);
  }

  /** Whether other rules than those in a watcher's row relate it to a marker by force now. */
  #isOther(watcher: number, marker: number): boolean {
    const { pairs, forced, ties } = this.#tables;
    const at = pairs.find(watcher, marker);
    const before = at < 0 ? 0 : pairs.state[at] & (FORCED | BLOCKED);
    const interest = this.#watchers.interestIn(this.#store.now, watcher);
    return before !== forced.bitsOf(this.#store, interest, ties, watcher, marker);
  }
}

/** Whether an entity's changes may decide whom it relates to by force, now that a tick's are settled. Cost: some 0.2 us. */
function isOtherwiseIn({ now, last }: EntityStore): (slot: number) => boolean {
  const [before, after] = [last, now].map((state) => ({
    standings: [
      state.layers,
      state.sees,
      state.channels,
      state.needs,
      state.only,
      state.onlyGroups,
      ...state.groups,
    ],
    reaches: [...state.gains, ...state.ownRanges],
  }));
  return (slot) =>
    now.flags[slot] !== last.flags[slot] ||
    after.standings.some((value, i) => value.at(slot) !== before.standings[i].at(slot)) ||
    after.reaches.some((reach, i) => (reach.at(slot) === 0) !== (before.reaches[i].at(slot) === 0));
}
