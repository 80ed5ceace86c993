/**
 * The place of every entity, how far each may drift from it, and which entities are near a place.
 *
 * Problem: an entity that is placed again must find its partners without testing all entities. Method: a coarse grid
 * of cells over the places, created on first use; a search reads the cells of its window. The classic algorithm
 * compares all moved entities with all resting ones here; the grid is only used to find partners, pairs exist without
 * it.
 *
 * Slack is how far an entity may be from its place before it is placed again: half its range; for entities that watch
 * less or nothing, half of the usual range; in a world so sparse that this is less than half the distance to the next
 * entity, that half distance. A pair is kept while its places are no farther apart than reach + slack + slack, in the
 * norm of the reach; with a single range r for all, that is the classic's 2r. In the grid no slack exceeds
 * `maxSlack`, and no reach exceeds `reach`: the few entities whose range, gain or minReach is far beyond the usual
 * are in a separate list, and each placed entity is compared with all of it.
 *
 * Memory: 56 bytes a slot, some 70 a cell in use. Cost: about four tests for each partner found.
 */
import { grown } from '../../columns.ts';
import type { EntityState } from '../../entities/entity-state.ts';
import type { EntityStore } from '../../entities/entity-store.ts';
import { meets } from '../../entities/perception.ts';
import { SEARCH_SLACK } from '../../entities/reach-limits.ts';
import { assert, broken } from '../../errors.ts';
import type { Bounds } from '../bounds.ts';
import { CellTable, NONE, OTHERS, WATCHERS } from '../cells/cell-table.ts';
import { Survey } from '../cells/survey.ts';
import type { SlotVisitor } from '../detector.ts';
import { columnZ, normSquared, type ReachNorm, reachNorm } from '../pairs/reach-norm.ts';
import { mutualReach, ReachTraits } from '../pairs/reach-traits.ts';
import type { StructureSketch } from '../structure-sketch.ts';

/** Covers the rounding of float64. */
const ROUNDING = 1 + 2 ** -30;
/** Number of cells on each side of a search's own cell, if the list is empty. */
const WINDOW_CELLS = 2;
/** World units. With cells no finer than this, cell numbers stay exact integers to the ends of the world. */
const FINEST_CELL = 2 ** -10;

/** Limits of the usual entities, and how far they may drift; world units, except `gain`. */
export interface UsualPlaces {
  readonly range: number;
  readonly gain: number;
  readonly minReach: number;
  /** The least slack of any entity. */
  readonly slack: number;
}

export class Places {
  readonly usual: UsualPlaces;
  /** No entities in the grid perceive each other farther than this, world units. */
  readonly reach: number;
  readonly maxSlack: number;
  readonly table: CellTable;
  /** World units. */
  x = new Float32Array(0);
  y = new Float32Array(0);
  z = new Float32Array(0);
  slack = new Float32Array(0);
  readonly traits = new ReachTraits();
  /** The entities far beyond the usual, in no order; and by slot the index on the list, NONE for others. */
  farSlots = new Int32Array(16);
  farCount = 0;
  #farIndex = new Int32Array(0);
  readonly #norm: ReachNorm;
  readonly #is3D: boolean;

  constructor(store: EntityStore, usual: UsualPlaces) {
    const { settings } = store;
    this.usual = usual;
    this.reach = Math.max(usual.range * usual.gain, usual.minReach) * SEARCH_SLACK;
    this.maxSlack = Math.max(usual.range / 2, usual.slack);
    this.#norm = reachNorm(settings);
    this.#is3D = settings.dimensions === 3;
    const edge = Math.max(this.#windowOf(this.reach, this.maxSlack) / WINDOW_CELLS, FINEST_CELL);
    const [extentX, extentY, extentZ] = this.#norm.extents;
    this.table = new CellTable([edge * extentX, edge * extentY, edge * extentZ], this.#is3D, 0);
    this.grow(store.capacity);
  }

  get memoryBytes(): number {
    const places = (this.#is3D ? 4 : 3) * this.x.byteLength;
    const far = this.farSlots.byteLength + this.#farIndex.byteLength;
    return places + far + this.traits.memoryBytes + this.table.memoryBytes;
  }

  get slotRoom(): number {
    return Math.min(this.#farIndex.length, this.traits.slotRoom, this.table.slotRoom);
  }

  grow(capacity: number): void {
    if (capacity <= this.slotRoom) return;
    this.x = grown(this.x, capacity);
    this.y = grown(this.y, capacity);
    // In 2-D y is used for z: see `ReachNorm`.
    this.z = this.#is3D ? grown(this.z, capacity) : this.y;
    this.slack = grown(this.slack, capacity);
    this.#farIndex = grown(this.#farIndex, capacity, NONE);
    this.traits.grow(capacity);
    this.table.growSlots(capacity);
  }

  isPlaced(slot: number): boolean {
    return this.table.cellOf[slot] !== NONE || this.#farIndex[slot] !== NONE;
  }

  isFar(slot: number): boolean {
    return this.#farIndex[slot] !== NONE;
  }

  /** Gives a slot without a place its position in `state` as place. */
  place(store: EntityStore, state: EntityState, slot: number): void {
    const { traits, usual, table } = this;
    traits.read(state, slot);
    this.x[slot] = state.x[slot];
    this.y[slot] = state.y[slot];
    if (this.#is3D) this.z[slot] = state.z[slot];
    const range = traits.widest[slot];
    this.slack[slot] = Math.max(range / 2, usual.slack);
    const { loudest, minReach } = traits;
    if (range > usual.range || loudest[slot] > usual.gain || minReach[slot] > usual.minReach) {
      this.#list(slot);
      return;
    }
    const cellX = table.numberX(this.x[slot]);
    const cellY = table.numberY(this.y[slot]);
    const cellZ = store.settings.dimensions === 3 ? table.numberZ(this.z[slot]) : 0;
    let cell = table.find(cellX, cellY, cellZ);
    if (cell === NONE) cell = table.make(cellX, cellY, cellZ);
    table.link(slot, cell, range > 0 ? WATCHERS : OTHERS);
  }

  /** Removes a slot's place. */
  clear(slot: number): void {
    const { table } = this;
    const cell = table.cellOf[slot];
    if (cell !== NONE) {
      table.unlink(slot);
      if (table.isEmpty(cell)) table.free(cell);
      return;
    }
    const index = this.#farIndex[slot];
    const moved = this.farSlots[--this.farCount];
    this.farSlots[index] = moved;
    this.#farIndex[moved] = index;
    this.#farIndex[slot] = NONE;
  }

  /** Whether a slot is no farther from its place than its slack, in `state`. */
  isAtPlace(store: EntityStore, state: EntityState, slot: number): boolean {
    const { scaleX, scaleY, scaleZ, kind } = this.#norm;
    const z = columnZ(store.settings, state);
    const dx = (state.x[slot] - this.x[slot]) * scaleX;
    const dy = (state.y[slot] - this.y[slot]) * scaleY;
    const dz = (z[slot] - this.z[slot]) * scaleZ;
    return normSquared(kind, dx, dy, dz) <= this.slack[slot] * this.slack[slot];
  }

  /**
   * Writes all partners of a slot to `out`, which has room for all slots: those placed no farther away than reach and
   * both slacks, if one of the two is a watcher. In worlds with filters, pairs that can never meet are left out, by
   * their properties in `state`.
   */
  partnersInto(store: EntityStore, state: EntityState, slot: number, out: Int32Array): number {
    let count = this.surroundingsInto(slot, out);
    count = keepNear(this.#norm, this.traits, this.x, this.y, this.z, this.slack, 1, slot, out, count);
    if (!store.hasFilters) return count;
    let kept = 0;
    for (let i = 0; i < count; i++) {
      const other = out[i];
      if (meets(state, slot, other) || meets(state, other, slot)) out[kept++] = other;
    }
    return kept;
  }

  /** As `partnersInto`, with others that may be too far away, and the slot itself. */
  surroundingsInto(slot: number, out: Int32Array): number {
    const { table, farSlots, farCount } = this;
    let count = 0;
    while (count < farCount) out[count] = farSlots[count++];
    const reach = this.#reachToUsual(slot);
    if (reach === 0) return count;
    const watches = this.traits.widest[slot] > 0;
    const cellCount = this.#cellsAround(slot, this.#windowOf(reach, this.slack[slot]));
    const { heads, found, next } = table;
    for (let i = 0; i < cellCount; i++) {
      const first = 2 * found[i];
      for (let other = heads[first + WATCHERS]; other !== NONE; other = next[other]) out[count++] = other;
      if (!watches) continue;
      for (let other = heads[first + OTHERS]; other !== NONE; other = next[other]) out[count++] = other;
    }
    return count;
  }

  /**
   * Keeps the slots of `slots[0 .. count)` that a slot may perceive in `state`, or that may perceive it; returns how
   * many.
   */
  keepInReach(
    store: EntityStore,
    state: EntityState,
    slot: number,
    slots: Int32Array,
    count: number,
  ): number {
    const z = columnZ(store.settings, state);
    return keepNear(this.#norm, this.traits, state.x, state.y, z, this.slack, 0, slot, slots, count);
  }

  /** Visits all slots that may be inside `bounds` in the state that the places are valid for. */
  collect(bounds: Bounds, visit: SlotVisitor): void {
    const [driftX, driftY, driftZ] = this.#norm.extents.map((extent) => extent * this.maxSlack * ROUNDING);
    const widened = {
      minX: bounds.minX - driftX,
      minY: bounds.minY - driftY,
      minZ: bounds.minZ - driftZ,
      maxX: bounds.maxX + driftX,
      maxY: bounds.maxY + driftY,
      maxZ: bounds.maxZ + driftZ,
    };
    this.table.eachIn(widened, visit);
    for (let i = 0; i < this.farCount; i++) visit(this.farSlots[i]);
  }

  /** Draws the cells of the grid, with the number of entities placed in them. */
  sketchCells(sketch: StructureSketch): void {
    const { table } = this;
    const { sizeX, sizeY, counts } = table;
    for (let i = 0; i < table.cellCount; i++) {
      const cell = table.order[i];
      const x = table.keyX[cell] * sizeX;
      const y = table.keyY[cell] * sizeY;
      sketch.cell(x, y, x + sizeX, y + sizeY, counts[2 * cell] + counts[2 * cell + 1]);
    }
  }

  validate(store: EntityStore): void {
    const { last, slotCount } = store;
    this.table.validate(slotCount);
    let farCount = 0;
    for (let slot = 0; slot < slotCount; slot++) {
      if (this.isPlaced(slot) !== last.isPresent(slot))
        broken(`slot ${slot} has a place while it is present`);
      if (!this.isPlaced(slot)) continue;
      if (!this.isAtPlace(store, last, slot)) broken(`slot ${slot} is within its slack of its place`);
      if (!this.isFar(slot)) {
        if (!(this.slack[slot] <= this.maxSlack * ROUNDING))
          broken(`slot ${slot} has no more slack than the usual`);
        continue;
      }
      if (this.farSlots[this.#farIndex[slot]] !== slot) broken(`slot ${slot} knows its place on the list`);
      farCount++;
    }
    assert(farCount === this.farCount, 'the list of the far holds no others');
  }

  /** How far a search for partners goes, in the norm: no entity in the grid is a partner beyond it. */
  #windowOf(reach: number, slack: number): number {
    return (reach * SEARCH_SLACK + slack + this.maxSlack) * ROUNDING;
  }

  /** Maximum distance at which a slot and any entity in the grid perceive each other. */
  #reachToUsual(slot: number): number {
    const { widest, loudest, minReach } = this.traits;
    const { usual } = this;
    return mutualReach(widest[slot], loudest[slot], minReach[slot], usual.range, usual.gain, usual.minReach);
  }

  #cellsAround(slot: number, window: number): number {
    const { table } = this;
    const [extentX, extentY, extentZ] = this.#norm.extents;
    const x = this.x[slot];
    const y = this.y[slot];
    const z = this.#is3D ? this.z[slot] : 0;
    return table.cellsIn(
      table.numberX(x - window * extentX),
      table.numberY(y - window * extentY),
      table.numberZ(z - window * extentZ),
      table.numberX(x + window * extentX),
      table.numberY(y + window * extentY),
      table.numberZ(z + window * extentZ),
    );
  }

  #list(slot: number): void {
    if (this.farCount === this.farSlots.length) this.farSlots = grown(this.farSlots, 2 * this.farCount);
    this.#farIndex[slot] = this.farCount;
    this.farSlots[this.farCount++] = slot;
  }
}

/**
 * Keeps the slots of `slots[0 .. count)` no farther from `slot` than the reach between the two plus `slacks` times
 * both slacks, without the slot itself; returns how many.
 */
function keepNear(
  norm: ReachNorm,
  traits: ReachTraits,
  x: Float32Array,
  y: Float32Array,
  z: Float32Array,
  slack: Float32Array,
  slackTimes: number,
  slot: number,
  slots: Int32Array,
  count: number,
): number {
  const { scaleX, scaleY, scaleZ, kind } = norm;
  const { widest, loudest, minReach } = traits;
  const ownX = x[slot];
  const ownY = y[slot];
  const ownZ = z[slot];
  const ownSlack = slack[slot];
  const ownWidest = widest[slot];
  const ownLoudest = loudest[slot];
  const ownMinReach = minReach[slot];
  let kept = 0;
  for (let i = 0; i < count; i++) {
    const other = slots[i];
    const reach = mutualReach(
      ownWidest,
      ownLoudest,
      ownMinReach,
      widest[other],
      loudest[other],
      minReach[other],
    );
    const apart = (reach * SEARCH_SLACK + (ownSlack + slack[other]) * slackTimes) * ROUNDING;
    const dx = (x[other] - ownX) * scaleX;
    const dy = (y[other] - ownY) * scaleY;
    const dz = (z[other] - ownZ) * scaleZ;
    if (reach > 0 && normSquared(kind, dx, dy, dz) <= apart * apart && other !== slot) slots[kept++] = other;
  }
  return kept;
}

/** Usual values of a population, with its size. */
export interface UsualOf extends UsualPlaces {
  readonly entities: number;
}

/**
 * Chooses the usual values of a population: the cost of searches for all entities is weighed against that of a list
 * of the rest.
 */
export function chooseUsual(store: EntityStore, state: EntityState): UsualOf {
  const survey = new Survey(store.settings, state, store.slotCount);
  const { gain, minReach } = survey.chooseLoudness();
  const levels = survey.ranges.levels();
  let passed = 0;
  let median = 0;
  for (const level of levels) {
    if (passed * 2 < survey.watchers) median = level;
    passed += survey.ranges.at(level);
  }
  const slack = Math.fround(Math.max(median, survey.reachFor(1)) / 2);
  let range = 0;
  let leastCost = Number.POSITIVE_INFINITY;
  for (const level of [0, ...levels]) {
    const reach = Math.max(level * gain, minReach) + 2 * Math.max(level / 2, slack);
    const far = survey.ranges.above(level) + survey.gains.above(gain) + survey.minReaches.above(minReach);
    const cost = far + survey.crowdInReach(reach);
    if (cost < leastCost) {
      leastCost = cost;
      range = level;
    }
  }
  return { range, gain, minReach, slack, entities: survey.entities };
}

/** Values that cover everything usual in one or the other; an empty population has no usual values. */
export function usualInBoth(one: UsualOf, other: UsualOf): UsualOf {
  if (one.entities === 0) return other;
  if (other.entities === 0) return one;
  return {
    range: Math.max(one.range, other.range),
    gain: Math.max(one.gain, other.gain),
    minReach: Math.max(one.minReach, other.minReach),
    slack: Math.max(one.slack, other.slack),
    entities: Math.max(one.entities, other.entities),
  };
}

/** Whether changing from one to the other gains nothing. */
export function isAlike(one: UsualPlaces, other: UsualPlaces): boolean {
  return (
    one.range === other.range &&
    one.gain === other.gain &&
    one.minReach === other.minReach &&
    one.slack < 2 * other.slack &&
    one.slack > other.slack / 2
  );
}
