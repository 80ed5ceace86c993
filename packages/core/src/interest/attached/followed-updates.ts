/**
 * When the watchers that get updates at rates last got an update of each attached marker.
 *
 * All other watchers get each update at once. Method: a relation that follows from the parent's has its tick in a table
 * of the watcher; a relation of its own has it in the watcher's row. When one kind replaces the other, it takes the tick
 * over. When a watcher gets another interest, everything counts as reported at the tick before. Memory: some 50 bytes a
 * relation. Cost: nothing while no watcher gets updates at rates.
 */
import type { ByteReader } from '../../bytes/byte-reader.ts';
import type { ByteWriter } from '../../bytes/byte-writer.ts';
import { UPDATES } from '../../entities/entity-state.ts';
import type { EntityStore } from '../../entities/entity-store.ts';
import { INTEREST_CHANGED, pendingWith, REMOVED, UPDATES_CHANGED } from '../../entities/pending.ts';
import { mapBytes } from '../table/collection-bytes.ts';
import { type PairRows, RELATED } from '../table/pair-rows.ts';
import type { TreeSide } from './tree-side.ts';

/** Ticks by marker (a slot): all that a watcher relates to because of a parent. */
export type ReportedTicks = Map<number, number>;

/** How a pair related, and relates: because of the parent, or by itself. */
const WAS_FOLLOWING = 1;
const WAS_OWN = 2;
const FOLLOWS = 4;
const IS_OWN = 8;

export class FollowedUpdates {
  readonly #store: EntityStore;
  readonly #rows: PairRows;
  readonly #last: TreeSide;
  readonly #isRated: (watcher: number) => boolean;
  /** By watcher (a slot). Some may not get updates at rates any more. */
  readonly #ticks = new Map<number, ReportedTicks>();
  /** Of the tick under way: watcher, marker, and how they relate, in turn. */
  readonly #staged: number[] = [];
  /** Watcher, marker, tick, in turn: for rows that are about to be written. */
  readonly #handedBack: number[] = [];

  /** `last`: the trees of the last tick. */
  constructor(store: EntityStore, rows: PairRows, last: TreeSide, isRated: (watcher: number) => boolean) {
    this.#store = store;
    this.#rows = rows;
    this.#last = last;
    this.#isRated = isRated;
  }

  get memoryBytes(): number {
    let bytes = mapBytes(this.#ticks.size);
    for (const { size } of this.#ticks.values()) bytes += mapBytes(size);
    return bytes;
  }

  /** Whether no watcher has any. */
  get isEmpty(): boolean {
    return this.#ticks.size === 0;
  }

  /** `undefined`: none. */
  of(watcher: number): ReportedTicks | undefined {
    return this.#ticks.get(watcher);
  }

  /** A tick begins. */
  begin(): void {
    this.#staged.length = 0;
  }

  /** Takes note of a pair as decided: how it relates, and how by itself, before and after. */
  stage(
    watcher: number,
    marker: number,
    before: number,
    ownBefore: number,
    after: number,
    ownAfter: number,
  ): void {
    const was = before === 0 ? 0 : ownBefore === 0 ? WAS_FOLLOWING : WAS_OWN;
    const is = after === 0 ? 0 : ownAfter === 0 ? FOLLOWS : IS_OWN;
    this.#staged.push(watcher, marker, was | is);
  }

  /**
   * Applies what was staged. Before rows are written. Marks everything as reported at the tick before this one, for
   * watchers that have another interest, get updates again, or began to get updates at rates.
   */
  commit(changedInterests: ReadonlySet<number>, changedRates: readonly number[], tick: number): void {
    this.#renew(changedInterests, changedRates, tick);
    const staged = this.#staged;
    for (let i = 0; i < staged.length; i += 3) this.#write(staged[i], staged[i + 1], staged[i + 2], tick);
    staged.length = 0;
    if (this.#ticks.size === 0) return;
    for (const slot of pendingWith(this.#store, REMOVED)) this.#ticks.delete(slot);
  }

  /** After rows were written: gives them the report ticks of the pairs that they took over. */
  handBack(): void {
    const handed = this.#handedBack;
    for (let i = 0; i < handed.length; i += 3) {
      const at = this.#rows.find(handed[i], handed[i + 1]);
      if (at >= 0) this.#rows.reported[at] = handed[i + 2];
    }
    handed.length = 0;
  }

  save(writer: ByteWriter): void {
    const pairs: (readonly [watcher: number, marker: number, tick: number])[] = [];
    for (const [watcher, ticks] of this.#ticks)
      for (const [marker, tick] of ticks) pairs.push([watcher, marker, tick]);
    // In the order of updates, the bytes would depend on which way found them.
    pairs.sort((a, b) => a[0] - b[0] || a[1] - b[1]);
    for (const column of [0, 1, 2] as const) writer.column(Uint32Array.from(pairs, (pair) => pair[column]));
  }

  /** Into a new instance. `isPair`: whether two slots may be a pair. */
  load(reader: ByteReader, isPair: (watcher: number, marker: number) => boolean, tickCount: number): void {
    const [watchers, markers, ticks] = [reader.column('u32'), reader.column('u32'), reader.column('u32')];
    const { length } = watchers;
    reader.check(markers.length === length && ticks.length === length, 'columns of one length');
    for (let i = 0; i < length; i++) {
      const known = this.#ticks.get(watchers[i]) ?? new Map<number, number>();
      const isNew = isPair(watchers[i], markers[i]) && !known.has(markers[i]);
      reader.check(isNew && ticks[i] <= tickCount, 'a pair of one that is attached');
      this.#ticks.set(watchers[i], known.set(markers[i], ticks[i]));
    }
  }

  #renew(changedInterests: ReadonlySet<number>, changedRates: readonly number[], tick: number): void {
    const { now, last, pending } = this.#store;
    for (const watcher of changedRates) this.#startAnew(watcher, tick);
    if (this.#ticks.size === 0) return;
    if (changedInterests.size > 0) {
      for (const watcher of this.#ticks.keys())
        if (changedInterests.has(now.interests.at(watcher))) this.#renewOne(watcher, tick);
    }
    for (const slot of pendingWith(this.#store, INTEREST_CHANGED | UPDATES_CHANGED)) {
      const getsUpdatesAgain = (pending[slot] & UPDATES_CHANGED) !== 0 && (last.flags[slot] & UPDATES) === 0;
      // A watcher that got another interest and then its former one again has the same interest.
      const isNewInterest = last.interests.at(slot) !== now.interests.at(slot);
      if (isNewInterest || getsUpdatesAgain) this.#renewOne(slot, tick);
    }
  }

  /** A watcher began or ceased to get updates at rates. All of the former have a row. */
  #startAnew(watcher: number, tick: number): void {
    this.#ticks.delete(watcher);
    if (!this.#isRated(watcher) || !this.#store.last.isPresent(watcher)) return;
    const { start, size, marker, state } = this.#rows;
    const related: number[] = [];
    for (let i = start[watcher]; i < start[watcher] + size[watcher]; i++)
      if ((state[i] & RELATED) !== 0) related.push(marker[i]);
    const ticks: ReportedTicks = new Map();
    const roots = this.#last.rootsOf(watcher, related);
    this.#last.eachFollowed(watcher, roots, (member) => ticks.set(member, tick - 1));
    if (ticks.size > 0) this.#ticks.set(watcher, ticks);
  }

  #renewOne(watcher: number, tick: number): void {
    const ticks = this.#ticks.get(watcher);
    for (const marker of ticks?.keys() ?? []) ticks?.set(marker, tick - 1);
  }

  #write(watcher: number, marker: number, kinds: number, tick: number): void {
    const ticks = this.#ticks.get(watcher);
    let reported = tick;
    if (kinds === (WAS_OWN | FOLLOWS)) {
      const at = this.#rows.find(watcher, marker);
      if (at >= 0) reported = this.#rows.reported[at];
    } else if ((kinds & WAS_FOLLOWING) !== 0) {
      reported = ticks?.get(marker) ?? tick;
      if ((kinds & IS_OWN) !== 0) this.#handedBack.push(watcher, marker, reported);
    }
    if ((kinds & FOLLOWS) === 0) ticks?.delete(marker);
    else if (ticks !== undefined) ticks.set(marker, reported);
    else this.#ticks.set(watcher, new Map([[marker, reported]]));
  }
}
