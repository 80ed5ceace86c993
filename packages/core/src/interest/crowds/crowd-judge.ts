/**
 * Which watchers are crowded: see many more than they have seats for, so that whom they perceive is better not listed.
 *
 *   becomes crowded at 4 times its cap in reach          ceases below twice its cap
 *
 * Only speed depends on the answer: seats are the same either way. So counts are rough (density-grid.ts), made at a tick's
 * beginning, before anybody looks for pairs: ten thousand that appear on one spot are crowded from their first tick on.
 * Whoever ranks by a function or asks one whom to admit is never crowded: it must be shown everyone.
 *
 * Nobody becomes crowded at once where everybody walks. So what was counted is good until someone may have come so far that
 * it matters (crowd-drift.ts): till then only those are judged who came, leaped or changed, by the counts there are.
 *
 * Cost: nothing where nobody has a cap; else a nanosecond for each who moved, and now and then 5 ns an entity, and some 20 ns
 * a watcher where it is dense somewhere.
 */
import { CAP_UNSET, NO_CAP } from '../../entities/entity-state.ts';
import type { EntityStore } from '../../entities/entity-store.ts';
import { MOVED } from '../../entities/pending.ts';
import type { ResolvedInterest } from '../interest.ts';
import { CrowdDrift } from './crowd-drift.ts';
import { DensityGrid } from './density-grid.ts';
import { ownReachOf } from './own-reach.ts';

/** In reach, for each seat: from `enter` on a watcher is crowded, and below `leave` not any longer. Tests lower them. */
export const crowdFactors = { enter: 4, leave: 2 };

/** Of the longest reach: so far may anyone have come before all are judged anew, while someone is crowded. */
const FAR_WITH_CROWDS = 1 / 32;
/** Cells wider than the longest reach by this, so that it is a while until what was counted in them is old. */
const ROOM_IN_CELLS = 1.25;
/** Of the number that makes crowded: so many may have come or leaped before all are judged anew. */
const FEW = 1 / 8;

export class CrowdJudge {
  readonly #store: EntityStore;
  readonly #drift: CrowdDrift;
  /** By power of two of the cell size: those filled when all were judged. */
  readonly #grids = new Map<number, DensityGrid>();
  readonly #spare: DensityGrid[] = [];
  /** Watchers hidden when they were last counted; `undefined`: not counted yet. */
  #hiddenCount: number | undefined;

  constructor(store: EntityStore) {
    this.#store = store;
    this.#drift = new CrowdDrift(store);
  }

  get memoryBytes(): number {
    return this.#spare.reduce((sum, grid) => sum + grid.memoryBytes, 0);
  }

  /** Whether anyone is crowded. */
  get isAny(): boolean {
    return this.#store.now.hidden.column !== undefined && this.#hiddenCount !== 0;
  }

  /** The tick did not stand: who is hidden is to be counted anew. */
  abort(): void {
    this.#hiddenCount = undefined;
    this.#drift.end();
  }

  /**
   * Hides those that are crowded from the detector, and shows those that are not. Before `store.settle`. `areChanged`: some
   * interest is another, so that whoever is hidden may have to be shown everyone.
   */
  judge(interests: readonly ResolvedInterest[], areChanged: boolean): void {
    const { now, settings } = this.#store;
    const mayCap = now.caps.column !== undefined || interests.some(({ cap }) => cap !== NO_CAP);
    if (settings.granularity === 'cell' || (!mayCap && !this.isAny)) return;
    if (areChanged) this.#drift.end();
    const wasAny = this.isAny;
    const reach = this.#longestReach();
    if (reach === 0 && !wasAny) return;
    const many = Math.max(1, crowdFactors.enter * this.#smallestCap(interests));
    if (this.#hiddenCount !== undefined && this.#drift.isStillNear(reach, many)) {
      if (wasAny) this.#judgeChanged(interests);
      return;
    }
    if (this.#grids.size > 0) {
      this.#spare.push(...this.#grids.values());
      this.#grids.clear();
    }
    if (wasAny) {
      this.#judgeAll(interests);
      this.#drift.begin(reach, many, reach * FAR_WITH_CROWDS, many * FEW);
      return;
    }
    this.#hiddenCount = 0;
    const grid = this.#gridFor(2 * ROOM_IN_CELLS * reach);
    if (this.#isDenseAnywhere(grid, reach, many)) {
      this.#judgeAll(interests);
      this.#drift.begin(reach, many, reach * FAR_WITH_CROWDS, many * FEW);
    } else this.#drift.begin(reach, many, (grid.cellSize - reach) / 2, many * FEW);
  }

  /** World units, of all watchers, hidden or not. */
  #longestReach(): number {
    const { maxOwnRange, maxGain, maxMinReach } = this.#store.limits;
    let reach = 0;
    for (let s = 0; s < maxOwnRange.length; s++) {
      if (maxOwnRange[s] === 0) continue;
      reach = Math.max(reach, maxOwnRange[s] * maxGain[s], maxMinReach[s]);
    }
    return reach;
  }

  #smallestCap(interests: readonly ResolvedInterest[]): number {
    const { now, slotCount } = this.#store;
    let cap = NO_CAP;
    for (const interest of interests) cap = Math.min(cap, interest.cap);
    const caps = now.caps.column?.array;
    for (let slot = 0; caps !== undefined && slot < slotCount; slot++) {
      if (caps[slot] !== CAP_UNSET && now.flags[slot] !== 0) cap = Math.min(cap, caps[slot]);
    }
    return cap;
  }

  /** Whether anyone at all might be crowded, nobody being so yet: by the longest reach and the smallest cap. */
  #isDenseAnywhere(grid: DensityGrid, reach: number, many: number): boolean {
    const { now, size, slotCount } = this.#store;
    if (reach === 0 || size < many) return false;
    const cells = now.z.length > 0 ? 27 : 9;
    if (grid.greatest() * cells < many) return false;
    const { x, y, z, flags } = now;
    for (let slot = 0; slot < slotCount; slot++) {
      const height = z.length > 0 ? z[slot] : 0;
      if (flags[slot] !== 0 && grid.countAt(x[slot], y[slot], height) * cells >= many) {
        if (grid.countAround(x[slot], y[slot], height) >= many) return true;
      }
    }
    return false;
  }

  /** Judges those who did anything but walk, by the counts there are. */
  #judgeChanged(interests: readonly ResolvedInterest[]): void {
    const { now, pending, pendingSlots, pendingCount } = this.#store;
    // Whoever is hidden or shown is pending, too; those that come behind were judged.
    for (let i = 0; i < pendingCount; i++) {
      const slot = pendingSlots[i];
      if (pending[slot] !== MOVED && now.flags[slot] !== 0) this.#judgeOne(slot, interests);
    }
  }

  #judgeAll(interests: readonly ResolvedInterest[]): void {
    const { now, slotCount } = this.#store;
    this.#hiddenCount = 0;
    for (let slot = 0; slot < slotCount; slot++) {
      if (now.flags[slot] === 0) continue;
      if (now.hidden.at(slot) === 1) this.#hiddenCount++;
      this.#judgeOne(slot, interests);
    }
  }

  #judgeOne(slot: number, interests: readonly ResolvedInterest[]): void {
    const store = this.#store;
    const { now } = store;
    const isHidden = now.hidden.at(slot) === 1;
    const isCrowded = this.#isCrowded(slot, interests[now.interests.at(slot)], isHidden);
    if (isCrowded === isHidden) return;
    this.#hiddenCount = (this.#hiddenCount ?? 0) + (isCrowded ? 1 : -1);
    if (isCrowded) store.hide(slot);
    else store.show(slot);
  }

  #isCrowded(slot: number, interest: ResolvedInterest, isHidden: boolean): boolean {
    const store = this.#store;
    const { now } = store;
    const own = now.caps.at(slot);
    const cap = own === CAP_UNSET ? interest.cap : own;
    if (cap === NO_CAP || interest.rank !== undefined || interest.admit !== undefined) return false;
    const reach = ownReachOf(store, now, slot);
    if (reach === 0) return false;
    const many = cap * (isHidden ? crowdFactors.leave : crowdFactors.enter);
    if (store.size < many) return false;
    const grid = this.#gridFor(reach);
    const [x, y, z] = [now.x[slot], now.y[slot], now.z.length > 0 ? now.z[slot] : 0];
    return grid.countAt(x, y, z) >= many || grid.countWithin(x, y, z, reach) >= many;
  }

  /** The counts by cells of at most `size`, and more than half of it. */
  #gridFor(size: number): DensityGrid {
    const power = Math.floor(Math.log2(size));
    const known = this.#grids.get(power);
    if (known !== undefined) return known;
    const grid = this.#spare.pop() ?? new DensityGrid();
    grid.fill(this.#store.now, this.#store.slotCount, 2 ** power);
    this.#grids.set(power, grid);
    return grid;
  }
}
