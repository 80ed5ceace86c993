/**
 * Cross lists: one sorted list per axis, walked in both directions from each moved entity.
 *
 * Problem: which markers does a moved entity newly meet, and which no longer? Method: every entity has a link in a
 * doubly linked list along each axis, sorted by its coordinate. All entities within its range are near it in each
 * list, so a walk along one list that tests the other axes finds them. The entities near it before the move are the
 * old set, those near it after are the new set, those in both are the move set: only the differences are reported.
 * Each watcher has its own range, with a ratio per axis for boxes. Index nodes along each axis
 * (`cross-list/index-nodes.ts`, which explains why this is no skip list) find the place of a new entity without a
 * walk from the head.
 *
 * Beyond the classic algorithm: it is exact in batches, however many entities move at once. It walks along the axis
 * with the fewest links within reach. Small steps need one look-up, leaps two (`cross-list/search.ts`). If many
 * entities move, lists are sorted and linked at once, and strips are read from flat columns
 * (`cross-list/unrolled-list.ts`). A moved entity must also find the watchers that perceive it: it searches as far as
 * any two ordinary entities reach, and the few that reach much farther, such as a bell heard all over the world, are
 * tested one by one (`cross-list/far-reaching.ts`). With granularity 'cell', cells are the index intervals: a move
 * inside a cell only keeps the lists sorted.
 *
 * Memory: about 80 bytes an entity in 2-D, 105 in 3-D; independent of the size of the map. Cost: O(log n + links in a
 * strip) for each moved entity. At a constant density, strips grow as sqrt(n), because each list knows only one axis.
 * Sources: the articles on cross-linked lists (十字链表) and on comparing them with grids, "aoi 比较".
 */
import type { EntityStore } from '../entities/entity-store.ts';
import { ADDED, MOVED, REMOVED } from '../entities/pending.ts';
import { assert, badOption, broken, isRecord, rejectUnknownKeys } from '../errors.ts';
import { AxisList } from './cross-list/axis-list.ts';
import { CoordinateSort } from './cross-list/coordinate-sort.ts';
import { FarReaching } from './cross-list/far-reaching.ts';
import { END } from './cross-list/index-nodes.ts';
import { LinkWalk } from './cross-list/link-walk.ts';
import { sketchLists } from './cross-list/list-picture.ts';
import { ACTIVE, LEAPS, Search } from './cross-list/search.ts';
import { UnrolledList } from './cross-list/unrolled-list.ts';
import type { Crossings } from './crossings.ts';
import type { Bounds, Detector, DetectorFactory, SlotVisitor } from './detector.ts';
import { PairSieve } from './pairs/pair-sieve.ts';
import { TickWitness } from './pairs/tick-witness.ts';
import { assertRoom, type SlotRoom } from './slot-room.ts';
import type { StructureSketch } from './structure-sketch.ts';

/** Options of `createCrossList`. */
interface CrossListOptions {
  /** Default true. False: the classic placement by a walk from the head; for comparison in benchmarks. */
  readonly indexed?: boolean;
}

const OPTION_NAMES: ReadonlySet<string> = new Set(['indexed']);

/** Creates a factory of cross lists. Throws `BAD_OPTION`. */
export function createCrossList(options: CrossListOptions = {}): DetectorFactory {
  if (!isRecord(options)) throw badOption('options', options, 'an object of CrossListOptions');
  rejectUnknownKeys(options, OPTION_NAMES, 'CrossListOptions');
  const { indexed = true } = options;
  if (typeof indexed !== 'boolean') throw badOption('indexed', indexed, 'true or false');
  return (store) => new CrossList(store, indexed);
}

export const crossList: DetectorFactory = createCrossList();

/** Measured costs in nanoseconds, for choosing the method of a tick: an entity sorted and linked, */
const SORTED_LINK = 30;
/** an entity linked by itself, */
const SINGLE_LINK = 400;
/** an entity written out for a sweep, */
const UNROLLED = 24;
/** a link walked, an entry swept past, */
const WALKED_LINK = 7;
const SWEPT_ENTRY = 1;
/** and the fixed cost of an entity that searches, by walking or by sweeping. */
const WALKING_LOOKER = 1000;
const SWEEPING_LOOKER = 700;
/** Number of searching entities whose strips are estimated to choose an axis for all. */
const SAMPLE = 16;

class CrossList implements Detector {
  readonly name: string;
  /** x, y and, in 3-D, z. */
  readonly #axes: readonly AxisList[];
  readonly #far: FarReaching;
  readonly #search: Search;
  readonly #sieve: PairSieve;
  readonly #walk: LinkWalk;
  readonly #sort = new CoordinateSort();
  readonly #unrolled: UnrolledList;
  /** Slots in some order, while lists are built or checked. */
  #scratch = new Int32Array(0);
  /** Whether the last `detect` completed. */
  #isWhole = true;
  readonly #witness = new TickWitness();

  constructor(store: EntityStore, isIndexed: boolean) {
    const { settings } = store;
    this.name = isIndexed ? 'cross-list' : 'cross-list without index';
    this.#axes = [0, 1, 2]
      .slice(0, settings.dimensions)
      .map((axis) => new AxisList(isIndexed, settings.cellSize?.[axis] ?? 0));
    this.#far = new FarReaching(settings.senseCount);
    this.#search = new Search(this.#far);
    this.#sieve = new PairSieve(store);
    this.#walk = new LinkWalk(this.#axes, this.#search, this.#sieve);
    this.#unrolled = new UnrolledList(store);
    this.#rebuild(store);
  }

  get memoryBytes(): number {
    let bytes = this.#scratch.byteLength + this.#search.roles.byteLength + this.#walk.memoryBytes;
    for (const axis of this.#axes) bytes += axis.memoryBytes;
    return bytes + this.#far.memoryBytes + this.#sort.memoryBytes + this.#unrolled.memoryBytes;
  }

  /** Number of slots that can be sorted at once. */
  get slotRoom(): number {
    return this.#scratch.length;
  }

  detect(store: EntityStore, out: Crossings): void {
    if (store.pendingCount === 0) return;
    this.#follow(store);
    assertRoom(store, this.#structures());
    this.#isWhole = false;
    const search = this.#search;
    this.#far.settle(store);
    search.begin(store);
    this.#sieve.load(out);
    const isAnyoneSeeing = this.#far.reach > 0 || this.#far.count > 0;
    if (isAnyoneSeeing && search.leapCount > 0) {
      search.isNow = false;
      search.activeBit = LEAPS;
      this.#look(store, search.leapCount);
    }
    if (search.linkCount > 0) this.#moveLinks(store);
    if (isAnyoneSeeing && search.activeCount > 0) {
      search.isNow = true;
      search.activeBit = ACTIVE;
      this.#look(store, search.activeCount);
    }
    if (this.#far.count > 0) this.#walk.testFarReaching(store);
    search.end(store);
    this.#far.endTick(store);
    this.#witness.note(store);
    this.#isWhole = true;
  }

  collect(store: EntityStore, bounds: Bounds, visit: SlotVisitor): void {
    this.#follow(store);
    const { minX, minY, minZ, maxX, maxY, maxZ } = bounds;
    const { last } = store;
    const is3D = this.#axes.length === 3;
    const mins = [minX, minY, minZ];
    const maxs = [maxX, maxY, maxZ];
    let axis = 0;
    let fewest = Number.POSITIVE_INFINITY;
    this.#axes.forEach((list, i) => {
      const links = list.estimate(mins[i], maxs[i]);
      if (links < fewest) [fewest, axis] = [links, i];
    });
    const { x, y, z } = last;
    const along = [x, y, z][axis];
    const list = this.#axes[axis];
    const next = list.next;
    const max = maxs[axis];
    for (
      let slot = list.firstFrom(mins[axis], along);
      slot !== END && along[slot] <= max;
      slot = next[slot]
    ) {
      if (!(x[slot] >= minX && x[slot] <= maxX && y[slot] >= minY && y[slot] <= maxY)) continue;
      if (is3D && !(z[slot] >= minZ && z[slot] <= maxZ)) continue;
      visit(slot);
    }
  }

  validate(store: EntityStore): void {
    this.#follow(store);
    const { last, slotCount } = store;
    let present = 0;
    for (let slot = 0; slot < slotCount; slot++) if (last.isPresent(slot)) present++;
    this.#axes.forEach((list, axis) => {
      list.validate(this.#scratch, [last.x, last.y, last.z][axis]);
      if (list.count !== present) broken(`list ${axis} has a link for every present slot`);
      for (let i = 0; i < list.count; i++) {
        if (!last.isPresent(this.#scratch[i])) broken(`list ${axis} has links only of present slots`);
      }
    });
    this.#far.validate(store);
    assert(!this.#search.roles.some((role) => role !== 0), 'no slot has a role between ticks');
  }

  describe(): string {
    const lists = this.#axes.map((list, axis) => `${'xyz'[axis]}: ${list.describe(12)}`);
    return [`${this.name}: ${this.#far.describe()}`, ...lists].join('\n');
  }

  sketch(store: EntityStore, sketch: StructureSketch): void {
    this.#follow(store);
    sketchLists(this.#axes, store.last.x, store.last.y, sketch);
  }

  /** Makes room, and rebuilds everything if the tick that `detect` prepared failed afterwards. */
  #follow(store: EntityStore): void {
    this.#grow(store.capacity);
    if (!this.#isWhole || !this.#witness.holds(store)) this.#rebuild(store);
  }

  /** The structures with columns by slot. */
  #structures(): readonly SlotRoom[] {
    return [...this.#axes, this.#far, this.#search, this.#walk, this.#sort, this.#unrolled, this];
  }

  #grow(capacity: number): void {
    for (const list of this.#axes) list.grow(capacity);
    this.#far.grow(capacity);
    this.#search.grow(capacity);
    this.#walk.grow(capacity);
    this.#sort.grow(capacity);
    this.#unrolled.grow(capacity);
    if (capacity > this.slotRoom) this.#scratch = new Int32Array(capacity);
  }

  /** Rebuilds everything from the state at the last tick. */
  #rebuild(store: EntityStore): void {
    this.#grow(store.capacity);
    this.#witness.clear();
    this.#isWhole = true;
    this.#search.roles.fill(0);
    this.#far.choose(store, true);
    this.#sortLinks(store, store.last.flags, [store.last.x, store.last.y, store.last.z]);
  }

  /** Updates the lists from the order at the last tick to the order now. */
  #moveLinks(store: EntityStore): void {
    const { last, now, size } = store;
    const columns = [now.x, now.y, now.z];
    if (this.#search.linkCount * SINGLE_LINK > size * SORTED_LINK) {
      this.#sortLinks(store, now.flags, columns);
    } else {
      const lastColumns = [last.x, last.y, last.z];
      this.#axes.forEach((list, axis) => {
        moveLinks(store, list, lastColumns[axis], columns[axis]);
        list.tend(this.#scratch, columns[axis]);
      });
    }
  }

  /** Rebuilds all lists by sorting. */
  #sortLinks({ slotCount }: EntityStore, flags: Uint8Array, columns: readonly Float32Array[]): void {
    const order = this.#scratch;
    let count = 0;
    for (let slot = 0; slot < slotCount; slot++) if (flags[slot] !== 0) order[count++] = slot;
    this.#axes.forEach((list, axis) => {
      this.#sort.sort(order, count, columns[axis]);
      list.linkInOrder(order, count, columns[axis]);
    });
  }

  /**
   * Reports the pairs that the entities searching now find along the axes: from flat columns or, if they are few,
   * link by link.
   */
  #look(store: EntityStore, lookerCount: number): void {
    const search = this.#search;
    const linksInStrip = this.#chooseAxis(store);
    const walking = lookerCount * (linksInStrip * WALKED_LINK + WALKING_LOOKER);
    const sweeping =
      this.#axes[0].count * UNROLLED + lookerCount * (linksInStrip * SWEPT_ENTRY + SWEEPING_LOOKER);
    if (sweeping < walking) {
      this.#unrolled.sweep(store, this.#axes[search.axis], search, this.#sieve);
      return;
    }
    const { pendingSlots, pendingCount } = store;
    for (let i = 0; i < pendingCount; i++) {
      const slot = pendingSlots[i];
      if ((search.roles[slot] & search.activeBit) !== 0) this.#walk.walk(store, slot);
    }
  }

  /**
   * Chooses the axis for a sweep from a sample of the searching entities. Returns how many links a strip of it holds.
   */
  #chooseAxis(store: EntityStore): number {
    const search = this.#search;
    const { pendingSlots, pendingCount } = store;
    const { x, y, z } = search.isNow ? store.now : store.last;
    const sums = [0, 0, 0];
    let sampled = 0;
    const step = Math.max(1, Math.floor(pendingCount / SAMPLE));
    for (let i = 0; i < pendingCount; i += step) {
      const slot = pendingSlots[i];
      if ((search.roles[slot] & search.activeBit) === 0) continue;
      sampled++;
      this.#axes.forEach((list, axis) => {
        const place = [x, y, z][axis][slot];
        sums[axis] += list.estimate(place - search.widths[axis], place + search.widths[axis]);
      });
    }
    search.axis = 0;
    this.#axes.forEach((_, axis) => {
      if (sums[axis] < sums[search.axis]) search.axis = axis;
    });
    return sampled === 0 ? this.#axes[0].count : sums[search.axis] / sampled;
  }
}

/**
 * Unlinks every link that changes its place, then inserts each at its new place. In between, all entities in the list
 * have the same coordinate in both states.
 */
function moveLinks(store: EntityStore, list: AxisList, last: Float32Array, now: Float32Array): void {
  const { pending, pendingSlots, pendingCount } = store;
  for (let i = 0; i < pendingCount; i++) {
    const slot = pendingSlots[i];
    const bits = pending[slot];
    if ((bits & REMOVED) !== 0 || ((bits & MOVED) !== 0 && last[slot] !== now[slot])) list.unlink(slot, last);
  }
  for (let i = 0; i < pendingCount; i++) {
    const slot = pendingSlots[i];
    const bits = pending[slot];
    if ((bits & ADDED) !== 0 || ((bits & MOVED) !== 0 && last[slot] !== now[slot])) list.link(slot, now);
  }
}
