/**
 * One space and everyone in it: what users hold.
 *
 * Between ticks a world takes in changes, checking each at this edge; a tick compares the world with what it was at the
 * last one and reports, to each watcher, who came into what it perceives, who left and who changed. The work is done
 * elsewhere: `entities/` keeps the state, a detector finds the crossings, `interest/` keeps the relations that must be
 * remembered, `reports/` puts them in order, `queries/` answers questions about the last tick.
 */
import { Changes } from './changes.ts';
import type { Rectangle } from './detectors/bounds.ts';
import { Crossings } from './detectors/crossings.ts';
import type { Detector, DetectorFactory, DetectorName } from './detectors/detector.ts';
import { detectorFactory } from './detectors/registry.ts';
import { StructureSketch } from './detectors/structure-sketch.ts';
import { addAll, moveAll, type PositionColumns, removeAll } from './entities/bulk.ts';
import type { EntityId } from './entities/entity-ids.ts';
import {
  checkPosition,
  type EntityInit,
  type EntityPatch,
  emptyValues,
  type PropertyValues,
  readProperties,
} from './entities/entity-init.ts';
import { EntityStore, TOUCHED } from './entities/entity-store.ts';
import { perceivedSenses } from './entities/perception.ts';
import { UmweltError } from './errors.ts';
import { RelationRows } from './interest/relation-rows.ts';
import { Heap } from './kernels/heap.ts';
import { type EventListener, Listeners, type WorldEvent } from './listeners.ts';
import { checkGranularity, resolveOptions, type WorldOptions } from './options.ts';
import { IdList } from './queries/id-list.ts';
import { type NearestOptions, nearest, type QueryOptions, query } from './queries/query.ts';
import type { Shape } from './queries/shape.ts';
import { visibleTo, watchersOf } from './queries/visibility.ts';
import { BufferTrim } from './reports/buffer-trim.ts';
import { Report } from './reports/report.ts';
import { TickClock, type WorldStats } from './stats.ts';

/** The population behind a world: for what stands beside `World` in this package. */
export let storeOf: (world: World) => EntityStore;

export class World {
  static {
    storeOf = (world) => world.#store;
  }

  readonly #store: EntityStore;
  #detector: Detector;
  readonly #crossings: Crossings;
  readonly #relations: RelationRows;
  readonly #report: Report;
  readonly #trim = new BufferTrim();
  readonly #listeners = new Listeners();
  readonly #clock = new TickClock();
  readonly #values: PropertyValues;
  #removed = new IdList();
  #tickCount = 0;
  /** Pairs related as of the last tick. */
  #relationCount = 0;
  #changes: Changes;
  #isTicking = false;
  #isDisposed = false;

  /** Throws `BAD_OPTION`, `UNKNOWN_DETECTOR`, `UNSUPPORTED`, `CAPACITY`. */
  constructor(options: WorldOptions = {}) {
    const { settings, detector, capacity, kernels } = resolveOptions(options);
    const makeDetector = detectorFactory(detector);
    const heap = new Heap(kernels);
    this.#store = new EntityStore(heap, settings, capacity);
    this.#crossings = new Crossings(heap);
    this.#relations = new RelationRows(heap);
    this.#report = new Report(heap);
    this.#values = emptyValues(settings);
    this.#detector = makeDetector(this.#store);
    this.#changes = new Changes(0, this.#report, new Uint32Array(0));
  }

  /** Entities present now. */
  get size(): number {
    return this.#store.size;
  }

  /** Ticks done; the first is 1. */
  get tickCount(): number {
    return this.#tickCount;
  }

  /** What the last tick returned; before the first, nothing. */
  get lastChanges(): Changes {
    return this.#changes;
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
    const values = readProperties(
      this.#store.settings,
      init as object as EntityPatch,
      'EntityInit',
      this.#values,
    );
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
    this.#removeSlot(this.#store.slotOf(id));
  }

  /** Removes all of them, or none when one is stale or bad. A repeated id is removed once. */
  removeMany(ids: Uint32Array): void {
    this.#open();
    removeAll(this.#store, ids, (slot) => this.#removeSlot(slot));
  }

  /** Whether the id names a present entity. Never throws. */
  has(id: EntityId): boolean {
    return !this.#isDisposed && this.#store.has(id);
  }

  /** Where the entity is now: `[x, y]` or `[x, y, z]`. */
  position(id: EntityId, out?: Float32Array): Float32Array {
    this.#open();
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
    this.#open();
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
      throw new UmweltError(
        'REENTRANT_TICK',
        'tick() was called while a tick is under way, expected after it',
      );
    }
    this.#isTicking = true;
    try {
      this.#compute();
      this.#listeners.dispatch(this.#report);
    } finally {
      this.#isTicking = false;
    }
    return this.#changes;
  }

  /**
   * Calls `listener` for each pair that a tick reports, when it is complete: by watcher; within one left, entered,
   * sensed, updated; ids ascending. `senses` is the mask now, 0 on leave. Answers a function that undoes it. Both take
   * effect with the next dispatch. A listener may change the world: the next tick takes it up.
   */
  on(event: WorldEvent, listener: EventListener): () => void {
    this.#open();
    return this.#listeners.add(event, listener, (watcher, marker) => this.#sensesNow(watcher, marker));
  }

  /** The watcher's relations as of the last tick, less what was removed since, ascending. */
  visibleTo(watcher: EntityId, out?: Uint32Array): Uint32Array {
    this.#open();
    return visibleTo(this.#store, this.#detector, this.#store.slotOf(watcher)).toArray(out);
  }

  visibleToInto(watcher: EntityId, out: Uint32Array): number {
    this.#open();
    return visibleTo(this.#store, this.#detector, this.#store.slotOf(watcher)).into(out);
  }

  /** Who relates to the marker as of the last tick, less what was removed since, ascending. */
  watchersOf(marker: EntityId, out?: Uint32Array): Uint32Array {
    this.#open();
    return watchersOf(this.#store, this.#detector, this.#store.slotOf(marker)).toArray(out);
  }

  watchersOfInto(marker: EntityId, out: Uint32Array): number {
    this.#open();
    return watchersOf(this.#store, this.#detector, this.#store.slotOf(marker)).into(out);
  }

  /** Whether the watcher relates to the marker as of the last tick. */
  related(watcher: EntityId, marker: EntityId): boolean {
    return this.senses(watcher, marker) !== 0;
  }

  /** The senses in which the watcher perceives the marker as of the last tick: bit i is `options.senses[i]`. */
  senses(watcher: EntityId, marker: EntityId): number {
    this.#open();
    const store = this.#store;
    return perceivedSenses(store.settings, store.last, store.slotOf(watcher), store.slotOf(marker));
  }

  /** Everyone inside the shape as of the last tick, less who was removed since. Throws `BAD_SHAPE`, `BAD_OPTION`. */
  query(shape: Shape, options?: QueryOptions): Uint32Array {
    this.#open();
    return query(this.#store, this.#detector, shape, options).toArray(options?.out);
  }

  queryInto(shape: Shape, options: QueryOptions | undefined, out: Uint32Array): number {
    this.#open();
    return query(this.#store, this.#detector, shape, options).into(out);
  }

  /** The `k` entities nearest to a point as of the last tick, nearest first, ties by id. */
  nearest(x: number, y: number, k: number, options?: NearestOptions): Uint32Array {
    this.#open();
    return nearest(this.#store, this.#detector, x, y, k, options).toArray(options?.out);
  }

  nearestInto(
    x: number,
    y: number,
    k: number,
    options: NearestOptions | undefined,
    out: Uint32Array,
  ): number {
    this.#open();
    return nearest(this.#store, this.#detector, x, y, k, options).into(out);
  }

  /**
   * Lets another detector find the crossings from the next tick on: the same relations, no events of its own. With
   * granularity 'cell' only one of the same cell rule will do. Throws `UNKNOWN_DETECTOR`, `UNSUPPORTED`. Cost: O(n).
   */
  setDetector(detector: DetectorName | DetectorFactory): void {
    this.#open();
    const makeDetector = detectorFactory(detector);
    checkGranularity(this.#store.settings, detector);
    const replacement = makeDetector(this.#store);
    this.#detector.dispose?.();
    this.#detector = replacement;
  }

  /** Counts and timings of the last tick, and memory. */
  stats(): WorldStats {
    this.#open();
    const { heap, ids, size } = this.#store;
    return {
      tick: this.#tickCount,
      entities: size,
      detector: this.#detector.name,
      kernels: heap.wasm ? 'wasm' : 'typescript',
      threads: 1,
      ...this.#clock.lastTick,
      enteredCount: this.#changes.enteredCount,
      leftCount: this.#changes.leftCount,
      updatedCount: this.#changes.updatedCount,
      sensedCount: this.#changes.sensedCount,
      relationCount: this.#relationCount,
      memoryBytes: heap.byteLength + ids.memoryBytes + this.#detector.memoryBytes,
    };
  }

  /** Ends the world. Calling it again does nothing; any other call throws `DISPOSED`. */
  dispose(): Promise<void> {
    this.#isDisposed = true;
    return Promise.resolve();
  }

  /** Throws at the first broken invariant of the world's own structures. For tests: O(n). */
  validate(): void {
    this.#open();
    this.#detector.validate(this.#store);
    this.#relations.validate();
  }

  /** The detector's structure as text, for people: at most some 40 lines. */
  describe(): string {
    this.#open();
    return this.#detector.describe();
  }

  /** The part of the detector's structure that lies in a window, as shapes to draw; none where it has no picture. */
  sketch(window: Rectangle): StructureSketch {
    this.#open();
    const sketch = new StructureSketch(window);
    this.#detector.sketch?.(this.#store, sketch);
    return sketch;
  }

  #compute(): void {
    const store = this.#store;
    const crossings = this.#crossings;
    const report = this.#report;
    this.#clock.start();
    const counts = store.settle();
    this.#relations.settle(store, (slot) => visibleTo(store, this.#detector, slot, true).toArray(undefined));
    crossings.clear();
    this.#detector.detect(store, crossings);
    this.#clock.detected(counts);
    const found = crossings.count;
    crossings.resolve(store);
    // All room is made before anything is written: a world that cannot grow stays as it was.
    report.reserve(crossings);
    this.#relations.reserve(store, crossings, report.updated);
    report.fill(store, crossings);
    this.#relations.apply(store, crossings, report.updated);
    const mayUpdate = counts.moved + counts.touched > 0;
    this.#trim.note(store.heap, report, crossings, found, mayUpdate ? this.#relations.count : 0);
    store.endTick();
    this.#tickCount++;
    this.#relationCount += report.entered.count - report.left.count - crossings.lostWithWatcher;
    this.#changes = new Changes(this.#tickCount, report, this.#takeRemoved());
    this.#clock.end();
  }

  #takeRemoved(): Uint32Array {
    const removed = this.#removed.sorted().toArray(undefined);
    if (removed.length > 0) this.#removed = new IdList();
    return removed;
  }

  #removeSlot(slot: number): void {
    this.#removed.push(this.#store.ids.idOf[slot]);
    this.#store.remove(slot);
  }

  #present(): IdList {
    const { slotCount, now, ids } = this.#store;
    const present = new IdList();
    for (let slot = 0; slot < slotCount; slot++) if (now.isPresent(slot)) present.push(ids.idOf[slot]);
    return present;
  }

  #sensesNow(watcher: EntityId, marker: EntityId): number {
    return perceivedSenses(this.#store.settings, this.#store.last, watcher >>> 10, marker >>> 10);
  }

  #open(): void {
    if (this.#isDisposed) throw new UmweltError('DISPOSED', 'the world was disposed of, expected one in use');
  }
}

/** `EntityInit` for many: position columns of one length, and one of everything else. */
export type EntitiesInit = Omit<EntityInit, 'x' | 'y' | 'z'> & PositionColumns;
