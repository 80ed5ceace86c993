/**
 * The state of all entities at one moment: everything that decides which watcher perceives which marker, as columns
 * by slot.
 *
 * A world keeps two states, that of the last tick and that of now; a tick reports the differences between them. A
 * property that was never set to anything but its default has no column, so a plain world of walkers needs only
 * positions, one range and a byte of flags.
 *
 * Memory: 8 (2-D) or 12 bytes a slot for the position, 1 for flags, 4 for each property in use (channel 2).
 */
import { evenly, sampleAt } from '../columns.ts';
import type { Column, ElementKind, Heap } from '../kernels/heap.ts';
import { CAP_UNSET, CARRIED, MARKER, PRESENT, RESTING } from '../kernels/layouts/entity-flags.ts';
import type { WorldSettings } from '../settings.ts';
import type { EntityId, EntityIds } from './entity-ids.ts';

export * from '../kernels/layouts/entity-flags.ts';

/** One property of every slot. It has no column while all slots have the default. */
export class Property<K extends ElementKind = ElementKind> {
  readonly kind: K;
  /** The value of every slot while there is no column. */
  readonly fallback: number;
  column: Column<K> | undefined = undefined;

  constructor(kind: K, fallback: number) {
    this.kind = kind;
    this.fallback = fallback;
  }

  at(slot: number): number {
    return this.column === undefined ? this.fallback : this.column.array[slot];
  }
}

export class EntityState {
  readonly #x: Column<'f32'>;
  readonly #y: Column<'f32'>;
  readonly #z: Column<'f32'>;
  readonly #flags: Column<'u8'>;
  /**
   * World units, one property a sense. Default 0: no watcher. This is what detectors read: 0 for a hidden watcher,
   * see `hidden`; its own ranges are in `ownRanges`.
   */
  readonly ranges: readonly Property<'f32'>[];
  /** Factor, one property a sense. Default 1. */
  readonly gains: readonly Property<'f32'>[];
  /** World units, one property a sense. Default 0. */
  readonly minReaches: readonly Property<'f32'>[];
  /** World units, one property a sense. Default infinite. */
  readonly maxReaches: readonly Property<'f32'>[];
  /** Bit masks. Default 1. */
  readonly layers = new Property('u32', 1);
  readonly sees = new Property('u32', 1);
  /** 0 to 65535. Default 0: meets every channel. */
  readonly channels = new Property('u16', 0);
  /** For markers: a watcher must see all of these layers. Default 0. */
  readonly needs = new Property('u32', 0);
  /** For markers: the id of the only watcher that meets it. Default 0: any watcher. */
  readonly only = new Property('u32', 0);
  /** For markers: kinds of groups of which a watcher must share one, bit k for kind k. Default 0: none. */
  readonly onlyGroups = new Property('u8', 0);
  /** Whether any of the last three has a column: see conditions.ts. */
  hasConditions = false;
  /** All of the above except position and flags, in an order that is the same for every state. */
  readonly properties: readonly Property[];
  /** Group number, one property a kind; 0 is none. */
  readonly groups: readonly Property<'u32'>[];
  /** Importance, float32. Default 1. */
  readonly weights = new Property('f32', 1);
  /** The watcher's own cap, or `NO_CAP` or `CAP_UNSET`. */
  readonly caps = new Property('u32', CAP_UNSET);
  /** Index of the interest. Default 0. */
  readonly interests = new Property('u16', 0);
  /** 1 for a watcher that detectors ignore. Its seats are found by a search instead, see interest/searched. */
  readonly hidden = new Property('u8', 0);
  /**
   * World units, one property a sense: the ranges given to an entity that does not watch now (`watches: false`); 0
   * for all others. Its other ranges are 0.
   */
  readonly restRanges: readonly Property<'f32'>[];
  /** The id of its parent; 0 if it is not attached. */
  readonly parents = new Property('u32', 0);
  /** World units, one property an axis: offset from its parent. */
  readonly parentOffsets: readonly Property<'f32'>[];
  /** World units, one property a sense: the ranges given to all watchers, once any watcher was hidden. */
  readonly #keptRanges: readonly Property<'f32'>[];
  /** Properties that decide seats but not perception; no detector reads them. In a fixed order, as above. */
  readonly standings: readonly Property[];

  readonly #ids: EntityIds;

  constructor(heap: Heap, settings: WorldSettings, ids: EntityIds) {
    this.#ids = ids;
    this.#x = heap.column('f32', 0);
    this.#y = heap.column('f32', 0);
    this.#z = heap.column('f32', 0);
    this.#flags = heap.column('u8', 0);
    this.ranges = settings.senses.map(() => new Property('f32', 0));
    this.gains = settings.senses.map(() => new Property('f32', 1));
    this.minReaches = settings.senses.map(() => new Property('f32', 0));
    this.maxReaches = settings.senses.map(() => new Property('f32', Number.POSITIVE_INFINITY));
    this.properties = [
      ...this.ranges,
      ...this.gains,
      ...this.minReaches,
      ...this.maxReaches,
      this.layers,
      this.sees,
      this.channels,
      this.needs,
      this.only,
      this.onlyGroups,
    ] as Property[];
    this.groups = settings.groups.map(() => new Property('u32', 0));
    this.restRanges = settings.senses.map(() => new Property('f32', 0));
    this.parentOffsets = Array.from({ length: settings.dimensions }, () => new Property('f32', 0));
    this.#keptRanges = settings.senses.map(() => new Property('f32', 0));
    this.standings = [
      ...this.groups,
      this.weights,
      this.caps,
      this.interests,
      this.parents,
      ...this.parentOffsets,
      this.hidden,
      ...this.restRanges,
      ...this.#keptRanges,
    ] as Property[];
  }

  /** World units, float32, by slot. Read it again in each call: the heap may move. */
  get x(): Float32Array {
    return this.#x.array;
  }

  get y(): Float32Array {
    return this.#y.array;
  }

  /** Length 0 in 2-D. */
  get z(): Float32Array {
    return this.#z.array;
  }

  /**
   * PRESENT, MARKER, UPDATES, SEES_SET, ALWAYS, RESTING, CARRIED, VOLATILE by slot; 0 for a slot without an entity.
   */
  get flags(): Uint8Array {
    return this.#flags.array;
  }

  /** Byte offsets of the columns in the heap, for kernels. */
  get offsets(): { x: number; y: number; z: number; flags: number } {
    return { x: this.#x.offset, y: this.#y.offset, z: this.#z.offset, flags: this.#flags.offset };
  }

  /**
   * The id of a slot's entity. A slot is not reused before all watchers got the report that its last entity is gone.
   */
  idAt(slot: number): EntityId {
    return this.#ids.idOf[slot];
  }

  isPresent(slot: number): boolean {
    return (this.#flags.array[slot] & PRESENT) !== 0;
  }

  /** For detectors: whether watchers may perceive it. */
  isMarker(slot: number): boolean {
    return (this.#flags.array[slot] & MARKER) !== 0;
  }

  /** Whether nobody ever had layers, a channel or conditions: each watcher meets each other marker. */
  get doAllMeet(): boolean {
    const { layers, sees, channels, hasConditions } = this;
    const isAny = layers.column !== undefined || sees.column !== undefined || channels.column !== undefined;
    return !isAny && !hasConditions;
  }

  /** Whether its layers, channel and conditions, which decide by whom it is met, have their defaults. */
  isMetAsUsual(slot: number): boolean {
    return this.channels.at(slot) === this.channels.fallback && this.isMetAsUsualInChannel(slot);
  }

  /** Whether the layers and conditions have their defaults: all that decides by whom of its channel it is met. */
  isMetAsUsualInChannel(slot: number): boolean {
    const { layers, needs, only, onlyGroups } = this;
    return (
      layers.at(slot) === layers.fallback &&
      needs.at(slot) === needs.fallback &&
      only.at(slot) === only.fallback &&
      onlyGroups.at(slot) === onlyGroups.fallback
    );
  }

  /** Whether its properties decide whom it meets; if those of neither of two present entities do, they meet. */
  mayNotMeet(slot: number): boolean {
    return !this.isMarker(slot) || this.sees.at(slot) !== this.sees.fallback || !this.isMetAsUsual(slot);
  }

  /** Whether it is a marker that is attached. */
  isCarried(slot: number): boolean {
    return (this.#flags.array[slot] & CARRIED) !== 0;
  }

  /** Whether it is a marker, attached or not. */
  isPerceptible(slot: number): boolean {
    return (this.#flags.array[slot] & (MARKER | CARRIED)) !== 0;
  }

  /** Whether it does not watch now (`watches: false`): it perceives nothing, and its pins have no effect. */
  isResting(slot: number): boolean {
    return (this.#flags.array[slot] & RESTING) !== 0;
  }

  /** The ranges given to watchers, hidden or not; 0 for an entity that does not watch now. */
  get ownRanges(): readonly Property<'f32'>[] {
    return this.hidden.column === undefined ? this.ranges : this.#keptRanges;
  }

  /** Whether it is present and has an own range above 0 in some sense, hidden or not. */
  perceives(slot: number): boolean {
    return this.isPresent(slot) && this.longestRangeOf(slot) > 0;
  }

  /** The longest of its own ranges, hidden or not; world units. */
  longestRangeOf(slot: number): number {
    let longest = 0;
    for (const range of this.ownRanges) longest = Math.max(longest, range.at(slot));
    return longest;
  }

  /** For detectors: whether it is present with a range above 0 in some sense. */
  isWatcher(slot: number): boolean {
    return this.isPresent(slot) && this.maxRangeOf(slot) > 0;
  }

  /** For detectors: the longest of its ranges, world units; 0 if it is no watcher. */
  maxRangeOf(slot: number): number {
    let longest = 0;
    for (const range of this.ranges) longest = Math.max(longest, range.at(slot));
    return longest;
  }

  /** Whether properties other than position and range decide perception. */
  get isMixed(): boolean {
    const { layers, sees, channels, needs, only, onlyGroups, gains, minReaches, maxReaches } = this;
    const deciding = [
      layers,
      sees,
      channels,
      needs,
      only,
      onlyGroups,
      ...gains,
      ...minReaches,
      ...maxReaches,
    ];
    return deciding.some(({ column }) => column !== undefined);
  }

  /**
   * Every column in use: position, flags, properties, standings. The order is the same for every state of a world.
   */
  columns(dimensions: 2 | 3): Column[] {
    const columns: Column[] = [this.#x, this.#y, this.#flags];
    if (dimensions === 3) columns.push(this.#z);
    for (const { column } of this.properties) if (column !== undefined) columns.push(column);
    for (const { column } of this.standings) if (column !== undefined) columns.push(column);
    return columns;
  }

  /** The column sizes for `capacity` slots, for `Heap.resize`. */
  sizesFor(capacity: number, dimensions: 2 | 3): [Column, number][] {
    return this.columns(dimensions).map((column) => [column, capacity]);
  }

  /**
   * Copies the positions of the first `count` of these slots. One loop per column, so that many memory accesses
   * overlap.
   */
  copyPositions(slots: Uint32Array, count: number, from: EntityState): void {
    copyAt(this.#x.array, from.#x.array, slots, count);
    copyAt(this.#y.array, from.#y.array, slots, count);
    if (this.#z.length > 0) copyAt(this.#z.array, from.#z.array, slots, count);
  }

  /** Copies flags and properties: everything except the position. */
  copyProperties(slot: number, from: EntityState): void {
    this.#flags.array[slot] = from.#flags.array[slot];
    for (let i = 0; i < this.properties.length; i++) {
      const column = this.properties[i].column;
      if (column !== undefined) column.array[slot] = from.properties[i].at(slot);
    }
    for (let i = 0; i < this.standings.length; i++) {
      const column = this.standings[i].column;
      if (column !== undefined) column.array[slot] = from.standings[i].at(slot);
    }
  }
}

function copyAt(to: Float32Array, from: Float32Array, slots: Uint32Array, count: number): void {
  for (let i = 0; i < count; i++) {
    const slot = slots[i];
    to[slot] = from[slot];
  }
}

/** Visits all entities of a state, in order of slots, with their positions; `z` is 0 in 2-D. */
export function eachPresent(
  { flags, x, y, z }: EntityState,
  slotCount: number,
  visit: (slot: number, x: number, y: number, z: number) => void,
): void {
  const is3D = z.length > 0;
  for (let slot = 0; slot < slotCount; slot++) {
    if (flags[slot] !== 0) visit(slot, x[slot], y[slot], is3D ? z[slot] : 0);
  }
}

/** Where a sampled slot is empty, up to so many after it are looked at. */
const LOOKS = 16;
/** A sample of which at most one in so many was found says too little. */
const SPARSE = 8;

/** The slots of up to so many entities of a state, evenly spread. */
export function sampleSlots(state: EntityState, slotCount: number, most: number): number[] {
  const slots: number[] = [];
  const stride = Math.max(1, slotCount / most);
  for (let i = 0; i < Math.min(most, slotCount); i++) {
    let slot = sampleAt(i, stride);
    const end = Math.min(slot + LOOKS, Math.floor((i + 1) * stride));
    while (slot < end && !state.isPresent(slot)) slot++;
    if (slot < end) slots.push(slot);
  }
  // Where many were, and few are left in their slots, nearly all of these are empty.
  if (stride === 1 || slots.length * SPARSE >= most) return slots;
  const present: number[] = [];
  const { flags } = state;
  for (let slot = 0; slot < slotCount; slot++) if (flags[slot] !== 0) present.push(slot);
  return evenly(present, most);
}
