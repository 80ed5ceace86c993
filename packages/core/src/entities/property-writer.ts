/**
 * Writes an entity's properties to the state `now`, and returns what changed.
 *
 * A property that was never set to anything but its default has no column. The first other value creates one, in the
 * state now and in that of the last tick. Properties that decide perception and those that decide seats are separate:
 * detectors read only the first kind.
 *
 * Cost: some 10 ns a patch, and O(n) for the first value other than a default.
 */
import type { Column, Heap } from '../kernels/heap.ts';
import type { WorldSettings } from '../settings.ts';
import type { PropertyValues } from './entity-init.ts';
import {
  ALWAYS,
  CARRIED,
  type EntityState,
  MARKER,
  type Property,
  RESTING,
  SEES_SET,
  UPDATES,
  VOLATILE,
} from './entity-state.ts';
import { CHANGED, INTEREST_CHANGED, STANDING_CHANGED, UPDATES_CHANGED } from './pending.ts';
import type { ReachLimits } from './reach-limits.ts';

export class PropertyWriter {
  /**
   * Whether any entity was ever not a marker, or had layers, sees, a channel or a condition other than the default.
   */
  hasFilters = false;
  /** Whether any entity was ever set to `always`. */
  hasAlways = false;
  /** Whether any entity was ever volatile. */
  hasVolatile = false;
  readonly #heap: Heap;
  readonly #settings: WorldSettings;
  readonly #last: EntityState;
  readonly #now: EntityState;
  readonly #limits: ReachLimits;
  /** Number of slots that the columns hold. */
  readonly #capacity: () => number;

  constructor(
    heap: Heap,
    settings: WorldSettings,
    last: EntityState,
    now: EntityState,
    limits: ReachLimits,
    capacity: () => number,
  ) {
    this.#heap = heap;
    this.#settings = settings;
    this.#last = last;
    this.#now = now;
    this.#limits = limits;
    this.#capacity = capacity;
  }

  /** For loading: an entity has these flags. */
  noteFlags(flags: number): void {
    this.hasFilters ||= flags !== 0 && (flags & MARKER) === 0;
    this.hasAlways ||= (flags & ALWAYS) !== 0;
    this.hasVolatile ||= (flags & VOLATILE) !== 0;
  }

  /** Writes the properties of a checked patch; returns the pending bits of what changed. */
  writePatch(slot: number, values: PropertyValues): number {
    const before = this.#now.flags[slot];
    // This comes first, because it decides where ranges are written.
    let bits = values.watches === undefined ? 0 : this.#setWatches(slot, values.watches);
    bits |= this.#writeRanges(slot, values);
    const changed = this.#writeProperties(slot, values);
    const flipped = before ^ this.#now.flags[slot];
    if (changed || (flipped & (MARKER | CARRIED)) !== 0) bits |= CHANGED;
    if ((flipped & UPDATES) !== 0) bits |= UPDATES_CHANGED;
    return bits | this.#writeStandings(slot, values);
  }

  /** Writes one value; returns whether it differs from the one before. */
  write(property: Property, slot: number, value: number): boolean {
    if (property.at(slot) === value) return false;
    if (property.column === undefined) this.addColumn(property);
    (property.column as Column).array[slot] = value;
    return true;
  }

  /** Called for the first value other than the default: both states get the column, filled with the default. */
  addColumn(property: Property): void {
    const now = this.#now;
    const isStanding = now.standings.includes(property);
    const index = (isStanding ? now.standings : now.properties).indexOf(property);
    for (const state of [this.#last, now]) {
      const expanded = (isStanding ? state.standings : state.properties)[index];
      const column = this.#heap.column(expanded.kind, this.#capacity());
      if (expanded.fallback !== 0) column.array.fill(expanded.fallback);
      expanded.column = column;
    }
    const conditions: readonly Property[] = [now.needs, now.only, now.onlyGroups] as Property[];
    if (conditions.includes(property)) this.#last.hasConditions = now.hasConditions = true;
    const filters: readonly Property[] = [now.layers, now.sees, now.channels] as Property[];
    if (now.hasConditions || filters.includes(property)) this.hasFilters = true;
  }

  /** Called when the first entity is attached: creates the columns for parents. */
  keepParents(): void {
    const { parents, parentOffsets } = this.#now;
    for (const property of [parents, ...parentOffsets] as Property[]) {
      if (property.column === undefined) this.addColumn(property);
    }
    this.hasFilters = true;
  }

  /** Writes the parent of a slot (0 for none) and the offset; returns the pending bits of what changed. */
  writeParent(slot: number, parent: number, offsets: readonly number[]): number {
    const now = this.#now;
    const before = now.flags[slot];
    const isPerceptible = now.isPerceptible(slot);
    let changed = this.write(now.parents, slot, parent);
    for (let axis = 0; axis < now.parentOffsets.length; axis++) {
      changed = this.write(now.parentOffsets[axis], slot, Math.fround(offsets[axis]) + 0) || changed;
    }
    this.#setFlag(slot, MARKER, isPerceptible && parent === 0);
    this.#setFlag(slot, CARRIED, isPerceptible && parent !== 0);
    return (before === now.flags[slot] ? 0 : CHANGED) | (changed ? STANDING_CHANGED : 0);
  }

  /** Called when the first watcher is hidden: from now on all ranges are also kept in `ownRanges`. */
  keepRanges(): void {
    const now = this.#now;
    if (now.hidden.column !== undefined) return;
    this.addColumn(now.hidden as Property);
    now.ranges.forEach((range, s) => {
      if (range.column === undefined) return;
      this.addColumn(now.ownRanges[s] as Property);
      for (const { ranges, ownRanges } of [this.#last, now]) {
        ownRanges[s].column?.array.set(ranges[s].column?.array ?? []);
      }
    });
  }

  /** Writes the given ranges; returns the pending bits of what changed. */
  #writeRanges(slot: number, values: PropertyValues): number {
    const now = this.#now;
    const isResting = now.isResting(slot);
    let bits = 0;
    for (let s = 0; values.rangesGiven >>> s !== 0; s++) {
      if ((values.rangesGiven & (1 << s)) === 0) continue;
      const range = values.ranges[s];
      if (!isResting) bits |= this.#writeRange(s, slot, range);
      else if (this.write(now.restRanges[s], slot, range)) bits |= STANDING_CHANGED;
    }
    if ((bits & CHANGED) !== 0) this.#limits.include(values);
    return bits;
  }

  /** Returns whether any other property changed. Assumes checked values. */
  #writeProperties(slot: number, values: PropertyValues): boolean {
    const now = this.#now;
    let changed = false;
    for (let s = 0; s < this.#settings.senseCount; s++) {
      const bit = 1 << s;
      if ((values.gainsGiven & bit) !== 0)
        changed = this.write(now.gains[s], slot, values.gains[s]) || changed;
      if ((values.minReachesGiven & bit) !== 0) {
        changed = this.write(now.minReaches[s], slot, values.minReaches[s]) || changed;
      }
      if ((values.maxReachesGiven & bit) !== 0) {
        changed = this.write(now.maxReaches[s], slot, values.maxReaches[s]) || changed;
      }
    }
    if (values.sees !== undefined) {
      now.flags[slot] |= SEES_SET;
      changed = this.write(now.sees, slot, values.sees) || changed;
    }
    if (values.layers !== undefined) {
      changed = this.write(now.layers, slot, values.layers) || changed;
      if ((now.flags[slot] & SEES_SET) === 0) changed = this.write(now.sees, slot, values.layers) || changed;
    }
    if (values.channel !== undefined) changed = this.write(now.channels, slot, values.channel) || changed;
    if (values.needs !== undefined) changed = this.write(now.needs, slot, values.needs) || changed;
    if (values.only !== undefined) changed = this.write(now.only, slot, values.only) || changed;
    if (values.onlyGroups !== undefined)
      changed = this.write(now.onlyGroups, slot, values.onlyGroups) || changed;
    if (values.marker === false) this.hasFilters = true;
    if (values.marker !== undefined)
      this.#setFlag(slot, now.parents.at(slot) === 0 ? MARKER : CARRIED, values.marker);
    if (values.updates !== undefined) this.#setFlag(slot, UPDATES, values.updates);
    if (changed) this.#limits.include(values);
    return changed;
  }

  /** Writes the properties that decide seats; returns the pending bits of what changed. */
  #writeStandings(slot: number, values: PropertyValues): number {
    const now = this.#now;
    const { groups } = this.#settings;
    let changed = false;
    for (let kind = 0; values.groupsGiven >>> kind !== 0 && kind < groups.length; kind++) {
      if ((values.groupsGiven & (1 << kind)) !== 0)
        changed = this.write(now.groups[kind], slot, values.groups[kind]) || changed;
    }
    // With `onlyGroup`, groups may decide which pairs meet.
    const bits = changed && now.onlyGroups.column !== undefined ? CHANGED : 0;
    if (values.weight !== undefined) changed = this.write(now.weights, slot, values.weight) || changed;
    if (values.cap !== undefined) changed = this.write(now.caps, slot, values.cap) || changed;
    if (values.always !== undefined && values.always !== ((now.flags[slot] & ALWAYS) !== 0)) {
      this.#setFlag(slot, ALWAYS, values.always);
      this.hasAlways = true;
      changed = true;
    }
    if (values.volatile !== undefined && values.volatile !== ((now.flags[slot] & VOLATILE) !== 0)) {
      this.#setFlag(slot, VOLATILE, values.volatile);
      this.hasVolatile = true;
      changed = true;
    }
    const moved = values.interest !== undefined && this.write(now.interests, slot, values.interest);
    return bits | (changed ? STANDING_CHANGED : 0) | (moved ? INTEREST_CHANGED : 0);
  }

  /** Writes a range of a slot that watches; returns the pending bits. */
  #writeRange(s: number, slot: number, range: number): number {
    const now = this.#now;
    if (now.hidden.column === undefined) return this.write(now.ranges[s], slot, range) ? CHANGED : 0;
    if (now.hidden.at(slot) === 0) this.write(now.ranges[s], slot, range);
    // The kept ranges are among the properties that decide seats.
    return this.write(now.ownRanges[s], slot, range) ? CHANGED | STANDING_CHANGED : 0;
  }

  /**
   * Switches `watches` off, so that all its ranges read as 0, or on, which restores them; returns the pending bits.
   */
  #setWatches(slot: number, watches: boolean): number {
    const now = this.#now;
    if (now.isResting(slot) !== watches) return 0;
    this.#setFlag(slot, RESTING, !watches);
    let bits = STANDING_CHANGED;
    for (let s = 0; s < now.ranges.length; s++) {
      const range = (watches ? now.restRanges : now.ownRanges)[s].at(slot);
      if (range === 0) continue;
      this.write(now.restRanges[s], slot, watches ? 0 : range);
      bits |= this.#writeRange(s, slot, watches ? range : 0);
      if (watches) this.#limits.includeRange(s, range);
    }
    if (!watches) this.#limits.markStale();
    return bits;
  }

  #setFlag(slot: number, bit: number, on: boolean): void {
    const { flags } = this.#now;
    flags[slot] = on ? flags[slot] | bit : flags[slot] & ~bit;
  }
}
