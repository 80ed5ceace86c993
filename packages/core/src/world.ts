/**
 * One space and everyone in it: what users hold.
 *
 * Between ticks a world takes in changes, checking each at this edge; a tick compares the world with what it was at the
 * last one and reports, to each watcher, who came into what it perceives, who left and who changed. The work is done
 * elsewhere: `entities/` keeps the state, a detector finds the crossings, `interest/` keeps the relations that must be
 * remembered, `reports/` puts them in order, `queries/` answers questions about the last tick.
 */
import type { Changes } from './changes.ts';
import type { DetectorFactory, DetectorName } from './detectors/detector.ts';
import { detectorFactory, detectorNameOf } from './detectors/registry.ts';
import { Engine } from './engine.ts';
import { type AttachmentOffset, carriedError } from './entities/attachments.ts';
import { addAll, moveAll, moveFirst, type PositionColumns, removeAll } from './entities/bulk.ts';
import type { EntityId } from './entities/entity-ids.ts';
import {
  checkPosition,
  type EntityInit,
  type EntityPatch,
  emptyValues,
  interestIndex,
  readProperties,
} from './entities/entity-init.ts';
import type { EntityStore } from './entities/entity-store.ts';
import { type MoveManyOptions, type MoveOptions, readTeleport } from './entities/move-options.ts';
import { TOUCHED } from './entities/pending.ts';
import { type CountOptions, type UpdateColumns, updateAll } from './entities/update-columns.ts';
import { badOption, isRecord, rejectUnknownKeys, UmweltError } from './errors.ts';
import type { Interest } from './interest/interest.ts';
import { checkedPin, type PinOptions } from './interest/rules/pin-reasons.ts';
import { checkTie, checkUntie } from './interest/rules/tie-check.ts';
import {
  checkListenerOptions,
  type EventListener,
  isWatchEvent,
  type ListenerOptions,
  Listeners,
  type WatchEvent,
  type WatchListener,
  type WorldEvent,
} from './listeners.ts';
import { checkGranularity, resolveOptions, type WorldOptions } from './options.ts';
import { sensesOfRelated } from './queries/visibility.ts';
import { validateMarkerLists } from './queries/visible-to.ts';
import { validateWatcherLists } from './queries/watchers-of.ts';
import { checkRestoreOptions, type RestoreOptions } from './recording/restore-options.ts';
import { Snapshot, writeSnapshot } from './recording/snapshot.ts';
import { checkSnapshotOptions, type SnapshotOptions } from './recording/snapshot-options.ts';
import { engineOf, WorldReader } from './world-reader.ts';

/** The population behind a world: for what stands beside `World` in this package. */
export let storeOf: (world: World) => EntityStore;
/** Throws unless the world may be used now: for what stands beside it. */
export let checkOpen: (world: World) => void;
/** As `World.restore`, for a class made from it; without `takesInterests` those given lend no more than their functions. */
export let restoreAs: <W extends World>(
  Made: new (options: WorldOptions) => W,
  bytes: Uint8Array,
  options: RestoreOptions,
  takesInterests: boolean,
) => W;

const OFFSET_NAMES: ReadonlySet<string> = new Set(['x', 'y', 'z']);

/**
 * One space and everyone in it. Change it as often as you like, then `tick()`: that compares it with what it was at the last tick and
 * reports to each watcher. All calls are synchronous. Bad input throws an `UmweltError` and changes nothing.
 */
export class World extends WorldReader {
  static {
    storeOf = (world) => world.#store;
    checkOpen = (world) => world.#engine.checkOpen();
    restoreAs = (Made, bytes, options, takesInterests) => {
      checkRestoreOptions(options);
      const snapshot = new Snapshot(bytes);
      const { kernels = 'auto', threads = 1, debug = false } = options;
      const world = new Made({ ...snapshot.options, kernels, threads, debug });
      world.#load(snapshot, options, takesInterests);
      return world;
    };
  }

  readonly #engine = engineOf(this);
  readonly #store = this.#engine.store;
  readonly #listeners = new Listeners();
  readonly #values = emptyValues(this.#store.settings);
  #isTicking = false;

  /** Throws `BAD_OPTION`, `UNKNOWN_DETECTOR`, `UNSUPPORTED`, `CAPACITY`. */
  constructor(options: WorldOptions = {}) {
    super(new Engine(resolveOptions(options)));
  }

  /**
   * The world that `snapshot` wrote: its next ticks and ids are those of the one that went on. Listeners are not kept, nor
   * functions: an interest that had one must be given again, a detector of one's own too. What is given else replaces what
   * was stored from the next tick on. Throws `BAD_SNAPSHOT`, `UNKNOWN_INTEREST`, `UNKNOWN_DETECTOR`, `UNSUPPORTED`,
   * `BAD_OPTION`. Cost: O(n + relations).
   */
  static restore(bytes: Uint8Array, options: RestoreOptions = {}): World {
    return restoreAs(World, bytes, options, true);
  }

  /**
   * Adds an entity. Throws `BAD_POSITION`, `BAD_RANGE`, `BAD_GAIN`, `BAD_LAYERS`, `BAD_OPTION`, `UNKNOWN_SENSE`,
   * `CAPACITY`. Cost: O(1) amortised.
   */
  add(entity: EntityInit): EntityId {
    this.#engine.checkOpen();
    const { settings } = this.#store;
    const values = readProperties(settings, entity, 'EntityInit', this.#values, this.#store.ids);
    checkPosition(settings, entity.x, entity.y, entity.z);
    this.#store.reserve(1);
    return this.#store.add(entity.x, entity.y, entity.z ?? 0, values);
  }

  /**
   * Adds one entity for each element of the position arrays, alike in all else. Answers their ids in that order, in
   * `out` where it is long enough. All or none are added.
   */
  addMany(init: EntitiesInit, out?: Uint32Array): Uint32Array {
    this.#engine.checkOpen();
    const { settings } = this.#store;
    const values = readProperties(
      settings,
      init as object as EntityPatch,
      'EntityInit',
      this.#values,
      this.#store.ids,
    );
    return addAll(this.#store, init, values, out);
  }

  /**
   * Puts an entity elsewhere; `z` is needed in 3-D. The next tick reports it, with `teleport` as left and entered to those who relate
   * to it before and after. Cost: a few nanoseconds.
   */
  move(id: EntityId, x: number, y: number, z?: number, options?: MoveOptions): void {
    this.#engine.checkOpen();
    const slot = this.#store.slotOf(id);
    if (this.#store.now.parents.at(slot) !== 0) throw carriedError(id);
    checkPosition(this.#store.settings, x, y, z);
    const isTeleport = options !== undefined && readTeleport(options, false);
    this.#store.move(slot, x, y, z ?? 0);
    if (isTeleport) this.#engine.teleports.note(slot);
  }

  /**
   * Moves many: `ids[k]` to `x[k], y[k], z[k]`; with `at`, `ids[at[k]]` to `x[at[k]], ...` for each k, so that the columns
   * of an entity component system go in as they are. With a `count`, only the first so many of `ids`, or of `at`: columns
   * may be longer; with `teleport`, as `move` has it. Checked whole before any moves; of a repeated id the last wins.
   */
  moveMany(
    ids: Uint32Array,
    x: ArrayLike<number>,
    y: ArrayLike<number>,
    z?: ArrayLike<number>,
    at?: ArrayLike<number>,
    options?: MoveManyOptions,
  ): void {
    this.#engine.checkOpen();
    if (options === undefined) {
      moveAll(this.#store, ids, { x, y, z }, at);
      return;
    }
    const isTeleport = readTeleport(options, true);
    const { count } = options;
    moveFirst(this.#store, ids, { x, y, z }, at, count === undefined ? {} : { count });
    if (isTeleport) this.#engine.teleports.noteMany(ids, at, count ?? at?.length ?? ids.length);
  }

  /**
   * Changes properties of many, as `update` does: `columns.range[k]` is the range of `ids[k]`, and so on. With a `count`, only
   * of the first so many. Checked whole before anything is changed; of a repeated id the last wins. Throws as `update`,
   * with the index. Cost: some 10 ns a value.
   */
  updateMany(ids: Uint32Array, columns: UpdateColumns, options: CountOptions = {}): void {
    this.#engine.checkOpen();
    updateAll(this.#store, ids, columns, options);
  }

  /**
   * Changes what the patch names; the next tick reports who enters and leaves by it. By itself it is in no `updated` list: `touch`
   * the entity where those who perceive it should hear. A record changes only the senses that it names. Throws as `add` does,
   * and `BAD_ID`, `STALE_ID`.
   */
  update(id: EntityId, patch: EntityPatch): void {
    this.#engine.checkOpen();
    const slot = this.#store.slotOf(id);
    const { settings, ids, now } = this.#store;
    this.#store.update(slot, readProperties(settings, patch, 'EntityPatch', this.#values, ids, now, slot));
  }

  /** Says that some state of the entity's other than its position changed: whoever relates to it hears `updated`. */
  touch(id: EntityId): void {
    this.#engine.checkOpen();
    this.#store.note(this.#store.slotOf(id), TOUCHED);
  }

  /**
   * Attaches an entity to another: from the next tick on it stands at its parent's position plus `offset` (float32 an axis), and
   * whoever meets it relates to it when it relates to its parent; see docs/attachments.md. One that is attached goes over to the
   * new parent. Throws `BAD_ID` (also for a ring), `STALE_ID`, `CAPACITY` for a chain of more than 8, `BAD_POSITION`, `BAD_OPTION`.
   */
  attach(child: EntityId, parent: EntityId, offset: AttachmentOffset = {}): void {
    this.#engine.checkOpen();
    const [from, to] = [this.#store.slotOf(child), this.#store.slotOf(parent)];
    if (!isRecord(offset)) throw badOption('offset', offset, 'an object with x, y and z');
    rejectUnknownKeys(offset, OFFSET_NAMES, 'offset');
    this.#store.attachments.attach(from, to, offset);
  }

  /** Lets a child go where it is; one that is not attached stays as it is. Throws `BAD_ID`, `STALE_ID`. */
  detach(child: EntityId): void {
    this.#engine.checkOpen();
    this.#store.attachments.detach(this.#store.slotOf(child));
  }

  /**
   * Takes an entity out, with its pins and blocks on both sides; the next tick reports it as left. Its id is handed out to nobody before
   * the tick after that. Throws `BAD_ID`, `STALE_ID`.
   */
  remove(id: EntityId): void {
    this.#engine.checkOpen();
    this.#engine.remove(this.#store.slotOf(id));
  }

  /** Removes all of them, or none when one is stale or bad. A repeated id is removed once. */
  removeMany(ids: Uint32Array): void {
    this.#engine.checkOpen();
    removeAll(this.#store, ids, (slot) => this.#engine.remove(slot));
  }

  /**
   * Compares now with the last tick and reports. Then listeners run, and the first error any of them threw is thrown;
   * the tick stands. Throws `REENTRANT_TICK` inside a listener.
   */
  tick(): Changes {
    this.#engine.checkOpen();
    if (this.#isTicking) {
      throw new UmweltError('REENTRANT_TICK', 'tick() was called within a tick, expected after it');
    }
    this.#isTicking = true;
    try {
      this.#engine.tick();
      this.#listeners.dispatch(this.#engine.report, this.#engine.lastWatched);
    } finally {
      this.#isTicking = false;
    }
    return this.#engine.changes;
  }

  /**
   * Calls `listener` for each pair that a tick reports, when it is complete: by watcher; within one left, entered,
   * sensed, updated; ids ascending. `senses` is the mask now, 0 on leave. Answers a function that undoes it. Both take
   * effect with the next dispatch. A listener may change the world: the next tick takes it up. With `interest` only
   * watchers that go by it count. Throws `BAD_OPTION`, `UNKNOWN_INTEREST`.
   *
   * 'watched' and 'unwatched' tell of a marker by itself: it has its first relation, or, while it is there, none any more.
   * They come when all pairs were told, 'unwatched' first, ids ascending. What is watched when one begins to listen is not told:
   * `watcherCount` answers that. Cost: O(relations) for the first such listener, then as `Changes.watched`.
   */
  on(event: WorldEvent, listener: EventListener, options?: ListenerOptions): () => void;
  on(event: WatchEvent, listener: WatchListener): () => void;
  on(
    event: WorldEvent | WatchEvent,
    listener: EventListener | WatchListener,
    options: ListenerOptions = {},
  ): () => void {
    this.#engine.checkOpen();
    checkListenerOptions(options);
    if (isWatchEvent(event)) {
      if (options.interest !== undefined)
        throw badOption('interest', options.interest, `none with '${event}', which is of a marker by itself`);
      const undo = this.#listeners.addWatching(event, listener as WatchListener);
      this.#engine.countWatched();
      return undo;
    }
    const { last, settings } = this.#store;
    const index = options.interest === undefined ? undefined : interestIndex(settings, options.interest);
    const concerns =
      index === undefined ? undefined : (watcher: EntityId) => last.interests.at(watcher >>> 10) === index;
    const sensesOf = (watcher: EntityId, marker: EntityId) =>
      sensesOfRelated(this.#engine, watcher >>> 10, marker >>> 10);
    return this.#listeners.add(event, listener as EventListener, sensesOf, concerns);
  }

  /**
   * Relates the watcher to the marker from the next tick on, whatever the range, cap, layer and channel, while any reason
   * holds: for good, or `within` a distance; changes are told at the interest's rates, or `everyTicks`. A reason that is given
   * again holds by its new limits. On one that is no marker it rests until that is. Throws `BAD_ID` (also with itself),
   * `STALE_ID`, `BAD_OPTION`, `BAD_RANGE`.
   */
  pin(watcher: EntityId, marker: EntityId, reason = '', options: PinOptions = {}): void {
    this.#engine.checkOpen();
    checkTie(this.#store, watcher, marker, reason);
    this.#engine.ties.pin(watcher, marker, checkedPin(reason, options));
  }

  /** Takes a reason back; one that does not hold changes nothing, nor do ids that are gone. */
  unpin(watcher: EntityId, marker: EntityId, reason = ''): void {
    this.#engine.checkOpen();
    checkUntie(this.#store, watcher, marker, reason);
    this.#engine.ties.unpin(watcher, marker, reason);
  }

  /** From the next tick on the watcher never relates to the marker, whatever else holds. One way. Throws as `pin`. */
  block(watcher: EntityId, marker: EntityId): void {
    this.#engine.checkOpen();
    checkTie(this.#store, watcher, marker, '');
    this.#engine.ties.block(watcher, marker);
  }

  /** Takes a block back; without one it changes nothing, nor do ids that are gone. Throws `BAD_ID`. */
  unblock(watcher: EntityId, marker: EntityId): void {
    this.#engine.checkOpen();
    checkUntie(this.#store, watcher, marker, '');
    this.#engine.ties.unblock(watcher, marker);
  }

  /**
   * Gives a name to an interest, or a named one other rules, from the next tick on: whoever goes by it keeps its
   * relations as seats. Throws `BAD_OPTION`, `BAD_RANGE`, `UNKNOWN_GROUP`, `UNSUPPORTED`.
   */
  setInterest(name: string, interest: Interest): void {
    this.#engine.checkOpen();
    this.#engine.interests.set(name, interest);
  }

  /**
   * Lets another detector find the crossings from the next tick on: the same relations, no events of its own. With
   * granularity 'cell' only one of the same cell rule will do. Throws `BAD_OPTION`, `UNKNOWN_DETECTOR`, `UNSUPPORTED`.
   * Cost: O(n).
   */
  setDetector(detector: DetectorName | DetectorFactory): void {
    this.#engine.checkOpen();
    const makeDetector = detectorFactory(detector);
    checkGranularity(this.#store.settings, detector);
    this.#engine.setDetector(makeDetector);
  }

  /**
   * The world as bytes, for `restore`: the last tick's state, all that is pending, seats, memory, pins and blocks. See
   * docs/recording.md. With `atRest` it is that of a world in which all have been at rest for long, and nobody relates to
   * anybody. Throws `BAD_OPTION`, `CAPACITY` beyond 4 GiB. Cost: O(n + relations), some tens of ms for 100,000 entities.
   */
  snapshot(options: SnapshotOptions = {}): Uint8Array {
    this.#engine.checkOpen();
    checkSnapshotOptions(options);
    const detector = detectorNameOf(this.#engine.makeDetector);
    return writeSnapshot(this.#engine, this.#engine.counts, detector, options.atRest === true);
  }

  /** Ends the world; resolves when its worker threads are gone. Again it does nothing; any other call throws `DISPOSED`. */
  dispose(): Promise<void> {
    return this.#engine.dispose();
  }

  /** Throws at the first broken invariant of the world's own structures. For tests: O(n). */
  validate(): void {
    this.#engine.checkOpen();
    this.#store.heap.validate();
    this.#store.validate();
    this.#store.attachments.validate();
    this.#engine.detector.validate(this.#store);
    this.#engine.relations.validate();
    this.#engine.seating.validate();
    this.#engine.validateWatched();
    validateWatcherLists(this.#engine);
    validateMarkerLists(this.#engine);
  }

  #load(snapshot: Snapshot, { interests = {}, detector }: RestoreOptions, takesInterests: boolean): void {
    const counts = snapshot.load(this.#engine, interests, takesInterests);
    this.#engine.resume(counts);
    this.setDetector(detector === undefined ? snapshot.shippedDetector() : detector);
    snapshot.loadRelations(this.#engine);
    if (counts.isWatchedCounted) this.#engine.countWatched();
  }
}

/** `EntityInit` for many: position columns of one length, and one of everything else. */
export type EntitiesInit = Omit<EntityInit, 'x' | 'y' | 'z'> & PositionColumns;
