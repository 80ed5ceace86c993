/**
 * Whether any watcher in an observer cell can notice that a marker moved: if not, the tower skips the cell.
 *
 * Problem: most observers of a moving marker saw it before and see it now, or neither. Method: an entity anywhere in
 * the cell is at least as far from a place as the cell's near edge, and at most as far as its far corner. If the
 * smallest reach in the cell covers the far corner's distance to both places, all watchers see both; if the largest
 * is shorter than the near edge's distance to both, none sees either. In between, a watcher may notice, and the cell
 * must be tested. This holds for any number of senses, since the smallest reach is over all of them, and for watchers
 * that rest or stay.
 *
 * Cost: some 20 ns a cell. Margins are larger than all rounding errors together; in doubt, the cell is tested.
 */
import type { EntityState } from '../../entities/entity-state.ts';
import type { EntityStore } from '../../entities/entity-store.ts';
import { cellsWithin, isInside } from '../../entities/perception.ts';
import type { CellTable } from '../cells/cell-table.ts';
import type { CellSight } from './cell-sight.ts';

const SURELY = 2 ** -18;
const SOMEBODY_MAY = 1;

/**
 * Whether no watcher in `observer` notices that `slot`, a marker of gain 1 without a maxReach that changed in nothing else, has
 * moved.
 */
export function noticesNoMove(
  table: CellTable,
  sight: CellSight,
  store: EntityStore,
  observer: number,
  slot: number,
): boolean {
  const { last, now, settings } = store;
  if (sight.viewLevel[observer] === 0) return true;
  const smallest = sight.smallestReach(observer, table);
  if (settings.granularity === 'cell') {
    // By cells, the smallest reach covers a cell or it does not; it does not pay to find cells that no watcher sees.
    return (
      coversCell(table, store, last, observer, slot, smallest) &&
      coversCell(table, store, now, observer, slot, smallest)
    );
  }
  const largest = sight.largestReach(observer, table);
  const before = coverage(table, store, last, observer, slot, smallest, largest);
  return before !== SOMEBODY_MAY && before === coverage(table, store, now, observer, slot, smallest, largest);
}

/** As `noticesNoMove`, for any marker that moves inside `cell`. */
export function noticesNoMoveWithin(
  table: CellTable,
  sight: CellSight,
  store: EntityStore,
  observer: number,
  cell: number,
): boolean {
  const { settings, now } = store;
  const { sizeX, sizeY } = table;
  const sizeZ = table.is3D ? table.sizeZ : 0;
  const awayX = Math.abs(table.keyX[cell] - table.keyX[observer]);
  const awayY = Math.abs(table.keyY[cell] - table.keyY[observer]);
  const awayZ = Math.abs(table.keyZ[cell] - table.keyZ[observer]);
  const largest = sight.largestReach(observer, table) * (1 + SURELY);
  const nearX = Math.max(0, awayX - 1) * sizeX;
  const nearY = Math.max(0, awayY - 1) * sizeY;
  const nearZ = Math.max(0, awayZ - 1) * sizeZ;
  if (!isInside(settings, nearX, nearY, nearZ, largest)) return true;
  // A gain below 1 and a maxReach shorten the smallest reach.
  for (const gain of now.gains) if (gain.column !== undefined) return false;
  for (const maxReach of now.maxReaches) if (maxReach.column !== undefined) return false;
  const smallest = sight.smallestReach(observer, table) * (1 - SURELY);
  return isInside(settings, (awayX + 1) * sizeX, (awayY + 1) * sizeY, (awayZ + 1) * sizeZ, smallest);
}

/** Whether a reach covers, in cells, the cell of a slot's position in `state`. */
function coversCell(
  table: CellTable,
  { settings }: EntityStore,
  state: EntityState,
  observer: number,
  slot: number,
  reach: number,
): boolean {
  const awayX = Math.abs(table.keyX[observer] - table.numberX(state.x[slot]));
  const awayY = Math.abs(table.keyY[observer] - table.numberY(state.y[slot]));
  const awayZ = table.is3D ? Math.abs(table.keyZ[observer] - table.numberZ(state.z[slot])) : 0;
  return (
    awayX <= cellsWithin(settings, reach, table.sizeX) &&
    awayY <= cellsWithin(settings, reach, table.sizeY) &&
    awayZ <= cellsWithin(settings, reach, table.sizeZ)
  );
}

/** 2 if all watchers anywhere in a cell perceive a slot's position in `state`, 0 if none does, 1 if some may. */
function coverage(
  table: CellTable,
  { settings }: EntityStore,
  state: EntityState,
  cell: number,
  slot: number,
  smallest: number,
  largest: number,
): number {
  const sizeZ = table.is3D ? table.sizeZ : 0;
  const fromX = table.keyX[cell] * table.sizeX - state.x[slot];
  const fromY = table.keyY[cell] * table.sizeY - state.y[slot];
  const fromZ = table.is3D ? table.keyZ[cell] * table.sizeZ - state.z[slot] : 0;
  const farX = farEnd(fromX, table.sizeX);
  const farY = farEnd(fromY, table.sizeY);
  if (isInside(settings, farX, farY, farEnd(fromZ, sizeZ), smallest * (1 - SURELY))) return 2;
  const nearX = nearEnd(fromX, table.sizeX);
  const nearY = nearEnd(fromY, table.sizeY);
  return isInside(settings, nearX, nearY, nearEnd(fromZ, sizeZ), largest * (1 + SURELY)) ? SOMEBODY_MAY : 0;
}

/** Distance of the far end of an interval that begins at `from`, on either side. */
function farEnd(from: number, size: number): number {
  return Math.max(Math.abs(from), Math.abs(from + size));
}

/** Distance of the near end of the interval; 0 inside it. */
function nearEnd(from: number, size: number): number {
  return Math.max(0, from, -from - size);
}
