/**
 * With granularity 'cell': whether no watcher in an observer cell can notice that a marker went to another cell. Then the tower skips it.
 *
 * Most observers of a moving marker saw it before and see it now. By cells, a reach covers a cell or it does not: if the smallest reach in
 * the observer covers both the old and the new cell, all its watchers see both. That none sees either does not pay to find out; and with
 * exact distances it does not pay to find either. Cost: some 20 ns a cell.
 */
import type { EntityState } from '../../entities/entity-state.ts';
import type { EntityStore } from '../../entities/entity-store.ts';
import { cellsWithin } from '../../entities/perception.ts';
import type { CellTable } from '../cells/cell-table.ts';
import type { CellSight } from './cell-sight.ts';

/** `slot`: a marker of gain 1 without a maxReach that changed in nothing but its position. */
export function noticesNoMove(
  table: CellTable,
  sight: CellSight,
  store: EntityStore,
  observer: number,
  slot: number,
): boolean {
  if (sight.viewLevel[observer] === 0) return true;
  const smallest = sight.smallestReach(observer, table);
  return (
    coversCell(table, store, store.last, observer, slot, smallest) &&
    coversCell(table, store, store.now, observer, slot, smallest)
  );
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
