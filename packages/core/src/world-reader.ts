/**
 * `WorldReader`: everything that can be read from a world without changing it. Which entities are present, which
 * watcher relates to which marker as of the last tick, and why.
 *
 * `World` extends this class. Reading and changing are in separate files, and a recorder can tell from the class
 * which calls it need not record. `queries/` computes the answers; this class turns arguments into slots, and throws
 * if the world is computing or disposed.
 */
import type { Changes } from './changes.ts';
import type { Rectangle } from './detectors/bounds.ts';
import { StructureSketch } from './detectors/structure-sketch.ts';
import type { Engine } from './engine.ts';
import type { EntityId } from './entities/entity-ids.ts';
import type { EntityState } from './entities/entity-state.ts';
import type { EntityStore } from './entities/entity-store.ts';
import { stateHash } from './entities/state-hash.ts';
import { badOption } from './errors.ts';
import { conditionsOf, type MarkerConditions } from './queries/conditions.ts';
import { type DescribeOptions, describe } from './queries/describe.ts';
import { type Explanation, explain } from './queries/explain.ts';
import { checkOut, IdList } from './queries/id-list.ts';
import { nearestArray, nearestInto, queryArray, queryInto } from './queries/moment.ts';
import { type Outranked, outranked } from './queries/outranked.ts';
import type { NearestOptions, QueryOptions } from './queries/query.ts';
import type { Shape } from './queries/shape.ts';
import { targets } from './queries/targets.ts';
import { relationOf } from './queries/visibility.ts';
import { visibleToArray, visibleToInto } from './queries/visible-to.ts';
import { type Place, watchersAt } from './queries/watchers-at.ts';
import {
  type WatcherRows,
  watcherCount,
  watchersOf,
  watchersOfInto,
  watchersOfMany,
} from './queries/watchers-of.ts';
import type { RangeShape } from './settings.ts';
import type { WorldStats } from './stats.ts';

/** The engine behind a world: for subclasses. */
export let engineOf: (world: WorldReader) => Engine;

/**
 * The read-only part of `World`. While a tick computes, calls throw `REENTRANT_TICK`, except `has`, `position` and
 * `slotOf`. After `dispose` they throw `DISPOSED`, except `has`.
 */
export class WorldReader {
  static {
    engineOf = (world) => world.#engine;
  }

  #engine: Engine;
  #store: EntityStore;

  /**
   * If given a world, reads that world: for a class that lets others read a world that only the class itself changes.
   */
  protected constructor(of: Engine | WorldReader) {
    this.#engine = of instanceof WorldReader ? of.#engine : of;
    this.#store = this.#engine.store;
  }

  /** Reads another world from now on: for a class that replaces its whole world while its readers remain. */
  protected readFrom(of: WorldReader): void {
    this.#engine = of.#engine;
    this.#store = of.#store;
  }

  /** As in `WorldOptions`. */
  get dimensions(): 2 | 3 {
    return this.#store.settings.dimensions;
  }

  /** Names of the senses: bit i of a sense mask is `senseNames[i]`. */
  get senseNames(): readonly string[] {
    return this.#store.settings.senses;
  }

  /** As in `WorldOptions`. */
  get rangeShape(): RangeShape {
    return this.#store.settings.rangeShape;
  }

  /** Half the extent of a range along each axis, in ranges; 1 unless the shape is a box or a cylinder. */
  get rangeRatio(): readonly [x: number, y: number, z: number] {
    const { ratioX, ratioY, ratioZ } = this.#store.settings;
    return [ratioX, ratioY, ratioZ];
  }

  /** Number of entities present now. */
  get size(): number {
    return this.#store.size;
  }

  /** Number of ticks done; the first tick is 1. */
  get tickCount(): number {
    return this.#engine.tickCount;
  }

  /** What the last tick returned; empty before the first tick. */
  get lastChanges(): Changes {
    return this.#engine.changes;
  }

  /** Whether the id names a present entity. Never throws. */
  has(id: EntityId): boolean {
    return !this.#engine.isDisposed && this.#store.has(id);
  }

  /**
   * Position of the entity now, in world units: `[x, y]` or `[x, y, z]`; in `out` if it is long enough. Throws
   * `BAD_ID`, `STALE_ID`, `BAD_OPTION`.
   */
  position(id: EntityId, out?: Float32Array): Float32Array {
    this.#engine.checkUsable();
    return this.#positionIn(this.#store.now, id, out);
  }

  /**
   * Position of the entity as of the last tick, as its report has it: moves since then do not count. Of an entity
   * added since: its position now. Otherwise as `position`.
   */
  positionAtTick(id: EntityId, out?: Float32Array): Float32Array {
    this.#engine.checkOpen();
    return this.#positionIn(this.#store.last, id, out);
  }

  /** In a state; of an entity that is not in it: now. */
  #positionIn(wanted: EntityState, id: EntityId, out: Float32Array | undefined): Float32Array {
    if (out !== undefined && !(out instanceof Float32Array)) throw badOption('out', out, 'a Float32Array');
    const { now, settings, attachments } = this.#store;
    const slot = this.#store.slotOf(id);
    const { dimensions } = settings;
    const position = out !== undefined && out.length >= dimensions ? out : new Float32Array(dimensions);
    // No other entity can have had the slot at the last tick: slots are handed out again only after a tick.
    const state = wanted.isPresent(slot) ? wanted : now;
    if (state === now && now.parents.at(slot) !== 0) {
      position.set(attachments.placeOf(slot).slice(0, dimensions));
    } else {
      position[0] = state.x[slot];
      position[1] = state.y[slot];
      if (dimensions === 3) position[2] = state.z[slot];
    }
    return position.length === dimensions ? position : position.subarray(0, dimensions);
  }

  /**
   * A small number that belongs to this entity, for indexing columns: 0 to `slotCount` - 1. Available while the
   * entity is present. For an id that the last tick's report names, as removed or in a list, it is available until
   * the next tick; no other entity has the slot before then. Throws `BAD_ID`, `STALE_ID`. Cost: a few nanoseconds.
   */
  slotOf(id: EntityId): number {
    this.#engine.checkUsable();
    if (!this.#store.has(id) && !this.#engine.isReported(id)) throw this.#store.ids.errorFor(id);
    return id >>> 10;
  }

  /**
   * Greater than every slot in use: the length that your own columns need. There are more slots than entities,
   * because a free slot is reused only while more than 1,024 are free, and not before the second tick after the
   * removal. It is at most the largest number of entities ever present at once plus 1,024, or plus the number removed
   * since the tick before the last if that is more. It falls after a crowd has left.
   */
  get slotCount(): number {
    return this.#store.slotCount;
  }

  /** All ids present now, ascending; in `out` if it is long enough. Throws `BAD_OPTION`. */
  ids(out?: Uint32Array): Uint32Array {
    this.#engine.checkOpen();
    if (out !== undefined) checkOut(out);
    const { size } = this.#store;
    const ids = out === undefined || out.length < size ? new Uint32Array(size) : out.subarray(0, size);
    this.#presentInto(ids);
    return ids;
  }

  /** As `ids`, but writes as many as fit into `out` and returns how many there are. Throws `BAD_OPTION`. */
  idsInto(out: Uint32Array): number {
    this.#engine.checkOpen();
    checkOut(out);
    this.#presentInto(out);
    return this.#store.size;
  }

  /** Number of entities attached to others now. */
  get attachedCount(): number {
    return this.#store.attachments.count;
  }

  /** The entity that this one is attached to now; `undefined` if it is not attached. Throws `BAD_ID`, `STALE_ID`. */
  parentOf(child: EntityId): EntityId | undefined {
    this.#engine.checkOpen();
    return this.#store.now.parents.at(this.#store.slotOf(child)) || undefined;
  }

  /**
   * Entities attached directly to this one now, ascending; their own children are not included. The result is in `out`
   * if it is long enough. Throws `BAD_ID`, `STALE_ID`.
   */
  childrenOf(parent: EntityId, out?: Uint32Array): Uint32Array {
    this.#engine.checkOpen();
    return this.#childrenOf(parent).toArray(out);
  }

  /** As `childrenOf`, but writes as many as fit into `out` and returns how many there are. */
  childrenOfInto(parent: EntityId, out: Uint32Array): number {
    this.#engine.checkOpen();
    return this.#childrenOf(parent).into(out);
  }

  /**
   * Markers that the watcher relates to as of the last tick, without those removed since, ascending; in `out` if it is
   * long enough. Throws `BAD_ID`, `STALE_ID`, `BAD_OPTION`. Cost: a copy of its row. With `updates: false`: a search of
   * nearby markers, unless the same was asked in recent ticks.
   */
  visibleTo(watcher: EntityId, out?: Uint32Array): Uint32Array {
    this.#engine.checkOpen();
    return visibleToArray(this.#engine, this.#store.slotOf(watcher), out);
  }

  /** As `visibleTo`, but writes as many as fit into `out` and returns how many there are. */
  visibleToInto(watcher: EntityId, out: Uint32Array): number {
    this.#engine.checkOpen();
    return visibleToInto(this.#engine, this.#store.slotOf(watcher), out);
  }

  /**
   * Watchers that relate to the marker as of the last tick, without those removed since, ascending; in `out` if it is
   * long enough. Throws `BAD_ID`, `STALE_ID`, `BAD_OPTION`. Cost: a search of nearby watchers, some 10 to 100 us. If
   * many such queries are made, lists are kept (16 bytes a slot, 4 to 16 a relation), and a query takes less than 1 us.
   */
  watchersOf(marker: EntityId, out?: Uint32Array): Uint32Array {
    this.#engine.checkOpen();
    return watchersOf(this.#engine, this.#store.slotOf(marker), out);
  }

  /** As `watchersOf`, but writes as many as fit into `out` and returns how many there are. */
  watchersOfInto(marker: EntityId, out: Uint32Array): number {
    this.#engine.checkOpen();
    return watchersOfInto(this.#engine, this.#store.slotOf(marker), out);
  }

  /**
   * Number of watchers that relate to the marker as of the last tick, without those removed since. Throws `BAD_ID`,
   * `STALE_ID`. Cost: some ns once relations are counted (see `Changes.watched`), else as `watchersOf`.
   */
  watcherCount(marker: EntityId): number {
    this.#engine.checkOpen();
    return watcherCount(this.#engine, this.#store.slotOf(marker));
  }

  /**
   * `watchersOf` for many markers at once: row i, of `ids[i]`, is `watchers[offsets[i] .. offsets[i + 1])`. Throws
   * `BAD_OPTION`, and `BAD_ID` or `STALE_ID` with the index. Cost: that of `watchersOf` for each; for many ids, lists
   * are built first, some 10 ns a relation.
   */
  watchersOfMany(ids: Uint32Array): WatcherRows {
    this.#engine.checkOpen();
    return watchersOfMany(this.#engine, ids);
  }

  /**
   * Watchers that would have perceived a marker at this place at the last tick, without those removed since, ascending;
   * in `out` if it is long enough. Caps, pins, groups and margins are ignored. For sounds, explosions, chat. Throws
   * `BAD_OPTION`, `BAD_POSITION`, `BAD_GAIN`, `BAD_RANGE`, `BAD_LAYERS`, `BAD_ID`, `UNKNOWN_SENSE`, `UNKNOWN_GROUP`.
   * Cost: a search of nearby watchers and of those with the longest ranges. The first call after a tick in which an
   * entity was added or changed is O(watchers).
   */
  watchersAt(place: Place, out?: Uint32Array): Uint32Array {
    this.#engine.checkOpen();
    return watchersAt(this.#engine, this.#engine.farWatchers, place).toArray(out);
  }

  /** As `watchersAt`, but writes as many as fit into `out` and returns how many there are. */
  watchersAtInto(place: Place, out: Uint32Array): number {
    this.#engine.checkOpen();
    return watchersAt(this.#engine, this.#engine.farWatchers, place).into(out);
  }

  /** Whether the watcher relates to the marker as of the last tick. Throws `BAD_ID`, `STALE_ID`. */
  related(watcher: EntityId, marker: EntityId): boolean {
    this.#engine.checkOpen();
    return relationOf(this.#engine, this.#store.slotOf(watcher), this.#store.slotOf(marker)).isRelated;
  }

  /**
   * Mask of the senses with which the watcher perceives the marker as of the last tick: bit i is `options.senses[i]`. 0
   * if they are not related, and if only a pin, a group or `always` relates them. Throws `BAD_ID`, `STALE_ID`.
   */
  senses(watcher: EntityId, marker: EntityId): number {
    this.#engine.checkOpen();
    return relationOf(this.#engine, this.#store.slotOf(watcher), this.#store.slotOf(marker)).senses;
  }

  /**
   * Why the watcher relates to the marker, or does not, as of the last tick: the rule that decided, its numbers, and a
   * sentence. Throws `BAD_ID`, `STALE_ID`, and whatever a user's `rank` throws.
   */
  explain(watcher: EntityId, marker: EntityId): Explanation {
    this.#engine.checkOpen();
    const [from, to] = [this.#store.slotOf(watcher), this.#store.slotOf(marker)];
    return this.#engine.ranking(() => explain(this.#engine, this.#engine.ties, from, to));
  }

  /**
   * Markers that got no seat at the last tick because of the watcher's cap, a quota or the enter budget: best rank
   * first, at most `limit` (default 64). Throws `BAD_ID`, `STALE_ID`, `BAD_OPTION`, and whatever a user's `rank`
   * throws. Cost: proportional to its candidates; O(n) if the cap is far below them.
   */
  outranked(watcher: EntityId, limit = 64): Outranked {
    this.#engine.checkOpen();
    const slot = this.#store.slotOf(watcher);
    return this.#engine.ranking(() => outranked(this.#engine, this.#engine.ties, slot, limit));
  }

  /**
   * How far an entity perceives now, in world units: one value a sense, in the order of `senseNames`; 0 for a sense
   * that it does not have. Throws `BAD_ID`, `STALE_ID`, `BAD_OPTION`. Cost: a few nanoseconds, and an array if `out`
   * is absent or too short.
   */
  ranges(id: EntityId, out?: Float32Array): Float32Array {
    this.#engine.checkOpen();
    if (out !== undefined && !(out instanceof Float32Array)) throw badOption('out', out, 'a Float32Array');
    const { now, settings } = this.#store;
    const slot = this.#store.slotOf(id);
    const { senseCount } = settings;
    const ranges = out !== undefined && out.length >= senseCount ? out : new Float32Array(senseCount);
    for (let s = 0; s < senseCount; s++) ranges[s] = now.ownRanges[s].at(slot);
    return ranges.length === senseCount ? ranges : ranges.subarray(0, senseCount);
  }

  /** The conditions under which watchers meet this entity, as they are now. Throws `BAD_ID`, `STALE_ID`. */
  conditions(id: EntityId): MarkerConditions {
    this.#engine.checkOpen();
    return conditionsOf(this.#store, this.#store.slotOf(id));
  }

  /** The leave margin of the watcher's interest now, in world units. Throws `BAD_ID`, `STALE_ID`. */
  leaveMargin(watcher: EntityId): number {
    this.#engine.checkOpen();
    const slot = this.#store.slotOf(watcher);
    return this.#engine.interests.known(this.#store.now.interests.at(slot)).leaveMargin;
  }

  /**
   * An object that stands for the watcher's interest as of the last tick, to be compared only: it is another one when
   * the watcher has got another interest, or its interest was set anew. With that tick, changes that were waiting for
   * their turn count as reported. Throws `BAD_ID`, `STALE_ID`.
   */
  interestKey(watcher: EntityId): object {
    this.#engine.checkOpen();
    const slot = this.#store.slotOf(watcher);
    const { last, now } = this.#store;
    return this.#engine.interests.known((last.isPresent(slot) ? last : now).interests.at(slot));
  }

  /**
   * Entities inside the shape as of the last tick, without those removed since; or as of now. Throws `BAD_SHAPE`,
   * `BAD_OPTION`, `BAD_LAYERS`.
   */
  query(shape: Shape, options?: QueryOptions): Uint32Array {
    this.#engine.checkOpen();
    return queryArray(this.#store, this.#engine.detector, shape, options);
  }

  /** As `query`, but writes as many as fit into `out` and returns how many there are. */
  queryInto(shape: Shape, options: QueryOptions | undefined, out: Uint32Array): number {
    this.#engine.checkOpen();
    return queryInto(this.#store, this.#engine.detector, shape, options, out);
  }

  /**
   * The `k` entities nearest to a point as of the last tick, or now; nearest first, ties by id. Throws
   * `BAD_POSITION`, `BAD_OPTION`, `BAD_RANGE`, `BAD_LAYERS`.
   */
  nearest(x: number, y: number, k: number, options?: NearestOptions): Uint32Array {
    this.#engine.checkOpen();
    return nearestArray(this.#store, this.#engine.detector, x, y, k, options);
  }

  /** As `nearest`, but writes as many as fit into `out` and returns how many there are. */
  nearestInto(
    x: number,
    y: number,
    k: number,
    options: NearestOptions | undefined,
    out: Uint32Array,
  ): number {
    this.#engine.checkOpen();
    return nearestInto(this.#store, this.#engine.detector, x, y, k, options, out);
  }

  /**
   * Markers that the caster relates to and that lie inside the shape, as of the last tick, without those removed since;
   * never the caster itself. An entity that the caster does not relate to cannot be hit. Throws `BAD_SHAPE`,
   * `BAD_OPTION`, `BAD_LAYERS`, `UNKNOWN_SENSE`, `BAD_ID`, `STALE_ID`.
   */
  targets(caster: EntityId, shape: Shape, options?: QueryOptions): Uint32Array {
    this.#engine.checkOpen();
    return targets(this.#engine, this.#store.slotOf(caster), shape, options).toArray(options?.out);
  }

  /** As `targets`, but writes as many as fit into `out` and returns how many there are. */
  targetsInto(caster: EntityId, shape: Shape, options: QueryOptions | undefined, out: Uint32Array): number {
    this.#engine.checkOpen();
    return targets(this.#engine, this.#store.slotOf(caster), shape, options).into(out);
  }

  /**
   * 64-bit hash, in hex, of the entities present at the last tick: ids, positions and properties. Leaves out which
   * entities are at rest (`watches: false`), and pins and blocks. Equal states have equal hashes, whatever the
   * detectors and kernels of their worlds. See entities/state-hash.ts. Cost: O(n), some 5 ms for 100,000 entities, 10
   * with ten properties.
   */
  stateHash(): string {
    this.#engine.checkOpen();
    const { last, ids, slotCount, settings } = this.#store;
    return stateHash(last, ids, slotCount, settings);
  }

  /**
   * Counts and timings of the last tick, and memory use. Cost: some microseconds; the first call after a tick also visits each pair
   * of watchers with an `enterBudget`.
   */
  stats(): WorldStats {
    this.#engine.checkOpen();
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
      lingeringCount: this.#engine.seating.lingeringCount,
      waitingCount: this.#engine.seating.waitingCount,
      attachedCount: this.attachedCount,
      memoryBytes: this.#engine.memoryBytes,
    };
  }

  /**
   * The world as text for people, as of the last tick: the detector's structure in at most some 40 lines, and ids and
   * positions in their order on each axis. Around one entity: which markers it relates to, why, how far away, and
   * which watchers relate to it. See queries/describe.ts. Throws `BAD_OPTION`, `BAD_ID`, `STALE_ID`. Cost: O(n log
   * n); with `limit: 0` only the structure's.
   */
  describe(options: DescribeOptions = {}): string {
    this.#engine.checkOpen();
    return describe(this.#engine, this.#engine.ties, this.#engine.tickCount, options);
  }

  /**
   * The part of the detector's structure inside a window, as shapes to draw; empty if the detector has no sketch.
   * Throws `BAD_OPTION`.
   */
  sketch(window: Rectangle): StructureSketch {
    this.#engine.checkOpen();
    const sketch = new StructureSketch(window);
    this.#engine.detector.sketch?.(this.#store, sketch);
    return sketch;
  }

  #childrenOf(parent: EntityId): IdList {
    const children = new IdList();
    for (const slot of this.#store.attachments.childrenOf(this.#store.slotOf(parent))) {
      children.push(this.#store.ids.idOf[slot]);
    }
    return children.sorted();
  }

  /** As many as fit. Not by way of an `IdList`: a plain array of a million ids takes ten times as long. */
  #presentInto(out: Uint32Array): void {
    const { slotCount, now, ids } = this.#store;
    let count = 0;
    for (let slot = 0; slot < slotCount && count < out.length; slot++) {
      if (now.isPresent(slot)) out[count++] = ids.idOf[slot];
    }
  }
}
