/**
 * What may be asked of a world, and changes nothing: who is there, who is related to whom as of the last tick, and why.
 *
 * `World` is made from this class. It stands apart so that reading and changing a world are two files, and so that what
 * records a world knows by the class which calls it need not write down. The answers are worked out in `queries/`; here
 * arguments become slots, and a world that is computing or gone says so.
 */
import type { Changes } from './changes.ts';
import type { Rectangle } from './detectors/bounds.ts';
import { StructureSketch } from './detectors/structure-sketch.ts';
import type { Engine } from './engine.ts';
import type { EntityId } from './entities/entity-ids.ts';
import type { EntityStore } from './entities/entity-store.ts';
import { stateHash } from './entities/state-hash.ts';
import { badOption } from './errors.ts';
import { conditionsOf, type MarkerConditions } from './queries/conditions.ts';
import { type DescribeOptions, describe } from './queries/describe.ts';
import { type Explanation, explain } from './queries/explain.ts';
import { IdList } from './queries/id-list.ts';
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

/** The engine behind a world: for the classes made from this one. */
export let engineOf: (world: WorldReader) => Engine;

/** The part of `World` that only answers. */
export class WorldReader {
  static {
    engineOf = (world) => world.#engine;
  }

  #engine: Engine;
  #store: EntityStore;

  /** With a world, a reader of that one: for a class that lets others ask, and changes it alone. */
  protected constructor(of: Engine | WorldReader) {
    this.#engine = of instanceof WorldReader ? of.#engine : of;
    this.#store = this.#engine.store;
  }

  /** Reads another world from now on: for a class whose world is replaced as a whole, and whose readers stay. */
  protected readFrom(of: WorldReader): void {
    this.#engine = of.#engine;
    this.#store = of.#store;
  }

  /** As in `WorldOptions`. */
  get dimensions(): 2 | 3 {
    return this.#store.settings.dimensions;
  }

  /** Bit i of a mask of senses is `senseNames[i]`. */
  get senseNames(): readonly string[] {
    return this.#store.settings.senses;
  }

  /** As in `WorldOptions`. */
  get rangeShape(): RangeShape {
    return this.#store.settings.rangeShape;
  }

  /** Half the extent of a range along each axis, in ranges; 1 but where it is a box or a cylinder. */
  get rangeRatio(): readonly [x: number, y: number, z: number] {
    const { ratioX, ratioY, ratioZ } = this.#store.settings;
    return [ratioX, ratioY, ratioZ];
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

  /** Whether the id names a present entity. Never throws. */
  has(id: EntityId): boolean {
    return !this.#engine.isDisposed && this.#store.has(id);
  }

  /** Where the entity is now: `[x, y]` or `[x, y, z]`. */
  position(id: EntityId, out?: Float32Array): Float32Array {
    this.#engine.checkUsable();
    if (out !== undefined && !(out instanceof Float32Array)) throw badOption('out', out, 'a Float32Array');
    const { now, settings } = this.#store;
    const slot = this.#store.slotOf(id);
    const { dimensions } = settings;
    const position = out !== undefined && out.length >= dimensions ? out : new Float32Array(dimensions);
    if (now.parents.at(slot) !== 0) position.set(this.#store.attachments.placeOf(slot).slice(0, dimensions));
    else {
      position[0] = now.x[slot];
      position[1] = now.y[slot];
      if (dimensions === 3) position[2] = now.z[slot];
    }
    return position.length === dimensions ? position : position.subarray(0, dimensions);
  }

  /**
   * A small number of the entity's own, for indexing columns: 0 to `slotCount` - 1. Answered while it is present, and until
   * the next tick for each id that the last one's report names, as removed or in a list. Nobody else has the slot by then.
   * Throws `BAD_ID`, `STALE_ID`. Cost: a few nanoseconds.
   */
  slotOf(id: EntityId): number {
    this.#engine.checkUsable();
    if (!this.#store.has(id) && !this.#engine.isReported(id)) throw this.#store.ids.errorFor(id);
    return id >>> 10;
  }

  /**
   * Above every slot in use: how long columns of one's own must be. There are more slots than entities, since free ones
   * are used again only while more than 1,024 are free, and not before the second tick after a removal: at most as many as
   * were ever present at once, and 1,024, or those removed since the tick before the last where these are more. It falls when
   * a crowd has gone.
   */
  get slotCount(): number {
    return this.#store.slotCount;
  }

  /** All ids present now, ascending. */
  ids(out?: Uint32Array): Uint32Array {
    this.#engine.checkOpen();
    return this.#present().toArray(out);
  }

  /** As `ids`: writes what fits, answers how many there are. */
  idsInto(out: Uint32Array): number {
    this.#engine.checkOpen();
    return this.#present().into(out);
  }

  /** Entities attached to others now. */
  get attachedCount(): number {
    return this.#store.attachments.count;
  }

  /** Whom the entity is attached to now; `undefined`: nobody. Throws `BAD_ID`, `STALE_ID`. */
  parentOf(child: EntityId): EntityId | undefined {
    this.#engine.checkOpen();
    return this.#store.now.parents.at(this.#store.slotOf(child)) || undefined;
  }

  /** Who is attached to the entity now, ascending; not who is attached to those. Throws `BAD_ID`, `STALE_ID`. */
  childrenOf(parent: EntityId, out?: Uint32Array): Uint32Array {
    this.#engine.checkOpen();
    return this.#childrenOf(parent).toArray(out);
  }

  /** As `childrenOf`: writes what fits, answers how many there are. */
  childrenOfInto(parent: EntityId, out: Uint32Array): number {
    this.#engine.checkOpen();
    return this.#childrenOf(parent).into(out);
  }

  /**
   * The watcher's relations as of the last tick, less what was removed since, ascending. Cost: a copy of its row; with
   * `updates: false` a search of who is near, where it was not asked at the last ticks.
   */
  visibleTo(watcher: EntityId, out?: Uint32Array): Uint32Array {
    this.#engine.checkOpen();
    return visibleToArray(this.#engine, this.#store.slotOf(watcher), out);
  }

  /** As `visibleTo`: writes what fits, answers how many there are. */
  visibleToInto(watcher: EntityId, out: Uint32Array): number {
    this.#engine.checkOpen();
    return visibleToInto(this.#engine, this.#store.slotOf(watcher), out);
  }

  /**
   * Who relates to the marker as of the last tick, less what was removed since, ascending. Cost: a search of who is near, some 10
   * to 100 us; where many such questions are asked, lists are kept (16 bytes a slot, 4 to 16 a relation), and it is below 1 us.
   */
  watchersOf(marker: EntityId, out?: Uint32Array): Uint32Array {
    this.#engine.checkOpen();
    return watchersOf(this.#engine, this.#store.slotOf(marker), out);
  }

  /** As `watchersOf`: writes what fits, answers how many there are. */
  watchersOfInto(marker: EntityId, out: Uint32Array): number {
    this.#engine.checkOpen();
    return watchersOfInto(this.#engine, this.#store.slotOf(marker), out);
  }

  /** How many relate to the marker as of the last tick, less who was removed since. Cost: as `watchersOf`. */
  watcherCount(marker: EntityId): number {
    this.#engine.checkOpen();
    return watcherCount(this.#engine, this.#store.slotOf(marker));
  }

  /**
   * `watchersOf` for many at once: row i, of `ids[i]`, is `watchers[offsets[i] .. offsets[i + 1])`. Throws `BAD_OPTION`, and
   * `BAD_ID` or `STALE_ID` with the index. Cost: that of
   * `watchersOf` for each; for many, lists are made first, some 10 ns a relation.
   */
  watchersOfMany(ids: Uint32Array): WatcherRows {
    this.#engine.checkOpen();
    return watchersOfMany(this.#engine, ids);
  }

  /**
   * Who would perceive this place as of the last tick, less who was removed since, ascending: of a marker that stood there
   * then, whatever caps, pins, groups and margins say. For sounds, explosions, chat. Throws `BAD_OPTION`,
   * `BAD_POSITION`, `BAD_GAIN`, `BAD_RANGE`, `BAD_LAYERS`, `UNKNOWN_SENSE`. Cost: a look at who is near, and at the watchers
   * with the longest ranges; the first after a tick in which anybody came or changed, O(n).
   */
  watchersAt(place: Place, out?: Uint32Array): Uint32Array {
    this.#engine.checkOpen();
    return watchersAt(this.#engine, this.#engine.farWatchers, place).toArray(out);
  }

  /** As `watchersAt`: writes what fits, answers how many there are. */
  watchersAtInto(place: Place, out: Uint32Array): number {
    this.#engine.checkOpen();
    return watchersAt(this.#engine, this.#engine.farWatchers, place).into(out);
  }

  /** Whether the watcher relates to the marker as of the last tick. */
  related(watcher: EntityId, marker: EntityId): boolean {
    this.#engine.checkOpen();
    return relationOf(this.#engine, this.#store.slotOf(watcher), this.#store.slotOf(marker)).isRelated;
  }

  /**
   * The senses in which the watcher perceives the marker it relates to, as of the last tick: bit i is `options.senses[i]`.
   * 0 when it does not relate, and when only a pin, a group or `always` relates them.
   */
  senses(watcher: EntityId, marker: EntityId): number {
    this.#engine.checkOpen();
    return relationOf(this.#engine, this.#store.slotOf(watcher), this.#store.slotOf(marker)).senses;
  }

  /** Why the watcher relates to the marker, or does not, as of the last tick: the rule, its numbers, a sentence. */
  explain(watcher: EntityId, marker: EntityId): Explanation {
    this.#engine.checkOpen();
    const [from, to] = [this.#store.slotOf(watcher), this.#store.slotOf(marker)];
    return explain(this.#engine, this.#engine.ties, from, to);
  }

  /**
   * Whom the watcher's cap left without a seat at the last tick, best rank first, at most `limit` of them (64). Throws `BAD_ID`,
   * `STALE_ID`, `BAD_OPTION`; what a user's rank throws. Cost: its candidates; O(n) where the cap is far below them.
   */
  outranked(watcher: EntityId, limit = 64): Outranked {
    this.#engine.checkOpen();
    return outranked(this.#engine, this.#engine.ties, this.#store.slotOf(watcher), limit);
  }

  /**
   * How far an entity perceives now, in world units: one value a sense, in the order of `senseNames`; 0 for none. Throws
   * `BAD_ID`, `STALE_ID`, `BAD_OPTION`. Cost: a few nanoseconds, and an array where `out` is absent or short.
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

  /** What an entity asks of those who meet it, as it is now. Throws `BAD_ID`, `STALE_ID`. */
  conditions(id: EntityId): MarkerConditions {
    this.#engine.checkOpen();
    return conditionsOf(this.#store, this.#store.slotOf(id));
  }

  /** The leave margin of the interest that an entity goes by now, in world units. */
  leaveMargin(watcher: EntityId): number {
    this.#engine.checkOpen();
    return this.#engine.seating.interestIn(this.#store.now, this.#store.slotOf(watcher)).leaveMargin;
  }

  /** Everyone inside the shape as of the last tick, less who was removed since; or as of now. Throws `BAD_SHAPE`, `BAD_OPTION`. */
  query(shape: Shape, options?: QueryOptions): Uint32Array {
    this.#engine.checkOpen();
    return queryArray(this.#store, this.#engine.detector, shape, options);
  }

  /** As `query`: writes what fits, answers how many there are. */
  queryInto(shape: Shape, options: QueryOptions | undefined, out: Uint32Array): number {
    this.#engine.checkOpen();
    return queryInto(this.#store, this.#engine.detector, shape, options, out);
  }

  /** The `k` entities nearest to a point as of the last tick, or now; nearest first, ties by id. */
  nearest(x: number, y: number, k: number, options?: NearestOptions): Uint32Array {
    this.#engine.checkOpen();
    return nearestArray(this.#store, this.#engine.detector, x, y, k, options);
  }

  /** As `nearest`: writes what fits, answers how many there are. */
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
   * Those of the caster's relations that lie inside the shape as of the last tick, less who was removed since; never
   * itself. Whom it does not relate to it cannot hit. Throws `BAD_SHAPE`, `BAD_OPTION`, `UNKNOWN_SENSE`.
   */
  targets(caster: EntityId, shape: Shape, options?: QueryOptions): Uint32Array {
    this.#engine.checkOpen();
    return targets(this.#engine, this.#store.slotOf(caster), shape, options).toArray(options?.out);
  }

  /** As `targets`: writes what fits, answers how many there are. */
  targetsInto(caster: EntityId, shape: Shape, options: QueryOptions | undefined, out: Uint32Array): number {
    this.#engine.checkOpen();
    return targets(this.#engine, this.#store.slotOf(caster), shape, options).into(out);
  }

  /**
   * 64 bits in hex of who was there at the last tick, where, and what each was given; which of them are at rest is left out,
   * and so are ties. Worlds that hold the same have the same one, whatever their detectors, kernels and watchers. See
   * entities/state-hash.ts. Cost: O(n), some 5 ms for 100,000 entities, 10 with ten properties.
   */
  stateHash(): string {
    this.#engine.checkOpen();
    const { last, ids, slotCount, settings } = this.#store;
    return stateHash(last, ids, slotCount, settings);
  }

  /** Counts and timings of the last tick, and memory. */
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
   * The world as text, for people, as of the last tick: the detector's structure in at most some 40 lines, ids and positions
   * in their order on each axis, and around an entity whom it relates to, why, how far away, and who relates to it. See
   * queries/describe.ts. Throws `BAD_OPTION`, `BAD_ID`, `STALE_ID`. Cost: O(n log n); with `limit: 0` only the structure's.
   */
  describe(options: DescribeOptions = {}): string {
    this.#engine.checkOpen();
    return describe(this.#engine, this.#engine.ties, this.#engine.tickCount, options);
  }

  /** What lies in a window of the detector's structure, as shapes to draw; none without a picture. Throws `BAD_OPTION`. */
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

  #present(): IdList {
    const { slotCount, now, ids } = this.#store;
    const present = new IdList();
    for (let slot = 0; slot < slotCount; slot++) if (now.isPresent(slot)) present.push(ids.idOf[slot]);
    return present;
  }
}
