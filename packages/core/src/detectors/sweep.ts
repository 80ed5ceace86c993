/**
 * The default detector: everyone lies sorted by cell in flat columns, and each watcher is tested against who is near,
 * before and now.
 *
 * Problem: most pairs do not cross in a tick, and most of the cost is finding that out. Method: no pair is remembered.
 * A watcher's window is a handful of runs through the sorted entries, tested four at a time. Where many move, all are
 * sorted anew each tick: rebuilding on flat memory beats keeping an index up to date. Where few move, entries stay in
 * cells with gaps, and only pairs with a mover in them are tested (sweep/resident-cells.ts), so cost follows change.
 * An entity that leaped, came, went or changed has two entries, one as it was and one as it is, so that the window
 * stays as narrow as the usual step. Those who all watch by the same ranges are a crowd, tested by pairs; things only near
 * watchers; the odd ones each by itself, both ways, so that nobody else pays for them (sweep/entry-classes.ts).
 * kernels/layouts/sweep-job.ts draws the layout, kernels/wasm/sweep-scan.ts the window.
 *
 * Memory: 34 bytes an entity (46 in 3-D) and some scratch, 8 a cell. Cost: 10 to 20 ns an entity to sort and 1.5 ns a
 * perceived pair in WebAssembly; 0.3 microseconds a mover where few move; nothing where nobody does.
 * Source: Sidlauskas and Jensen, "Spatial Joins in Main Memory: Implementation Matters!", PVLDB 2014.
 */
import type { EntityStore } from '../entities/entity-store.ts';
import type { Heap } from '../kernels/heap.ts';
import * as job from '../kernels/layouts/sweep-job.ts';
import type { Bounds } from './bounds.ts';
import type { Crossings } from './crossings.ts';
import type { Detector, PlaceVisitor, SlotVisitor } from './detector.ts';
import { assertRoom } from './slot-room.ts';
import type { StructureSketch } from './structure-sketch.ts';
import { EntryClasses } from './sweep/entry-classes.ts';
import { EntryColumns } from './sweep/entry-columns.ts';
import { EntrySorter } from './sweep/entry-sorter.ts';
import { ResidentCells } from './sweep/resident-cells.ts';
import { chooseSlack } from './sweep/slack.ts';
import { SweepGrids } from './sweep/sweep-grids.ts';
import { SweepJob } from './sweep/sweep-job-writer.ts';

/** Staying pays where at most one in so many changes. */
const STAY_SHARE = 16;
/** Ticks before another try, after cells had no room left. */
const NO_ROOM_TICKS = 4;
/** How many times as much room for crossings is made at once, at most. */
const MAX_GROWTH = 8;
/** Crossings that there is room made for at once, should one entry find so many. */
const AT_ONCE = 65_536;

type Scan = 'scanEntries' | 'scanPairs' | 'scanMovers';

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
  /** Whether the entries lie in cells with gaps, all at rest. */
  #isResident = false;
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
    const isSteady = changed * STAY_SHARE <= store.size && !this.#grids.isOutgrown(store);
    const mayStay = this.#isSorted && isSteady;
    if (!mayStay || !(this.#isResident || --this.#ticksToRetry < 0)) {
      this.#scanAll(store, slack, this.#isSorted, out);
    } else if (!this.#scanMovers(store, slack, out)) {
      // Some of the entries were put where they are now before there was no room for another.
      this.#scanAll(store, slack, false, out);
    }
  }

  collect(store: EntityStore, bounds: Bounds, visit: SlotVisitor): void {
    this.collectPlaces(store, bounds, visit);
  }

  collectPlaces(store: EntityStore, bounds: Bounds, visit: PlaceVisitor): void {
    const is3D = store.settings.dimensions === 3;
    if (!this.#isSorted) {
      const { x, y, z, flags } = store.last;
      for (let slot = 0; slot < store.slotCount; slot++) {
        if (flags[slot] !== 0) visit(slot, x[slot], y[slot], is3D ? z[slot] : 0);
      }
      return;
    }
    const { minX, minY, minZ, maxX, maxY, maxZ } = bounds;
    const newX = this.#entries.newX.array;
    const newY = this.#entries.newY.array;
    const newZ = this.#entries.newZ.array;
    const refs = this.#entries.ref.array;
    this.#grids.eachRun(bounds, this.#entries.table.array, (begin, end) => {
      for (let i = begin; i < end; i++) {
        const x = newX[i];
        const y = newY[i];
        // Ghosts and gaps have no new position and fail every comparison.
        if (!(x >= minX && x <= maxX && y >= minY && y <= maxY)) continue;
        const z = is3D ? newZ[i] : 0;
        if (is3D && !(z >= minZ && z <= maxZ)) continue;
        visit(refs[i], x, y, z);
      }
    });
  }

  validate(store: EntityStore): void {
    if (!this.#isSorted) return;
    const { table, ends, ref, newX, newY, newZ, oldX } = this.#entries;
    const { last, slotCount, settings } = store;
    const seen = new Set<number>();
    for (let cell = 0; cell < this.#grids.cellCount; cell++) {
      check(table.array[cell] <= ends.array[cell], `cell ${cell} ends behind its beginning`);
      check(ends.array[cell] <= table.array[cell + 1], `cell ${cell} ends inside its room`);
      for (let i = table.array[cell]; i < table.array[cell + 1]; i++) {
        const isGap = i >= ends.array[cell];
        check(!isGap || (Number.isNaN(newX.array[i]) && Number.isNaN(oldX.array[i])), `entry ${i} is a gap`);
        const slot = ref.array[i];
        check(!isGap || slot === 0, `gap ${i} is of slot 0`);
        if (isGap || slot >= job.GHOST_BIT) continue;
        check(!seen.has(slot), `slot ${slot} has one entry`);
        seen.add(slot);
        const z = settings.dimensions === 3 ? newZ.array[i] : 0;
        const expected = this.#grids.cellAt(this.#classes.classOf(slot), newX.array[i], newY.array[i], z);
        check(expected === cell, `slot ${slot} lies in its cell`);
        check(
          newX.array[i] === last.x[slot] && newY.array[i] === last.y[slot],
          `slot ${slot} lies where it is`,
        );
        check(!this.#isResident || oldX.array[i] === newX.array[i], `slot ${slot} is at rest`);
      }
    }
    for (let slot = 0; slot < slotCount; slot++) {
      check(last.isPresent(slot) === seen.has(slot), `slot ${slot} has an entry exactly when it is present`);
    }
  }

  describe(): string {
    const manner = this.#isResident ? 'staying in cells with gaps' : 'sorted anew each tick';
    return `${this.#entryCount} entries ${manner}, ${this.#grids.describe()}`;
  }

  sketch(_store: EntityStore, sketch: StructureSketch): void {
    sketch.caption = 'Cells, with how many entities each holds.';
    if (this.#isSorted) this.#grids.sketch(this.#entries, sketch);
  }

  dispose(): void {
    this.#sorter.dispose();
    this.#entries.dispose();
    this.#classes.dispose();
    this.#grids.dispose();
    this.#resident.dispose();
    this.#job.dispose();
  }

  /** Sorts everyone anew and tests everyone. `hasEntries`: those of the last tick are there, and as they were. */
  #scanAll(store: EntityStore, slack: number, hasEntries: boolean, out: Crossings): void {
    this.#isResident = false;
    if (hasEntries) this.#sorter.noteEntries();
    const isByClass = this.#grids.settle(store, this.#entries, slack);
    assertRoom(store, [this.#classes]);
    this.#isSorted = false;
    this.#sorter.sort(store, slack, hasEntries && isByClass);
    this.#isSorted = true;
    this.#entryCount = this.#sorter.room;
    if (store.limits.maxRange.some((range) => range > 0)) this.#scanSorted(store, slack, out);
    this.#classes.endTick(store);
  }

  /** The crowd by pairs, with the things near it; then each of the others by itself. In other shapes than circles all watchers. */
  #scanSorted(store: EntityStore, slack: number, out: Crossings): void {
    const table = this.#entries.table.array;
    const crowdEnd = this.#grids.firstEntryOf(job.THINGS, table);
    const thingsEnd = this.#grids.firstEntryOf(job.OTHER_RANGES, table);
    this.#job.writeFirst(0);
    if (store.settings.rangeShape !== 'circle') {
      this.#scan(store, 'scanEntries', crowdEnd, out);
    } else if (crowdEnd > 0) {
      this.#job.writeLevels(this.#classes.common);
      this.#job.writeWindow(this.#grids, this.#classes.commonReach, slack, store.settings.dimensions);
      this.#scan(store, 'scanPairs', crowdEnd, out);
    }
    this.#job.writeFirst(thingsEnd);
    this.#scan(store, 'scanEntries', this.#entryCount - thingsEnd, out);
  }

  /** Tests only those that changed; false when cells have no room for one of them. */
  #scanMovers(store: EntityStore, slack: number, out: Crossings): boolean {
    if (!this.#isResident) this.#sorter.sortWithGaps(store);
    this.#isResident = true;
    this.#classes.settle(store);
    this.#grids.writeLimits();
    assertRoom(store, [this.#classes]);
    const resident = this.#resident;
    const write = () => this.#job.write(store, this.#entries, this.#classes, this.#grids, slack);
    const moverCount = resident.put(store, this.#entries.ref.length, write);
    if (moverCount < 0) {
      this.#ticksToRetry = NO_ROOM_TICKS;
      return false;
    }
    this.#entryCount = store.size;
    if (store.limits.maxRange.some((range) => range > 0)) this.#scan(store, 'scanMovers', moverCount, out);
    resident.rest(store, write);
    this.#classes.endTick(store);
    return true;
  }

  /** Runs a scan to its end, on all threads, making room for crossings as it goes. */
  #scan(store: EntityStore, scan: Scan, total: number, out: Crossings): void {
    if (total === 0) return;
    const { crew } = this.#heap;
    // What any one entry may find, both ways.
    const mostOfOne = 2 * this.#entries.ref.length;
    crew.begin(total);
    let before = 0;
    for (let jobCount = crew.taskJobs; ; ) {
      this.#job.refresh(store, this.#entries, this.#classes, this.#grids);
      this.#job.writeScan(out, this.#resident.offset, this.#resident.bitsOffset, jobCount);
      const isDone = this.#heap.workAtTask(scan, this.#job.offset, job.JOB_BYTES, jobCount);
      this.#job.readScan(out, jobCount);
      if (isDone) return;
      // Room for what the rest will need if it goes on like this (which it need not: all watchers may come first).
      const done = crew.doneCount;
      const expected = done === 0 ? 0 : Math.ceil((out.count / done) * total * 1.1);
      // One that got nowhere needs more than there was; among very many things, far less than all of them.
      const isStuck = done === before;
      const least = jobCount > 1 || mostOfOne <= AT_ONCE ? out.count + mostOfOne : 0;
      const more = isStuck ? Math.min(out.count + mostOfOne, out.capacity * MAX_GROWTH) : 0;
      out.reserve(Math.max(out.capacity * 2, least, more, Math.min(expected, out.capacity * MAX_GROWTH)));
      before = done;
      // Where not everyone's part would do for any one entry, one has it all.
      if (out.capacity - out.count < jobCount * mostOfOne) jobCount = 1;
    }
  }
}

function check(holds: boolean, invariant: string): void {
  if (!holds) throw new Error(`umwelt: broken invariant: ${invariant}`);
}
