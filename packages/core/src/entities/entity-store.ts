/**
 * The population of a world: ids, the state at the last tick, the state now, and which slots differ.
 *
 * Between ticks everything is written to `now` and the slot is noted as pending; a tick compares `last` with `now`,
 * reports, and `endTick` makes `last` what `now` is. So all that happens to an entity between two ticks coalesces by
 * itself, however often it is written.
 *
 * Columns grow by doubling, all of them in one move of the heap. When the last slot in use comes to lie below a quarter
 * of what they hold, they shrink to twice what is used. Slots are never renumbered, so one entity on a high slot keeps
 * all columns as long as they are.
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

const FIRST_CAPACITY = 256;

/**
 * Everyone in a world, as columns by slot: at the last tick, now, and which slots differ. For detectors, which only read it.
 */
export class EntityStore {
  /** The memory that the columns lie in. */
  readonly heap: Heap;
  /** What the world was made with. */
  readonly settings: WorldSettings;
  /** Ids by slot, and free slots. */
  readonly ids: EntityIds;
  /** Columns as of the last tick. */
  readonly last: EntityState;
  /** Columns as of now. */
  readonly now: EntityState;
  /** Bounds of ranges, gains and reaches that were ever set. */
  readonly limits: ReachLimits;
  /** Who is attached to whom. */
  readonly attachments: Attachments;
  /** For many moves at once. */
  readonly moveColumns: MoveColumns;
  /** Slots with anything pending, in the order it happened first. */
  pendingCount = 0;
  /** Of a tick that is settled: pending slots to which anything but a move happened, in the order in which anything did. */
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
  /** By slot: the bits above. */
  readonly pendingColumn: Column<'u8'>;
  /** Present when the last tick was over. */
  sizeAtLastTick = 0;
  readonly #pendingSlots: Column<'u32'>;
  readonly #pendingJob: PendingJob;
  /** Where everyone is now, while somebody asks. */
  #momentGrid: MomentGrid | undefined;
  readonly #writer: PropertyWriter;
  /** Slots hidden or shown since the last tick, each followed by the pending bits that it has by that alone. */
  readonly #hides: number[] = [];
  #capacity = 0;
  /** What was asked for, below which the columns do not shrink. */
  readonly #leastCapacity: number;
  #slotCount = 0;

  constructor(heap: Heap, settings: WorldSettings, capacity: number) {
    this.heap = heap;
    this.settings = settings;
    this.ids = new EntityIds(heap);
    this.last = new EntityState(heap, settings, this.ids);
    this.now = new EntityState(heap, settings, this.ids);
    this.limits = new ReachLimits(settings.senseCount);
    this.attachments = new Attachments(this);
    this.#writer = new PropertyWriter(heap, settings, this.last, this.now, this.limits, () => this.#capacity);
    this.pendingColumn = heap.column('u8', 0);
    this.#pendingSlots = heap.column('u32', 0);
    this.#pendingJob = new PendingJob(heap);
    this.moveColumns = new MoveColumns(heap);
    this.#leastCapacity = Math.max(capacity, FIRST_CAPACITY);
    this.#resizeTo(this.#leastCapacity);
  }

  /** Entities present now. */
  get size(): number {
    return this.ids.size;
  }

  /** Whether anyone was ever no marker, or had layers, sees, a channel or a condition away from the default. */
  get hasFilters(): boolean {
    return this.#writer.hasFilters;
  }

  set hasFilters(hasFilters: boolean) {
    this.#writer.hasFilters = hasFilters;
  }

  /** Whether anyone was ever volatile. */
  get hasVolatile(): boolean {
    return this.#writer.hasVolatile;
  }

  set hasVolatile(hasVolatile: boolean) {
    this.#writer.hasVolatile = hasVolatile;
  }

  /** Whether anyone was ever shown always. */
  get hasAlways(): boolean {
    return this.#writer.hasAlways;
  }

  set hasAlways(hasAlways: boolean) {
    this.#writer.hasAlways = hasAlways;
  }

  /** Slots that the columns hold. */
  get capacity(): number {
    return this.#capacity;
  }

  /** Above every slot in use, now and at the last tick: loops over slots run to it. */
  get slotCount(): number {
    return this.#slotCount;
  }

  /** Where everyone is now; `radius` as in `MomentGrid.refresh`. Cost: of what was written since the last question. */
  momentGrid(radius: number | undefined): MomentGrid {
    this.attachments.place();
    this.#momentGrid ??= new MomentGrid(this.now, this.settings.dimensions === 3);
    this.#momentGrid.refresh(this.#slotCount, this.size, radius);
    return this.#momentGrid;
  }

  /** Outside the heap. */
  get memoryBytes(): number {
    return this.ids.memoryBytes + (this.#momentGrid?.memoryBytes ?? 0);
  }

  /** Positions of these ids, or of those at the indices `at`, were written elsewhere. */
  noteMoves(ids: Uint32Array, at: ArrayLike<number> | undefined, count: number): void {
    this.attachments.isStale = true;
    this.#momentGrid?.noteMany(ids, at, count);
  }

  /** By slot: how it differs from the last tick, in bits; 0 for not at all. */
  get pending(): Uint8Array {
    return this.pendingColumn.array;
  }

  /** The slots that differ, in the order in which they first did; `pendingCount` of them. */
  get pendingSlots(): Uint32Array {
    return this.#pendingSlots.array;
  }

  /** Where they lie in the heap, in bytes, for kernels. */
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
   * So many slots, an id for each of those handed out, and a column for each of these properties of `now`: for one that is
   * loaded.
   */
  prepare(slotCount: number, handedOut: number, properties: readonly Property[]): void {
    // While there is room for few: then all columns grow in one move of the heap.
    for (const property of properties) this.#writer.addColumn(property);
    this.#resizeTo(Math.max(slotCount, this.#capacity), handedOut);
    this.#slotCount = slotCount;
  }

  /** The slot of a present entity. Throws `BAD_ID` or `STALE_ID`. */
  slotOf(id: number, index?: number): number {
    // Not every value can be shifted: a symbol or a bigint throws.
    const slot = typeof id === 'number' ? id >>> 10 : MAX_SLOTS;
    if (slot < this.#slotCount && this.ids.idOf[slot] === id && this.now.isPresent(slot)) return slot;
    throw this.ids.errorFor(id, index);
  }

  /** Whether the id is of one that is present. */
  has(id: number): boolean {
    if (typeof id !== 'number') return false;
    const slot = id >>> 10;
    return slot < this.#slotCount && this.ids.idOf[slot] === id && this.now.isPresent(slot);
  }

  /** Adds one entity; room was reserved. Coordinates were checked. */
  add(x: number, y: number, z: number, values: PropertyValues): number {
    const id = this.ids.allocate();
    const slot = id >>> 10;
    if (slot >= this.#slotCount) this.#slotCount = slot + 1;
    this.now.x[slot] = x + 0;
    this.now.y[slot] = y + 0;
    if (this.settings.dimensions === 3) this.now.z[slot] = z + 0;
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
   * Adds `count` - 1 entities that have all that `first` has, at the coordinates from index 1 on; their ids go to `ids`, from
   * index 1 on. Room was reserved, coordinates were checked. Cost: some 15 ns each.
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
      // Adding 0 turns -0 into 0.
      nowX[slot] = x[i] + 0;
      nowY[slot] = y[i] + 0;
      if (is3D) nowZ[slot] = z[i] + 0;
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

  /** Writes what a patch names. */
  update(slot: number, values: PropertyValues): void {
    const bits = this.#writer.writePatch(slot, values);
    if (bits !== 0) this.note(slot, bits);
  }

  /** Positions are checked by the caller. */
  move(slot: number, x: number, y: number, z: number): void {
    this.now.x[slot] = x + 0;
    this.now.y[slot] = y + 0;
    if (this.settings.dimensions === 3) this.now.z[slot] = z + 0;
    this.note(slot, MOVED);
    this.attachments.isStale = true;
    this.#momentGrid?.note(slot);
  }

  /** Room for whom each is attached to. */
  keepParents(): void {
    this.#writer.keepParents();
  }

  /** Attaches a slot to the entity of that id, so far from it; to nobody where that is 0. Room was made. */
  setParent(slot: number, parent: number, x: number, y: number, z: number): void {
    const bits = this.#writer.writeParent(slot, parent, [x, y, z]);
    if (bits !== 0) this.note(slot, bits);
    this.attachments.isStale = true;
  }

  /** To be gone with the next tick. */
  remove(slot: number): void {
    this.now.flags[slot] = 0;
    this.note(slot, REMOVED);
    this.#momentGrid?.note(slot);
    this.ids.free(slot);
    this.limits.markStale();
  }

  /** Makes detectors take a watcher for none, from the tick under way on; its own ranges are kept. */
  hide(slot: number): void {
    const { now } = this;
    if (now.hidden.at(slot) === 1) return;
    this.#writer.keepRanges();
    this.#writer.write(now.hidden, slot, 1);
    for (const { column } of now.ranges) if (column !== undefined) column.array[slot] = 0;
    this.limits.markStale();
    this.#noteHide(slot);
  }

  /** Undoes `hide`: detectors find its whole surroundings anew. */
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

  /** The tick under way did not stand: who was hidden for it is shown again, and the other way round. */
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

  /** A property of which somebody is to have another value than the default. */
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
   * Settles what is pending: one that came and went is nobody's business, a position written but the same is no move.
   * What comes to nothing is dropped, the rest counted. Cost: a few nanoseconds a pending slot.
   */
  settle(): ChangeCounts {
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
    counts.hidden = 0;
    for (let i = 0; i < this.#hides.length; i += 2) {
      if ((pending[this.#hides[i]] & this.#hides[i + 1] & CHANGED) !== 0) counts.hidden++;
    }
    return counts;
  }

  /** Makes `last` what `now` is, and nothing pending. */
  endTick(): void {
    const inBulk = this.counts.moved * 2 > this.slotCount;
    const { pending, pendingSlots, last, now } = this;
    for (const slot of this.notOnlyMoved) last.copyProperties(slot, now);
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

  /** The tick stands already: what a worker leaves undone this thread does again, and the next tick tells of it. */
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
   * To be called when a tick is over, now and then: gives back what columns hold beyond twice the slots in use, once that is
   * half of them. Slots of those whom the last report names as removed count as in use. Cost: a look at the slots
   * between the last in use and the end.
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

  /** Ids are kept of every slot ever handed out. */
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

/** Gives the slots of `ids`, from index 1 on, what slot `from` has. */
function copyTo(array: Column['array'], from: number, ids: Uint32Array, count: number): void {
  const value = array[from];
  for (let i = 1; i < count; i++) array[ids[i] >>> 10] = value;
}
