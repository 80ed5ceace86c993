/**
 * The default detector: all entities are sorted by cell in flat columns, and each watcher is tested against nearby
 * entities, before and now.
 *
 * Problem: most pairs do not cross in a tick, and most of the cost is finding that out. Method: no pair is
 * remembered. A watcher's window is a few runs of sorted entries, tested four at a time. If many entities move, all
 * are sorted again in each tick: rebuilding flat memory is faster than updating an index. If few move, entries stay in
 * cells with gaps, and only pairs with a moved entity are tested (sweep/resident-cells.ts), so the cost follows
 * change. An entity that leaped, or was added or removed, has two entries, an old and a new one, so that the window
 * stays as narrow as the usual step. One that changed otherwise is tested by itself (kernels/wasm/sweep-changed.ts).
 * Watchers with the same ranges form the crowd; entities that differ from the common profile have classes and grids of
 * their own, so that they do not slow down the others (sweep/entry-classes.ts). Each two classes are tested pair by
 * pair, both directions at once.
 * kernels/layouts/sweep-job.ts describes the layout, kernels/wasm/sweep-pairs.ts the window.
 *
 * Memory: 34 bytes an entity (46 in 3-D) and some scratch, 8 a cell; 16 for each sense of an odd entity, of all
 * entities where they stay. Cost: 10 to 20 ns an entity to sort and 1.5 ns a
 * perceived pair in WebAssembly; 0.3 microseconds for each moved entity if few move; nothing if none does. Source:
 * Sidlauskas and Jensen, "Spatial Joins in Main Memory: Implementation Matters!", PVLDB 2014.
 */
import { eachPresent } from '../entities/entity-state.ts';
import type { EntityStore } from '../entities/entity-store.ts';
import { SEARCH_SLACK } from '../entities/reach-limits.ts';
import { broken } from '../errors.ts';
import type { Heap } from '../kernels/heap.ts';
import * as job from '../kernels/layouts/sweep-job.ts';
import type { Bounds } from './bounds.ts';
import type { Crossings } from './crossings.ts';
import type { Detector, PlaceVisitor, SlotVisitor } from './detector.ts';
import { boxAround } from './reach-box.ts';
import { assertRoom } from './slot-room.ts';
import type { StructureSketch } from './structure-sketch.ts';
import { EntryClasses, isOdd, kindOf } from './sweep/entry-classes.ts';
import { EntryColumns } from './sweep/entry-columns.ts';
import { EntrySorter } from './sweep/entry-sorter.ts';
import { areWatchersFew, ResidentCells } from './sweep/resident-cells.ts';
import { chooseSlack } from './sweep/slack.ts';
import { SweepGrids } from './sweep/sweep-grids.ts';
import { SweepJob } from './sweep/sweep-job-writer.ts';

/**
 * Keeping the cells is faster than sorting if at most one in this many entities changes. Pairs are then searched around those, or,
 * where few watch, around the watchers: a watcher takes about as long as six changed entities around which nothing is searched.
 */
const STAY_SHARE = 8;
const STAY_SHARE_OF_FEW = 3;
const CHANGES_PER_WATCHER = 6;
/** Number of ticks before the next attempt, if cells had no room left before entries stayed for so many ticks. */
const NO_ROOM_TICKS = 4;
/** Maximum factor by which the room for crossings grows at once. */
const MAX_GROWTH = 8;
/** Number of crossings for which room is made at once, in case a single entry finds so many. */
const AT_ONCE = 65_536;

type Scan = 'scanPairs' | 'scanMovers' | 'scanChanged';

export const sweep = (store: EntityStore): Detector => new Sweep(store);

class Sweep implements Detector {
  readonly name = 'sweep';
  /** All columns lie in the heap of the world. */
  readonly memoryBytes = 0;
  readonly #heap: Heap;
  readonly #entries: EntryColumns;
  readonly #sorter: EntrySorter;
  readonly #classes: EntryClasses;
  readonly #grids: SweepGrids;
  readonly #resident: ResidentCells;
  readonly #job: SweepJob;
  #entryCount = 0;
  /** False until the first tick: then there is nothing to search in. */
  #isSorted = false;
  /** Whether the entries are in cells with gaps, none of them changing. */
  #isResident = false;
  /** Number of ticks since the entries were sorted into cells with gaps. */
  #ticksStayed = 0;
  #ticksToRetry = 0;

  constructor(store: EntityStore) {
    const { heap } = store;
    this.#heap = heap;
    this.#entries = new EntryColumns(heap);
    this.#classes = new EntryClasses(heap);
    this.#grids = new SweepGrids(store, this.#classes);
    this.#job = new SweepJob(heap);
    this.#resident = new ResidentCells(heap, this.#job);
    this.#sorter = new EntrySorter(heap, this.#entries, this.#classes, this.#grids, this.#job);
  }

  detect(store: EntityStore, out: Crossings): void {
    const { counts } = store;
    const changed = counts.moved + counts.added + counts.removed + counts.changed;
    if (this.#isSorted && changed === 0) return;
    const slack = chooseSlack(store, this.#grids.usualReach);
    const { watcherCount } = this.#classes;
    const work = areWatchersFew(watcherCount, changed)
      ? STAY_SHARE_OF_FEW * (changed + (CHANGES_PER_WATCHER / 2) * watcherCount)
      : STAY_SHARE * changed;
    const isSteady = work <= store.size && !this.#grids.isOutgrown(store);
    const mayStay = this.#isSorted && isSteady;
    if (!mayStay || !(this.#isResident || --this.#ticksToRetry < 0)) {
      this.#scanAll(store, slack, this.#isSorted, out);
    } else if (!this.#scanMovers(store, slack, out)) {
      // Some entries were already moved to their new place before there was no room for another.
      this.#scanAll(store, slack, false, out);
    }
  }

  collect(store: EntityStore, bounds: Bounds, visit: SlotVisitor, channel = 0): void {
    this.collectPlaces(store, bounds, visit, channel);
  }

  collectPlaces(store: EntityStore, bounds: Bounds, visit: PlaceVisitor, channel = 0): void {
    this.#collect(store, () => bounds, visit, channel);
  }

  collectPerceived(store: EntityStore, watcher: number, visit: SlotVisitor): void {
    const { last } = store;
    const range = last.maxRangeOf(watcher);
    const boundsOf = (k: number) => boxAround(store, watcher, this.#classes.reachOf(range, k) * SEARCH_SLACK);
    this.#collect(store, boundsOf, visit, last.channels.at(watcher));
  }

  /** `boundsOf`: the box in which members of a class are visited. */
  #collect(store: EntityStore, boundsOf: (k: number) => Bounds, visit: PlaceVisitor, channel: number): void {
    if (!this.#isSorted) {
      eachPresent(store.last, store.slotCount, visit);
      return;
    }
    const is3D = store.settings.dimensions === 3;
    const newX = this.#entries.newX.array;
    const newY = this.#entries.newY.array;
    const newZ = this.#entries.newZ.array;
    const refs = this.#entries.ref.array;
    const resident = this.#isResident ? this.#resident : undefined;
    this.#grids.eachRun(boundsOf, channel, this.#entries.table.array, (begin, end, bounds) => {
      const { minX, minY, minZ, maxX, maxY, maxZ } = bounds;
      for (let i = begin; i < end; i++) {
        const isStale = resident?.isStale(i) === true;
        const x = isStale ? store.last.x[refs[i]] : newX[i];
        const y = isStale ? store.last.y[refs[i]] : newY[i];
        // Ghosts and gaps have no new position and fail every comparison.
        if (!(x >= minX && x <= maxX && y >= minY && y <= maxY)) continue;
        const z = is3D ? (isStale ? store.last.z[refs[i]] : newZ[i]) : 0;
        if (is3D && !(z >= minZ && z <= maxZ)) continue;
        visit(refs[i], x, y, z);
      }
    });
  }

  validate(store: EntityStore): void {
    if (!this.#isSorted) return;
    const { table, ends, ref, newX, newY, oldX } = this.#entries;
    const { last, slotCount, settings } = store;
    const seen = new Set<number>();
    const firstChanged = this.#grids.firstEntryOf(job.IN_PLACE, table.array);
    for (let cell = 0; cell < this.#grids.cellCount; cell++) {
      if (!(table.array[cell] <= ends.array[cell])) broken(`cell ${cell} ends behind its beginning`);
      if (!(ends.array[cell] <= table.array[cell + 1])) broken(`cell ${cell} ends inside its room`);
      for (let i = table.array[cell]; i < table.array[cell + 1]; i++) {
        const isGap = i >= ends.array[cell];
        if (isGap && !(Number.isNaN(newX.array[i]) && Number.isNaN(oldX.array[i])))
          broken(`entry ${i} is a gap`);
        const slot = ref.array[i];
        if (isGap && slot !== 0) broken(`gap ${i} is of slot 0`);
        if (isGap || slot >= job.GHOST_BIT) continue;
        if (seen.has(slot)) broken(`slot ${slot} has one entry`);
        seen.add(slot);
        const z = settings.dimensions === 3 ? last.z[slot] : 0;
        const k = i >= firstChanged ? job.IN_PLACE : this.#classes.classOf(slot);
        const expected = this.#grids.cellAt(k, last.channels.at(slot), last.x[slot], last.y[slot], z);
        if (expected !== cell) broken(`slot ${slot} lies in its cell`);
        const isStale = this.#isResident && this.#resident.isStale(i);
        if (!isStale && (newX.array[i] !== last.x[slot] || newY.array[i] !== last.y[slot]))
          broken(`slot ${slot} lies where it is`);
        if (this.#isResident && !isStale && oldX.array[i] !== newX.array[i])
          broken(`slot ${slot} is at rest`);
        if (this.#isResident && !this.#resident.isPlaceOf(slot, i))
          broken(`the entry of slot ${slot} is known`);
        if (this.#classes.isFiltered(slot) !== last.mayNotMeet(slot))
          broken(`slot ${slot} is marked if it has filters`);
        if (isOdd(k) && k < job.IN_PLACE) this.#validateProfile(store, i, slot);
      }
    }
    for (let slot = 0; slot < slotCount; slot++) {
      if (last.isPresent(slot) !== seen.has(slot))
        broken(`slot ${slot} has an entry exactly when it is present`);
    }
  }

  #validateProfile({ last, settings }: EntityStore, entry: number, slot: number): void {
    for (let s = 0; s < settings.senseCount; s++) {
      const range = last.ranges[s].at(slot);
      const maxReach = last.maxReaches[s].at(slot);
      const gain = maxReach > 0 ? last.gains[s].at(slot) : 0;
      const expected = [range || Number.NaN, gain || Number.NaN, last.minReaches[s].at(slot), maxReach];
      for (let plane = 0; plane < job.PLANES_OF_SENSE; plane++) {
        const found = this.#entries.profileAt(entry, job.PLANES_OF_SENSE * s + plane);
        if (found !== undefined && !Object.is(found, expected[plane]))
          broken(`slot ${slot} has its profile beside it`);
      }
    }
  }

  describe(): string {
    const manner = this.#isResident
      ? `staying in cells with gaps, searched around ${this.#resident.describe()}`
      : 'sorted anew each tick';
    return `${this.#entryCount} entries ${manner}, ${this.#grids.describe()}`;
  }

  sketch({ last }: EntityStore, sketch: StructureSketch): void {
    sketch.caption = 'Cells, with how many entities each holds.';
    if (this.#isSorted) this.#grids.sketch(this.#entries, last, sketch);
  }

  dispose(): void {
    this.#sorter.dispose();
    this.#entries.dispose();
    this.#classes.dispose();
    this.#grids.dispose();
    this.#resident.dispose();
    this.#job.dispose();
  }

  /** Sorts and tests all entities. `hasEntries`: the entries of the last tick exist and are unchanged. */
  #scanAll(store: EntityStore, slack: number, hasEntries: boolean, out: Crossings): void {
    if (hasEntries && this.#isResident) this.#resident.refresh(store, this.#jobOf(store, slack));
    this.#isResident = false;
    if (hasEntries) this.#sorter.noteEntries();
    const isByClass = this.#grids.settle(store, this.#entries, slack);
    assertRoom(store, [this.#classes]);
    this.#isSorted = false;
    this.#sorter.sort(store, slack, hasEntries && isByClass);
    this.#isSorted = true;
    this.#entryCount = this.#sorter.room;
    if (store.limits.isWatched) this.#scanSorted(store, slack, out);
    this.#classes.endTick(store);
  }

  /** Tests each two classes of which at least one watches. */
  #scanSorted(store: EntityStore, slack: number, out: Crossings): void {
    const classes = this.#classes;
    this.#layProfiles(store, false);
    this.#job.writeLevels(classes.common);
    const { present } = classes;
    for (let i = 0; i < present.length; i++) {
      const k = present[i];
      for (let j = i; j < present.length; j++) {
        const other = present[j];
        if (!classes.isWatching(k) && !classes.isWatching(other)) continue;
        if (!classes.mayMeet(k, other)) continue;
        // Those in channels search among those that meet all channels, not in all bands.
        const isInChannel = k < job.IN_CHANNEL && other >= job.IN_CHANNEL;
        const searches = !isInChannel && this.#grids.searchCost(k, other) <= this.#grids.searchCost(other, k);
        this.#scanClasses(store, searches ? k : other, searches ? other : k, slack, out);
      }
    }
    const table = this.#entries.table.array;
    const first = this.#grids.firstEntryOf(job.IN_PLACE, table);
    this.#job.writeFirst(first);
    this.#scan(store, 'scanChanged', table[this.#grids.cellCount] - first, out);
  }

  #scanClasses(store: EntityStore, k: number, other: number, slack: number, out: Crossings): void {
    const classes = this.#classes;
    const reach = classes.reachBetween(k, other);
    if (reach === 0) return;
    const { settings } = store;
    const areAlike = k < job.IN_CHANNEL === other < job.IN_CHANNEL;
    const areCellsEqual = k === other || (areAlike && Math.max(kindOf(k), kindOf(other)) <= job.THINGS);
    const table = this.#entries.table.array;
    const first = this.#grids.firstEntryOf(k, table);
    this.#job.writeFirst(first);
    this.#job.writePair(k, other, reach, classes.arePlain(k, other));
    if (areCellsEqual && settings.dimensions === 2 && settings.rangeShape === 'circle') {
      this.#job.writeWindow(this.#grids, k, reach, slack);
    } else this.#job.writeNoWindow();
    this.#scan(store, 'scanPairs', this.#grids.firstEntryOf(k + 1, table) - first, out);
  }

  /** Lays the profiles of odd entries beside their positions. `isAll`: leaves room for those of all entries. */
  #layProfiles(store: EntityStore, isAll: boolean): void {
    if (!this.#classes.isAnyOdd) return;
    const entries = this.#entries;
    const table = entries.table.array;
    const first = this.#grids.firstEntryOf(job.FIRST_ODD, table);
    const end = table[this.#grids.cellCount];
    const [from, to] = isAll ? [0, entries.ref.length] : [first, end];
    entries.makeProfiles(from, to, store.settings.senseCount);
    if (end === first) return;
    this.#job.refresh(store, entries, this.#classes, this.#grids);
    // Those that stay are as they were at the last tick, until they are corrected.
    if (isAll) this.#job.showLastOnly(store, this.#classes);
    this.#job.writeFirst(first);
    const { crew } = this.#heap;
    crew.begin(end - first);
    // All threads read the same job.
    this.#heap.workAtTask('fillProfiles', this.#job.offset, 0, crew.taskJobs);
  }

  /** Tests only changed entities; returns false if a cell has no room for one of them. */
  #scanMovers(store: EntityStore, slack: number, out: Crossings): boolean {
    const resident = this.#resident;
    resident.growSlots(store);
    if (!this.#isResident) {
      this.#sorter.sortWithGaps(store);
      resident.enter(this.#entries, this.#sorter.room, this.#grids.cellCount);
      this.#ticksStayed = 0;
    }
    this.#isResident = true;
    this.#ticksStayed++;
    this.#classes.settle(store, false);
    this.#grids.writeLimits();
    assertRoom(store, [this.#classes, resident]);
    if (!this.#entries.hasProfiles) this.#layProfiles(store, true);
    const write = this.#jobOf(store, slack);
    this.#job.writeInPlace(this.#classes.inPlaceCount);
    const scannedCount = resident.put(store, this.#entries.ref.length, this.#classes.watcherCount, write);
    if (scannedCount < 0) {
      this.#ticksToRetry = this.#ticksStayed < NO_ROOM_TICKS ? NO_ROOM_TICKS : 0;
      return false;
    }
    this.#entryCount = store.size;
    if (store.limits.isWatched) {
      this.#job.writeLevels(this.#classes.common);
      this.#scan(store, 'scanMovers', scannedCount, out);
      this.#scan(store, 'scanChanged', this.#job.changedCount, out);
    }
    resident.rest(store, write);
    this.#classes.endTick(store);
    return true;
  }

  #jobOf(store: EntityStore, slack: number): () => void {
    return () => this.#job.write(store, this.#entries, this.#classes, this.#grids, slack);
  }

  /** Runs a scan to its end, on all threads, and makes room for crossings as needed. */
  #scan(store: EntityStore, scan: Scan, total: number, out: Crossings): void {
    if (total === 0) return;
    const { crew } = this.#heap;
    // Maximum number of crossings that a single entry may find, both ways.
    const mostOfOne = 2 * this.#entries.ref.length;
    crew.begin(total);
    let before = 0;
    for (let jobCount = crew.taskJobs; ; ) {
      this.#job.refresh(store, this.#entries, this.#classes, this.#grids);
      this.#job.writeScan(out, this.#isResident ? this.#resident.listsOf(store) : undefined, jobCount);
      const isDone = this.#heap.workAtTask(scan, this.#job.offset, job.JOB_BYTES, jobCount);
      this.#job.readScan(out, jobCount);
      if (mostOfOne <= AT_ONCE) out.roomNeeded = Math.max(out.roomNeeded, out.count + mostOfOne);
      if (isDone) return;
      // Room for what the rest will need if the rate stays the same (it may not: all watchers may come first).
      const done = crew.doneCount;
      const expected = done === 0 ? 0 : Math.ceil((out.count / done) * total * 1.1);
      // A scan that made no progress needs more room than there was; among very many things, far less than for all of
      // them.
      const isStuck = done === before;
      const least = jobCount > 1 || mostOfOne <= AT_ONCE ? out.count + mostOfOne : 0;
      const more = isStuck ? Math.min(out.count + mostOfOne, out.capacity * MAX_GROWTH) : 0;
      out.reserve(Math.max(out.capacity * 2, least, more, Math.min(expected, out.capacity * MAX_GROWTH)));
      before = done;
      // If the part of each thread is too small for any single entry, one thread gets all of the room.
      if (out.capacity - out.count < jobCount * mostOfOne) jobCount = 1;
    }
  }
}
