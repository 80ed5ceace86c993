/**
 * Which entities take part in a tick's search, and how far they search.
 *
 * Method: an entity that moved a little is tested at its current position: all entities that it met at the last tick
 * or meets now are within the ordinary reach plus two such steps, so a single search gives the old set, the new set
 * and what is in both. An entity that leaped, or was removed, is tested twice: at its old position, before links are
 * moved (old set), and at its new one (new set). With granularity 'cell' an entity whose cell is the same takes no
 * part.
 *
 * Memory: 1 byte a slot. Cost: some nanoseconds a pending slot.
 */
import type { EntityStore } from '../../entities/entity-store.ts';
import { ADDED, CHANGED, MOVED, REMOVED } from '../../entities/pending.ts';
import { cellOf } from '../../entities/perception.ts';
import type { FarReaching } from './far-reaching.ts';
import { halfWidth } from './half-width.ts';

/** Role: it must be compared with its surroundings. (4 is FAR.) */
export const ACTIVE = 1;
/** It was added, removed or changed, not only moved: pairs with it are left to the definition. */
export const UNSETTLED = 2;
/** It must be compared at its old position, too. */
export const LEAPS = 8;

/**
 * A step longer than this share of the ordinary half width is a leap. With cells, large enough that no step inside a
 * cell is one.
 */
const LEAP_SHARE = 1 / 8;
const LEAP_SHARE_OF_CELLS = 1 / 2;

export class Search {
  /** Whether the lists are sorted by the current positions; otherwise by those at the last tick. */
  isNow = false;
  /** The axis along which the list is walked: 0 x, 1 y, 2 z. */
  axis = 0;
  /** ACTIVE or LEAPS: the role of the entities that search. */
  activeBit = LEAPS;
  /** By slot. */
  roles = new Uint8Array(0);
  /** By axis: how far ordinary entities search, world units. */
  readonly widths = new Float64Array(3);
  readonly far: FarReaching;
  /** Numbers of pending slots that search now, that leap, and whose links change places. */
  activeCount = 0;
  leapCount = 0;
  linkCount = 0;
  /** By axis: how far two small steps may have moved a pair apart or together, world units. */
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

  /** Assigns roles to pending slots. Call it after `FarReaching.settle`. */
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

  /** Clears the roles. */
  end(store: EntityStore): void {
    const { pendingSlots, pendingCount } = store;
    for (let i = 0; i < pendingCount; i++) this.roles[pendingSlots[i]] = 0;
  }

  /** By axis: how far `slot` searches for ordinary entities, world units. Valid until the next call. */
  widthsOf(store: EntityStore, slot: number): Float64Array {
    const { settings } = store;
    const reach = this.far.reachToOrdinary(store, slot);
    for (let axis = 0; axis < settings.dimensions; axis++) {
      this.#ownWidths[axis] = halfWidth(settings, axis, reach) + 2 * this.#slack[axis];
    }
    return this.#ownWidths;
  }

  /** Whether a move is a leap; if not, the slack is extended to cover it. */
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
