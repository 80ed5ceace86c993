/**
 * One space and everyone in it: what users hold.
 *
 * Between ticks a world takes in changes, checking each at this edge; a tick compares the world with what it was at the
 * last one and reports, to each watcher, who came into what it perceives, who left and who changed. The work is done
 * elsewhere: `entities/` keeps the state, a detector finds the crossings, `interest/` keeps the relations that must be
 * remembered, `reports/` puts them in order, `queries/` answers questions about the last tick.
 */
import type { Changes } from './changes.ts';
import type { Rectangle } from './detectors/bounds.ts';
import type { DetectorFactory, DetectorName } from './detectors/detector.ts';
import { detectorFactory, detectorNameOf } from './detectors/registry.ts';
import { StructureSketch } from './detectors/structure-sketch.ts';
import { Engine } from './engine.ts';
import { addAll, moveAll, type PositionColumns, removeAll } from './entities/bulk.ts';
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
import { TOUCHED } from './entities/pending.ts';
import { badOption, UmweltError } from './errors.ts';
import type { Interest } from './interest/interest.ts';
import { checkTie, checkUntie } from './interest/tie-check.ts';
import { Heap } from './kernels/heap.ts';
import {
  checkListenerOptions,
  type EventListener,
  type ListenerOptions,
  Listeners,
  type WorldEvent,
} from './listeners.ts';
import { checkGranularity, resolveOptions, type WorldOptions } from './options.ts';
import { type Explanation, explain } from './queries/explain.ts';
import { IdList } from './queries/id-list.ts';
import { type NearestOptions, nearest, type QueryOptions, query } from './queries/query.ts';
import type { Shape } from './queries/shape.ts';
import { targets } from './queries/targets.ts';
import { relationOf, sensesOfRelated, visibleTo, watchersOf } from './queries/visibility.ts';
import { checkRestoreOptions, type RestoreOptions } from './recording/restore-options.ts';
import { Snapshot, writeSnapshot } from './recording/snapshot.ts';
import type { WorldStats } from './stats.ts';

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

export class World {
  static {
    storeOf = (world) => world.#store;
    checkOpen = (world) => world.#open();
    restoreAs = (Made, bytes, options, takesInterests) => {
      checkRestoreOptions(options);
      const snapshot = new Snapshot(bytes);
      const { kernels = 'auto', threads = 1 } = options;
      const world = new Made({ ...snapshot.options, kernels, threads });
      world.#load(snapshot, options, takesInterests);
      return world;
    };
  }

  readonly #store: EntityStore;
  readonly #engine: Engine;
  readonly #listeners = new Listeners();
  readonly #values: PropertyValues;
  #isTicking = false;
  #isDisposed = false;

  /** Throws `BAD_OPTION`, `UNKNOWN_DETECTOR`, `UNSUPPORTED`, `CAPACITY`. */
  constructor(options: WorldOptions = {}) {
    const { settings, makeDetector, capacity, kernels, threads, interests } = resolveOptions(options);
    this.#engine = new Engine(settings, interests, makeDetector, capacity, new Heap(kernels, threads));
    this.#store = this.#engine.store;
    this.#values = emptyValues(settings);
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

  get dimensions(): 2 | 3 {
    return this.#store.settings.dimensions;
  }

  /** Bit i of a mask of senses is `senseNames[i]`. */
  get senseNames(): readonly string[] {
    return this.#store.settings.senses;
  }

  /** Entities present now. */
  get size(): number {
    return this.#store.size;
  }

  /** Ticks done; the first is 1. */
  get tickCount(): number {
    return this.#engine.tickCount;
  }

  /** What the last tick returned; before the first, nothing. */
  get lastChanges(): Changes {
    return this.#engine.changes;
  }

  /**
   * Adds an entity. Throws `BAD_POSITION`, `BAD_RANGE`, `BAD_GAIN`, `BAD_LAYERS`, `BAD_OPTION`, `UNKNOWN_SENSE`,
   * `CAPACITY`. Cost: O(1) amortised.
   */
  add(entity: EntityInit): EntityId {
    this.#open();
    const { settings } = this.#store;
    const values = readProperties(settings, entity, 'EntityInit', this.#values);
    checkPosition(settings, entity.x, entity.y, entity.z);
    this.#store.reserve(1);
    return this.#store.add(entity.x, entity.y, entity.z ?? 0, values);
  }

  /**
   * Adds one entity for each element of the position arrays, alike in all else. Answers their ids in that order, in
   * `out` where it is long enough. All or none are added.
   */
  addMany(init: EntitiesInit, out?: Uint32Array): Uint32Array {
    this.#open();
    const { settings } = this.#store;
    const values = readProperties(settings, init as object as EntityPatch, 'EntityInit', this.#values);
    return addAll(this.#store, init, values, out);
  }

  /** Puts an entity elsewhere; `z` is needed in 3-D. The next tick reports it. Cost: a few nanoseconds. */
  move(id: EntityId, x: number, y: number, z?: number): void {
    this.#open();
    const slot = this.#store.slotOf(id);
    checkPosition(this.#store.settings, x, y, z);
    this.#store.move(slot, x, y, z ?? 0);
  }

  /**
   * Moves many: `ids[k]` to `x[k], y[k], z[k]`; with `at`, `ids[at[k]]` to `x[at[k]], ...` for each k, so that the columns
   * of an entity component system go in as they are. Checked whole before any moves; of a repeated id the last wins.
   */
  moveMany(
    ids: Uint32Array,
    x: ArrayLike<number>,
    y: ArrayLike<number>,
    z?: ArrayLike<number>,
    at?: ArrayLike<number>,
  ): void {
    this.#open();
    moveAll(this.#store, ids, { x, y, z }, at);
  }

  /** Changes what the patch names; the next tick reports what comes of it. Throws as `add` does. */
  update(id: EntityId, patch: EntityPatch): void {
    this.#open();
    const slot = this.#store.slotOf(id);
    this.#store.update(slot, readProperties(this.#store.settings, patch, 'EntityPatch', this.#values));
  }

  /** Says that some state of the entity's other than its position changed: whoever relates to it hears `updated`. */
  touch(id: EntityId): void {
    this.#open();
    this.#store.note(this.#store.slotOf(id), TOUCHED);
  }

  remove(id: EntityId): void {
    this.#open();
    this.#engine.remove(this.#store.slotOf(id));
  }

  /** Removes all of them, or none when one is stale or bad. A repeated id is removed once. */
  removeMany(ids: Uint32Array): void {
    this.#open();
    removeAll(this.#store, ids, (slot) => this.#engine.remove(slot));
  }

  /** Whether the id names a present entity. Never throws. */
  has(id: EntityId): boolean {
    return !this.#isDisposed && this.#store.has(id);
  }

  /** Where the entity is now: `[x, y]` or `[x, y, z]`. */
  position(id: EntityId, out?: Float32Array): Float32Array {
    this.#mayRead();
    if (out !== undefined && !(out instanceof Float32Array)) throw badOption('out', out, 'a Float32Array');
    const { now, settings } = this.#store;
    const slot = this.#store.slotOf(id);
    const { dimensions } = settings;
    const position = out !== undefined && out.length >= dimensions ? out : new Float32Array(dimensions);
    position[0] = now.x[slot];
    position[1] = now.y[slot];
    if (dimensions === 3) position[2] = now.z[slot];
    return position.length === dimensions ? position : position.subarray(0, dimensions);
  }

  /** A small number of the entity's own while it is present, for indexing columns: 0 to capacity - 1. */
  slotOf(id: EntityId): number {
    this.#mayRead();
    return this.#store.slotOf(id);
  }

  /** All ids present now, ascending. */
  ids(out?: Uint32Array): Uint32Array {
    this.#open();
    return this.#present().toArray(out);
  }

  /** As `ids`: writes what fits, answers how many there are. */
  idsInto(out: Uint32Array): number {
    this.#open();
    return this.#present().into(out);
  }

  /**
   * Compares now with the last tick and reports. Then listeners run, and the first error any of them threw is thrown;
   * the tick stands. Throws `REENTRANT_TICK` inside a listener.
   */
  tick(): Changes {
    this.#open();
    if (this.#isTicking) {
      throw new UmweltError('REENTRANT_TICK', 'tick() was called within a tick, expected after it');
    }
    this.#isTicking = true;
    try {
      this.#engine.tick();
      this.#listeners.dispatch(this.#engine.report);
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
   */
  on(event: WorldEvent, listener: EventListener, options: ListenerOptions = {}): () => void {
    this.#open();
    checkListenerOptions(options);
    const { last, settings } = this.#store;
    const index = options.interest === undefined ? undefined : interestIndex(settings, options.interest);
    const concerns =
      index === undefined ? undefined : (watcher: EntityId) => last.interests.at(watcher >>> 10) === index;
    const sensesOf = (watcher: EntityId, marker: EntityId) =>
      sensesOfRelated(this.#engine, watcher >>> 10, marker >>> 10);
    return this.#listeners.add(event, listener, sensesOf, concerns);
  }

  /** The watcher's relations as of the last tick, less what was removed since, ascending. */
  visibleTo(watcher: EntityId, out?: Uint32Array): Uint32Array {
    this.#open();
    return visibleTo(this.#engine, this.#store.slotOf(watcher)).toArray(out);
  }

  visibleToInto(watcher: EntityId, out: Uint32Array): number {
    this.#open();
    return visibleTo(this.#engine, this.#store.slotOf(watcher)).into(out);
  }

  /** Who relates to the marker as of the last tick, less what was removed since, ascending. */
  watchersOf(marker: EntityId, out?: Uint32Array): Uint32Array {
    this.#open();
    return watchersOf(this.#engine, this.#store.slotOf(marker)).toArray(out);
  }

  watchersOfInto(marker: EntityId, out: Uint32Array): number {
    this.#open();
    return watchersOf(this.#engine, this.#store.slotOf(marker)).into(out);
  }

  /** Whether the watcher relates to the marker as of the last tick. */
  related(watcher: EntityId, marker: EntityId): boolean {
    this.#open();
    return relationOf(this.#engine, this.#store.slotOf(watcher), this.#store.slotOf(marker)).isRelated;
  }

  /**
   * The senses in which the watcher perceives the marker it relates to, as of the last tick: bit i is `options.senses[i]`.
   * 0 when it does not relate, and when only a pin, a group or `always` relates them.
   */
  senses(watcher: EntityId, marker: EntityId): number {
    this.#open();
    return relationOf(this.#engine, this.#store.slotOf(watcher), this.#store.slotOf(marker)).senses;
  }

  /** Why the watcher relates to the marker, or does not, as of the last tick: the rule, its numbers, a sentence. */
  explain(watcher: EntityId, marker: EntityId): Explanation {
    this.#open();
    const [from, to] = [this.#store.slotOf(watcher), this.#store.slotOf(marker)];
    return explain(this.#engine, this.#engine.ties, from, to);
  }

  /** Everyone inside the shape as of the last tick, less who was removed since. Throws `BAD_SHAPE`, `BAD_OPTION`. */
  query(shape: Shape, options?: QueryOptions): Uint32Array {
    this.#open();
    return query(this.#store, this.#engine.detector, shape, options).toArray(options?.out);
  }

  queryInto(shape: Shape, options: QueryOptions | undefined, out: Uint32Array): number {
    this.#open();
    return query(this.#store, this.#engine.detector, shape, options).into(out);
  }

  /** The `k` entities nearest to a point as of the last tick, nearest first, ties by id. */
  nearest(x: number, y: number, k: number, options?: NearestOptions): Uint32Array {
    this.#open();
    return nearest(this.#store, this.#engine.detector, x, y, k, options).toArray(options?.out);
  }

  /**
   * Those of the caster's relations that lie inside the shape as of the last tick, less who was removed since; never
   * itself. Whom it does not relate to it cannot hit. Throws `BAD_SHAPE`, `BAD_OPTION`, `UNKNOWN_SENSE`.
   */
  targets(caster: EntityId, shape: Shape, options?: QueryOptions): Uint32Array {
    this.#open();
    return targets(this.#engine, this.#store.slotOf(caster), shape, options).toArray(options?.out);
  }

  targetsInto(caster: EntityId, shape: Shape, options: QueryOptions | undefined, out: Uint32Array): number {
    this.#open();
    return targets(this.#engine, this.#store.slotOf(caster), shape, options).into(out);
  }

  /**
   * Relates the watcher to the marker from the next tick on, whatever the range, cap, layer and channel, while any reason
   * holds. On one that is no marker it rests until that is. Throws `BAD_ID` (also with itself), `STALE_ID`.
   */
  pin(watcher: EntityId, marker: EntityId, reason = ''): void {
    this.#open();
    checkTie(this.#store, watcher, marker, reason);
    this.#engine.ties.pin(watcher, marker, reason);
  }

  /** Takes a reason back; one that does not hold changes nothing, nor do ids that are gone. */
  unpin(watcher: EntityId, marker: EntityId, reason = ''): void {
    this.#open();
    checkUntie(this.#store, watcher, marker, reason);
    this.#engine.ties.unpin(watcher, marker, reason);
  }

  /** From the next tick on the watcher never relates to the marker, whatever else holds. One way. Throws as `pin`. */
  block(watcher: EntityId, marker: EntityId): void {
    this.#open();
    checkTie(this.#store, watcher, marker, '');
    this.#engine.ties.block(watcher, marker);
  }

  unblock(watcher: EntityId, marker: EntityId): void {
    this.#open();
    checkUntie(this.#store, watcher, marker, '');
    this.#engine.ties.unblock(watcher, marker);
  }

  /**
   * Gives a name to an interest, or a named one other rules, from the next tick on: whoever goes by it keeps its
   * relations as seats. Throws `BAD_OPTION`, `BAD_RANGE`, `UNKNOWN_GROUP`, `UNSUPPORTED`.
   */
  setInterest(name: string, interest: Interest): void {
    this.#open();
    this.#engine.interests.set(name, interest);
  }

  nearestInto(
    x: number,
    y: number,
    k: number,
    options: NearestOptions | undefined,
    out: Uint32Array,
  ): number {
    this.#open();
    return nearest(this.#store, this.#engine.detector, x, y, k, options).into(out);
  }

  /**
   * Lets another detector find the crossings from the next tick on: the same relations, no events of its own. With
   * granularity 'cell' only one of the same cell rule will do. Throws `BAD_OPTION`, `UNKNOWN_DETECTOR`, `UNSUPPORTED`.
   * Cost: O(n).
   */
  setDetector(detector: DetectorName | DetectorFactory): void {
    this.#open();
    const makeDetector = detectorFactory(detector);
    checkGranularity(this.#store.settings, detector);
    this.#engine.setDetector(makeDetector);
  }

  /**
   * The world as bytes, for `restore`: the last tick's state, all that is pending, seats, memory, pins and blocks. See
   * docs/recording.md. Throws `CAPACITY` beyond 4 GiB. Cost: O(n + relations), some tens of ms for 100,000 entities.
   */
  snapshot(): Uint8Array {
    this.#open();
    return writeSnapshot(this.#engine, this.#engine.counts, detectorNameOf(this.#engine.makeDetector));
  }

  /** Counts and timings of the last tick, and memory. */
  stats(): WorldStats {
    this.#open();
    const { heap, size } = this.#store;
    return {
      tick: this.#engine.tickCount,
      entities: size,
      detector: this.#engine.detector.name,
      kernels: heap.wasm ? 'wasm' : 'typescript',
      threads: heap.crew.threadCount,
      ...this.#engine.clock.lastTick,
      enteredCount: this.#engine.changes.enteredCount,
      leftCount: this.#engine.changes.leftCount,
      updatedCount: this.#engine.changes.updatedCount,
      sensedCount: this.#engine.changes.sensedCount,
      relationCount: this.#engine.relationCount,
      memoryBytes: this.#engine.memoryBytes,
    };
  }

  /** Ends the world; resolves when its worker threads are gone. Again it does nothing; any other call throws `DISPOSED`. */
  dispose(): Promise<void> {
    this.#mayNotCompute();
    this.#isDisposed = true;
    return this.#store.heap.crew.dispose();
  }

  /** Throws at the first broken invariant of the world's own structures. For tests: O(n). */
  validate(): void {
    this.#open();
    this.#engine.detector.validate(this.#store);
    this.#engine.relations.validate();
    this.#engine.seating.validate();
  }

  /** The detector's structure as text, for people: at most some 40 lines. */
  describe(): string {
    this.#open();
    return this.#engine.detector.describe();
  }

  /** What lies in a window of the detector's structure, as shapes to draw; none without a picture. Throws `BAD_OPTION`. */
  sketch(window: Rectangle): StructureSketch {
    this.#open();
    const sketch = new StructureSketch(window);
    this.#engine.detector.sketch?.(this.#store, sketch);
    return sketch;
  }

  #load(snapshot: Snapshot, { interests = {}, detector }: RestoreOptions, takesInterests: boolean): void {
    this.#engine.resume(snapshot.load(this.#engine, interests, takesInterests));
    this.setDetector(detector === undefined ? snapshot.shippedDetector() : detector);
    snapshot.loadRelations(this.#engine);
  }

  #present(): IdList {
    const { slotCount, now, ids } = this.#store;
    const present = new IdList();
    for (let slot = 0; slot < slotCount; slot++) if (now.isPresent(slot)) present.push(ids.idOf[slot]);
    return present;
  }

  /** Throws unless the world may be used now. */
  #open(): void {
    this.#mayNotCompute();
    this.#mayRead();
  }

  #mayNotCompute(): void {
    if (!this.#engine.isComputing) return;
    throw new UmweltError(
      'REENTRANT_TICK',
      'the world was used while a tick computes, expected only has, position and slotOf in rank and admit',
    );
  }

  #mayRead(): void {
    if (this.#isDisposed) throw new UmweltError('DISPOSED', 'the world was disposed of, expected one in use');
  }
}

/** `EntityInit` for many: position columns of one length, and one of everything else. */
export type EntitiesInit = Omit<EntityInit, 'x' | 'y' | 'z'> & PositionColumns;
