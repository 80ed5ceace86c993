/**
 * Nine-grid: equal cells; a moved entity searches its own cell and the eight around it.
 *
 * Problem: comparing all entities with all others. Method: a cell is as wide as the usual reach, so all entities that
 * perceive an entity, or that it perceives, are in its own cell or a neighbour. A move inside a cell only tests the
 * neighbourhood again. A move across cells tests three sets of cells: those it leaves (before), those that stay
 * around it (cross) and those it comes to (after), in both directions. If a reach is longer than the requested cell,
 * the neighbourhood is (2n+1)^2 cells, in 3-D (2n+1)^3. Cells exist only while entities are in them, so the size of
 * the map costs nothing. The few entities with a far longer reach, or perceived from far away, are kept in separate
 * lists (cells/far-reach.ts).
 *
 * The classic nine-grid is inexact: by cells alone, two entities at opposite ends of neighbouring cells count as near
 * though they are two cells apart. Granularity 'cell' keeps that behaviour: a move inside a cell then costs nothing,
 * nor does the cross set. 'exact' filters by the definition. cells/cell-detector.ts explains the order in which
 * entities are processed so that no pair is missed.
 *
 * Memory: 15 bytes a slot, some 70 a cell in use, and scratch for the fullest neighbourhood. Cost with 'exact': one
 * test for every two entities in a neighbourhood of which one moved, about 43 a walker at 30 perceived. Source: the
 * classic of MMO servers; here the lazily created grid with before, cross and after sets of the Chinese tutorials,
 * with doubly linked occupants by slot.
 */
import { type EntityState, PRESENT } from '../entities/entity-state.ts';
import type { EntityStore } from '../entities/entity-store.ts';
import { MOVED } from '../entities/pending.ts';
import { CellDetector, listIn } from './cells/cell-detector.ts';
import {
  CELL_SLACK,
  type CellFit,
  costOfFar,
  costOfWindow,
  eachAxis,
  edgeFor,
  type Triple,
  WINDOW_SLACK,
} from './cells/cell-fit.ts';
import { NONE, OTHERS, WATCHERS } from './cells/cell-table.ts';
import { NO_LIMITS } from './cells/far-reach.ts';
import type { Survey } from './cells/survey.ts';
import type { DetectorFactory } from './detector.ts';
import { reachRatios } from './pairs/reach-norm.ts';

/** From this many cells on each side on, rounding of distant coordinates might need one more. */
const WIDE = 32;

export const nineGrid: DetectorFactory = (store) => new NineGrid(store);

class NineGrid extends CellDetector {
  readonly name = 'nine-grid';

  constructor(store: EntityStore) {
    super(store);
    this.start();
  }

  protected override choose(survey: Survey): CellFit {
    const { settings } = this.store;
    if (settings.granularity === 'cell' && settings.cellSize !== undefined) {
      return { sizes: settings.cellSize, limits: NO_LIMITS, cells: [1, 1, 1] };
    }
    const ratios = reachRatios(settings);
    const loudness = survey.chooseLoudness();
    const given = settings.cellSize && eachAxis(settings.cellSize, (size) => size * CELL_SLACK);
    let best: CellFit | undefined;
    let bestCost = Number.POSITIVE_INFINITY;
    for (const range of [0, ...survey.ranges.levels()]) {
      const reach = Math.max(range * loudness.gain, loudness.minReach);
      const sizes = given ?? eachAxis(ratios, (ratio) => edgeFor(survey, reach) * ratio);
      const fit = fitOf(sizes, ratios, reach, loudness.gain);
      const cost = this.costOf(survey, fit);
      if (cost < bestCost) {
        bestCost = cost;
        best = fit;
      }
    }
    return best as CellFit;
  }

  protected override costOf(survey: Survey, { sizes, cells, limits }: CellFit): number {
    const { settings } = this.store;
    const around = (axis: 0 | 1 | 2) => sizes[axis] * (cells[axis] + 0.5);
    const [wide, high, deep] = cells;
    const window = (2 * wide + 1) * (2 * high + 1) * (settings.dimensions === 3 ? 2 * deep + 1 : 1);
    const finding = costOfFar(survey, limits) + costOfWindow(survey, window, sizes);
    return finding + survey.crowdWithin(around(0), around(1), around(2));
  }

  protected override place(slot: number, state: EntityState): void {
    const { table } = this;
    const from = table.cellOf[slot];
    const to = state.isPresent(slot) ? this.madeCellAt(state, slot) : NONE;
    const list = listIn(state, slot);
    if (from === to && (from === NONE || list === table.listOf[slot])) return;
    if (from !== NONE) {
      table.unlink(slot);
      if (from !== to && table.isEmpty(from)) table.free(from);
    }
    if (to !== NONE) table.link(slot, to, list);
  }

  protected override cross(slot: number, bits: number): void {
    const { table, store } = this;
    const { last, now, settings } = store;
    const watches = last.isWatcher(slot) || now.isWatcher(slot);
    const from = table.cellOf[slot];
    const isComing = (now.flags[slot] & PRESENT) !== 0;
    const toX = table.numberX(now.x[slot]);
    const toY = table.numberY(now.y[slot]);
    const toZ = table.is3D ? table.numberZ(now.z[slot]) : 0;
    if (from !== NONE) {
      // By cells alone, a slot that only moved is as near to the cross set as before; unless some watchers perceive
      // only their own cell.
      const isAllAlike = settings.granularity === 'cell' && settings.cellRounding === 'up';
      const skipsCross = isAllAlike && bits === MOVED;
      const count = this.#neighbourhood(table.keyX[from], table.keyY[from], table.keyZ[from]);
      for (let i = 0; i < count; i++) {
        const cell = table.found[i];
        if (!skipsCross || !this.#isNextTo(cell, toX, toY, toZ)) this.#tellBoth(slot, cell, watches);
      }
    }
    if (isComing) {
      const fromX = from === NONE ? Number.NaN : table.keyX[from];
      const fromY = from === NONE ? Number.NaN : table.keyY[from];
      const fromZ = from === NONE ? Number.NaN : table.keyZ[from];
      const count = this.#neighbourhood(toX, toY, toZ);
      for (let i = 0; i < count; i++) {
        const cell = table.found[i];
        if (!this.#isNextTo(cell, fromX, fromY, fromZ)) this.#tellBoth(slot, cell, watches);
      }
    }
    this.place(slot, now);
  }

  /**
   * Tests the slots that stay in this cell against each other and all that rest here, and against those that rest or
   * stay in the neighbour cells. If slots stay in both of two cells, the cell with the lower index tests those pairs.
   */
  protected override sweep(cell: number): void {
    const { table, sieve } = this;
    const { staying: stayingIn } = table;
    const count = this.#neighbourhood(table.keyX[cell], table.keyY[cell], table.keyZ[cell]);
    this.nearCount = 0;
    this.gather(cell, WATCHERS, false, true);
    const watching = this.nearCount;
    this.gather(cell, OTHERS, false, true);
    const staying = this.nearCount;
    for (let list = WATCHERS; list <= OTHERS; list++) {
      // Slots that watch nothing have no pairs with others that watch nothing.
      if (list === OTHERS && watching === 0) break;
      this.gather(cell, list, true, false);
      for (let i = 0; i < count; i++) {
        const other = table.found[i];
        if (other === cell) continue;
        const isTouched = stayingIn[2 * other] + stayingIn[2 * other + 1] > 0;
        this.gather(other, list, true, !isTouched || other > cell);
      }
      if (list === OTHERS) continue;
      for (let i = watching; i < staying; i++) sieve.sift(this.near[i], this.near, staying, this.nearCount);
    }
    for (let i = 0; i < watching; i++) sieve.sift(this.near[i], this.near, i + 1, this.nearCount);
  }

  /** Finds the cells around the cell with these numbers, that cell included: in `table.found`. */
  #neighbourhood(x: number, y: number, z: number): number {
    const [wide, high, deep] = this.fit.cells;
    return this.table.cellsIn(x - wide, y - high, z - deep, x + wide, y + high, z + deep);
  }

  /** Whether a cell is in the neighbourhood of the cell with these numbers; false if they are NaN. */
  #isNextTo(cell: number, x: number, y: number, z: number): boolean {
    const { table } = this;
    const [wide, high, deep] = this.fit.cells;
    return (
      Math.abs(table.keyX[cell] - x) <= wide &&
      Math.abs(table.keyY[cell] - y) <= high &&
      (!table.is3D || Math.abs(table.keyZ[cell] - z) <= deep)
    );
  }

  /** Tests a slot against all in a cell, both ways; a slot that watches nothing only against watchers. */
  #tellBoth(slot: number, cell: number, watches: boolean): void {
    const { table, test } = this;
    const { heads, next } = table;
    for (let other = heads[2 * cell + WATCHERS]; other !== NONE; other = next[other]) test.both(slot, other);
    if (!watches) return;
    for (let other = heads[2 * cell + OTHERS]; other !== NONE; other = next[other]) test.oneWay(slot, other);
  }
}

/** The neighbourhood that cells of these sizes need for `reach`, and the longest reach that it then covers. */
function fitOf(sizes: Triple, ratios: Triple, reach: number, gain: number): CellFit {
  const whole = eachAxis(sizes, (size, axis) =>
    Math.max(1, Math.ceil((reach * ratios[axis] * WINDOW_SLACK) / size)),
  );
  const covered =
    Math.min(...eachAxis(sizes, (size, axis) => (whole[axis] * size) / ratios[axis])) / WINDOW_SLACK;
  const cells = eachAxis(whole, (count) => (count < WIDE ? count : count + 1));
  return { sizes, cells, limits: { gain, minReach: covered, reach: covered } };
}
