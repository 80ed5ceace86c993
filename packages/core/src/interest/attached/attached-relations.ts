/**
 * Relations to attached markers: they follow from the relations to their roots.
 *
 *   block: no.  pin: yes.  else: it meets the child, and relates to the parent, or is of the same tree
 *
 * Problem: children are no markers to the detector, so that no detector finds them and no rule gives them seats.
 * Method: no pairs are stored. How a watcher relates to a child follows at any time from how it relates to the root and
 * from the tree (tree-side.ts). After all other relations of a tick are decided, the crossings at roots are repeated for
 * what is attached to them; in addition, what may have changed although the relation to the root did not is compared
 * with the last tick (tree-changes.ts). Each pair is visited once: a child below one that changed is visited with that one,
 * any other with its root. The results are merged into the crossings of relation, so that reports, rows of relations and
 * counts need no special case.
 *
 * Nothing changes until `commit`. Memory: 25 bytes a slot; the crossings of the tick. Cost: nothing in a world without
 * trees; else a look at each crossing and each pending slot, some 30 ns for each relation to a child that begins or ends,
 * and a search for each root of children that changed.
 */
import type { ByteReader } from '../../bytes/byte-reader.ts';
import type { ByteWriter } from '../../bytes/byte-writer.ts';
import { grown } from '../../columns.ts';
import { Crossings, highWordOf, markerIn, markerOf } from '../../detectors/crossings.ts';
import type { EntityId } from '../../entities/entity-ids.ts';
import type { EntityStore } from '../../entities/entity-store.ts';
import { pendingWith, REMOVED } from '../../entities/pending.ts';
import { meetsCarried } from '../../entities/perception.ts';
import { assert } from '../../errors.ts';
import type { Ties } from '../rules/ties.ts';
import { lowWordBetween, RELATES } from '../table/relation-words.ts';
import type { EachOwnWatcher, RootWatchers } from './root-watchers.ts';
import { type OwnMarkers, slotsOf, TreeChanges } from './tree-changes.ts';
import { ChildLink, type OwnRelation, TreeSide } from './tree-side.ts';

export class AttachedRelations {
  /** The trees of the last tick, and those of now. The latter only while a tick is under way. */
  readonly last: TreeSide;
  readonly now: TreeSide;
  readonly changes: TreeChanges;
  readonly #store: EntityStore;
  readonly #ties: Ties;
  /** By slot: number of markers that the watcher relates to only because of a parent or a tree, as of the last tick. */
  #followed = new Uint32Array(0);
  /** Of the tick under way: what is added to it, and for whom. */
  #added = new Int32Array(0);
  readonly #counted: number[] = [];
  /** By slot: whether the watcher has ties to children, in the tick under way: 0 unknown, 1 no, 2 yes. */
  #tied = new Uint8Array(0);
  readonly #asked: number[] = [];
  /** Scratch by slot, for one child: its relations to its roots before and after, and its own ones; and for whom they are. */
  #scratch: readonly Uint16Array[] = [];
  #visited = new Uint32Array(0);
  #visit = 0;
  readonly #visiting: number[] = [];
  /** By index in `#changed`: the crossings at the child itself. */
  readonly #ownCrossings: (number[] | undefined)[] = [];
  #crossings: Crossings;
  readonly #found: Crossings;
  /** The crossings to report. Those by which seats were decided stay as they are, because seats are counted by them. */
  readonly #reported: Crossings;

  /** `own`: how a watcher relates to a marker by itself, as of the last tick. */
  constructor(store: EntityStore, ties: Ties, own: OwnRelation) {
    const { ids, attachments, last, now, heap } = store;
    this.#store = store;
    this.#ties = ties;
    this.#found = new Crossings(heap);
    this.#reported = new Crossings(heap);
    this.#crossings = this.#found;
    this.last = new TreeSide(last, attachments.lastChildren, ids, ties.stood, own);
    this.now = new TreeSide(now, attachments.children, ids, ties.current, (watcher, marker) => {
      if (!now.isPresent(marker)) return 0;
      const i = this.#crossings.find(watcher, marker);
      return i < 0 ? own(watcher, marker) : this.#afterAt(i);
    });
    this.changes = new TreeChanges(store, ties, this.last, this.now);
  }

  /** Whether any entity is attached, or was at the last tick. */
  get isAny(): boolean {
    return this.#store.attachments.isAny;
  }

  get memoryBytes(): number {
    const columns = [this.#followed, this.#added, this.#tied, this.#visited, ...this.#scratch];
    return this.changes.memoryBytes + columns.reduce((bytes, { byteLength }) => bytes + byteLength, 0);
  }

  /** Whether a watcher relates to any marker only because of a parent or a tree, as of the last tick. */
  hasAnyOf(watcher: number): boolean {
    return watcher < this.#followed.length && this.#followed[watcher] > 0;
  }

  /**
   * Start of the tick: pending changes are settled, and all queries still refer to the last tick. `ownMarkers`: the ids
   * that a watcher relates to by itself; `tied`: watchers whose pins or blocks changed; `asksConcerned`: whether
   * `concerned` may be read.
   */
  begin(
    eachOwnWatcher: EachOwnWatcher,
    ownMarkers: OwnMarkers,
    tied: Iterable<EntityId>,
    asksConcerned: boolean,
  ): void {
    this.changes.clear();
    this.#clear();
    if (!this.isAny) return;
    this.#grow();
    this.changes.collect(eachOwnWatcher, ownMarkers, tied, asksConcerned);
  }

  /**
   * Decides the tick. Returns the crossings of relation including those to members: `crossings` itself if there are
   * none, else a copy. The copy is for all readers except those that count seats.
   */
  decide(crossings: Crossings): Crossings {
    if (!this.isAny) return crossings;
    this.#crossings = crossings;
    this.#found.clear();
    const hasCrossed = this.#readCrossings();
    for (const [watcher, roots] of this.changes.compared) this.#compare(watcher, roots);
    if (hasCrossed) this.#repeatCrossings();
    if (this.changes.changed.length > 0) this.#visitAllChanged();
    const reported = hasCrossed || this.#found.count > 0 ? this.#merged(crossings) : crossings;
    let lost = 0;
    for (const slot of pendingWith(this.#store, REMOVED)) lost += this.#followed[slot];
    reported.lostWithWatcher = crossings.lostWithWatcher + lost;
    return reported;
  }

  /** Applies the decisions. */
  commit(): void {
    if (!this.isAny) return;
    for (const watcher of this.#counted) {
      this.#followed[watcher] += this.#added[watcher];
      this.#added[watcher] = 0;
    }
    for (const slot of pendingWith(this.#store, REMOVED)) this.#followed[slot] = 0;
  }

  /** Between ticks: frees memory that recent ticks did not use. */
  trim(): void {
    for (const crossings of [this.#found, this.#reported])
      this.#store.heap.shrink(crossings.sizesToTrim(crossings.count));
  }

  /** The relations of a watcher (ascending ids) as of the last tick, without those that exist only because of a parent or a tree. */
  withoutFollowed(watcher: number, row: Uint32Array): Uint32Array {
    if (!this.hasAnyOf(watcher)) return row;
    const { last } = this;
    return row.filter((id) => !last.state.isCarried(id >>> 10) || last.own(watcher, id >>> 10) !== 0);
  }

  save(writer: ByteWriter): void {
    writer.column(this.#followed.subarray(0, this.#store.slotCount));
  }

  /** Into a new instance; the population was loaded. */
  load(reader: ByteReader): void {
    const { last, slotCount, attachments } = this.#store;
    const followed = reader.column('u32');
    const most = attachments.lastChildren.count;
    reader.check(followed.length <= slotCount, 'at most a count for each slot');
    reader.check(
      followed.every((count, slot) => count <= most && (count === 0 || last.isPresent(slot))),
      'counts of attached markers',
    );
    this.#followed = followed;
  }

  /** Throws at the first broken invariant. For tests. `ownMarkers`: as for `begin`. */
  validate(ownMarkers: OwnMarkers): void {
    const { slotCount } = this.#store;
    for (let slot = 0; slot < slotCount; slot++) {
      let count = 0;
      if (this.isAny && this.last.state.isPresent(slot)) {
        const roots = this.last.rootsOf(slot, slotsOf(ownMarkers(slot)));
        this.last.eachFollowed(slot, roots, () => count++);
      }
      assert(count === (this.#followed[slot] ?? 0), 'markers that follow are counted');
    }
  }

  #clear(): void {
    for (const watcher of this.#asked) this.#tied[watcher] = 0;
    for (const watcher of this.#counted) this.#added[watcher] = 0;
    this.#asked.length = this.#counted.length = 0;
  }

  #grow(): void {
    const { slotCount, capacity } = this.#store;
    if (slotCount <= this.#visited.length) return;
    this.#followed = grown(this.#followed, capacity);
    this.#added = grown(this.#added, capacity);
    this.#tied = grown(this.#tied, capacity);
    this.#visited = grown(this.#visited, capacity);
    this.#scratch = [0, 1, 2, 3].map(() => new Uint16Array(capacity));
  }

  /** Finds out whom the crossings at members concern; returns whether there are any. */
  #readCrossings(): boolean {
    const { words, count } = this.#crossings;
    const { isMember } = this.#store.attachments;
    this.#ownCrossings.length = 0;
    let hasCrossed = false;
    for (let i = 0; i < count; i++) {
      const high = words[2 * i + 1];
      const marker = markerOf(words[2 * i], high);
      // Slots beyond the column are no members.
      if (isMember[marker] !== 1) continue;
      hasCrossed = true;
      const watcher = high >>> 10;
      const changed = this.changes.changedAt[marker];
      if (changed > 0) {
        this.#ownCrossings[changed - 1] ??= [];
        this.#ownCrossings[changed - 1]?.push(i);
      }
      this.changes.roots.get(marker)?.cross(watcher, this.#beforeAt(i), this.#afterAt(i));
      if (changed > 0) continue;
      // It is pinned. If anything above it changed, it is visited with that.
      if (this.now.parentOf(marker) >= 0 && !this.changes.isBelowChanged(marker))
        this.changes.rootsFor(watcher).add(this.now.rootOf(marker));
    }
    return hasCrossed;
  }

  #beforeAt(i: number): number {
    const crossings = this.#crossings;
    return crossings.wasRelated(i) ? RELATES | crossings.beforeAt(i) : 0;
  }

  #afterAt(i: number): number {
    const crossings = this.#crossings;
    return crossings.isRelated(i) ? RELATES | crossings.afterAt(i) : 0;
  }

  /** Compares what is attached to these roots with the last tick, for a watcher. */
  #compare(watcher: number, roots: ReadonlySet<number>): void {
    if (!this.now.state.isPresent(watcher)) return;
    for (const root of roots) {
      // What is below one that changed is visited with that one.
      if (this.changes.changedAt[root] > 0 || this.now.parentOf(root) >= 0) continue;
      if (this.#isTied(watcher)) {
        this.#takeTied(watcher, root);
        continue;
      }
      const i = this.#crossings.find(watcher, root);
      const before = i < 0 ? this.last.own(watcher, root) : this.#beforeAt(i);
      this.#follow(watcher, root, before, i < 0 ? before : this.#afterAt(i), false);
    }
  }

  /** Repeats the crossings at roots for what is attached to them. */
  #repeatCrossings(): void {
    const { words, count } = this.#crossings;
    const { isMember, children } = this.#store.attachments;
    for (let i = 0; i < count; i++) {
      const high = words[2 * i + 1];
      const marker = markerOf(words[2 * i], high);
      if (isMember[marker] !== 1 || this.changes.changedAt[marker] > 0) continue;
      if (!children.has(marker) || this.now.parentOf(marker) >= 0) continue;
      const watcher = high >>> 10;
      const compared = this.changes.compared.size > 0 ? this.changes.compared.get(watcher) : undefined;
      if (compared?.has(marker) === true) continue;
      if (this.#isTied(watcher)) this.#takeTied(watcher, marker);
      else this.#follow(watcher, marker, this.#beforeAt(i), this.#afterAt(i), compared === undefined);
    }
  }

  #visitAllChanged(): void {
    for (const watchers of this.changes.roots.values()) watchers.settle(this.#visited);
    // Stamps of earlier ticks are lower ones, so that no tick clears them all.
    if (this.#visit + this.changes.changed.length > 0xffff_ffff) {
      this.#visited.fill(0);
      this.#visit = 0;
    }
    for (const child of this.changes.changed) this.#visitChanged(child);
  }

  /** Visits a child that changed, came or went, for all to whom it may matter. */
  #visitChanged(child: number): void {
    const { changes, now } = this;
    const before = new ChildLink(this.last, child);
    const after = new ChildLink(now, child);
    const from = before.parent < 0 ? undefined : changes.roots.get(before.root);
    const to = after.parent < 0 ? undefined : changes.roots.get(after.root);
    const own = this.#ownCrossings[changes.changedAt[child] - 1];
    this.#visit++;
    this.#visiting.length = 0;
    // Nearly all relate to its only root, and nothing else is to be known of them: these are not listed.
    const only = from === undefined || to === undefined || from === to ? (from ?? to) : undefined;
    if (from !== undefined) from.treeBefore ??= this.last.watchersIn(before.root);
    if (to !== undefined) to.treeAfter ??= now.watchersIn(after.root);
    // One that was, or is, a root itself has its own tree below it.
    for (const watcher of from?.treeBefore ?? this.last.watchersIn(child)) this.#meet(watcher);
    for (const watcher of to?.treeAfter ?? now.watchersIn(child)) this.#meet(watcher);
    for (const i of own ?? []) this.#meet(this.#crossings.watcherAt(i));
    if (!this.#ties.areNoneEver) this.#meetHolders(child, before, after);
    if (only !== undefined) this.#visitOrdinary(child, only, before, after);
    if (only !== undefined && this.#visiting.length === 0) return;
    const [rootBefore, rootAfter, ownBefore, ownAfter] = this.#scratch;
    if (from !== undefined) this.#place(from, from.before, rootBefore, only === undefined);
    if (to !== undefined) this.#place(to, to.after, rootAfter, only === undefined);
    for (const i of own ?? []) {
      const watcher = this.#crossings.watcherAt(i);
      ownBefore[watcher] = this.#beforeAt(i);
      ownAfter[watcher] = this.#afterAt(i);
    }
    for (const watcher of this.#visiting) {
      if (this.#isTied(watcher)) {
        this.#takeOneTied(watcher, child);
        this.#takeTied(watcher, child);
        continue;
      }
      const was = before.parent < 0 ? ownBefore[watcher] : before.follow(watcher, rootBefore[watcher]);
      const is = after.parent < 0 ? ownAfter[watcher] : after.follow(watcher, rootAfter[watcher]);
      this.#take(watcher, child, was, is, before.parent < 0 ? was : 0, after.parent < 0 ? is : 0);
      if (now.children.has(child)) this.#follow(watcher, child, was, is, !changes.compared.has(watcher));
    }
  }

  /** Visits a child for the watchers of its root that are not listed; lists those with ties to children. */
  #visitOrdinary(child: number, root: RootWatchers, before: ChildLink, after: ChildLink): void {
    const { slots, before: statesBefore, after: statesAfter } = root;
    const { compared } = this.changes;
    const mayBeTied = !this.#ties.areNoneEver;
    const isParent = this.now.children.has(child);
    for (let k = 0; k < slots.length; k++) {
      const watcher = slots[k];
      if (this.#visited[watcher] === this.#visit) continue;
      if (mayBeTied && this.#isTied(watcher)) {
        this.#meet(watcher);
        continue;
      }
      let was = before.parent < 0 ? 0 : statesBefore[k];
      let is = after.parent < 0 ? 0 : statesAfter[k];
      if (was !== 0 && !before.isAsRoot) was = before.follow(watcher, was);
      if (is !== 0 && !after.isAsRoot) is = after.follow(watcher, is);
      if (was !== is) this.#take(watcher, child, was, is, 0, 0);
      if (isParent) this.#follow(watcher, child, was, is, !compared.has(watcher));
    }
  }

  /** Notes how the listed watchers relate to a root. `areMet`: lists them all. */
  #place({ slots }: RootWatchers, states: readonly number[], out: Uint16Array, areMet: boolean): void {
    for (let k = 0; k < slots.length; k++) {
      if (areMet) this.#meet(slots[k]);
      if (this.#visited[slots[k]] === this.#visit) out[slots[k]] = states[k];
    }
  }

  /** Those with a tie to a child, or to what is above it or below. */
  #meetHolders(child: number, before: ChildLink, after: ChildLink): void {
    const { idOf } = this.#store.ids;
    const meet = (member: number) =>
      this.#ties.eachHolder(idOf[member], (watcher) => {
        if (this.#store.has(watcher)) this.#meet(watcher >>> 10);
      });
    for (const link of [before, after]) link.between.forEach(meet);
    meet(child);
    this.#eachUnchangedBelow(child, meet);
  }

  /** Lists a watcher for the current child, once, and if it is present. */
  #meet(watcher: number): void {
    if (this.#visited[watcher] === this.#visit) return;
    this.#visited[watcher] = this.#visit;
    for (const column of this.#scratch) column[watcher] = 0;
    if (this.now.state.isPresent(watcher)) this.#visiting.push(watcher);
  }

  /**
   * Takes the relations of a watcher to what is attached to a parent, from those to the parent; without ties. `isAsEver`: it
   * meets whom it met.
   */
  #follow(watcher: number, parent: number, before: number, after: number, isAsEver: boolean): void {
    const floorBefore = this.last.floorOf(watcher, parent);
    const floorAfter = this.now.floorOf(watcher, parent);
    const was = before || floorBefore;
    const is = after || floorAfter;
    if ((was | is) === 0) return;
    // Below one that is not met, only the tree counts.
    if (was === is && floorBefore === floorAfter && isAsEver) return;
    const { children, state } = this.now;
    const { changedAt } = this.changes;
    const doAllMeet = state.doAllMeet;
    for (let child = children.first(parent); child >= 0; child = children.next(child)) {
      if (changedAt[child] > 0) continue;
      const meets = doAllMeet
        ? state.isCarried(child) && child !== watcher
        : meetsCarried(state, watcher, child);
      const met = isAsEver ? meets : meetsCarried(this.last.state, watcher, child);
      const from = met ? was : 0;
      const to = meets ? is : 0;
      if (from !== to) this.#take(watcher, child, from, to, 0, 0);
      if (children.has(child)) this.#follow(watcher, child, from, to, isAsEver);
    }
  }

  /** As `#follow`, by the definition, for a watcher with ties. */
  #takeTied(watcher: number, parent: number): void {
    this.#eachUnchangedBelow(parent, (member) => this.#takeOneTied(watcher, member));
  }

  #takeOneTied(watcher: number, member: number): void {
    const { last, now } = this;
    const [before, after] = [last.totalOf(watcher, member), now.totalOf(watcher, member)];
    this.#take(watcher, member, before, after, last.own(watcher, member), now.own(watcher, member));
  }

  #eachUnchangedBelow(parent: number, visit: (member: number) => void): void {
    const { children } = this.now;
    for (let child = children.first(parent); child >= 0; child = children.next(child)) {
      if (this.changes.changedAt[child] > 0) continue;
      visit(child);
      this.#eachUnchangedBelow(child, visit);
    }
  }

  /** Takes how a watcher relates to a marker, before and after, and how it does by itself. */
  #take(
    watcher: number,
    marker: number,
    before: number,
    after: number,
    ownBefore: number,
    ownAfter: number,
  ): void {
    const didFollow = before !== 0 && ownBefore === 0;
    const follows = after !== 0 && ownAfter === 0;
    if (didFollow !== follows) {
      if (this.#added[watcher] === 0) this.#counted.push(watcher);
      this.#added[watcher] += follows ? 1 : -1;
    }
    const low = lowWordBetween(marker, before, after);
    if (low !== 0) this.#found.append(low, highWordOf(watcher, marker));
  }

  /** Whether a watcher has, or had, a tie to a child. */
  #isTied(watcher: number): boolean {
    if (this.#ties.areNoneEver) return false;
    if (this.#tied[watcher] === 0) {
      this.#tied[watcher] = this.last.isTied(watcher) || this.now.isTied(watcher) ? 2 : 1;
      this.#asked.push(watcher);
    }
    return this.#tied[watcher] === 2;
  }

  /** The crossings, with those to children replaced by what was found. */
  #merged(crossings: Crossings): Crossings {
    const found = this.#found;
    const reported = this.#reported;
    const { isMember } = this.#store.attachments;
    const { changedAt } = this.changes;
    const { words } = crossings;
    const isKept = (i: number) => {
      const marker = markerIn(words, i);
      return isMember[marker] !== 1 || (changedAt[marker] === 0 && this.now.parentOf(marker) < 0);
    };
    if (crossings.count <= found.count) {
      for (let i = 0; i < crossings.count; i++) if (isKept(i)) found.append(words[2 * i], words[2 * i + 1]);
      found.resolve(this.#store);
      return found;
    }
    found.resolve(this.#store);
    reported.replace(words, crossings.count, crossings.watcherFlags);
    reported.keep(isKept);
    reported.merge(found.words.subarray(0, 2 * found.count), found.watcherFlags);
    return reported;
  }
}
