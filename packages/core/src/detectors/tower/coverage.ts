/**
 * Whether anybody in an observer can notice that a marker moved: what lets the tower pass over a cell unasked.
 *
 * Problem: most observers of a moving marker saw it before and see it now, or neither. Method: whoever stands anywhere in
 * the cell is at least as far from a place as the cell's near edge and at most as far as its far corner. Where the
 * smallest reach in the cell covers the far corner's distance to both places, all see both; where the largest
 * falls short of the near edge's to both, nobody sees either. Between the two somebody may notice, and must be asked.
 * That holds for any number of senses, since the smallest reach is over all of them, and for any that rest or stay.
 *
 * Cost: some 20 ns a cell. Margins are wider than all roundings together, so the answer errs towards asking.
 */
import type { EntityState } from '../../entities/entity-state.ts';
import type { EntityStore } from '../../entities/entity-store.ts';
import { cellsWithin, isInside } from '../../entities/perception.ts';
import type { CellTable } from '../cells/cell-table.ts';
import type { CellSight } from './cell-sight.ts';

const SURELY = 2 ** -18;
const SOMEBODY_MAY = 1;

/** Whether nobody in `observer` notices that `slot`, a marker of gain 1 that changed in nothing else, has moved. */
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
    // By cells the smallest reach covers a cell or it does not; which cells nobody sees is not worth finding out.
    return (
      coversCell(table, store, last, observer, slot, smallest) &&
      coversCell(table, store, now, observer, slot, smallest)
    );
  }
  const largest = sight.largestReach(observer, table);
  const before = coverage(table, store, last, observer, slot, smallest, largest);
  return before !== SOMEBODY_MAY && before === coverage(table, store, now, observer, slot, smallest, largest);
}

/** As `noticesNoMove`, of any marker that moves inside `cell`. */
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
  // A gain below 1 shortens what the smallest reach promises.
  for (const gain of now.gains) if (gain.column !== undefined) return false;
  const smallest = sight.smallestReach(observer, table) * (1 - SURELY);
  return isInside(settings, (awayX + 1) * sizeX, (awayY + 1) * sizeY, (awayZ + 1) * sizeZ, smallest);
}

/** Whether a reach covers, in cells, the cell of a slot's place in `state`. */
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

/** 2 where all who may stand in a cell perceive a slot's place in `state`, 0 where none does, 1 where somebody may. */
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

/** How far the far end of a stretch lies that begins `from` away, on whichever side. */
function farEnd(from: number, size: number): number {
  return Math.max(Math.abs(from), Math.abs(from + size));
}

/** How far its near end lies; 0 within. */
function nearEnd(from: number, size: number): number {
  return Math.max(0, from, -from - size);
}
