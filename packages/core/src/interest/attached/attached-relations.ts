/**
 * Relations to attached markers: they follow from the relations to their parents.
 *
 *   block: no.  pin: yes.  else: it meets the child, and relates to the parent, or is of the same tree
 *
 * Problem: children are no markers to the detector, so that no detector finds them and no rule gives them
 * seats. Method: for each member of a tree (a root and everything attached to it), the relations to it are
 * stored as pairs, see attached-pairs.ts. After all other relations of a tick are decided, the members that may
 * be affected are visited once more, with all below them, only for the watchers concerned: for a watcher with a
 * crossing at a member, that member; for all watchers of a tree, a child that changed or came to it; for a watcher
 * that changed itself, or came to a tree, all its trees. The results are merged into the crossings of relation, so
 * that reports, rows of relations and counts need no special case.
 *
 * Nothing changes until `commit`. Memory: a pair for each relation to a member. Cost: nothing in a world
 * without trees; else one lookup for each crossing and each pending slot, and the visits.
 */
import { grown } from '../../columns.ts';
import { Crossings, highWordOf, keyOf, pairOf } from '../../detectors/crossings.ts';
import type { EntityId } from '../../entities/entity-ids.ts';
import type { EntityStore } from '../../entities/entity-store.ts';
import { CONCERNS_MEETING, pendingWith, REMOVED } from '../../entities/pending.ts';
import { meetsCarried } from '../../entities/perception.ts';
import { assert } from '../../errors.ts';
import type { ByteReader } from '../../recording/bytes/byte-reader.ts';
import type { ByteWriter } from '../../recording/bytes/byte-writer.ts';
import type { PairRows } from '../pair-rows.ts';
import type { Ties } from '../rules/ties.ts';
import { lowWordBetween, RELATES } from '../table/relation-words.ts';
import { AttachedPairs, isFollowing, ownOf, stateOf, totalOf } from './attached-pairs.ts';
import { FollowedUpdates } from './followed-updates.ts';

/**
 * If more than one member of a tree in this many changed, the tree is visited as a whole: sorting visits takes longer
 * than descending.
 */
const WHOLE_SHARE = 4;

/** What a marker counts for in a low word, whose upper bits it has. */
const MARKER = 2 ** 20;

/**
 * Visits the watchers that relate to a marker by their own relation as of the last tick, with the senses that
 * perceive it. Slots.
 */
export type EachOwnWatcher = (marker: number, visit: (watcher: number, senses: number) => void) => void;

/** The watchers that `eachOwnWatcher` visits, as a list. */
export function listed(eachOwnWatcher: EachOwnWatcher, marker: number): number[] {
  const watchers: number[] = [];
  eachOwnWatcher(marker, (watcher) => watchers.push(watcher));
  return watchers;
}

export class AttachedRelations {
  readonly pairs = new AttachedPairs();
  readonly #store: EntityStore;
  readonly #ties: Ties;
  readonly #updates: FollowedUpdates;
  /** Slots whose pairs are stored: the members as of the last tick, and those that became members since. */
  #members: number[] = [];
  /** By slot: 1 for these members. */
  #isMember = new Uint8Array(0);
  /**
   * Of the tick under way: slots that became members, members that changed, those of them that got another parent or
   * lost theirs, and watchers that changed.
   */
  readonly #joined: number[] = [];
  readonly #changedMembers: number[] = [];
  readonly #rehung: number[] = [];
  readonly #changedWatchers: number[] = [];
  /** Of the tick under way: the members with a crossing. Few children have any: their relations follow. */
  readonly #crossed = new Set<number>();
  /** Of the tick under way: the watchers and the members to visit for each, by `keyOf` both, in any order. */
  readonly #visits: number[] = [];
  /** What `commit` writes: the index of the pair or -1, watcher, marker, state, in turn. */
  readonly #staged: number[] = [];
  /** The crossings to report. Those by which seats were decided stay as they are, because seats are counted by them. */
  #reported: Crossings | undefined;
  /** Relations of the current watcher that changed: marker and the rest of the low word, as one number each. */
  readonly #changes: number[] = [];

  constructor(store: EntityStore, ties: Ties, rows: PairRows) {
    this.#store = store;
    this.#ties = ties;
    this.#updates = new FollowedUpdates(store, this.pairs, rows);
  }

  /** Whether any entity is attached, or was at the last tick. */
  get isAny(): boolean {
    return this.#members.length > 0 || this.#store.attachments.count > 0;
  }

  get memoryBytes(): number {
    return this.pairs.memoryBytes + this.#isMember.byteLength + 8 * this.#members.length;
  }

  /**
   * Start of the tick: pending changes are settled, and all queries still refer to the last tick. `tied`:
   * watchers whose pins or blocks changed.
   */
  begin(eachOwnWatcher: EachOwnWatcher, tied: Iterable<EntityId>): void {
    this.#joined.length = 0;
    this.#changedMembers.length = 0;
    this.#rehung.length = 0;
    this.#changedWatchers.length = 0;
    this.#staged.length = 0;
    if (!this.isAny) return;
    for (const slot of pendingWith(this.#store, CONCERNS_MEETING)) this.#noteChanged(slot, eachOwnWatcher);
    // Removed watchers were handled with the pending slots.
    for (const id of tied) if (this.#store.has(id)) this.#noteWatcher(id >>> 10);
  }

  /**
   * Decides the tick. Returns the crossings of relation including those to members: `crossings` itself if no
   * tree was visited, else a copy. The copy is for all readers except those that count seats.
   */
  decide(crossings: Crossings): Crossings {
    if (!this.isAny) return crossings;
    this.#visits.length = 0;
    this.#crossed.clear();
    this.#collect(crossings);
    const lost = this.#countLost();
    const reported = this.#visits.length === 0 ? crossings : this.#visitAll(crossings);
    reported.lostWithWatcher = crossings.lostWithWatcher + lost;
    return reported;
  }

  /**
   * Applies the decisions. Before rows are written. `changedInterests`: numbers of the interests that changed
   * since the last tick; `changedRates`: watchers that began or ceased to get updates at rates.
   */
  commit(changedInterests: ReadonlySet<number>, changedRates: readonly number[], tick: number): void {
    if (!this.isAny) return;
    this.#updates.renew(changedInterests, changedRates, tick);
    const staged = this.#staged;
    for (let i = 0; i < staged.length; i += 4)
      this.#updates.write(staged[i], staged[i + 1], staged[i + 2], staged[i + 3], tick);
    for (const slot of pendingWith(this.#store, REMOVED)) this.pairs.dropWatcher(slot);
    if (this.#changedMembers.length > 0)
      this.#releaseMembers((slot) => !this.#store.attachments.isMember(slot));
    // The next tick may fail before it begins here, and `abort` must not release these.
    this.#joined.length = 0;
  }

  /** The rest of `commit`, after rows were written. */
  commitRows(): void {
    this.#updates.handBack();
  }

  /** The tick failed. */
  abort(): void {
    const joined = new Set(this.#joined);
    if (joined.size > 0) this.#releaseMembers((slot) => joined.has(slot));
    this.#joined.length = 0;
  }

  /** The total state of a pair, as of the last tick; `undefined` if the marker was not attached. */
  followedOf(watcher: number, marker: number): number | undefined {
    if (!this.#store.last.isCarried(marker)) return undefined;
    return totalOf(this.pairs.stateOf(watcher, marker));
  }

  /** Whether a watcher has any pair here. It may have no range, and no pin that holds. */
  hasPairsOf(watcher: number): boolean {
    return this.pairs.firstOfWatcher(watcher) >= 0;
  }

  /** Visits the markers that a watcher relates to only because of their parents, as of the last tick. */
  eachFollowed(watcher: number, visit: (marker: number) => void): void {
    const { pairs } = this;
    for (let pair = pairs.firstOfWatcher(watcher); pair >= 0; pair = pairs.nextOfWatcher(pair)) {
      if (isFollowing(pairs.state[pair])) visit(pairs.marker[pair]);
    }
  }

  /** Visits the watchers that relate to a marker only because of its parent, as of the last tick. */
  eachFollower(marker: number, visit: (watcher: number) => void): void {
    const { pairs } = this;
    for (let pair = pairs.firstOfMarker(marker); pair >= 0; pair = pairs.nextOfMarker(pair)) {
      if (isFollowing(pairs.state[pair])) visit(pairs.watcher[pair]);
    }
  }

  /** The relations of a watcher (ascending ids) without those that exist only because of a parent. */
  withoutFollowed(watcher: number, row: Uint32Array): Uint32Array {
    if (this.pairs.firstOfWatcher(watcher) < 0) return row;
    return row.filter((id) => !isFollowing(this.pairs.stateOf(watcher, id >>> 10)));
  }

  save(writer: ByteWriter): void {
    this.pairs.save(writer);
  }

  /** Into a new instance; the population was loaded. */
  load(reader: ByteReader, tickCount: number): void {
    const { last, slotCount, settings } = this.#store;
    this.loadNone();
    const isPair = (watcher: number, marker: number) =>
      watcher < slotCount &&
      watcher !== marker &&
      last.isPresent(watcher) &&
      marker < slotCount &&
      this.#isMember[marker] === 1;
    this.pairs.load(reader, isPair, (1 << settings.senseCount) - 1, tickCount);
  }

  /** As `load`, where there are no watchers. */
  loadNone(): void {
    const { last, slotCount } = this.#store;
    this.#growTo(slotCount);
    for (let slot = 0; slot < slotCount && last.parents.column !== undefined; slot++) {
      if (last.parents.at(slot) === 0) continue;
      for (const member of [slot, last.parents.at(slot) >>> 10]) {
        if (this.#isMember[member] === 0) this.#members.push(member);
        this.#isMember[member] = 1;
      }
    }
  }

  /** Throws at the first broken invariant. For tests. */
  validate(): void {
    const { last, slotCount } = this.#store;
    this.pairs.validate();
    const members = new Set<number>();
    for (let slot = 0; slot < slotCount && last.parents.column !== undefined; slot++) {
      if (last.parents.at(slot) !== 0) members.add(slot).add(last.parents.at(slot) >>> 10);
    }
    const areListed =
      members.size === this.#members.length && this.#members.every((slot) => members.has(slot));
    assert(areListed, 'members of trees are listed as of the last tick');
  }

  /** Takes note of a slot that was added, removed or changed. */
  #noteChanged(slot: number, eachOwnWatcher: EachOwnWatcher): void {
    const { last, now } = this.#store;
    const [before, after] = [last.parents.at(slot), now.parents.at(slot)];
    if (before !== after) {
      this.#rehung.push(slot);
      if (after !== 0) {
        this.#join(slot, eachOwnWatcher);
        this.#join(after >>> 10, eachOwnWatcher);
      }
    }
    if (before !== after || after !== 0 || (!now.isPresent(slot) && this.#isTracked(slot)))
      this.#changedMembers.push(slot);
    this.#noteWatcher(slot);
  }

  #noteWatcher(slot: number): void {
    if (this.#isTracked(slot) || this.pairs.firstOfWatcher(slot) >= 0) this.#changedWatchers.push(slot);
  }

  /** Makes a slot a member, with the watchers' own relations to it as of the last tick. */
  #join(slot: number, eachOwnWatcher: EachOwnWatcher): void {
    if (this.#isTracked(slot)) return;
    this.#growTo(this.#store.slotCount);
    this.#isMember[slot] = 1;
    this.#members.push(slot);
    this.#joined.push(slot);
    if (!this.#store.last.isPresent(slot)) return;
    eachOwnWatcher(slot, (watcher, senses) => {
      this.pairs.set(watcher, slot, stateOf(RELATES | senses, RELATES | senses), 0);
    });
  }

  /** Collects which members are visited for which watchers. */
  #collect(crossings: Crossings): void {
    this.#collectChanged();
    for (const slot of this.#rehung) this.#collectBelow(slot);
    for (const watcher of this.#changedWatchers) this.#collectTreesOf(watcher);
    const isMember = this.#isMember;
    const { count } = crossings;
    for (let i = 0; i < count; i++) {
      const marker = crossings.markerAt(i);
      // Slots beyond the column are no members.
      if (isMember[marker] !== 1) continue;
      this.#visit(crossings.watcherAt(i), marker);
      this.#crossed.add(marker);
    }
  }

  /** Collects the members that changed, for all whose relation to them may change; many of one tree as a whole. */
  #collectChanged(): void {
    const { attachments } = this.#store;
    const byRoot = new Map<number, number[]>();
    for (const slot of new Set(this.#changedMembers)) {
      const root = attachments.rootOf(slot);
      const known = byRoot.get(root);
      if (known === undefined) byRoot.set(root, [slot]);
      else known.push(slot);
    }
    for (const [root, changed] of byRoot) {
      const members: number[] = [];
      this.#listBelow(root, members);
      const watching = members.filter((slot) => this.#ties.isWatcher(this.#store, slot));
      const tops = changed.length * WHOLE_SHARE > members.length ? [root] : changed;
      for (const top of tops) {
        const parent = attachments.parentOf(top);
        if (parent >= 0) this.#visitFromWatchersOf(parent, top);
        const below: number[] = [];
        this.#listBelow(top, below);
        for (const slot of below) this.#visitFromWatchersOf(slot, top);
        for (const watcher of watching) this.#visit(watcher, top);
      }
    }
  }

  /** Collects all trees of the watchers among a slot and those below it. */
  #collectBelow(slot: number): void {
    const below: number[] = [];
    this.#listBelow(slot, below);
    for (const watcher of below) this.#collectTreesOf(watcher);
  }

  /** Collects the trees of whose members a watcher has a pair, and the one that it is in. */
  #collectTreesOf(watcher: number): void {
    const { attachments, now } = this.#store;
    const { pairs } = this;
    if (!now.isPresent(watcher)) return;
    for (let pair = pairs.firstOfWatcher(watcher); pair >= 0; pair = pairs.nextOfWatcher(pair)) {
      this.#visit(watcher, attachments.rootOf(pairs.marker[pair]));
    }
    // To its own tree only a watcher relates. Without this, thousands of markers of one tree would each be visited for all others.
    if (this.#isTracked(watcher) && this.#ties.isWatcher(this.#store, watcher))
      this.#visit(watcher, attachments.rootOf(watcher));
  }

  /** Lists a slot and all slots attached to it, directly or through others. */
  #listBelow(slot: number, list: number[]): void {
    list.push(slot);
    for (const child of this.#store.attachments.childrenOf(slot)) this.#listBelow(child, list);
  }

  /** Collects a member for the watchers that relate to `marker`. */
  #visitFromWatchersOf(marker: number, member: number): void {
    const { now } = this.#store;
    const { pairs } = this;
    for (let pair = pairs.firstOfMarker(marker); pair >= 0; pair = pairs.nextOfMarker(pair)) {
      const watcher = pairs.watcher[pair];
      if (now.isPresent(watcher)) this.#visit(watcher, member);
    }
  }

  #visit(watcher: number, member: number): void {
    this.#visits.push(keyOf(watcher, member));
  }

  /** Returns the crossings with the words to members replaced: each of them is to a member that is visited. */
  #visitAll(crossings: Crossings): Crossings {
    this.#reported ??= new Crossings(this.#store.heap);
    const reported = this.#reported;
    reported.replace(crossings.words, crossings.count, crossings.watcherFlags);
    const isMember = this.#isMember;
    reported.keep((i) => isMember[reported.markerAt(i)] !== 1);
    const words: number[] = [];
    let flags = 0;
    const visits = Float64Array.from(this.#visits).sort();
    const members = new Set<number>();
    for (let i = 0; i < visits.length; ) {
      const [watcher] = pairOf(visits[i]);
      members.clear();
      for (; i < visits.length; i++) {
        const [of, member] = pairOf(visits[i]);
        if (of !== watcher) break;
        members.add(member);
      }
      for (const member of members) this.#visitOne(crossings, watcher, member, members);
      if (this.#changes.length > 0) flags |= this.#store.now.flags[watcher];
      this.#writeChanges(watcher, words);
    }
    reported.merge(words, flags);
    return reported;
  }

  /** Decides the relations of a watcher to a member and all below it, unless the watcher visits one above it, too. */
  #visitOne(crossings: Crossings, watcher: number, member: number, visited: ReadonlySet<number>): void {
    const { attachments } = this.#store;
    const parent = attachments.parentOf(member);
    let root = member;
    for (let above = parent; above >= 0; above = attachments.parentOf(above)) {
      if (visited.has(above)) return;
      root = above;
    }
    // To what is above it, nothing has changed.
    const above = parent < 0 ? 0 : totalOf(this.pairs.stateOf(watcher, parent));
    this.#descend(crossings, watcher, member, root, above);
  }

  /** Writes the words of a watcher's changes, by ascending marker. */
  #writeChanges(watcher: number, words: number[]): void {
    for (const change of Float64Array.from(this.#changes).sort())
      words.push(change % 2 ** 32, highWordOf(watcher, Math.floor(change / MARKER)));
    this.#changes.length = 0;
  }

  /**
   * Decides the relations of one watcher to the subtree of a slot. `above`: its total state with the parent.
   */
  #descend(crossings: Crossings, watcher: number, slot: number, root: number, above: number): void {
    const { attachments, now } = this.#store;
    const pair = this.pairs.find(watcher, slot);
    const state = this.pairs.stateAt(pair);
    const i = this.#crossed.has(slot) ? crossings.find(watcher, slot) : -1;
    let own = i < 0 ? ownOf(state) : crossings.isRelated(i) ? RELATES | crossings.afterAt(i) : 0;
    if (!now.isPresent(slot)) own = 0;
    const total = slot === root ? own : this.#totalOf(watcher, slot, root, above, own);
    const after = stateOf(own, total);
    if (after !== state) this.#staged.push(pair, watcher, slot, after);
    const low = lowWordBetween(slot, totalOf(state), total);
    if (low !== 0) this.#changes.push(slot * MARKER + (low % MARKER));
    for (const child of attachments.childrenOf(slot)) this.#descend(crossings, watcher, child, root, total);
  }

  #totalOf(watcher: number, slot: number, root: number, above: number, own: number): number {
    const { now, ids } = this.#store;
    const followsParent = (above & RELATES) !== 0;
    if (!followsParent && !this.#isOfOneTree(watcher, slot, root)) return own;
    if (!meetsCarried(now, watcher, slot)) return own;
    if (this.#ties.blocksOf(ids.idOf[watcher])?.has(ids.idOf[slot]) === true) return own;
    return followsParent ? above : RELATES;
  }

  /** Whether a watcher is the parent of a child, or attached to the same root. */
  #isOfOneTree(watcher: number, child: number, root: number): boolean {
    const { attachments, now } = this.#store;
    const isOne =
      attachments.parentOf(child) === watcher ||
      (now.parents.at(watcher) !== 0 && attachments.rootOf(watcher) === root);
    return isOne && this.#ties.isWatcher(this.#store, watcher);
  }

  /** Number of relations because of a parent that end because their watcher was removed. */
  #countLost(): number {
    const { now } = this.#store;
    let lost = 0;
    for (const watcher of this.#changedWatchers) {
      if (!now.isPresent(watcher)) this.eachFollowed(watcher, () => lost++);
    }
    return lost;
  }

  #releaseMembers(isGone: (slot: number) => boolean): void {
    this.#members = this.#members.filter((slot) => {
      if (!isGone(slot)) return true;
      this.pairs.dropMarker(slot);
      this.#isMember[slot] = 0;
      return false;
    });
  }

  #isTracked(slot: number): boolean {
    return slot < this.#isMember.length && this.#isMember[slot] === 1;
  }

  #growTo(slotCount: number): void {
    if (slotCount > this.#isMember.length)
      this.#isMember = grown(this.#isMember, Math.max(slotCount, this.#store.capacity));
  }
}
