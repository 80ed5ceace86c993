/**
 * The common part of the detectors on cells: the order of work in a tick, and the choice of cells.
 *
 * Problem: many entities change at once, and a pair must be found whichever of the two moved, or if both did. Method:
 * entities that were added, removed or changed or moved to another cell (role CROSSES) are processed one after the
 * other: each is tested around its old place and its new one, then moved there. Then the entities that moved inside
 * their cell (role STAYS) are tested cell by cell. No pair is missed:
 *
 *   crosses, crosses   perceived before: when the first is processed, the other is still at its old place, near the
 *                      first one's old place. Perceived now: when the second is processed, the first is at its new place.
 *   crosses, other     the other's cell is the same before and now: found when the first is processed.
 *   stays, stays/rests both cells are the same before and now: found once, when their cells are tested.
 *   far-sighted, loud  from the lists of `FarReach`.
 *
 * With granularity 'cell', entities with role STAYS are not tested at all. Cells are chosen from a survey of the
 * population. They are kept until a survey after many changes shows cells that are cheaper by a third; then all
 * entities are placed again.
 *
 * A failed tick leaves the structure ahead of the state, or half-way: then all entities are placed again as well.
 */
import { grown } from '../../columns.ts';
import type { EntityState } from '../../entities/entity-state.ts';
import type { EntityStore } from '../../entities/entity-store.ts';
import { MOVED } from '../../entities/pending.ts';
import { broken, rounded } from '../../errors.ts';
import { type Rectangle, visitorWithin } from '../bounds.ts';
import type { Crossings } from '../crossings.ts';
import type { Bounds, Detector, SlotVisitor } from '../detector.ts';
import { PairSieve } from '../pairs/pair-sieve.ts';
import type { PairTest } from '../pairs/pair-test.ts';
import { reachRatios } from '../pairs/reach-norm.ts';
import { DECISIVE, TickWitness } from '../pairs/tick-witness.ts';
import { assertRoom, type SlotRoom } from '../slot-room.ts';
import type { StructureSketch } from '../structure-sketch.ts';
import { type CellFit, WINDOW_SLACK } from './cell-fit.ts';
import { CellTable, NONE, OTHERS, WATCHERS } from './cell-table.ts';
import { FarReach } from './far-reach.ts';
import { Survey } from './survey.ts';

/** A survey is due when half of the population has changed, but not for fewer changes than this. */
const FEWEST_CHANGES = 64;
/** ... or when the number of far entities has more than doubled, and grown by this many. */
const MORE_FAR = 32;
const WORTH_IT = 2 / 3;
const DESCRIBED_CELLS = 24;
const FIRST_ROOM = 256;

/** Role of an entity in this tick, by slot: it does not change. */
const RESTS = 0;
/** It moved within its cell, and nothing else. */
const STAYS = 1;
/** It was added, removed or changed, or it moved to another cell. */
const CROSSES = 2;

export abstract class CellDetector implements Detector {
  abstract readonly name: string;
  protected readonly store: EntityStore;
  protected readonly sieve: PairSieve;
  protected readonly test: PairTest;
  /** Slots near a cell: `gather` appends them. */
  protected near = new Int32Array(FIRST_ROOM);
  protected nearCount = 0;
  protected table!: CellTable;
  protected far!: FarReach;
  protected fit!: CellFit;
  /** By slot: RESTS, STAYS or CROSSES; all are RESTS between ticks. */
  protected roles: Uint8Array;
  #crossing = new Int32Array(64);
  #touched = new Int32Array(64);
  readonly #witness = new TickWitness();
  /** Whether the last `detect` completed. */
  #isWhole = true;
  #changesSinceSurvey = 0;
  #surveyed = { entities: 0, far: 0 };

  constructor(store: EntityStore) {
    this.store = store;
    this.sieve = new PairSieve(store);
    this.test = this.sieve.test;
    this.roles = new Uint8Array(store.capacity);
  }

  get memoryBytes(): number {
    const scratch = this.near.byteLength + this.#crossing.byteLength + this.#touched.byteLength;
    const structures = this.table.memoryBytes + this.far.memoryBytes;
    return this.roles.byteLength + scratch + structures;
  }

  /** Number of slots that the roles have room for. */
  get slotRoom(): number {
    return this.roles.length;
  }

  detect(store: EntityStore, out: Crossings): void {
    this.#follow();
    if (store.pendingCount === 0) return;
    this.#isWhole = false;
    this.growSlots(store.capacity);
    this.far.beginTick(store);
    this.#refit();
    assertRoom(store, this.structures());
    this.sieve.load(out);
    const crossingCount = this.#assignRoles();
    const crossing = this.#crossing;
    for (let i = 0; i < crossingCount; i++) this.cross(crossing[i], store.pending[crossing[i]] & DECISIVE);
    this.#sweepTouched();
    this.far.detect(store, this.sieve, this.roles, this.#lookAround);
    this.far.endTick(store);
    const { pendingSlots, pendingCount } = store;
    for (let i = 0; i < pendingCount; i++) this.roles[pendingSlots[i]] = RESTS;
    this.#witness.note(store);
    this.#isWhole = true;
  }

  collect(store: EntityStore, bounds: Bounds, visit: SlotVisitor): void {
    this.#follow();
    this.table.eachIn(bounds, visitorWithin(store, bounds, visit));
  }

  validate(store: EntityStore): void {
    // An entity added and removed between two ticks may have a slot that was never seen here.
    this.growSlots(store.capacity);
    const { table } = this;
    const { last, slotCount } = store;
    table.validate(slotCount);
    for (let slot = 0; slot < slotCount; slot++) {
      if (this.roles[slot] !== RESTS) broken(`slot ${slot} rests between ticks`);
      const cell = table.cellOf[slot];
      if ((cell !== NONE) !== last.isPresent(slot)) broken(`slot ${slot} has a cell while it is present`);
      if (cell === NONE) continue;
      if (!this.isAt(last, slot, cell)) broken(`slot ${slot} is in the cell of its place`);
      if (table.listOf[slot] !== listIn(last, slot)) broken(`slot ${slot} is on the list of its kind`);
    }
    this.far.validate(store);
  }

  describe(): string {
    const { table, far, fit } = this;
    const axes = table.is3D ? 3 : 2;
    const { reach } = fit.limits;
    const usual = reach === Number.POSITIVE_INFINITY ? 'any reach' : `a reach of up to ${rounded(reach)}`;
    const lines = [
      `${this.name}: ${table.cellCount} cells of ${fit.sizes
        .slice(0, axes)
        .map((size) => rounded(size))
        .join(' x ')}, room for ${table.cellCapacity}`,
      `${usual} is usual: ${fit.cells.slice(0, axes).join(' x ')} cells to each side`,
      `${far.farSightedCount} far-sighted, ${far.loudCount} loud`,
    ];
    const cells = Array.from(table.order.subarray(0, table.cellCount));
    const sizeOf = (cell: number) => table.counts[2 * cell] + table.counts[2 * cell + 1];
    cells.sort((a, b) => sizeOf(b) - sizeOf(a));
    for (const cell of cells.slice(0, DESCRIBED_CELLS)) lines.push(this.describeCell(cell));
    if (cells.length > DESCRIBED_CELLS)
      lines.push(`... and ${cells.length - DESCRIBED_CELLS} cells with fewer`);
    return lines.join('\n');
  }

  sketch(_store: EntityStore, sketch: StructureSketch): void {
    this.#follow();
    sketch.caption = 'Cells in use, with how many entities each holds.';
    const count = this.cellsInWindow(sketch.window);
    for (let i = 0; i < count && !sketch.isCutShort; i++) this.sketchCell(this.table.found[i], sketch);
  }

  /** Chooses cells and limits for a population. */
  protected abstract choose(survey: Survey): CellFit;
  /** Number of other entities that a moved entity would be tested against with `fit`. */
  protected abstract costOf(survey: Survey, fit: CellFit): number;
  /** Creates the subclass's own structures for `fit`, if it has any; `table` and `far` are new and empty. */
  protected begin(): void {}
  /** Puts a slot at its place in `state`, or nowhere. Does nothing if it is already there. */
  protected abstract place(slot: number, state: EntityState): void;
  /** Processes a slot that crosses; ends with `place` in the state now. */
  protected abstract cross(slot: number, bits: number): void;
  /** Tests the slots that stay in a cell; `table.staying` shows in which other cells slots stay. */
  protected abstract sweep(cell: number): void;

  /** The structures with columns by slot. */
  protected structures(): readonly SlotRoom[] {
    return [this, this.table, this.far];
  }

  /** Makes room for `capacity` slots in each structure. All roles are RESTS. */
  protected growSlots(capacity: number): void {
    this.table.growSlots(capacity);
    this.far.growSlots(capacity);
    if (capacity > this.roles.length) this.roles = new Uint8Array(capacity);
  }

  protected describeCell(cell: number): string {
    const { table } = this;
    const numbers = [table.keyX[cell], table.keyY[cell], table.keyZ[cell]].slice(0, table.is3D ? 3 : 2);
    return `cell ${numbers.join(' ')}: ${table.counts[2 * cell]} watchers, ${table.counts[2 * cell + 1]} others`;
  }

  /** Finds the cells in use that a window touches, at any height: in `table.found`. */
  protected cellsInWindow({ minX, minY, maxX, maxY }: Rectangle): number {
    const { table } = this;
    const [infinite, fromX, fromY] = [Number.POSITIVE_INFINITY, table.numberX(minX), table.numberY(minY)];
    return table.cellsIn(fromX, fromY, -infinite, table.numberX(maxX), table.numberY(maxY), infinite);
  }

  /** Adds a cell's box. */
  protected sketchCell(cell: number, sketch: StructureSketch): void {
    const { keyX, keyY, sizeX, sizeY } = this.table;
    const [fromX, fromY] = [keyX[cell] * sizeX, keyY[cell] * sizeY];
    sketch.cell(fromX, fromY, fromX + sizeX, fromY + sizeY, this.sketchedCount(cell));
  }

  /** The count in a cell's box: its occupants. */
  protected sketchedCount(cell: number): number {
    return this.table.counts[2 * cell] + this.table.counts[2 * cell + 1];
  }

  /** Whether a slot's position in `state` is in a cell. */
  protected isAt(state: EntityState, slot: number, cell: number): boolean {
    const { table } = this;
    return (
      table.numberX(state.x[slot]) === table.keyX[cell] &&
      table.numberY(state.y[slot]) === table.keyY[cell] &&
      (!table.is3D || table.numberZ(state.z[slot]) === table.keyZ[cell])
    );
  }

  /** The cell of a slot's position in `state`; NONE if no entity is in it yet. */
  protected cellAt(state: EntityState, slot: number): number {
    const { table } = this;
    const z = table.is3D ? table.numberZ(state.z[slot]) : 0;
    return table.find(table.numberX(state.x[slot]), table.numberY(state.y[slot]), z);
  }

  /** As `cellAt`, but creates the cell if it does not exist. */
  protected madeCellAt(state: EntityState, slot: number): number {
    const { table } = this;
    const found = this.cellAt(state, slot);
    if (found !== NONE) return found;
    const z = table.is3D ? table.numberZ(state.z[slot]) : 0;
    return table.make(table.numberX(state.x[slot]), table.numberY(state.y[slot]), z);
  }

  /** Loads the population of the last tick: each subclass's constructor ends with it. */
  protected start(): void {
    const { settings, last, slotCount } = this.store;
    const survey = new Survey(settings, last, slotCount);
    this.#build(this.choose(survey));
    this.#surveyed = { entities: survey.entities, far: this.far.count };
  }

  /** Rebuilds everything if the tick that `detect` prepared failed afterwards. */
  #follow(): void {
    if (this.#isWhole && this.#witness.holds(this.store)) return;
    this.#isWhole = false;
    this.#build(this.fit);
    this.#isWhole = true;
  }

  /** Fills the structure for `fit` with the state at the last tick. */
  #build(fit: CellFit): void {
    const { last, settings, capacity, slotCount } = this.store;
    this.roles = new Uint8Array(capacity);
    this.#witness.clear();
    this.fit = fit;
    this.table = new CellTable(fit.sizes, settings.dimensions === 3, capacity);
    this.far = new FarReach(fit.limits, capacity);
    this.begin();
    for (let slot = 0; slot < slotCount; slot++) {
      if (!last.isPresent(slot)) continue;
      this.place(slot, last);
      this.far.enlist(last, slot);
    }
  }

  /** Chooses cells again when so much has changed that others may fit better. */
  #refit(): void {
    const { store, far } = this;
    const { counts } = store;
    this.#changesSinceSurvey += counts.added + counts.removed + counts.changed;
    const isDue =
      this.#changesSinceSurvey >= Math.max(FEWEST_CHANGES, this.#surveyed.entities / 2) ||
      far.count > 2 * this.#surveyed.far + MORE_FAR;
    // The first population is always surveyed.
    if (!isDue && this.#surveyed.entities > 0) return;
    const survey = new Survey(store.settings, store.now, store.slotCount);
    this.#changesSinceSurvey = 0;
    const fit = this.choose(survey);
    const isFirst = this.#surveyed.entities === 0;
    if (isFirst || this.costOf(survey, fit) < WORTH_IT * this.costOf(survey, this.fit)) {
      this.#build(fit);
      this.far.beginTick(store);
    }
    this.#surveyed = { entities: survey.entities, far: this.far.count };
  }

  /** Assigns the roles CROSSES and STAYS; returns how many slots cross. */
  #assignRoles(): number {
    const { store, table, roles } = this;
    const { pending, pendingSlots, pendingCount, now } = store;
    const isExact = store.settings.granularity === 'exact';
    let crossingCount = 0;
    if (this.#crossing.length < pendingCount) this.#crossing = new Int32Array(store.capacity);
    for (let i = 0; i < pendingCount; i++) {
      const slot = pendingSlots[i];
      const bits = pending[slot];
      if ((bits & DECISIVE) === 0) continue;
      if ((bits & DECISIVE) !== MOVED || !this.isAt(now, slot, table.cellOf[slot])) {
        roles[slot] = CROSSES;
        this.#crossing[crossingCount++] = slot;
      } else if (isExact) {
        roles[slot] = STAYS;
      }
    }
    return crossingCount;
  }

  #sweepTouched(): void {
    const { table, roles } = this;
    const { pendingSlots, pendingCount } = this.store;
    const { staying, listOf } = table;
    if (this.#touched.length < table.cellCount) this.#touched = new Int32Array(table.cellCapacity);
    const touched = this.#touched;
    let count = 0;
    for (let i = 0; i < pendingCount; i++) {
      const slot = pendingSlots[i];
      if (roles[slot] !== STAYS) continue;
      const cell = table.cellOf[slot];
      if (staying[2 * cell] + staying[2 * cell + 1] === 0) touched[count++] = cell;
      staying[2 * cell + listOf[slot]]++;
    }
    for (let i = 0; i < count; i++) this.sweep(touched[i]);
    for (let i = 0; i < count; i++) staying[2 * touched[i]] = staying[2 * touched[i] + 1] = 0;
  }

  /** Appends to `near` the slots on a list of a cell that rest, that stay, or both. */
  protected gather(cell: number, list: number, rests: boolean, stays: boolean): void {
    const { table, roles } = this;
    const at = 2 * cell + list;
    const count = (rests ? table.counts[at] - table.staying[at] : 0) + (stays ? table.staying[at] : 0);
    if (count === 0) return;
    // A slot that crosses is on the list, too, and written.
    const room = this.nearCount + table.counts[at] + 1;
    if (room > this.near.length) this.near = grown(this.near, 2 * room);
    const { near } = this;
    const { next } = table;
    const accepted = (rests ? 1 << RESTS : 0) | (stays ? 1 << STAYS : 0);
    let found = this.nearCount;
    for (let slot = table.heads[at]; slot !== NONE; slot = next[slot]) {
      near[found] = slot;
      found += (accepted >> roles[slot]) & 1;
    }
    this.nearCount = found;
  }

  readonly #lookAround = (
    state: EntityState,
    slot: number,
    reach: number,
    visit: (slot: number) => void,
  ): void => {
    const { table } = this;
    const { settings } = this.store;
    const ratios = reachRatios(settings);
    const place = [state.x[slot], state.y[slot], table.is3D ? state.z[slot] : 0];
    const sizes = [table.sizeX, table.sizeY, table.sizeZ];
    const min: number[] = [];
    const max: number[] = [];
    for (let axis = 0; axis < 3; axis++) {
      const size = sizes[axis];
      if (settings.granularity === 'cell') {
        const cells = Math.ceil(Math.fround(reach / size));
        min.push(Math.floor(place[axis] / size) - cells);
        max.push(Math.floor(place[axis] / size) + cells);
      } else {
        // The far end of a wide window is rounded: 2^-40 of the coordinate is larger than that error.
        const half = reach * ratios[axis] * WINDOW_SLACK + Math.abs(place[axis]) * 2 ** -40;
        min.push(Math.floor((place[axis] - half) / size));
        max.push(Math.floor((place[axis] + half) / size));
      }
    }
    const count = table.cellsIn(min[0], min[1], min[2], max[0], max[1], max[2]);
    for (let i = 0; i < count; i++) {
      const cell = table.found[i];
      for (let list = WATCHERS; list <= OTHERS; list++) {
        for (let other = table.heads[2 * cell + list]; other !== NONE; other = table.next[other])
          visit(other);
      }
    }
  };
}

/** The list that a slot belongs on. */
export function listIn(state: EntityState, slot: number): number {
  return state.isWatcher(slot) ? WATCHERS : OTHERS;
}
