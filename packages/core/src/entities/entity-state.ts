/**
 * Everything that decides who perceives whom, at one moment: columns by slot.
 *
 * A world keeps two of these, one as it was at the last tick and one as it is now; what differs between them is what
 * a tick reports. A property that no entity has ever set away from its default has no column at all, so a plain
 * world of walkers pays for positions, one range and a byte of flags.
 *
 * Memory: 8 (2-D) or 12 bytes a slot for the position, 1 for flags, 4 for each property in use (channel 2).
 */
import type { Column, ElementKind, Heap } from '../kernels/heap.ts';
import { CAP_UNSET, CARRIED, MARKER, PRESENT, RESTING } from '../kernels/layouts/entity-flags.ts';
import type { WorldSettings } from '../settings.ts';
import type { EntityId, EntityIds } from './entity-ids.ts';

export * from '../kernels/layouts/entity-flags.ts';

/** One property of every slot; absent (no column) while all have the default. */
export class Property<K extends ElementKind = ElementKind> {
  readonly kind: K;
  /** What every slot has while there is no column. */
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
   * World units, one property a sense. Default 0: no watcher. What detectors read: a hidden watcher's are 0, see `hidden`;
   * its own are in `ownRanges`.
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
  /** Of markers: layers all of which a watcher must see. Default 0. */
  readonly needs = new Property('u32', 0);
  /** Of markers: the id of the only watcher that meets it. Default 0: any. */
  readonly only = new Property('u32', 0);
  /** Of markers: the kinds of groups of which a watcher must share one, bit k for kind k. Default 0: none. */
  readonly onlyGroups = new Property('u8', 0);
  /** Whether any of the last three has a column: see conditions.ts. */
  hasConditions = false;
  /** All of the above but position and flags, in one order, the same for every state. */
  readonly properties: readonly Property[];
  /** Group number, one property a kind; 0 is none. */
  readonly groups: readonly Property<'u32'>[];
  /** Importance, float32. Default 1. */
  readonly weights = new Property('f32', 1);
  /** The watcher's own cap, or one of the two values above. */
  readonly caps = new Property('u32', CAP_UNSET);
  /** Index of the interest. Default 0. */
  readonly interests = new Property('u16', 0);
  /** 1 for a watcher that detectors take for none: who has a seat with it is found without them, see interest/searched. */
  readonly hidden = new Property('u8', 0);
  /** World units, one property a sense: what one at rest was given, and 0 for all others. Its other ranges are 0. */
  readonly restRanges: readonly Property<'f32'>[];
  /** The id of whom it is attached to; 0 for nobody. */
  readonly parents = new Property('u32', 0);
  /** World units, one property an axis: how far it is from its parent. */
  readonly parentOffsets: readonly Property<'f32'>[];
  /** World units, one property a sense: what all watchers were given, once anyone was hidden. */
  readonly #keptRanges: readonly Property<'f32'>[];
  /** What decides who gets a seat and not who is perceived: no detector reads these. In one order, as above. */
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

  /** World units, float32, by slot. Read afresh in each call: the heap may move. */
  get x(): Float32Array {
    return this.#x.array;
  }

  get y(): Float32Array {
    return this.#y.array;
  }

  /** Zeros in 2-D, of length 0. */
  get z(): Float32Array {
    return this.#z.array;
  }

  /** PRESENT, MARKER, UPDATES, SEES_SET, ALWAYS, RESTING, CARRIED, VOLATILE by slot; 0 for a slot that holds nobody. */
  get flags(): Uint8Array {
    return this.#flags.array;
  }

  /** Where the columns lie in the heap, in bytes, for kernels. */
  get offsets(): { x: number; y: number; z: number; flags: number } {
    return { x: this.#x.offset, y: this.#y.offset, z: this.#z.offset, flags: this.#flags.offset };
  }

  /** The id of whom a slot holds. No slot is handed out anew before everyone was told that its last holder is gone. */
  idAt(slot: number): EntityId {
    return this.#ids.idOf[slot];
  }

  isPresent(slot: number): boolean {
    return (this.#flags.array[slot] & PRESENT) !== 0;
  }

  /** For detectors: whether it may be perceived by whoever is near. */
  isMarker(slot: number): boolean {
    return (this.#flags.array[slot] & MARKER) !== 0;
  }

  /** A marker that is attached. */
  isCarried(slot: number): boolean {
    return (this.#flags.array[slot] & CARRIED) !== 0;
  }

  /** A marker, attached or not. */
  isPerceptible(slot: number): boolean {
    return (this.#flags.array[slot] & (MARKER | CARRIED)) !== 0;
  }

  /** At rest: it perceives nobody, and its pins rest, too. */
  isResting(slot: number): boolean {
    return (this.#flags.array[slot] & RESTING) !== 0;
  }

  /** The ranges that watchers were given, whether hidden or not; 0 for one at rest. */
  get ownRanges(): readonly Property<'f32'>[] {
    return this.hidden.column === undefined ? this.ranges : this.#keptRanges;
  }

  /** Present, with a range of its own above 0 in some sense, hidden or not. */
  perceives(slot: number): boolean {
    return this.isPresent(slot) && this.longestRangeOf(slot) > 0;
  }

  /** The longest of its own ranges, hidden or not; world units. */
  longestRangeOf(slot: number): number {
    let longest = 0;
    for (const range of this.ownRanges) longest = Math.max(longest, range.at(slot));
    return longest;
  }

  /** For detectors: present, with a range above 0 in some sense. */
  isWatcher(slot: number): boolean {
    return this.isPresent(slot) && this.maxRangeOf(slot) > 0;
  }

  /** For detectors: the longest of its ranges, world units; 0 for one that is no watcher. */
  maxRangeOf(slot: number): number {
    let longest = 0;
    for (const range of this.ranges) longest = Math.max(longest, range.at(slot));
    return longest;
  }

  /** Whether anything but place and range decides who perceives whom. */
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

  /** Every column in use: position, flags, properties, standings. In one order, the same for every state of a world. */
  columns(dimensions: 2 | 3): Column[] {
    const columns: Column[] = [this.#x, this.#y, this.#flags];
    if (dimensions === 3) columns.push(this.#z);
    for (const { column } of this.properties) if (column !== undefined) columns.push(column);
    for (const { column } of this.standings) if (column !== undefined) columns.push(column);
    return columns;
  }

  /** The sizes that room for `capacity` slots needs, for `Heap.resize`. */
  sizesFor(capacity: number, dimensions: 2 | 3): [Column, number][] {
    return this.columns(dimensions).map((column) => [column, capacity]);
  }

  /** The positions of the first `count` of these slots. A loop a column: many wait for memory at once. */
  copyPositions(slots: Uint32Array, count: number, from: EntityState): void {
    copyAt(this.#x.array, from.#x.array, slots, count);
    copyAt(this.#y.array, from.#y.array, slots, count);
    if (this.#z.length > 0) copyAt(this.#z.array, from.#z.array, slots, count);
  }

  /** Flags and properties, all but the position. */
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
