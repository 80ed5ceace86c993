/**
 * Where everyone was placed, how far each may drift from there, and who stands near a place.
 *
 * Problem: whoever is placed anew must find its partners without looking at everyone. Method: a coarse grid of cells,
 * made when first used, over the places; a search reads the cells of its window. This is where the classic compares all
 * who moved with all who rest; the grid only finds partners, pairs live on without it.
 *
 * Slack is how far one may be from its place before it is placed anew: half its range, and for those who watch less or
 * nothing half of what is usual; in a world so sparse that this is less than half the way to the next, that. A pair is
 * kept while its places are no farther apart than reach + slack + slack, in the norm of the reach; with one range r for
 * all that is the classic's 2r. Nobody's slack in the grid exceeds `maxSlack`, nobody's reach there `reach`: the few whose
 * range, gain or minReach is far beyond the usual are on a list apart, and whoever is placed is compared with all of it.
 *
 * Memory: 56 bytes a slot, some 70 a cell in use. Cost: about four looks for each partner found.
 */
import { grown } from '../../columns.ts';
import type { EntityState } from '../../entities/entity-state.ts';
import type { EntityStore } from '../../entities/entity-store.ts';
import { meets } from '../../entities/perception.ts';
import { SEARCH_SLACK } from '../../entities/reach-limits.ts';
import { assert } from '../../errors.ts';
import type { Bounds } from '../bounds.ts';
import { CellTable, NONE, OTHERS, WATCHERS } from '../cells/cell-table.ts';
import { Survey } from '../cells/survey.ts';
import type { SlotVisitor } from '../detector.ts';
import { columnZ, normSquared, type ReachNorm, reachNorm } from '../pairs/reach-norm.ts';
import { mutualReach, ReachTraits } from '../pairs/reach-traits.ts';
import type { StructureSketch } from '../structure-sketch.ts';

/** Covers what float64 rounds away. */
const ROUNDING = 1 + 2 ** -30;
/** Cells to each side of a search's own, where nobody is on the list. */
const WINDOW_CELLS = 2;
/** World units. Cells no finer than that keep their numbers countable to the ends of the world. */
const FINEST_CELL = 2 ** -10;

/** Where the usual ends and how far the usual may drift; world units but for `gain`. */
export interface UsualPlaces {
  readonly range: number;
  readonly gain: number;
  readonly minReach: number;
  /** The least slack of anyone. */
  readonly slack: number;
}

export class Places {
  readonly usual: UsualPlaces;
  /** No two in the grid perceive each other farther than this, world units. */
  readonly reach: number;
  readonly maxSlack: number;
  readonly table: CellTable;
  /** World units. */
  x = new Float32Array(0);
  y = new Float32Array(0);
  z = new Float32Array(0);
  slack = new Float32Array(0);
  readonly traits = new ReachTraits();
  /** Those far beyond the usual, in no order, and by slot where on the list; NONE for others. */
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
    // In 2-D y stands in for z: see `ReachNorm`.
    this.z = this.#is3D ? grown(this.z, capacity) : this.y;
    this.slack = grown(this.slack, capacity);
    const farIndex = new Int32Array(capacity).fill(NONE);
    farIndex.set(this.#farIndex);
    this.#farIndex = farIndex;
    this.traits.grow(capacity);
    this.table.growSlots(capacity);
  }

  isPlaced(slot: number): boolean {
    return this.table.cellOf[slot] !== NONE || this.#farIndex[slot] !== NONE;
  }

  isFar(slot: number): boolean {
    return this.#farIndex[slot] !== NONE;
  }

  /** Puts a slot that has no place where it is in `state`. */
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

  /** Takes a slot's place away. */
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
   * Writes to `out`, which holds as many as there are slots, all partners of a slot: those placed no farther than reach
   * and both slacks away, one of the two a watcher. Where the world has filters, those who never meet are left out, by
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

  /** Keeps of `slots[0 .. count)` those that a slot may perceive in `state`, or be perceived by; returns how many. */
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

  /** Visits whoever may be inside `bounds` in the state that the places were kept for. */
  collect(bounds: Bounds, visit: SlotVisitor): void {
    const { table } = this;
    const [driftX, driftY, driftZ] = this.#norm.extents.map((extent) => extent * this.maxSlack * ROUNDING);
    const count = table.cellsIn(
      table.numberX(bounds.minX - driftX),
      table.numberY(bounds.minY - driftY),
      table.numberZ(bounds.minZ - driftZ),
      table.numberX(bounds.maxX + driftX),
      table.numberY(bounds.maxY + driftY),
      table.numberZ(bounds.maxZ + driftZ),
    );
    // The visitor may ask again: what was found is copied.
    for (const cell of table.found.slice(0, count)) {
      for (let list = WATCHERS; list <= OTHERS; list++) {
        for (let slot = table.heads[2 * cell + list]; slot !== NONE; slot = table.next[slot]) visit(slot);
      }
    }
    for (let i = 0; i < this.farCount; i++) visit(this.farSlots[i]);
  }

  /** Draws the cells of the grid, with how many were placed in them. */
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
      assert(this.isPlaced(slot) === last.isPresent(slot), `slot ${slot} has a place while it is present`);
      if (!this.isPlaced(slot)) continue;
      assert(this.isAtPlace(store, last, slot), `slot ${slot} is within its slack of its place`);
      if (!this.isFar(slot)) {
        assert(this.slack[slot] <= this.maxSlack * ROUNDING, `slot ${slot} has no more slack than the usual`);
        continue;
      }
      assert(this.farSlots[this.#farIndex[slot]] === slot, `slot ${slot} knows its place on the list`);
      farCount++;
    }
    assert(farCount === this.farCount, 'the list of the far holds no others');
  }

  /** How far a search for partners goes, in the norm: beyond it nobody in the grid is one. */
  #windowOf(reach: number, slack: number): number {
    return (reach * SEARCH_SLACK + slack + this.maxSlack) * ROUNDING;
  }

  /** How far a slot and any in the grid perceive each other at most. */
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
    if (this.farCount === this.farSlots.length) {
      const farSlots = new Int32Array(2 * this.farCount);
      farSlots.set(this.farSlots);
      this.farSlots = farSlots;
    }
    this.#farIndex[slot] = this.farCount;
    this.farSlots[this.farCount++] = slot;
  }
}

/**
 * Keeps of `slots[0 .. count)` those no farther from `slot` than the reach between the two and so many times both slacks,
 * the slot itself left out; returns how many.
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

/** What is usual in a population of so many. */
export interface UsualOf extends UsualPlaces {
  readonly entities: number;
}

/** What is usual in a population: where it ends is weighed by what a search of everyone costs, and a list of the rest. */
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

/** What covers all that is usual in one or the other; nothing is usual among nobody. */
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

/** Whether nothing is gained by going from one to the other. */
export function isAlike(one: UsualPlaces, other: UsualPlaces): boolean {
  return (
    one.range === other.range &&
    one.gain === other.gain &&
    one.minReach === other.minReach &&
    one.slack < 2 * other.slack &&
    one.slack > other.slack / 2
  );
}
