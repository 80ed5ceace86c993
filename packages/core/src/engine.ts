/**
 * The engine: runs a tick. It calls the entity store, the detector, interest and the report in this order:
 *
 *   settle what is pending -> rules and ties that changed -> crossings of perception -> crossings of relation
 *   -> entered, left, sensed -> updated -> what is now becomes what was
 *
 * If anything throws during the tick (a user's `rank` or `admit`, a full heap), everything stays as it was before.
 * For this, decisions are stored beside the kept state, room is allocated before anything is written, rules and ties
 * that were applied at the start are undone, and a detector that stopped half way is created again. `World` wraps the
 * engine and checks what callers pass.
 */
import { Changes, isNamedBy, isRemovedBy } from './changes.ts';
import { Crossings } from './detectors/crossings.ts';
import type { Detector, DetectorFactory } from './detectors/detector.ts';
import { detectorNameOf, madeBy } from './detectors/registry.ts';
import { type EntityId, SPOILT_ID } from './entities/entity-ids.ts';
import { EntityStore } from './entities/entity-store.ts';
import { UmweltError } from './errors.ts';
import type { InterestBook } from './interest/rules/interest-book.ts';
import { type LastRelations, Teleports } from './interest/rules/teleports.ts';
import { Ties } from './interest/rules/ties.ts';
import { Seating } from './interest/seating.ts';
import { RELATED, SEATED, STORED_BITS } from './interest/table/pair-rows.ts';
import { RelationRows } from './interest/table/relation-rows.ts';
import { Heap, type Sizes } from './kernels/heap.ts';
import type { ResolvedOptions } from './options.ts';
import { mayRelateToPending } from './queries/changed-relations.ts';
import { FarWatchers } from './queries/far-watchers.ts';
import { IdList } from './queries/id-list.ts';
import { KeptLists } from './queries/kept-lists.ts';
import {
  eachOwnWatcherOf,
  eachRelation,
  eachWatcherOf,
  type RelationSources,
  searchOwn,
  searchVisible,
  sensesOfRelated,
  storedRelations,
  visibleTo,
} from './queries/visibility.ts';
import { BufferTrim } from './reports/buffer-trim.ts';
import { LoanedReport, staleReport } from './reports/loaned-report.ts';
import { LostRelations } from './reports/lost-relations.ts';
import { Report } from './reports/report.ts';
import { NOBODY_WATCHED, WatchCounts, type WatchedLists } from './reports/watch-counts.ts';
import type { StoredCounts, StoredParts } from './snapshot/snapshot.ts';
import { TickClock } from './stats.ts';

export class Engine implements RelationSources, StoredParts {
  readonly store: EntityStore;
  readonly interests: InterestBook;
  readonly ties = new Ties();
  readonly seating: Seating;
  readonly teleports: Teleports;
  readonly relations: RelationRows;
  readonly report: Report;
  readonly clock = new TickClock();
  readonly farWatchers = new FarWatchers();
  readonly watcherLists: KeptLists;
  readonly markerLists: KeptLists;
  tickCount = 0;
  /** Number of pairs related as of the last tick. */
  relationCount = 0;
  changes: Changes;
  /** True while a tick or a query computes that may call a user's `rank` or `admit`. */
  isComputing = false;
  isDisposed = false;
  /** Whether lists are overwritten once they are no longer valid. */
  readonly #isDebug: boolean;
  /** Number of relations of each marker, once counting has started, and what the last tick changed in it. */
  readonly #watch = new WatchCounts();
  #watched: WatchedLists = NOBODY_WATCHED;
  /** Which markers lost a relation in the last tick with its watcher, while no relations are counted. */
  #lost: LostRelations | undefined;
  /** How many relations a marker (a slot) lost since the last tick, by the first `#lostFrom` of the removed entities. */
  readonly #lostSince = new Map<number, number>();
  #lostFrom = 0;
  readonly #watchedOf = (tick: number) => this.watchedIn(tick);
  /** The report handed out for the last tick, in debug mode. */
  #loan: LoanedReport | undefined;
  readonly #crossings: Crossings;
  readonly #trim = new BufferTrim();
  #detector: Detector;
  #makeDetector: DetectorFactory;
  /** A tick failed and may have left the detector half way: it is created again before its next use. */
  #isDetectorSpoilt = false;
  #removed = new IdList();
  /** The largest number of entities that the detector has held. */
  #peakSize = 0;

  constructor({ settings, interests, makeDetector, capacity, kernels, threads, debug }: ResolvedOptions) {
    const heap = new Heap(kernels, threads);
    this.store = new EntityStore(heap, settings, capacity);
    this.#crossings = new Crossings(heap);
    this.interests = interests;
    this.seating = new Seating(this.store, interests, this.ties, (store) => this.#makeDetector(store));
    this.teleports = new Teleports(this.store);
    this.watcherLists = new KeptLists(this.store, true);
    this.markerLists = new KeptLists(this.store, false);
    this.relations = new RelationRows(heap);
    this.report = new Report(heap);
    this.#isDebug = debug;
    this.#makeDetector = makeDetector;
    this.#detector = madeBy(makeDetector, this.store);
    this.changes = new Changes(0, this.report, new Uint32Array(0), this.#watchedOf);
  }

  /** Throws `REENTRANT_TICK` or `DISPOSED` unless any call may be made now. */
  checkOpen(): void {
    this.checkIdle();
    this.checkUsable();
  }

  /** Throws `REENTRANT_TICK` while anything computes that may call a user's `rank` or `admit`. */
  checkIdle(): void {
    if (!this.isComputing) return;
    throw new UmweltError(
      'REENTRANT_TICK',
      'the world was used while it computes, expected only has, position and slotOf in rank and admit',
    );
  }

  /** Runs a query that may call a user's `rank`, which may use as little of the world as in a tick. */
  ranking<T>(query: () => T): T {
    this.isComputing = true;
    try {
      return query();
    } finally {
      this.isComputing = false;
    }
  }

  /** Throws `DISPOSED` if the world was disposed of. */
  checkUsable(): void {
    if (this.isDisposed) throw new UmweltError('DISPOSED', 'the world was disposed of, expected one in use');
  }

  /** Ends the engine; resolves when its worker threads have ended. A second call does nothing. */
  dispose(): Promise<void> {
    this.checkIdle();
    this.isDisposed = true;
    return this.store.heap.crew.dispose();
  }

  /** Bytes held. */
  get memoryBytes(): number {
    const { heap } = this.store;
    return (
      heap.byteLength +
      this.store.memoryBytes +
      this.store.attachments.memoryBytes +
      this.#detector.memoryBytes +
      this.seating.memoryBytes +
      this.ties.memoryBytes +
      this.interests.memoryBytes +
      this.farWatchers.memoryBytes +
      this.watcherLists.memoryBytes +
      this.markerLists.memoryBytes +
      this.#watch.memoryBytes +
      (this.#lost?.memoryBytes ?? 0)
    );
  }

  /** Removes an entity, with its ties on both sides. */
  remove(slot: number): void {
    const id = this.store.ids.idOf[slot];
    this.ties.remove(id);
    this.store.attachments.release(slot);
    this.#removed.push(id);
    this.store.remove(slot);
    this.watcherLists.noteRemoval();
    this.markerLists.noteRemoval();
  }

  /** Whether an entity was removed since the last tick. */
  get isAnyRemoved(): boolean {
    return this.#removed.length > 0;
  }

  /** The detector; created again if a failed tick left it half way. Throws what its factory throws. */
  get detector(): Detector {
    if (this.#isDetectorSpoilt) this.setDetector(this.#makeDetector);
    return this.#detector;
  }

  /** Replaces the detector; the new one continues from the last tick. */
  setDetector(makeDetector: DetectorFactory): void {
    const replacement = madeBy(makeDetector, this.store);
    this.#detector.dispose?.();
    this.#detector = replacement;
    this.#makeDetector = makeDetector;
    this.#isDetectorSpoilt = false;
  }

  /** One tick, without listeners. */
  tick(): Changes {
    this.store.heap.crew.check();
    this.isComputing = true;
    let toShrink: Sizes | undefined;
    try {
      toShrink = this.#compute();
    } catch (error) {
      this.seating.abort();
      this.#isDetectorSpoilt = true;
      throw error;
    } finally {
      this.isComputing = false;
    }
    if (toShrink !== undefined) this.#shrink(toShrink);
    return this.changes;
  }

  /** Whether the last tick's report names an id that is no longer present: as removed, or in a list. */
  isReported(id: EntityId): boolean {
    const { ids, last } = this.store;
    if (typeof id !== 'number' || ids.idOf[id >>> 10] !== id) return false;
    return isRemovedBy(this.changes, id) || (last.isPresent(id >>> 10) && isNamedBy(this.changes, id));
  }

  /**
   * Starts counting the relations of each marker. Throws `REENTRANT_TICK`, `DISPOSED`. Cost: O(relations) the first
   * time.
   */
  countWatched(): void {
    if (this.#watch.isCounting) return;
    this.checkOpen();
    this.#watch.start(this.store.capacity, (visit) => eachRelation(this, visit));
    const { idOf } = this.store.ids;
    this.#lost?.each((marker) => this.#watch.lose(idOf[marker]));
    this.#lost = undefined;
    this.#watched = this.#watch.takeBelated(this.report, this.#isPresentAtLastTick);
  }

  /** Markers that a tick made watched or unwatched; empty unless it is the last tick. Throws as `countWatched`. */
  watchedIn(tick: number): WatchedLists {
    this.countWatched();
    if (tick === this.tickCount) return this.#watched;
    if (this.#isDebug) throw staleReport(tick);
    return NOBODY_WATCHED;
  }

  /**
   * Number of watchers that relate to a marker (a slot) as of the last tick, without those removed since; undefined while
   * relations are not counted. Cost: O(1), and once the relations of each watcher that was removed.
   */
  countedWatchers(marker: number): number | undefined {
    if (!this.#watch.isCounting) return undefined;
    if (this.#lostFrom < this.#removed.length) {
      const lost = this.#lostSince;
      this.#eachRemovedWatcher(this.#lostFrom, (slot) =>
        this.#eachLostBy(slot, (id) => lost.set(id >>> 10, (lost.get(id >>> 10) ?? 0) + 1)),
      );
      this.#lostFrom = this.#removed.length;
    }
    return this.#watch.countOf(marker) - (this.#lostSince.get(marker) ?? 0);
  }

  /** As of the last tick, if counted. */
  get lastWatched(): WatchedLists {
    return this.#watched;
  }

  /** Throws at the first wrong count. For tests. */
  validateAttached(): void {
    this.seating.attached.validate((slot) => searchOwn(this, slot, true).toArray(undefined));
  }

  /** Throws at the first wrong count. For tests. */
  validateWatched(): void {
    this.#watch.validate((visit) => eachRelation(this, visit));
  }

  /** Continues from these counts, in an engine that was never used. */
  resume(counts: StoredCounts): void {
    this.tickCount = counts.tickCount;
    this.relationCount = counts.relationCount;
    for (const id of counts.removed) this.#removed.push(id);
    for (const slot of counts.teleported) this.teleports.note(slot);
    this.changes = new Changes(counts.tickCount, this.report, new Uint32Array(0), this.#watchedOf);
  }

  /** The engine's counts, for a snapshot. */
  get counts(): StoredCounts {
    const { tickCount, relationCount } = this;
    const removed = this.#removed.toArray(undefined);
    const { slots: teleported } = this.teleports;
    return { tickCount, relationCount, removed, teleported, isWatchedCounted: this.#watch.isCounting };
  }

  relatedTo(slot: number): Uint32Array {
    return searchVisible(this, slot, true).toArray(undefined);
  }

  get makeDetector(): DetectorFactory {
    return this.#makeDetector;
  }

  /** Returns what `BufferTrim.note` does. */
  #compute(): Sizes | undefined {
    const { store, seating, relations, report, clock } = this;
    const crossings = this.#crossings;
    clock.start();
    if (!this.teleports.isNone) this.teleports.begin(this.#lastRelations);
    store.attachments.place();
    seating.judgeSearched();
    const counts = store.settle();
    if (this.#watch.isCounting) this.#noteLostRelations();
    const lost = this.#watch.isCounting || !this.isAnyRemoved ? undefined : this.#storedLostRelations();
    const tick = this.tickCount + 1;
    const related = (slot: number) => this.relatedTo(slot);
    const byThemselves = (slot: number) => searchOwn(this, slot, true).toArray(undefined);
    seating.begin(
      tick,
      byThemselves,
      (marker, visit) => eachOwnWatcherOf(this, marker, visit),
      (marker, visit) => eachOwnWatcherOf(this, marker, visit, RELATED | SEATED),
      (marker, visit) => eachOwnWatcherOf(this, marker, visit, STORED_BITS),
    );
    relations.settle(store, related);
    crossings.clear();
    this.detector.detect(store, crossings);
    clock.detected(counts);
    const found = crossings.count;
    lost?.take(crossings, store);
    crossings.resolve(store);
    const decided = seating.decide(crossings, tick, (slot) =>
      seating.attached.withoutFollowed(slot, relations.rowOf(slot)),
    );
    const reported = this.teleports.reportAnew(decided);
    report.reserve(reported);
    const rates = seating.rated.count > 0 ? seating.rates : undefined;
    const concerned = relations.count > 0 ? mayRelateToPending(this) : undefined;
    rates?.reserve(tick);
    relations.reserve(store, reported, report, concerned, rates);
    report.fill(store, reported);
    relations.apply(store, report, tick, seating.rated.anew);
    const areRulesChanged = seating.tables.book.changed.size > 0;
    seating.commit(crossings, tick);
    this.teleports.commit();
    relations.list(store, report.updated, rates);
    const areListsHeld = this.watcherLists.isHolding || this.markerLists.isHolding;
    const hasChanged = store.pendingCount > 0 || reported.count > 0 || areRulesChanged || areListsHeld;
    const work = { found, updates: relations.copied, hasChanged };
    const toShrink = this.#trim.note(report, crossings, work);
    this.farWatchers.noteChanges(store.notOnlyMoved, store);
    store.endTick();
    this.#peakSize = Math.max(this.#peakSize, store.size);
    this.tickCount = tick;
    this.relationCount += report.entered.count - report.left.count - reported.lostWithWatcher;
    this.watcherLists.take(report);
    this.markerLists.take(report);
    const readable = this.#isDebug ? this.#lend(tick) : report;
    this.changes = new Changes(tick, readable, this.#takeRemoved(), this.#watchedOf);
    this.#watched = NOBODY_WATCHED;
    this.#lost = lost;
    if (this.#watch.isCounting) this.#watched = this.#watch.take(report, this.#isPresentAtLastTick);
    clock.end();
    return toShrink;
  }

  /** Overwrites the lists of the last tick; returns those of this one. */
  #lend(tick: number): LoanedReport {
    this.#loan?.recall();
    this.changes.removed.fill(SPOILT_ID);
    for (const list of [this.#watched.watched, this.#watched.unwatched]) list.fill(SPOILT_ID);
    this.#loan = new LoanedReport(tick, this.report);
    return this.#loan;
  }

  /**
   * Frees memory that a larger population needed, and `buffers`. Called rarely, so that a crowd that comes and goes costs nothing.
   */
  #shrink(buffers: Sizes): void {
    const { store, relations } = this;
    store.heap.shrinkTogether(() => {
      store.heap.shrink(buffers);
      store.shrink(this.changes.removed);
      relations.shrink(store.capacity, this.seating.rated.count > 0);
      this.seating.trim();
    });
    this.#watch.shrink(store.capacity);
    this.watcherLists.shrink(store.capacity);
    this.markerLists.shrink(store.capacity);
    if (store.size * 4 < this.#peakSize) {
      this.#peakSize = store.size;
      // A detector holds what its largest population needed. A user's own detector must limit its memory itself.
      if (detectorNameOf(this.#makeDetector) !== '') this.setDetector(this.#makeDetector);
    }
    store.heap.compact();
  }

  /** Called before the tick does anything: notes the relations of watchers that this tick removes. */
  #noteLostRelations(): void {
    this.#watch.begin(this.store.capacity);
    this.#eachRemovedWatcher(0, (slot) => this.#eachLostBy(slot, (marker) => this.#watch.lose(marker)));
  }

  /** Visits the watchers (slots) among the entities removed since the last tick, from that index of these on. */
  #eachRemovedWatcher(from: number, visit: (slot: number) => void): void {
    for (let i = from; i < this.#removed.length; i++) {
      const slot = this.#removed.at(i) >>> 10;
      if (this.store.watchers.has(slot)) visit(slot);
    }
  }

  /** Visits the markers that a removed watcher (a slot) relates to as of the last tick. */
  #eachLostBy(slot: number, visit: (marker: EntityId) => void): void {
    const markers = visibleTo(this, slot, true);
    for (let k = 0; k < markers.length; k++) visit(markers.at(k));
  }

  /** As `#noteLostRelations`, while no relations are counted: those that are stored. The others follow from the crossings. */
  #storedLostRelations(): LostRelations {
    const lost = new LostRelations();
    this.#eachRemovedWatcher(0, (slot) => {
      if (!storedRelations(this, slot, (marker) => lost.add(marker))) lost.expect(slot);
    });
    return lost;
  }

  readonly #lastRelations: LastRelations = {
    markersOf: (slot) => Array.from(visibleTo(this, slot, true).toArray(undefined), (id) => id >>> 10),
    watchersOf: (slot) => {
      const watchers: number[] = [];
      eachWatcherOf(this, slot, (watcher) => watchers.push(watcher));
      return watchers;
    },
    sensesOf: (watcher, marker) => sensesOfRelated(this, watcher, marker),
  };

  #isPresentAtLastTick = (slot: number) => this.store.last.isPresent(slot);

  #takeRemoved(): Uint32Array {
    const removed = this.#removed.sorted().toArray(undefined);
    if (removed.length > 0) this.#removed = new IdList();
    this.#lostSince.clear();
    this.#lostFrom = 0;
    return removed;
  }
}
