/**
 * Who takes part in a tick's search, and how far they look.
 *
 * Method: one who moved a little is found from where it stands now: everyone it met at the last tick or meets now lies
 * within the ordinary reach and two such steps, so old set, new set and what is in both come out of one look. One who
 * leaped, or was removed, is looked up twice: where it was, before links are moved (old set), and where it is (new
 * set). With granularity 'cell' one whose cell is the same takes no part.
 *
 * Memory: 1 byte a slot. Cost: some nanoseconds a pending slot.
 */
import type { EntityStore } from '../../entities/entity-store.ts';
import { ADDED, CHANGED, MOVED, REMOVED } from '../../entities/pending.ts';
import { cellOf } from '../../entities/perception.ts';
import type { FarReaching } from './far-reaching.ts';
import { halfWidth } from './half-width.ts';

/** Roles: it is to be compared with its surroundings. (4 is FAR.) */
export const ACTIVE = 1;
/** It came, went or changed, not only moved: pairs with it are left to the definition. */
export const UNSETTLED = 2;
/** It is to be compared with where it was at the last tick, too. */
export const LEAPS = 8;

/** A step longer than this share of the ordinary half width is a leap. With cells, so that none inside a cell is. */
const LEAP_SHARE = 1 / 8;
const LEAP_SHARE_OF_CELLS = 1 / 2;

export class Search {
  /** Whether the lists stand as they are now; otherwise as they were at the last tick. */
  isNow = false;
  /** Along which axis the list is walked: 0 x, 1 y, 2 z. */
  axis = 0;
  /** ACTIVE or LEAPS: who looks. */
  activeBit = LEAPS;
  /** By slot. */
  roles = new Uint8Array(0);
  /** By axis: how far ordinary ones look, world units. */
  readonly widths = new Float64Array(3);
  readonly far: FarReaching;
  /** Pending slots that look now, that leap, and whose links change places. */
  activeCount = 0;
  leapCount = 0;
  linkCount = 0;
  /** By axis: how far two small steps may have brought a pair apart or together, world units. */
  readonly #slack = new Float64Array(3);
  readonly #ownWidths = new Float64Array(3);

  constructor(far: FarReaching) {
    this.far = far;
  }

  get slotRoom(): number {
    return this.roles.length;
  }

  grow(capacity: number): void {
    if (capacity <= this.slotRoom) return;
    this.roles = new Uint8Array(capacity);
  }

  /** Gives roles to what is pending. To be called after `FarReaching.settle`. */
  begin(store: EntityStore): void {
    const { pending, pendingSlots, pendingCount, settings } = store;
    const { roles, widths } = this;
    this.activeCount = this.leapCount = this.linkCount = 0;
    this.#slack.fill(0);
    for (let axis = 0; axis < settings.dimensions; axis++) {
      widths[axis] = halfWidth(settings, axis, this.far.reach);
    }
    for (let i = 0; i < pendingCount; i++) {
      const slot = pendingSlots[i];
      const bits = pending[slot];
      if ((bits & (ADDED | REMOVED | MOVED)) !== 0) this.linkCount++;
      let role = 0;
      if ((bits & REMOVED) !== 0) {
        role = LEAPS | UNSETTLED;
      } else if ((bits & (ADDED | CHANGED)) !== 0) {
        role = ACTIVE | UNSETTLED;
      }
      if ((bits & MOVED) !== 0) {
        if (this.#isLeap(store, slot)) role |= LEAPS;
        if (settings.granularity === 'exact' || this.#leavesCell(store, slot)) role |= ACTIVE;
        else role &= ~LEAPS;
      }
      roles[slot] = role;
      if ((role & ACTIVE) !== 0) this.activeCount++;
      if ((role & LEAPS) !== 0) this.leapCount++;
    }
    for (let axis = 0; axis < settings.dimensions; axis++) widths[axis] += 2 * this.#slack[axis];
  }

  /** Takes the roles back. */
  end(store: EntityStore): void {
    const { pendingSlots, pendingCount } = store;
    for (let i = 0; i < pendingCount; i++) this.roles[pendingSlots[i]] = 0;
  }

  /** By axis: how far `slot` looks for ordinary ones, world units. Valid until the next call. */
  widthsOf(store: EntityStore, slot: number): Float64Array {
    const { settings } = store;
    const reach = this.far.reachToOrdinary(store, slot);
    for (let axis = 0; axis < settings.dimensions; axis++) {
      this.#ownWidths[axis] = halfWidth(settings, axis, reach) + 2 * this.#slack[axis];
    }
    return this.#ownWidths;
  }

  /** Whether a move is a leap; if not, slack covers it. */
  #isLeap(store: EntityStore, slot: number): boolean {
    const { last, now, settings } = store;
    const share = settings.granularity === 'cell' ? LEAP_SHARE_OF_CELLS : LEAP_SHARE;
    const slack = this.#slack;
    const stepX = Math.abs(now.x[slot] - last.x[slot]);
    const stepY = Math.abs(now.y[slot] - last.y[slot]);
    const stepZ = settings.dimensions === 3 ? Math.abs(now.z[slot] - last.z[slot]) : 0;
    const { widths } = this;
    if (stepX > share * widths[0] || stepY > share * widths[1] || stepZ > share * widths[2]) return true;
    if (stepX > slack[0]) slack[0] = stepX;
    if (stepY > slack[1]) slack[1] = stepY;
    if (stepZ > slack[2]) slack[2] = stepZ;
    return false;
  }

  #leavesCell(store: EntityStore, slot: number): boolean {
    const { last, now, settings } = store;
    const [sizeX, sizeY, sizeZ] = settings.cellSize as readonly [number, number, number];
    return (
      cellOf(last.x[slot], sizeX) !== cellOf(now.x[slot], sizeX) ||
      cellOf(last.y[slot], sizeY) !== cellOf(now.y[slot], sizeY) ||
      (settings.dimensions === 3 && cellOf(last.z[slot], sizeZ) !== cellOf(now.z[slot], sizeZ))
    );
  }
}
