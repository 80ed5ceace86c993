/**
 * Relations to those that are attached: they follow from the relations to their parents.
 *
 *   block: no.  pin: yes.  else: it meets the child, and relates to the parent, or is of the same tree
 *
 * Problem: children are no markers to the detector, so that nobody finds them by themselves, and nobody gives them seats. Method:
 * of each member of a tree (a root, and all that hangs from it) who relates to it is kept as pairs, see attached-pairs.ts. When
 * all other relations of a tick are decided, the trees that something may have changed for are gone through once more, from the
 * root down, for just the watchers concerned: those with a crossing at a member; all of a tree, where its shape or a child
 * changed; all trees of a watcher that changed itself. What comes of it is merged into the crossings of relation, so that
 * reports, rows of relations and counts know no difference.
 *
 * Nothing is changed until `commit`. Memory: a pair for each relation to a member. Cost: nothing in a world without trees; else
 * a look at each crossing and each pending slot, and what has to be gone through.
 */
import { grown } from '../../columns.ts';
import { type Crossings, SENSELESS_AFTER, SENSELESS_BEFORE } from '../../detectors/crossings.ts';
import type { EntityId } from '../../entities/entity-ids.ts';
import type { EntityStore } from '../../entities/entity-store.ts';
import { CONCERNS_MEETING, pendingWith, REMOVED } from '../../entities/pending.ts';
import { meetsCarried } from '../../entities/perception.ts';
import { assert } from '../../errors.ts';
import type { ByteReader } from '../../recording/bytes/byte-reader.ts';
import type { ByteWriter } from '../../recording/bytes/byte-writer.ts';
import type { PairRows } from '../pair-rows.ts';
import type { Ties } from '../rules/ties.ts';
import { AttachedPairs, isFollowing, ownOf, RELATES, stateOf, totalOf } from './attached-pairs.ts';
import { FollowedUpdates } from './followed-updates.ts';
import { ToldCrossings } from './told-crossings.ts';
import { TreeVisits } from './tree-visits.ts';

/** Visits who relates to a marker by itself as of the last tick, and in which senses it perceives it. Slots. */
export type EachOwnWatcher = (marker: number, visit: (watcher: number, senses: number) => void) => void;

/** The watchers that it visits. */
export function listed(eachOwnWatcher: EachOwnWatcher, marker: number): number[] {
  const watchers: number[] = [];
  eachOwnWatcher(marker, (watcher) => watchers.push(watcher));
  return watchers;
}

export class AttachedRelations {
  readonly pairs = new AttachedPairs();
  readonly #store: EntityStore;
  readonly #ties: Ties;
  readonly #told: ToldCrossings;
  readonly #visits = new TreeVisits();
  readonly #updates: FollowedUpdates;
  /** Slots of members as of the last tick, and of those that became one since: all that pairs are kept of. */
  #members: number[] = [];
  /** By slot: 1 for these. */
  #isMember = new Uint8Array(0);
  /** Of the tick under way: who became a member, in whose trees anything may differ, and which watchers changed. */
  readonly #joined: number[] = [];
  readonly #changedTrees: number[] = [];
  readonly #changedWatchers: number[] = [];
  /** What `commit` writes: watcher, marker, state, one after the other. */
  readonly #staged: number[] = [];

  constructor(store: EntityStore, ties: Ties, rows: PairRows) {
    this.#store = store;
    this.#ties = ties;
    this.#updates = new FollowedUpdates(store, this.pairs, rows);
    this.#told = new ToldCrossings(store);
  }

  /** Whether anyone is attached, or was at the last tick. */
  get isAny(): boolean {
    return this.#members.length > 0 || this.#store.attachments.count > 0;
  }

  get memoryBytes(): number {
    return (
      this.pairs.memoryBytes + this.#isMember.byteLength + this.#told.memoryBytes + 8 * this.#members.length
    );
  }

  /**
   * The tick's beginning, when pending changes are settled and everybody else's answers still go by the last one. `tied`:
   * watchers whose pins or blocks changed.
   */
  begin(eachOwnWatcher: EachOwnWatcher, tied: Iterable<EntityId>): void {
    this.#joined.length = 0;
    this.#changedTrees.length = 0;
    this.#changedWatchers.length = 0;
    this.#staged.length = 0;
    if (!this.isAny) return;
    for (const slot of pendingWith(this.#store, CONCERNS_MEETING)) this.#takeUp(slot, eachOwnWatcher);
    // Of those that are removed what is pending has told.
    for (const id of tied) if (this.#store.has(id)) this.#noteWatcher(id >>> 10);
  }

  /**
   * Decides. Answers the crossings of relation with those to members: `crossings` themselves where none differ, else others. Of
   * them all readers but those of seats are to be told.
   */
  decide(crossings: Crossings): Crossings {
    if (!this.isAny) return crossings;
    const visits = this.#visits;
    visits.clear();
    this.#collect(crossings);
    const lost = this.#countLost();
    const told = visits.count === 0 ? crossings : this.#visitAll(crossings);
    told.lostWithWatcher = crossings.lostWithWatcher + lost;
    return told;
  }

  /**
   * Makes what was decided so; rows are still as they were. `changedInterests`: numbers of those that are others since the last
   * tick; `changedRates`: watchers that went to or from being told at rates.
   */
  commit(changedInterests: ReadonlySet<number>, changedRates: readonly number[], tick: number): void {
    if (!this.isAny) return;
    this.#updates.renew(changedInterests, changedRates, tick);
    const staged = this.#staged;
    for (let i = 0; i < staged.length; i += 3) {
      const before = this.pairs.stateOf(staged[i], staged[i + 1]);
      this.#updates.write(staged[i], staged[i + 1], before, staged[i + 2], tick);
    }
    for (const slot of pendingWith(this.#store, REMOVED)) this.pairs.dropWatcher(slot);
    if (this.#changedTrees.length > 0)
      this.#releaseMembers((slot) => !this.#store.attachments.isMember(slot));
  }

  /** The rest of it, when rows are written. */
  commitRows(): void {
    this.#updates.handBack();
  }

  /** The tick did not stand. */
  abort(): void {
    const joined = new Set(this.#joined);
    if (joined.size > 0) this.#releaseMembers((slot) => joined.has(slot));
    this.#joined.length = 0;
  }

  /** How a pair stands in all, as of the last tick; `undefined` where that follows from no parent. */
  followedOf(watcher: number, marker: number): number | undefined {
    if (!this.#store.last.isCarried(marker)) return undefined;
    return totalOf(this.pairs.stateOf(watcher, marker));
  }

  /** Whether anything is kept of whom a watcher relates to in trees; it may have no range, and no pin that holds. */
  hasPairsOf(watcher: number): boolean {
    return this.pairs.firstOfWatcher(watcher) >= 0;
  }

  /** Visits the markers that a watcher relates to for their parents' sake alone, as of the last tick. */
  eachFollowed(watcher: number, visit: (marker: number) => void): void {
    const { pairs } = this;
    for (let pair = pairs.firstOfWatcher(watcher); pair >= 0; pair = pairs.nextOfWatcher(pair)) {
      if (isFollowing(pairs.state[pair])) visit(pairs.marker[pair]);
    }
  }

  /** Visits who relates to a marker for its parent's sake alone, as of the last tick. */
  eachFollower(marker: number, visit: (watcher: number) => void): void {
    const { pairs } = this;
    for (let pair = pairs.firstOfMarker(marker); pair >= 0; pair = pairs.nextOfMarker(pair)) {
      if (isFollowing(pairs.state[pair])) visit(pairs.watcher[pair]);
    }
  }

  /** The relations of a watcher (ascending ids) less those for a parent's sake alone. */
  withoutFollowed(watcher: number, row: Uint32Array): Uint32Array {
    if (this.pairs.firstOfWatcher(watcher) < 0) return row;
    return row.filter((id) => !isFollowing(this.pairs.stateOf(watcher, id >>> 10)));
  }

  save(writer: ByteWriter): void {
    this.pairs.save(writer);
  }

  /** Into one that was never used; the population was loaded. */
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

  /** As `load` where nobody watches. */
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

  /** A slot that was added, removed or changed. */
  #takeUp(slot: number, eachOwnWatcher: EachOwnWatcher): void {
    const { last, now } = this.#store;
    const [before, after] = [last.parents.at(slot), now.parents.at(slot)];
    if (before !== after) {
      // The tree it has left loses more than itself: who hangs from it relates to others there by that.
      if (before !== 0) this.#changedTrees.push(before >>> 10);
      if (after !== 0) {
        this.#join(slot, eachOwnWatcher);
        this.#join(after >>> 10, eachOwnWatcher);
      }
    }
    if (before !== after || after !== 0 || (!now.isPresent(slot) && this.#isTracked(slot)))
      this.#changedTrees.push(slot);
    this.#noteWatcher(slot);
  }

  #noteWatcher(slot: number): void {
    if (this.#isTracked(slot) || this.pairs.firstOfWatcher(slot) >= 0) this.#changedWatchers.push(slot);
  }

  /** Takes a slot for a member from now on, with who relates to it by itself as of the last tick. */
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

  /** Collects which watchers are to be gone through which trees for. */
  #collect(crossings: Crossings): void {
    const { attachments, now } = this.#store;
    const { pairs } = this;
    const visits = this.#visits;
    for (const slot of new Set(this.#changedTrees.map((each) => attachments.rootOf(each))))
      this.#collectTree(slot, slot);
    for (const watcher of this.#changedWatchers) {
      if (!now.isPresent(watcher)) continue;
      for (let pair = pairs.firstOfWatcher(watcher); pair >= 0; pair = pairs.nextOfWatcher(pair)) {
        visits.add(watcher, attachments.rootOf(pairs.marker[pair]));
      }
      if (this.#isTracked(watcher)) visits.add(watcher, attachments.rootOf(watcher));
    }
    const isMember = this.#isMember;
    const { count } = crossings;
    for (let i = 0; i < count; i++) {
      const marker = crossings.markerAt(i);
      // Beyond the column there is no member.
      if (isMember[marker] === 1) visits.add(crossings.watcherAt(i), attachments.rootOf(marker));
    }
  }

  /** All who relate to a member of the part of a tree below a slot, or are one and perceive. */
  #collectTree(root: number, slot: number): void {
    const { attachments, now } = this.#store;
    const { pairs } = this;
    for (let pair = pairs.firstOfMarker(slot); pair >= 0; pair = pairs.nextOfMarker(pair)) {
      if (now.isPresent(pairs.watcher[pair])) this.#visits.add(pairs.watcher[pair], root);
    }
    if (this.#isWatcher(slot)) this.#visits.add(slot, root);
    for (const child of attachments.childrenOf(slot)) this.#collectTree(root, child);
  }

  #visitAll(crossings: Crossings): Crossings {
    const visits = this.#visits;
    const told = this.#told;
    const isMember = (marker: number) => this.#isTracked(marker);
    visits.sort();
    told.begin(crossings);
    for (let i = 0; i < visits.count; ) {
      const watcher = visits.watcherAt(i);
      told.beginWatcher(watcher);
      for (; i < visits.count && visits.watcherAt(i) === watcher; i++) {
        if (visits.isFirst(i)) this.#descend(watcher, visits.rootAt(i), visits.rootAt(i), 0);
      }
      told.endWatcher(isMember);
    }
    return told.end();
  }

  /** Decides on one watcher and the part of a tree below a slot. `above`: how it stands with the parent. */
  #descend(watcher: number, slot: number, root: number, above: number): void {
    const { attachments, now } = this.#store;
    const state = this.pairs.stateOf(watcher, slot);
    const crossed = this.#told.crossedTo(slot);
    let own = crossed < 0 ? ownOf(state) : crossed;
    if (!now.isPresent(slot)) own = 0;
    const total = slot === root ? own : this.#totalOf(watcher, slot, root, above, own);
    const after = stateOf(own, total);
    if (after !== state) this.#staged.push(watcher, slot, after);
    if (total !== totalOf(state)) this.#told.tell(slot, payloadOf(totalOf(state), total));
    for (const child of attachments.childrenOf(slot)) this.#descend(watcher, child, root, total);
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
    return isOne && this.#isWatcher(watcher);
  }

  #isWatcher(slot: number): boolean {
    const { now, ids } = this.#store;
    if (now.isResting(slot)) return false;
    return now.perceives(slot) || this.#ties.pinsOf(ids.idOf[slot]) !== undefined;
  }

  /** Relations for a parent's sake that end with their watcher. */
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

/** The part of a crossing's word that says how the pair stood and stands. */
function payloadOf(before: number, after: number): number {
  const senselessBefore = before === RELATES ? SENSELESS_BEFORE : 0;
  const senselessAfter = after === RELATES ? SENSELESS_AFTER : 0;
  return (before & 255) | ((after & 255) << 8) | senselessBefore | senselessAfter;
}
