/**
 * Which watchers are crowded: see many more than they have seats for, so that whom they perceive is better not listed.
 *
 *   becomes crowded at 4 times its cap in reach          ceases below twice its cap
 *
 * Only speed depends on the answer: seats are the same either way. So counts are rough (density-grid.ts), made at a tick's
 * beginning, before anybody looks for pairs: ten thousand that appear on one spot are crowded from their first tick on.
 * Whoever ranks by a function or asks one whom to admit is never crowded: it must be shown everyone.
 *
 * Cost: nothing where nobody has a cap; else 5 ns an entity, and some 20 ns a watcher where it is dense somewhere.
 */
import { CAP_UNSET, NO_CAP } from '../../entities/entity-state.ts';
import type { EntityStore } from '../../entities/entity-store.ts';
import type { ResolvedInterest } from '../interest.ts';
import { DensityGrid } from './density-grid.ts';
import { ownReachOf } from './own-reach.ts';

/** In reach, for each seat: from `enter` on a watcher is crowded, and below `leave` not any longer. Tests lower them. */
export const crowdFactors = { enter: 4, leave: 2 };

export class CrowdJudge {
  readonly #store: EntityStore;
  /** By power of two of the cell size: those filled in this tick. */
  readonly #grids = new Map<number, DensityGrid>();
  readonly #spare: DensityGrid[] = [];
  /** Watchers hidden when they were last counted; `undefined`: not counted yet. */
  #hiddenCount: number | undefined;

  constructor(store: EntityStore) {
    this.#store = store;
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
  }

  /** Hides those that are crowded from the detector, and shows those that are not. Before `store.settle`. */
  judge(interests: readonly ResolvedInterest[]): void {
    const { now, settings } = this.#store;
    const mayCap = now.caps.column !== undefined || interests.some(({ cap }) => cap !== NO_CAP);
    if (settings.granularity === 'cell' || (!mayCap && !this.isAny)) return;
    if (this.#grids.size > 0) {
      this.#spare.push(...this.#grids.values());
      this.#grids.clear();
    }
    if (!this.isAny && !this.#isDenseAnywhere(interests)) return;
    this.#judgeAll(interests);
  }

  /** Whether anyone at all might be crowded, nobody being so yet: by the longest reach and the smallest cap. */
  #isDenseAnywhere(interests: readonly ResolvedInterest[]): boolean {
    const { now, limits, size, slotCount } = this.#store;
    let reach = 0;
    for (let s = 0; s < limits.maxRange.length; s++) {
      if (limits.maxRange[s] === 0) continue;
      reach = Math.max(reach, limits.maxRange[s] * limits.maxGain[s], limits.maxMinReach[s]);
    }
    let cap = NO_CAP;
    for (const interest of interests) cap = Math.min(cap, interest.cap);
    const caps = now.caps.column?.array;
    for (let slot = 0; caps !== undefined && slot < slotCount; slot++) {
      if (caps[slot] !== CAP_UNSET && now.flags[slot] !== 0) cap = Math.min(cap, caps[slot]);
    }
    const many = Math.max(1, crowdFactors.enter * cap);
    if (reach === 0 || size < many) return false;
    const grid = this.#gridFor(2 * reach);
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

  #judgeAll(interests: readonly ResolvedInterest[]): void {
    const store = this.#store;
    const { now, slotCount } = store;
    let hiddenCount = 0;
    for (let slot = 0; slot < slotCount; slot++) {
      if (now.flags[slot] === 0) continue;
      const isHidden = now.hidden.at(slot) === 1;
      if (this.#isCrowded(slot, interests[now.interests.at(slot)], isHidden)) {
        if (!isHidden) store.hide(slot);
        hiddenCount++;
      } else if (isHidden) store.show(slot);
    }
    this.#hiddenCount = hiddenCount;
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
