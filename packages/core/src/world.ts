/**
 * `World`: one space and all entities in it. This is the class that users hold.
 *
 * Between ticks, a world takes changes and checks each of them here. A tick compares the world with its state at the
 * last tick. It reports to each watcher which entities came into its perception, which left and which changed. The
 * work is done elsewhere: `entities/` keeps the state, a detector finds the crossings, `interest/` keeps the
 * relations that must be remembered, `reports/` sorts them, `queries/` answers questions about the last tick.
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
  type PropertyValues,
  readProperties,
} from './entities/entity-init.ts';
import type { EntityStore } from './entities/entity-store.ts';
import {
  checkNotOptions,
  type MoveManyOptions,
  type MoveOptions,
  readTeleport,
} from './entities/move-options.ts';
import { TOUCHED } from './entities/pending.ts';
import { type CountOptions, type UpdateColumns, updateAll } from './entities/update-columns.ts';
import { badOption, isRecord, rejectUnknownKeys, UmweltError } from './errors.ts';
import type { Interest } from './interest/rules/interest.ts';
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
import { checkRestoreOptions, type RestoreOptions } from './snapshot/restore-options.ts';
import { Snapshot, writeSnapshot } from './snapshot/snapshot.ts';
import { checkSnapshotOptions, type SnapshotOptions } from './snapshot/snapshot-options.ts';
import { engineOf, WorldReader } from './world-reader.ts';

/** The entity store behind a world: for other modules of this package. */
export let storeOf: (world: World) => EntityStore;
/** Throws unless the world may be used now: for other modules of this package. */
export let checkOpen: (world: World) => void;
/**
 * `World.restore` for a subclass of `World`. Without `takesInterests`, only the functions of the given interests are
 * used; the rules come from the snapshot.
 */
export let restoreAs: <W extends World>(
  Made: new (options: WorldOptions) => W,
  bytes: Uint8Array,
  options: RestoreOptions,
  takesInterests: boolean,
) => W;

const OFFSET_NAMES: ReadonlySet<string> = new Set(['x', 'y', 'z']);

/**
 * One space and all entities in it. Change it as often as you like, then call `tick()`: it compares the world with its
 * state at the last tick and reports to each watcher. All calls are synchronous. Bad input throws an `UmweltError` and
 * changes nothing. So does a call that needs more memory than there is: `CAPACITY`. While a tick computes, calls throw
 * `REENTRANT_TICK`, except `has`, `position` and `slotOf`. After `dispose` they throw `DISPOSED`, except `has`.
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
  /**
   * Values that the next call may use. A call takes them while it reads: a getter of what it reads may call the world,
   * as one does that adds an entity's owner when it is first asked for.
   */
  #spareValues: PropertyValues | undefined;
  #isTicking = false;

  /** Throws `BAD_OPTION`, `UNKNOWN_DETECTOR`, `UNSUPPORTED`, `CAPACITY`, and as `setInterest` does. */
  constructor(options: WorldOptions = {}) {
    super(new Engine(resolveOptions(options)));
  }

  /**
   * Restores a world from the bytes of `snapshot`. Its next ticks and ids are the same as those of the world that wrote
   * the snapshot. Listeners and functions are not stored: an interest that had a function must be given again, and so
   * must a detector of your own. Other options given here replace the stored ones from the next tick on. Throws
   * `BAD_SNAPSHOT`, `UNKNOWN_INTEREST`, `UNKNOWN_DETECTOR`, `UNSUPPORTED`, `BAD_OPTION`, and as `setInterest` does.
   * Cost: O(n + relations).
   */
  static restore(bytes: Uint8Array, options: RestoreOptions = {}): World {
    return restoreAs(World, bytes, options, true);
  }

  /**
   * Adds an entity. Throws `BAD_POSITION`, `BAD_RANGE`, `BAD_GAIN`, `BAD_LAYERS`, `BAD_OPTION`, `BAD_ID`,
   * `UNKNOWN_SENSE`, `UNKNOWN_GROUP`, `UNKNOWN_INTEREST`, `CAPACITY`. Cost: O(1) amortised.
   */
  add(entity: EntityInit): EntityId {
    this.#engine.checkOpen();
    const { settings } = this.#store;
    const values = this.#takeValues();
    readProperties(settings, entity, 'EntityInit', values, this.#store.ids);
    const { x, y, z } = entity;
    this.#spareValues = values;
    checkPosition(settings, x, y, z);
    this.#store.reserve(1);
    return this.#store.add(x, y, z ?? 0, values);
  }

  /**
   * Adds one entity for each element of the position arrays; all other properties are the same for all. Returns the
   * ids in that order, in `out` if it is long enough. Adds all or none. Throws as `add` does.
   */
  addMany(init: EntitiesInit, out?: Uint32Array): Uint32Array {
    this.#engine.checkOpen();
    if (Array.isArray(init)) throw badOption('entity', init, 'one object with the columns x and y');
    const { settings } = this.#store;
    const values = this.#takeValues();
    readProperties(settings, init as object as EntityPatch, 'EntityInit', values, this.#store.ids);
    const added = addAll(this.#store, init, values, out);
    this.#spareValues = values;
    return added;
  }

  /**
   * Moves an entity to a position; `z` is required in 3-D. The next tick reports the move. With `teleport` it reports
   * the entity as left and entered to watchers that relate to it before and after. Throws `BAD_ID`, `STALE_ID`,
   * `BAD_POSITION`, `BAD_OPTION`, `UNSUPPORTED` for an attached child. Cost: a few nanoseconds.
   */
  move(id: EntityId, x: number, y: number, z?: number, options?: MoveOptions): void {
    this.#engine.checkOpen();
    const slot = this.#store.slotOf(id);
    if (this.#store.now.parents.at(slot) !== 0) throw carriedError(id);
    checkPosition(this.#store.settings, x, y, z);
    if (z !== undefined) checkNotOptions(z);
    const isTeleport = options !== undefined && readTeleport(options, false);
    this.#store.move(slot, x, y, z ?? 0);
    if (isTeleport) this.#engine.teleports.note(slot);
  }

  /**
   * Moves many entities: `ids[k]` to `x[k], y[k], z[k]`. With `at`, moves `ids[at[k]]` to `x[at[k]], ...` for each k,
   * so that the columns of an entity component system can be passed as they are. With `count`, only the first `count`
   * elements of `ids`, or of `at`, are used: columns may be longer. `teleport` works as in `move`. All input is checked
   * before any entity moves. If an id is repeated, its last position wins. Throws as `move` does, with k as the index.
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
    checkNotOptions(z);
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
   * Changes properties of many entities, as `update` does: `columns.range[k]` is the range of `ids[k]`, and so on.
   * With `count`, only the first `count` ids are used, and columns may be longer. All input is checked before anything
   * changes. If an id is repeated, its last value wins. Throws as `update` does, with the index. Cost: some 10 ns a value.
   */
  updateMany(ids: Uint32Array, columns: UpdateColumns, options: CountOptions = {}): void {
    this.#engine.checkOpen();
    updateAll(this.#store, ids, columns, options);
  }

  /**
   * Changes the properties that the patch names. The next tick reports which markers enter and leave because of it.
   * The change alone puts the entity into no `updated` list: call `touch` if its watchers should get an update. A
   * record by sense changes only the senses that it names. Throws as `add` does, and `BAD_ID`, `STALE_ID`.
   */
  update(id: EntityId, patch: EntityPatch): void {
    this.#engine.checkOpen();
    const slot = this.#store.slotOf(id);
    const { settings, ids, now } = this.#store;
    const values = this.#takeValues();
    readProperties(settings, patch, 'EntityPatch', values, ids, now, slot);
    this.#spareValues = values;
    // A getter of the patch may have removed the entity.
    this.#store.update(this.#store.slotOf(id), values);
  }

  /**
   * Marks the entity as changed in some state other than its position: every watcher that relates to it gets an
   * `updated` report at the next tick. Throws `BAD_ID`, `STALE_ID`.
   */
  touch(id: EntityId): void {
    this.#engine.checkOpen();
    this.#store.note(this.#store.slotOf(id), TOUCHED);
  }

  /**
   * Attaches an entity to another. From the next tick on, the child's position is its parent's plus `offset` (float32
   * an axis), and every watcher that meets the child relates to it whenever it relates to the parent; see
   * docs/attachments.md. A child that is already attached changes to the new parent. Throws `BAD_ID` (also for a
   * ring), `STALE_ID`, `CAPACITY` for a chain of more than 8, `BAD_POSITION`, `BAD_OPTION`.
   */
  attach(child: EntityId, parent: EntityId, offset: AttachmentOffset = {}): void {
    this.#engine.checkOpen();
    const slots = () => [this.#store.slotOf(child), this.#store.slotOf(parent)] as const;
    slots();
    if (!isRecord(offset)) throw badOption('offset', offset, 'an object with x, y and z');
    rejectUnknownKeys(offset, OFFSET_NAMES, 'offset');
    const { x = 0, y = 0, z = 0 } = offset;
    // A getter of the offset may have removed one of them.
    this.#store.attachments.attach(...slots(), { x, y, z });
  }

  /**
   * Detaches a child; it stays where it is. A child that is not attached is left unchanged. Throws `BAD_ID`,
   * `STALE_ID`.
   */
  detach(child: EntityId): void {
    this.#engine.checkOpen();
    this.#store.attachments.detach(this.#store.slotOf(child));
  }

  /**
   * Removes an entity, with all pins and blocks from it and to it. The next tick reports it as left. Its id is not
   * reused before the tick after that. Throws `BAD_ID`, `STALE_ID`.
   */
  remove(id: EntityId): void {
    this.#engine.checkOpen();
    this.#engine.remove(this.#store.slotOf(id));
  }

  /**
   * Removes all of these entities, or none if an id is stale or bad. A repeated id is removed once. Throws
   * `BAD_OPTION`, and `BAD_ID` or `STALE_ID` with the index.
   */
  removeMany(ids: Uint32Array): void {
    this.#engine.checkOpen();
    removeAll(this.#store, ids, (slot) => this.#engine.remove(slot));
  }

  /**
   * Compares the world with its state at the last tick and reports the differences. Then runs the listeners; the first
   * error that a listener threw is thrown at the end, and the tick remains done. Throws `REENTRANT_TICK` inside a
   * listener, `WORKER_FAILED` once if a worker thread has ended, `BAD_OPTION` if a detector factory returns no
   * detector or an `admit` neither true nor false, and what a `rank` or `admit` of yours throws.
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
   * Calls `listener` for each pair that a tick reports, once the tick is complete. Order: by watcher; within a
   * watcher left, entered, sensed, updated; ids ascending. `senses` is the current mask, 0 on leave. Returns a
   * function that removes the listener. Adding and removing take effect at the next dispatch. A listener may change
   * the world: the next tick applies the changes. With `interest`, only watchers with that interest count. Throws
   * `BAD_OPTION`, `UNKNOWN_INTEREST`.
   *
   * 'watched' and 'unwatched' report a marker alone: it got its first relation, or it lost its last one while it is
   * still present. They come after all pairs, 'unwatched' first, ids ascending. Markers that are already watched when
   * a listener is added are not reported: use `watcherCount` for them. Cost: O(relations) for the first such
   * listener, then as `Changes.watched`.
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
   * Relates the watcher to the marker from the next tick on, whatever the range, cap, layer and channel, for as long as
   * any pin reason holds: without limit, or `within` a distance. Updates come at the interest's rates, or `everyTicks`.
   * `reason` is '' unless given. Pinning again for the same reason replaces its limits. If the entity is no marker, the
   * pin has no effect until it becomes one. Throws `BAD_ID` (also for a pin to itself), `STALE_ID`, `BAD_OPTION`,
   * `BAD_RANGE`.
   */
  pin(watcher: EntityId, marker: EntityId, reason = '', options: PinOptions = {}): void {
    this.#engine.checkOpen();
    checkTie(this.#store, watcher, marker, reason);
    this.#engine.ties.pin(watcher, marker, checkedPin(reason, options));
  }

  /**
   * Removes a pin reason; `reason` is '' unless given. A reason that was not set changes nothing, and neither do ids of
   * removed entities. Throws `BAD_ID`, `BAD_OPTION`.
   */
  unpin(watcher: EntityId, marker: EntityId, reason = ''): void {
    this.#engine.checkOpen();
    checkUntie(this.#store, watcher, marker, reason);
    this.#engine.ties.unpin(watcher, marker, reason);
  }

  /**
   * From the next tick on, the watcher never relates to the marker, whatever else holds. One direction only. Throws
   * as `pin`.
   */
  block(watcher: EntityId, marker: EntityId): void {
    this.#engine.checkOpen();
    checkTie(this.#store, watcher, marker, '');
    this.#engine.ties.block(watcher, marker);
  }

  /**
   * Removes a block. Without a block it changes nothing; ids of removed entities change nothing either. Throws
   * `BAD_ID`, `BAD_OPTION`.
   */
  unblock(watcher: EntityId, marker: EntityId): void {
    this.#engine.checkOpen();
    checkUntie(this.#store, watcher, marker, '');
    this.#engine.ties.unblock(watcher, marker);
  }

  /**
   * Defines a named interest, or replaces the rules of an existing one, from the next tick on. Watchers with that
   * interest keep their relations as seats. Throws `BAD_OPTION`, `BAD_RANGE`, `BAD_LAYERS`, `UNKNOWN_GROUP`,
   * `UNSUPPORTED`.
   */
  setInterest(name: string, interest: Interest): void {
    this.#engine.checkOpen();
    this.#engine.interests.set(name, interest);
  }

  /**
   * Replaces the detector from the next tick on. Relations stay the same, and the change itself reports no events.
   * With granularity 'cell' only a detector with the same cell rule is accepted. Throws `BAD_OPTION`,
   * `UNKNOWN_DETECTOR`, `UNSUPPORTED`. Cost: O(n).
   */
  setDetector(detector: DetectorName | DetectorFactory): void {
    this.#engine.checkOpen();
    const makeDetector = detectorFactory(detector);
    checkGranularity(this.#store.settings, detector);
    this.#engine.setDetector(makeDetector);
  }

  /**
   * The world as bytes, for `restore`: the last tick's state, all pending changes, seats, memory, pins and blocks.
   * See docs/recording.md. With `atRest`, the bytes are those of a world in which every entity has been at rest
   * (`watches: false`) for long, so that no watcher relates to any marker. Throws `BAD_OPTION`, `CAPACITY` beyond
   * 4 GiB. Cost: O(n + relations), some tens of ms for 100,000 entities.
   */
  snapshot(options: SnapshotOptions = {}): Uint8Array {
    this.#engine.checkOpen();
    checkSnapshotOptions(options);
    const detector = detectorNameOf(this.#engine.makeDetector);
    return writeSnapshot(this.#engine, this.#engine.counts, detector, options.atRest === true);
  }

  /**
   * Ends the world; resolves when its worker threads have ended. A second call does nothing; any other call throws
   * `DISPOSED`.
   */
  dispose(): Promise<void> {
    return this.#engine.dispose();
  }

  /** Throws at the first broken invariant of the world's own structures. For tests. Cost: O(n). */
  validate(): void {
    this.#engine.checkOpen();
    this.#store.heap.validate();
    this.#store.validate();
    this.#store.attachments.validate();
    this.#engine.detector.validate(this.#store);
    this.#engine.relations.validate();
    this.#engine.seating.validate();
    this.#engine.validateAttached();
    this.#engine.validateWatched();
    validateWatcherLists(this.#engine);
    validateMarkerLists(this.#engine);
  }

  #takeValues(): PropertyValues {
    const values = this.#spareValues ?? emptyValues(this.#store.settings);
    this.#spareValues = undefined;
    return values;
  }

  #load(snapshot: Snapshot, { interests = {}, detector }: RestoreOptions, takesInterests: boolean): void {
    const counts = snapshot.load(this.#engine, interests, takesInterests);
    this.#engine.resume(counts);
    this.setDetector(detector === undefined ? snapshot.shippedDetector() : detector);
    snapshot.loadRelations(this.#engine);
    if (counts.isWatchedCounted) this.#engine.countWatched();
  }
}

/** `EntityInit` for many entities: position columns of equal length, and one value of every other property. */
export type EntitiesInit = Omit<EntityInit, 'x' | 'y' | 'z'> & PositionColumns;
