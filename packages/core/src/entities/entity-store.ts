/**
 * The entity store of a world: ids, the state at the last tick, the state now, and which slots differ.
 *
 * Between ticks everything is written to `now`, and the slot is marked as pending. A tick compares `last` with `now`
 * and reports; `endTick` then makes `last` equal to `now`. So all changes of an entity between two ticks are
 * combined, however often it is written.
 *
 * Columns grow by doubling, all in one move of the heap. When the highest slot in use is below a quarter of what the
 * columns hold, they shrink to twice that. Slots are never renumbered, so a single entity on a high slot keeps all
 * columns long.
 */
import { UmweltError } from '../errors.ts';
import type { Column, Heap } from '../kernels/heap.ts';
import { MAX_ENTITIES, type WorldSettings } from '../settings.ts';
import { Attachments } from './attachments.ts';
import { EntityIds, MAX_SLOTS } from './entity-ids.ts';
import type { PropertyValues } from './entity-init.ts';
import { EntityState, MARKER, PRESENT, type Property, UPDATES } from './entity-state.ts';
import { MomentGrid } from './moment-grid.ts';
import { MoveColumns } from './move-columns.ts';
import {
  ADDED,
  CHANGED,
  type ChangeCounts,
  listPending,
  MOVED,
  othersThanMoved,
  REMOVED,
  STANDING_CHANGED,
} from './pending.ts';
import { PendingJob } from './pending-job.ts';
import { PropertyWriter } from './property-writer.ts';
import { ReachLimits } from './reach-limits.ts';
import { WatcherSlots } from './watcher-slots.ts';

const FIRST_CAPACITY = 256;

/**
 * All entities of a world as columns by slot: the state at the last tick, the state now, and which slots differ.
 * Detectors only read it. Calls throw `CAPACITY` where memory cannot grow, and `WORKER_FAILED` where a worker thread
 * has ended.
 */
export class EntityStore {
  /** The heap that holds the columns. */
  readonly heap: Heap;
  /** The settings of the world. */
  readonly settings: WorldSettings;
  /** Ids by slot, and free slots. */
  readonly ids: EntityIds;
  /** Columns as of the last tick. */
  readonly last: EntityState;
  /** Columns as of now. */
  readonly now: EntityState;
  /** Upper bounds of all ranges, gains and reaches set so far. */
  readonly limits: ReachLimits;
  /** Slots of all entities that may relate to a marker. */
  readonly watchers = new WatcherSlots();
  /** Which entity is attached to which. */
  readonly attachments: Attachments;
  /** Moves many entities at once. */
  readonly moveColumns: MoveColumns;
  /** Number of slots with pending changes: the valid length of `pendingSlots`. */
  pendingCount = 0;
  /** Set when a tick has settled: pending slots with any change other than a move, in the order of `pendingSlots`. */
  notOnlyMoved: readonly number[] = [];
  /** How many slots differ, and in what. */
  readonly counts: ChangeCounts = {
    added: 0,
    removed: 0,
    moved: 0,
    onlyMoved: 0,
    changed: 0,
    hidden: 0,
    touched: 0,
  };
  /** By slot: the pending bits. */
  readonly pendingColumn: Column<'u8'>;
  /** Number of entities present when the last tick was over. */
  sizeAtLastTick = 0;
  readonly #pendingSlots: Column<'u32'>;
  readonly #pendingJob: PendingJob;
  /** Positions of all entities now, in a grid; exists while queries use it. */
  #momentGrid: MomentGrid | undefined;
  readonly #writer: PropertyWriter;
  /**
   * Slots hidden or shown since the last tick, each followed by the pending bits that it has for this reason only.
   */
  readonly #hides: number[] = [];
  #capacity = 0;
  /** The requested capacity; the columns do not shrink below it. */
  readonly #leastCapacity: number;
  #slotCount = 0;

  constructor(heap: Heap, settings: WorldSettings, capacity: number) {
    this.heap = heap;
    this.settings = settings;
    this.ids = new EntityIds(heap);
    this.last = new EntityState(heap, settings, this.ids);
    this.now = new EntityState(heap, settings, this.ids);
    this.limits = new ReachLimits(settings.senseCount, this.watchers);
    this.attachments = new Attachments(this);
    this.#writer = new PropertyWriter(heap, settings, this.last, this.now, this.limits, () => this.#capacity);
    this.pendingColumn = heap.column('u8', 0);
    this.#pendingSlots = heap.column('u32', 0);
    this.#pendingJob = new PendingJob(heap);
    this.moveColumns = new MoveColumns(heap);
    this.#leastCapacity = Math.max(capacity, FIRST_CAPACITY);
    this.#resizeTo(this.#leastCapacity);
  }

  /** Number of entities present now. */
  get size(): number {
    return this.ids.size;
  }

  /**
   * Whether any entity was ever not a marker, or had layers, sees, a channel or a condition other than the default.
   */
  get hasFilters(): boolean {
    return this.#writer.hasFilters;
  }

  /** Whether any entity was ever volatile. */
  get hasVolatile(): boolean {
    return this.#writer.hasVolatile;
  }

  /** Whether any entity was ever set to `always`. */
  get hasAlways(): boolean {
    return this.#writer.hasAlways;
  }

  /** For loading: an entity has these flags, now or as of the last tick. */
  noteFlags(flags: number): void {
    this.#writer.noteFlags(flags);
  }

  /** Number of slots that the columns hold. */
  get capacity(): number {
    return this.#capacity;
  }

  /** Greater than every slot in use, now and at the last tick: the bound for loops over slots. */
  get slotCount(): number {
    return this.#slotCount;
  }

  /**
   * Grid of all positions now; `radius` as in `MomentGrid.refresh`. Cost: proportional to the writes since the last
   * query.
   */
  momentGrid(radius: number | undefined): MomentGrid {
    this.attachments.place();
    this.#momentGrid ??= new MomentGrid(this.now, this.settings.dimensions === 3);
    this.#momentGrid.refresh(this.#slotCount, this.size, radius);
    return this.#momentGrid;
  }

  /** Bytes held outside the heap. */
  get memoryBytes(): number {
    return this.ids.memoryBytes + this.watchers.memoryBytes + (this.#momentGrid?.memoryBytes ?? 0);
  }

  /** Call this after positions of these ids, or of those at the indices `at`, were written elsewhere. */
  noteMoves(ids: Uint32Array, at: ArrayLike<number> | undefined, count: number): void {
    this.attachments.isStale = true;
    this.#momentGrid?.noteMany(ids, at, count);
  }

  /** By slot: how it differs from the last tick, in bits; 0 for no difference. */
  get pending(): Uint8Array {
    return this.pendingColumn.array;
  }

  /** The slots that differ, in the order of their first change; `pendingCount` of them. */
  get pendingSlots(): Uint32Array {
    return this.#pendingSlots.array;
  }

  /** Byte offset of the list in the heap, for kernels. */
  get pendingSlotsOffset(): number {
    return this.#pendingSlots.offset;
  }

  /** Makes room for `count` more entities. Throws `CAPACITY`; then nothing has changed. */
  reserve(count: number): void {
    if (count > this.ids.room) {
      throw new UmweltError(
        'CAPACITY',
        `${count} more entities were added to ${this.size}, expected at most ${MAX_ENTITIES} in all`,
        { value: count },
      );
    }
    const needed = this.ids.slotCountAfter(count, this.#slotCount);
    if (needed > this.#capacity) this.#resizeTo(Math.max(needed, Math.min(this.#capacity * 2, MAX_SLOTS)));
  }

  /**
   * Prepares the store for loading: this many slots, an id for each slot ever handed out, and a column for each of
   * these properties of `now`.
   */
  prepare(slotCount: number, handedOut: number, properties: readonly Property[]): void {
    // Columns are added while they are small; then all grow in one move of the heap.
    for (const property of properties) this.#writer.addColumn(property);
    this.#resizeTo(Math.max(slotCount, this.#capacity), handedOut);
    this.#slotCount = slotCount;
  }

  /**
   * The slot of a present entity. Throws `BAD_ID` or `STALE_ID`. `index`: its index in a list of ids, for the error;
   * none unless given.
   */
  slotOf(id: number, index?: number): number {
    // Not every value can be shifted: a symbol or a bigint throws.
    const slot = typeof id === 'number' ? id >>> 10 : MAX_SLOTS;
    if (slot < this.#slotCount && this.ids.idOf[slot] === id && this.now.isPresent(slot)) return slot;
    throw this.ids.errorFor(id, index);
  }

  /** Whether the id names a present entity. */
  has(id: number): boolean {
    if (typeof id !== 'number') return false;
    const slot = id >>> 10;
    return slot < this.#slotCount && this.ids.idOf[slot] === id && this.now.isPresent(slot);
  }

  /** Adds one entity; the caller has reserved room and checked the coordinates. */
  add(x: number, y: number, z: number, values: PropertyValues): number {
    const id = this.ids.allocate();
    const slot = id >>> 10;
    if (slot >= this.#slotCount) this.#slotCount = slot + 1;
    this.now.x[slot] = Math.fround(x) + 0;
    this.now.y[slot] = Math.fround(y) + 0;
    if (this.settings.dimensions === 3) this.now.z[slot] = Math.fround(z) + 0;
    this.now.flags[slot] = PRESENT | MARKER | UPDATES;
    for (let i = 0; i < this.now.properties.length; i++) {
      const property = this.now.properties[i];
      if (property.column !== undefined) property.column.array[slot] = property.fallback;
    }
    for (let i = 0; i < this.now.standings.length; i++) {
      const property = this.now.standings[i];
      if (property.column !== undefined) property.column.array[slot] = property.fallback;
    }
    this.#writer.writePatch(slot, values);
    this.note(slot, ADDED);
    this.#momentGrid?.note(slot);
    return id;
  }

  /**
   * Adds `count` - 1 entities with all properties of `first`, at the coordinates from index 1 on; writes their ids to
   * `ids`, from index 1 on. The caller has reserved room and checked the coordinates. Cost: some 15 ns each.
   */
  addLike(
    first: number,
    x: ArrayLike<number>,
    y: ArrayLike<number>,
    z: ArrayLike<number>,
    ids: Uint32Array,
    count: number,
  ): void {
    const { now } = this;
    const { flags, x: nowX, y: nowY, z: nowZ } = now;
    const pending = this.pendingColumn.array;
    const pendingSlots = this.#pendingSlots.array;
    const is3D = this.settings.dimensions === 3;
    const from = first >>> 10;
    const flagsOfAll = flags[from];
    let { pendingCount } = this;
    let slotCount = this.#slotCount;
    for (let i = 1; i < count; i++) {
      const id = this.ids.allocate();
      const slot = id >>> 10;
      ids[i] = id;
      // Adding 0 turns -0 into 0, also where rounding gives it.
      nowX[slot] = Math.fround(x[i]) + 0;
      nowY[slot] = Math.fround(y[i]) + 0;
      if (is3D) nowZ[slot] = Math.fround(z[i]) + 0;
      flags[slot] = flagsOfAll;
      if (slot >= slotCount) slotCount = slot + 1;
      if (pending[slot] === 0) pendingSlots[pendingCount++] = slot;
      pending[slot] |= ADDED;
    }
    this.pendingCount = pendingCount;
    this.#slotCount = slotCount;
    this.noteMoves(ids, undefined, count);
    for (const properties of [now.properties, now.standings]) {
      for (const { column } of properties) if (column !== undefined) copyTo(column.array, from, ids, count);
    }
  }

  /** Writes the properties that a patch names. */
  update(slot: number, values: PropertyValues): void {
    const bits = this.#writer.writePatch(slot, values);
    if (bits !== 0) this.note(slot, bits);
  }

  /** The caller has checked the position. */
  move(slot: number, x: number, y: number, z: number): void {
    this.now.x[slot] = Math.fround(x) + 0;
    this.now.y[slot] = Math.fround(y) + 0;
    if (this.settings.dimensions === 3) this.now.z[slot] = Math.fround(z) + 0;
    this.note(slot, MOVED);
    this.attachments.isStale = true;
    this.#momentGrid?.note(slot);
  }

  /** Creates the columns for parents. */
  keepParents(): void {
    this.#writer.keepParents();
  }

  /** Attaches a slot to the entity of that id with an offset; 0 detaches it. The columns for parents exist. */
  setParent(slot: number, parent: number, x: number, y: number, z: number): void {
    const bits = this.#writer.writeParent(slot, parent, [x, y, z]);
    if (bits !== 0) this.note(slot, bits);
    this.attachments.isStale = true;
  }

  /** Marks the entity as removed; the next tick reports it. */
  remove(slot: number): void {
    this.now.flags[slot] = 0;
    this.note(slot, REMOVED);
    this.#momentGrid?.note(slot);
    this.ids.free(slot);
    this.limits.markStale();
    // A failed tick may have listed it, and no tick will know of it.
    if (!this.last.isPresent(slot)) this.watchers.remove(slot);
  }

  /** Hides a watcher from detectors, from the current tick on; its own ranges are kept. */
  hide(slot: number): void {
    const { now } = this;
    if (now.hidden.at(slot) === 1) return;
    this.#writer.keepRanges();
    this.#writer.write(now.hidden, slot, 1);
    for (const { column } of now.ranges) if (column !== undefined) column.array[slot] = 0;
    this.limits.markStale();
    this.#noteHide(slot);
  }

  /** Undoes `hide`: detectors find its whole surroundings again. */
  show(slot: number): void {
    const { now, limits } = this;
    if (now.hidden.at(slot) === 0) return;
    this.#writer.write(now.hidden, slot, 0);
    for (let s = 0; s < now.ranges.length; s++) {
      const range = now.ownRanges[s].at(slot);
      this.#writer.write(now.ranges[s], slot, range);
      limits.maxRange[s] = Math.max(limits.maxRange[s], range);
    }
    this.#noteHide(slot);
  }

  /** The current tick failed: watchers hidden in it are shown again, and the reverse. */
  undoHides(): void {
    const { now, pending, pendingSlots } = this;
    const hides = this.#hides.splice(0);
    if (hides.length === 0) return;
    for (let i = 0; i < hides.length; i += 2) {
      if (now.hidden.at(hides[i]) === 1) this.show(hides[i]);
      else this.hide(hides[i]);
      pending[hides[i]] &= ~hides[i + 1];
    }
    this.#hides.length = 0;
    let kept = 0;
    for (let i = 0; i < this.pendingCount; i++) {
      if (pending[pendingSlots[i]] !== 0) pendingSlots[kept++] = pendingSlots[i];
    }
    this.pendingCount = kept;
  }

  /** Adds a column for a property that gets its first value other than the default. */
  addColumn(property: Property): void {
    this.#writer.addColumn(property);
  }

  /** Adds bits to a slot's pending ones. */
  note(slot: number, bits: number): void {
    const pending = this.pendingColumn.array;
    if (pending[slot] === 0) this.#pendingSlots.array[this.pendingCount++] = slot;
    pending[slot] |= bits;
  }

  /**
   * Settles pending changes: an entity that was added and removed since the last tick is dropped, and a position that was written but
   * is the same is no move. Slots without a remaining change are dropped, the rest are counted. Cost: some ns a pending slot.
   */
  settle(): ChangeCounts {
    this.#pendingJob.sort(this.#pendingSlots, this.pendingCount, this.#slotCount);
    this.#writePendingJob();
    const { counts } = this;
    try {
      this.pendingCount = this.#pendingJob.settle(this.pendingCount, this.pendingSlots, counts);
    } catch (error) {
      this.pendingCount = listPending(this.pending, this.pendingSlots, this.#slotCount);
      throw error;
    }
    const { pending } = this;
    this.notOnlyMoved = othersThanMoved(pending, this.pendingSlots, this.pendingCount, counts);
    for (const slot of this.notOnlyMoved) if (this.now.perceives(slot)) this.watchers.add(slot);
    counts.hidden = 0;
    for (let i = 0; i < this.#hides.length; i += 2) {
      if ((pending[this.#hides[i]] & this.#hides[i + 1] & CHANGED) !== 0) counts.hidden++;
    }
    return counts;
  }

  /** Makes `last` equal to `now` and clears all pending changes. */
  endTick(): void {
    const inBulk = this.counts.moved * 2 > this.slotCount;
    const { pending, pendingSlots, last, now, attachments } = this;
    attachments.endTick(this.notOnlyMoved);
    for (const slot of this.notOnlyMoved) {
      last.copyProperties(slot, now);
      if (!now.isPresent(slot)) this.watchers.remove(slot);
    }
    if (inBulk) this.#endMoves();
    else {
      last.copyPositions(pendingSlots, this.pendingCount, now);
      for (let i = 0; i < this.pendingCount; i++) pending[pendingSlots[i]] = 0;
    }
    this.pendingCount = 0;
    this.notOnlyMoved = [];
    this.#hides.length = 0;
    if (this.#momentGrid?.endTick() === false) this.#momentGrid = undefined;
    this.ids.endTick();
    this.sizeAtLastTick = this.size;
    this.limits.refresh(last, this.slotCount);
  }

  /** The tick is already done here. If a worker fails, this thread does the work again, and the next tick throws the error. */
  #endMoves(): void {
    try {
      this.#writePendingJob();
      this.#pendingJob.endMoves(this.slotCount);
    } catch (error) {
      this.heap.crew.tellLater(error);
      this.#writePendingJob();
      this.#pendingJob.endMoves(this.slotCount);
    }
  }

  /** Throws at the first broken invariant. For tests. */
  validate(): void {
    this.#momentGrid?.validate(this.#slotCount);
  }

  /**
   * Call this now and then when a tick is over: frees what columns hold beyond twice the slots in use, once that is half of them. Slots of
   * entities that the last report names as removed count as in use. Cost: a look at the slots between the last one in use and the end.
   */
  shrink(removed: Uint32Array): void {
    if (this.size * 4 > this.#capacity || this.pendingCount > 0) return;
    const { flags } = this.now;
    let slotCount = removed.length === 0 ? 0 : (removed[removed.length - 1] >>> 10) + 1;
    for (let slot = this.#slotCount - 1; slot >= slotCount; slot--)
      if (flags[slot] !== 0) slotCount = slot + 1;
    this.#slotCount = slotCount;
    const capacity = Math.max(2 * slotCount, this.#leastCapacity);
    if (capacity * 2 <= this.#capacity) this.#resizeTo(capacity);
  }

  #writePendingJob(): void {
    const { pendingColumn, now, last, settings } = this;
    this.#pendingJob.write(pendingColumn, this.#pendingSlots, now, last, settings.dimensions);
  }

  #noteHide(slot: number): void {
    const bits = CHANGED | STANDING_CHANGED;
    this.#hides.push(slot, bits & ~this.pending[slot]);
    this.note(slot, bits);
  }

  /** The id column keeps every slot ever handed out. */
  #resizeTo(capacity: number, handedOut = this.ids.handedOut): void {
    const previous = this.#capacity;
    this.heap.resize([
      ...this.last.sizesFor(capacity, this.settings.dimensions),
      ...this.now.sizesFor(capacity, this.settings.dimensions),
      [this.ids.idColumn, Math.max(capacity, handedOut)],
      [this.pendingColumn, capacity],
      [this.#pendingSlots, capacity],
    ]);
    this.#capacity = capacity;
    if (capacity <= previous) return;
    for (const state of [this.last, this.now]) {
      for (const { column, fallback } of state.properties) column?.array.fill(fallback, previous);
      for (const { column, fallback } of state.standings) column?.array.fill(fallback, previous);
    }
  }
}

/** Gives the slots of `ids`, from index 1 on, the value of slot `from`. */
function copyTo(array: Column['array'], from: number, ids: Uint32Array, count: number): void {
  const value = array[from];
  for (let i = 1; i < count; i++) array[ids[i] >>> 10] = value;
}
