/**
 * Nine-grid: space in equal cells, and whoever moves looks into its own and the eight around it.
 *
 * Problem: comparing everyone with everyone. Method: the cell is as wide as the usual reach, so whoever perceives one, or
 * is perceived by it, is in its own cell or next to it. A move inside a cell only tests the neighbourhood again; a move
 * across cells looks at three sets of cells: those it leaves (before), those that stay around it (cross) and those
 * it comes to (after), and both sides are told. Where a reach is longer than the cell that was asked for, the
 * neighbourhood is (2n+1)^2 cells, in 3-D (2n+1)^3. Cells exist while someone is in them, so the map's size costs nothing.
 * The few with a far longer reach, or heard from afar, are kept on lists apart (cells/far-reach.ts).
 *
 * Why it is inexact, and here is not: by cells alone two at opposite ends of neighbouring cells count as near though they
 * are two cells apart. Granularity 'cell' keeps that: a move inside a cell then costs nothing, nor does the cross
 * set. 'exact' filters by the definition. How turns are taken so that no pair is missed: cells/cell-detector.ts.
 *
 * Memory: 15 bytes a slot, some 70 a cell in use, and scratch for the fullest neighbourhood. Cost: exact, one test for every
 * two in a neighbourhood of which one moved, about 43 a walker at 30 perceived.
 * Source: the classic of MMO servers; here the lazily made grid with before, cross and after sets of the Chinese
 * tutorials, with doubly linked occupants by slot.
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
import { testAsMarker, testBothWays } from './cells/nearby.ts';
import { reachRatios, type Survey } from './cells/survey.ts';
import type { DetectorFactory } from './detector.ts';

/** Cells to each side from which on rounding of far coordinates might cost one more. */
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

  protected override begin(): void {
    const { sizes, cells } = this.fit;
    const ratios = reachRatios(this.store.settings);
    this.near.doubt = this.near.doubtWithin(
      eachAxis(sizes, (size, axis) => (size * (cells[axis] + 1)) / ratios[axis]),
    );
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
      // By cells alone, one that only moved is as near to the cross set as it was; unless some perceive their own cell only.
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
   * Those who stay here against each other and all who rest here; against those who rest or stay next door. Of two
   * cells where somebody stays the one with the lower index takes those who stay in both.
   */
  protected override sweep(cell: number): void {
    const { table, near, test } = this;
    const { staying: stayingIn } = table;
    const count = this.#neighbourhood(table.keyX[cell], table.keyY[cell], table.keyZ[cell]);
    near.clear();
    this.gather(cell, WATCHERS, false, true);
    const watching = near.count;
    this.gather(cell, OTHERS, false, true);
    const staying = near.count;
    for (let list = WATCHERS; list <= OTHERS; list++) {
      // Those who watch nothing have nothing to do with others who watch nothing.
      if (list === OTHERS && watching === 0) break;
      this.gather(cell, list, true, false);
      for (let i = 0; i < count; i++) {
        const other = table.found[i];
        if (other === cell) continue;
        const isTouched = stayingIn[2 * other] + stayingIn[2 * other + 1] > 0;
        this.gather(other, list, true, !isTouched || other > cell);
      }
      near.copy();
      if (list === OTHERS || watching === staying) continue;
      for (let i = watching; i < staying; i++) testAsMarker(near, i, staying, near.count, test);
    }
    for (let i = 0; i < watching; i++) testBothWays(near, i, i + 1, near.count, test);
  }

  /** Finds the cells around one of these numbers, itself among them: in `table.found`. */
  #neighbourhood(x: number, y: number, z: number): number {
    const [wide, high, deep] = this.fit.cells;
    return this.table.cellsIn(x - wide, y - high, z - deep, x + wide, y + high, z + deep);
  }

  /** Whether a cell is in the neighbourhood of the one of these numbers; never when they are NaN. */
  #isNextTo(cell: number, x: number, y: number, z: number): boolean {
    const { table } = this;
    const [wide, high, deep] = this.fit.cells;
    return (
      Math.abs(table.keyX[cell] - x) <= wide &&
      Math.abs(table.keyY[cell] - y) <= high &&
      (!table.is3D || Math.abs(table.keyZ[cell] - z) <= deep)
    );
  }

  /** Tests one against all in a cell, both ways; one that watches nothing only against those who do. */
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
