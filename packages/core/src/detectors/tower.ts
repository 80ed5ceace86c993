/**
 * Tower: cells that each know which cells may see them, for watchers with unequal ranges.
 *
 * Problem: with one neighbourhood for all, the longest range in the world determines the work of all. Method: every
 * cell, or tower, keeps its observers: the cells that hold a watcher that may see it. For a moved entity four
 * questions are answered, each from a separate set of cells:
 *
 *   1  which does it newly see         the cells in view of its new place, as far as it sees
 *   2  which does it see no longer     those in view of its old place
 *   3  which newly see it              the observers of its new cell
 *   4  which see it no longer          the observers of its old cell
 *
 * So a short-sighted watcher tests few cells, however far others see. A cell enters and leaves the observers of other
 * cells only when its farthest-seeing occupant comes or goes (tower/views.ts, tower/cell-sight.ts). Watchers that see
 * more than 128 cells on a side, 20 in 3-D, and the few far beyond the usual are kept apart (cells/far-reach.ts).
 * cells/cell-detector.ts explains the order in which entities are processed so that no pair is missed. With
 * granularity 'cell' a move inside a cell costs nothing.
 *
 * May questions 3 and 4 skip cells that observe both the old and the new cell, as is sometimes proposed? No: an
 * occupant with a short reach may see only one of the two places, and even a cell that all occupants see may hold one
 * place inside a reach and one outside. Only with granularity 'cell' they may, if the smallest reach of the occupants
 * covers both (tower/coverage.ts).
 *
 * Memory: 24 bytes a slot; some 100 bytes a cell in use, 4 for each level and about 8 for each of its observers. Cost
 * with 'exact': for each moved entity, a test for each marker in its view, and for each resting watcher in an
 * observer. Source: the tower with observer grids, for unequal views, of the Chinese AOI literature (2009).
 */
import { type EntityState, PRESENT } from '../entities/entity-state.ts';
import type { EntityStore } from '../entities/entity-store.ts';
import { MOVED } from '../entities/pending.ts';
import { broken, rounded } from '../errors.ts';
import { CellDetector, listIn } from './cells/cell-detector.ts';
import { CELL_SLACK, type CellFit, costOfFar, costOfWindow, eachAxis, edgeFor } from './cells/cell-fit.ts';
import { NONE, OTHERS, WATCHERS } from './cells/cell-table.ts';
import type { Survey } from './cells/survey.ts';
import type { DetectorFactory } from './detector.ts';
import { reachRatios } from './pairs/reach-norm.ts';
import type { SlotRoom } from './slot-room.ts';
import type { StructureSketch } from './structure-sketch.ts';
import { CellSight } from './tower/cell-sight.ts';
import { noticesNoMove } from './tower/coverage.ts';
import { ObserverRows } from './tower/observer-rows.ts';
import { extentOfLevel, levelsForReach, MOST_LEVELS, reachOfLevels, stepOf, Views } from './tower/views.ts';

/** Maximum number of cells in sight for which lines to observers are drawn; more could not be told apart. */
const LINED_CELLS = 120;
/** Cell edges that are tried, as parts of an existing reach. */
const PARTS = [1, 2];

export const tower: DetectorFactory = (store) => new Tower(store);

class Tower extends CellDetector {
  readonly name = 'tower';
  #views!: Views;
  #sight!: CellSight;
  #observers!: ObserverRows;

  constructor(store: EntityStore) {
    super(store);
    this.start();
  }

  override get memoryBytes(): number {
    const own = this.#sight.memoryBytes + this.#observers.memoryBytes + this.#views.offsets.byteLength;
    return super.memoryBytes + own;
  }

  override validate(store: EntityStore): void {
    super.validate(store);
    const { table } = this;
    const { levels, longest, viewLevel } = this.#sight;
    for (let slot = 0; slot < store.slotCount; slot++) {
      if (!store.last.isPresent(slot)) continue;
      const reach = this.#reachOf(store.last, slot);
      const level = this.#views.levelFor(reach);
      if (longest[slot] !== reach) broken(`slot ${slot} is entered with its reach`);
      if (levels[slot] !== (level <= this.#views.count ? level : 0))
        broken(`slot ${slot} is entered at its level`);
      if (level > this.#views.count && !this.far.isFarSighted(store.last, slot))
        broken(`slot ${slot} is seen to`);
    }
    for (let i = 0; i < table.cellCount; i++) {
      const cell = table.order[i];
      this.#sight.validate(cell, table);
      let observers = 0;
      for (let k = 0; k < table.cellCount; k++) {
        const other = table.order[k];
        if (viewLevel[other] === 0 || this.#levelBetween(cell, other) > viewLevel[other]) continue;
        if (!this.#observers.has(cell, other)) broken(`cell ${cell} knows that cell ${other} observes it`);
        observers++;
      }
      if (observers !== this.#observers.size[cell]) broken(`cell ${cell} knows of no other observers`);
    }
  }

  protected override describeCell(cell: number): string {
    const { table } = this;
    const sight = this.#sight;
    const observers = `observed by ${this.#observers.size[cell]} cells`;
    if (sight.viewLevel[cell] === 0) return `${super.describeCell(cell)}, ${observers}`;
    let [sum, count, largest] = [0, 0, 0];
    for (let slot = table.heads[2 * cell + WATCHERS]; slot !== NONE; slot = table.next[slot]) {
      if (sight.levels[slot] === 0) continue;
      sum += sight.longest[slot];
      count++;
      largest = Math.max(largest, sight.longest[slot]);
    }
    const reaches = [sight.smallestReach(cell, table), sum / count, largest];
    const sees = reaches.map((reach) => rounded(reach)).join(' / ');
    return `${super.describeCell(cell)}, sees ${sees} (least / mean / most), ${observers}`;
  }

  /** Cells with the number of their observers; if few cells are in sight, also lines to the observers. */
  override sketch(store: EntityStore, sketch: StructureSketch): void {
    super.sketch(store, sketch);
    sketch.caption = 'Cells in use, with how many cells observe each. Nearer, lines join them.';
    const count = this.cellsInWindow(sketch.window);
    if (count > LINED_CELLS) return;
    sketch.caption =
      'Cells in use, with how many cells observe each; a line joins a cell and one that observes it.';
    const inSight = new Set(this.table.found.subarray(0, count));
    for (const cell of inSight) this.#sketchObservers(cell, inSight, sketch);
  }

  protected override sketchedCount(cell: number): number {
    return this.#observers.size[cell];
  }

  #sketchObservers(cell: number, inSight: ReadonlySet<number>, sketch: StructureSketch): void {
    const { keyX, keyY, sizeX, sizeY } = this.table;
    const { start, size, pool } = this.#observers;
    for (let i = start[cell]; i < start[cell] + size[cell]; i++) {
      const observer = pool[i];
      // Two cells that observe each other share a line, drawn from the first one, if lines are drawn from that.
      const isShared = observer < cell && inSight.has(observer) && this.#observers.has(observer, cell);
      if (observer === cell || isShared) continue;
      const [x, y] = [(keyX[cell] + 0.5) * sizeX, (keyY[cell] + 0.5) * sizeY];
      sketch.line(x, y, (keyX[observer] + 0.5) * sizeX, (keyY[observer] + 0.5) * sizeY);
    }
  }

  protected override choose(survey: Survey): CellFit {
    const { settings } = this.store;
    const loudness = survey.chooseLoudness();
    const reaches = [0, ...survey.ranges.levels()].map((range) =>
      Math.max(range * loudness.gain, loudness.minReach),
    );
    const isCell = settings.granularity === 'cell';
    const given =
      settings.cellSize && eachAxis(settings.cellSize, (size) => size * (isCell ? 1 : CELL_SLACK));
    let best: CellFit | undefined;
    let bestCost = Number.POSITIVE_INFINITY;
    for (const edge of given ? [0] : reaches.flatMap((reach) => PARTS.map((part) => reach / part))) {
      const sizes = given ?? eachAxis(reachRatios(settings), (ratio) => edgeFor(survey, edge) * ratio);
      for (const reach of reaches) {
        const levels = Math.min(MOST_LEVELS[settings.dimensions], levelsForReach(settings, sizes, reach));
        const covered = reachOfLevels(settings, sizes, levels);
        const minReach = Math.min(loudness.minReach, covered);
        const limits = { gain: loudness.gain, minReach, reach: covered };
        const fit = { sizes, cells: extentOfLevel(settings, sizes, levels), limits };
        const cost = this.costOf(survey, fit);
        if (cost < bestCost) {
          bestCost = cost;
          best = fit;
        }
      }
    }
    return best as CellFit;
  }

  protected override costOf(survey: Survey, { sizes, limits }: CellFit): number {
    const { settings } = this.store;
    const { gain, minReach, reach } = limits;
    const step = stepOf(settings, sizes);
    const ofViews = survey.meanOverRanges((range) => {
      const own = Math.max(range * gain, minReach);
      if (own > reach) return 0;
      const window = (2 * Math.ceil(own / step / CELL_SLACK) + 1) ** settings.dimensions;
      return costOfWindow(survey, window, sizes) + survey.crowdInReach(own, step);
    });
    return costOfFar(survey, limits) + ofViews;
  }

  protected override begin(): void {
    const { fit, store } = this;
    const levels = Math.round(fit.limits.reach / stepOf(store.settings, fit.sizes));
    this.#views = new Views(store.settings, fit.sizes, levels);
    this.#sight = new CellSight(levels, store.capacity);
    this.#observers = new ObserverRows();
  }

  protected override structures(): readonly SlotRoom[] {
    return [...super.structures(), this.#sight];
  }

  protected override growSlots(capacity: number): void {
    super.growSlots(capacity);
    this.#sight.growSlots(capacity);
  }

  protected override place(slot: number, state: EntityState): void {
    const { table } = this;
    const sight = this.#sight;
    const from = table.cellOf[slot];
    const isPresent = state.isPresent(slot);
    const to = isPresent ? this.#madeTower(state, slot) : NONE;
    const list = listIn(state, slot);
    const longest = isPresent ? this.#reachOf(state, slot) : 0;
    const shortest = shortestRange(state, slot);
    const isSame =
      list === table.listOf[slot] && longest === sight.longest[slot] && shortest === sight.shortest[slot];
    if (from === to && (from === NONE || isSame)) return;
    if (from !== NONE) {
      table.unlink(slot);
      const level = sight.viewLevel[from];
      if (sight.leave(slot, from)) this.#observeLess(from, level);
    }
    const level = this.#views.levelFor(longest);
    sight.levels[slot] = level <= this.#views.count ? level : 0;
    sight.longest[slot] = longest;
    sight.shortest[slot] = shortest;
    if (to !== NONE) {
      table.link(slot, to, list);
      const before = sight.viewLevel[to];
      if (sight.enter(slot, to)) this.#observeMore(to, before);
    }
    if (from !== NONE && from !== to && table.isEmpty(from)) {
      this.#observers.drop(from);
      table.free(from);
    }
  }

  protected override cross(slot: number, bits: number): void {
    const { table, store } = this;
    const { last, now } = store;
    const from = table.cellOf[slot];
    const isComing = (now.flags[slot] & PRESENT) !== 0;
    const to = isComing ? this.#madeTower(now, slot) : NONE;
    const levelBefore = from === NONE ? 0 : this.#sight.levels[slot];
    const level = isComing ? this.#views.levelFor(this.#reachOf(now, slot)) : 0;
    const levelAfter = level <= this.#views.count ? level : 0;
    this.#seesNoLonger(slot, from, levelBefore);
    this.#seesNewly(slot, to, levelAfter, from, levelBefore);
    if (last.isMarker(slot) || now.isMarker(slot)) {
      const isByCells = store.settings.granularity === 'cell';
      const maySkip = isByCells && bits === MOVED && isPerceivedAtRange(now, slot);
      this.#isSeenNoLonger(slot, from, maySkip);
      this.#isNewlySeen(slot, to, from, maySkip);
    }
    this.place(slot, now);
  }

  protected override sweep(cell: number): void {
    this.#sweepWatchers(cell);
    this.#sweepMarkers(cell);
  }

  /** Question 2, and all other changes for entities in view of the old cell. */
  #seesNoLonger(slot: number, from: number, level: number): void {
    if (level === 0) return;
    const { table } = this;
    const count = this.#cellsInRings(table.keyX[from], table.keyY[from], table.keyZ[from], 1, level);
    for (let i = 0; i < count; i++) this.#testAll(slot, table.found[i]);
  }

  /** Question 1: the cells in view of the new cell that were not in view of the old one. */
  #seesNewly(slot: number, to: number, level: number, from: number, levelBefore: number): void {
    if (level === 0) return;
    const { table } = this;
    const count = this.#cellsInRings(table.keyX[to], table.keyY[to], table.keyZ[to], 1, level);
    for (let i = 0; i < count; i++) {
      const cell = table.found[i];
      const wasInView = levelBefore > 0 && this.#levelBetween(from, cell) <= levelBefore;
      if (!wasInView) this.#testAll(slot, cell);
    }
  }

  /** Question 4, and all other changes for the observers of the old cell. */
  #isSeenNoLonger(slot: number, from: number, maySkip: boolean): void {
    if (from === NONE) return;
    const { start, size, pool } = this.#observers;
    for (let i = start[from]; i < start[from] + size[from]; i++) {
      if (!maySkip || !noticesNoMove(this.table, this.#sight, this.store, pool[i], slot))
        this.#testWatchers(slot, pool[i]);
    }
  }

  /** Question 3: the observers of the new cell that did not observe the old one. */
  #isNewlySeen(slot: number, to: number, from: number, maySkip: boolean): void {
    if (to === NONE) return;
    const { viewLevel } = this.#sight;
    const { start, size, pool } = this.#observers;
    for (let i = start[to]; i < start[to] + size[to]; i++) {
      const cell = pool[i];
      const didObserve = from !== NONE && this.#levelBetween(from, cell) <= viewLevel[cell];
      if (!didObserve && (!maySkip || !noticesNoMove(this.table, this.#sight, this.store, cell, slot)))
        this.#testWatchers(slot, cell);
    }
  }

  /** Questions 1 and 2 for the watchers that stay in a cell: all entities in view of it rest or stay. */
  #sweepWatchers(cell: number): void {
    const { table } = this;
    const { levels } = this.#sight;
    this.nearCount = 0;
    this.gather(cell, WATCHERS, false, true);
    const { near } = this;
    // Those with a level come first: each is tested with all that follow.
    let seeing = 0;
    let highest = 0;
    for (let i = 0; i < this.nearCount; i++) {
      const slot = near[i];
      if (levels[slot] === 0) continue;
      highest = Math.max(highest, levels[slot]);
      near[i] = near[seeing];
      near[seeing++] = slot;
    }
    if (seeing === 0) return;
    this.gather(cell, WATCHERS, true, false);
    this.gather(cell, OTHERS, true, true);
    for (let level = 1; level <= highest; level++) {
      const count = this.#cellsInRings(table.keyX[cell], table.keyY[cell], table.keyZ[cell], level, level);
      for (let k = 0; k < count; k++)
        if (table.found[k] !== cell) this.#gatherAround(cell, table.found[k], level);
      for (let i = 0; i < seeing; i++) {
        if (levels[this.near[i]] === level) this.sieve.sift(this.near[i], this.near, i + 1, this.nearCount);
      }
    }
  }

  /** Gathers what the watchers that stay in a cell are tested with in another, which they see from `level` on. */
  #gatherAround(cell: number, other: number, level: number): void {
    this.gather(other, OTHERS, true, true);
    this.gather(other, WATCHERS, true, other > cell);
    if (other > cell) return;
    // Watchers there that see this cell test these pairs, both ways.
    let kept = this.nearCount;
    this.gather(other, WATCHERS, false, true);
    for (let i = kept; i < this.nearCount; i++)
      if (this.#sight.levels[this.near[i]] < level) this.near[kept++] = this.near[i];
    this.nearCount = kept;
  }

  /**
   * Questions 3 and 4 for slots that stay in a cell, against resting watchers only: watchers that stay have been
   * tested already.
   */
  #sweepMarkers(cell: number): void {
    const { counts, staying: stayingIn } = this.table;
    const { start, size, pool } = this.#observers;
    this.nearCount = 0;
    this.gather(cell, WATCHERS, false, true);
    this.gather(cell, OTHERS, false, true);
    const staying = this.nearCount;
    for (let i = start[cell]; i < start[cell] + size[cell]; i++) {
      const observer = pool[i];
      if (counts[2 * observer + WATCHERS] === stayingIn[2 * observer + WATCHERS]) continue;
      this.gather(observer, WATCHERS, true, false);
    }
    for (let i = 0; i < staying; i++) this.sieve.sift(this.near[i], this.near, staying, this.nearCount);
  }

  /** Tests whether a watcher begins or ceases to perceive any slot in a cell. */
  #testAll(watcher: number, cell: number): void {
    const { table, test } = this;
    for (let list = WATCHERS; list <= OTHERS; list++) {
      const head = table.heads[2 * cell + list];
      for (let other = head; other !== NONE; other = table.next[other]) test.oneWay(watcher, other);
    }
  }

  /** Tests whether any watcher in a cell begins or ceases to perceive a marker. */
  #testWatchers(marker: number, cell: number): void {
    const { table, test } = this;
    const head = table.heads[2 * cell + WATCHERS];
    for (let other = head; other !== NONE; other = table.next[other]) test.oneWay(other, marker);
  }

  /** The cell of a slot's position; created, with its observers, if it does not exist. */
  #madeTower(state: EntityState, slot: number): number {
    const { table } = this;
    const found = this.cellAt(state, slot);
    if (found !== NONE) return found;
    const cell = this.madeCellAt(state, slot);
    const { viewLevel, highestLevel } = this.#sight;
    this.#sight.growCells(table.cellCapacity);
    this.#observers.growCells(table.cellCapacity);
    const count = this.#cellsInRings(table.keyX[cell], table.keyY[cell], table.keyZ[cell], 1, highestLevel);
    for (let i = 0; i < count; i++) {
      const other = table.found[i];
      if (this.#levelBetween(cell, other) <= viewLevel[other]) this.#observers.add(cell, other);
    }
    return cell;
  }

  /** A cell sees farther than at `level`: adds it to the observers of the cells that came into its view. */
  #observeMore(cell: number, level: number): void {
    const { table } = this;
    const now = this.#sight.viewLevel[cell];
    const count = this.#cellsInRings(table.keyX[cell], table.keyY[cell], table.keyZ[cell], level + 1, now);
    for (let i = 0; i < count; i++) this.#observers.add(table.found[i], cell);
  }

  /** A cell sees less far than at `level`: removes it from the observers of the cells that left its view. */
  #observeLess(cell: number, level: number): void {
    const { table } = this;
    const now = this.#sight.viewLevel[cell];
    const count = this.#cellsInRings(table.keyX[cell], table.keyY[cell], table.keyZ[cell], now + 1, level);
    for (let i = 0; i < count; i++) this.#observers.remove(table.found[i], cell);
  }

  /** Finds the cells in use in some rings around the cell with these numbers: in `table.found`, each once. */
  #cellsInRings(x: number, y: number, z: number, first: number, last: number): number {
    const { table } = this;
    const { offsets, ringStart } = this.#views;
    if (last < first) return 0;
    const farthest = Math.max(Math.abs(x), Math.abs(y), Math.abs(z));
    if (!table.isLookupCheaper(ringStart[last + 1] - ringStart[first], farthest)) {
      return this.#ringsAmongCells(x, y, z, first, last);
    }
    let count = 0;
    for (let i = 3 * ringStart[first]; i < 3 * ringStart[last + 1]; i += 3) {
      const cell = table.find(x + offsets[i], y + offsets[i + 1], z + offsets[i + 2]);
      if (cell !== NONE) table.found[count++] = cell;
    }
    return count;
  }

  #ringsAmongCells(x: number, y: number, z: number, first: number, last: number): number {
    const { keyX, keyY, keyZ, order, found, cellCount } = this.table;
    const views = this.#views;
    let count = 0;
    for (let i = 0; i < cellCount; i++) {
      const cell = order[i];
      const level = views.levelAt(keyX[cell] - x, keyY[cell] - y, keyZ[cell] - z);
      if (level >= first && level <= last) found[count++] = cell;
    }
    return count;
  }

  /** The lowest level at which one cell sees the other. */
  #levelBetween(a: number, b: number): number {
    const { keyX, keyY, keyZ } = this.table;
    return this.#views.levelAt(keyX[b] - keyX[a], keyY[b] - keyY[a], keyZ[b] - keyZ[a]);
  }

  /** How far a slot may perceive a usual marker, world units, as float32; 0 if it is no watcher. */
  #reachOf(state: EntityState, slot: number): number {
    const { gain, minReach } = this.fit.limits;
    const range = state.isPresent(slot) ? state.maxRangeOf(slot) : 0;
    return range > 0 ? Math.fround(Math.max(range * gain, minReach)) : 0;
  }
}

/** Whether every watcher perceives it at its own range or from farther away. */
function isPerceivedAtRange(state: EntityState, slot: number): boolean {
  for (const gain of state.gains) if (gain.at(slot) !== 1) return false;
  for (const maxReach of state.maxReaches) if (maxReach.at(slot) < Number.POSITIVE_INFINITY) return false;
  return true;
}

/** The shortest range of a slot over the senses that it has; 0 if it has none. */
function shortestRange(state: EntityState, slot: number): number {
  let shortest = 0;
  for (const property of state.ranges) {
    const range = property.at(slot);
    if (range > 0 && (shortest === 0 || range < shortest)) shortest = range;
  }
  return shortest;
}
