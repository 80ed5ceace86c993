/** The grids of a sweep as text and as a picture, for people who look at a world. */
import type { EntityState } from '../../entities/entity-state.ts';
import { rounded } from '../../errors.ts';
import type { Heap } from '../../kernels/heap.ts';
import * as job from '../../kernels/layouts/sweep-job.ts';
import type { StructureSketch } from '../structure-sketch.ts';
import type { EntryColumns } from './entry-columns.ts';

/** One line for each class that has members. `offset`: of the grid records in the heap. */
export function describeGrids({ f64, u32 }: Heap, offset: number): string {
  const lines: string[] = [];
  for (let k = 0; k < job.CLASSES; k++) {
    const g = (offset + k * job.GRID_BYTES) >>> 3;
    const w = g * 2;
    if (u32[w + job.GRID_MEMBERS_WORD] === 0) continue;
    const cells = [job.GRID_WIDTH_WORD, job.GRID_HEIGHT_WORD, job.GRID_DEPTH_WORD].map(
      (word) => u32[w + word],
    );
    const bands = u32[w + job.GRID_BAND_MASK_WORD] + 1;
    const banded = bands > 1 ? `, ${bands} times` : '';
    const folded = f64[g + job.GRID_PERIOD] === 0 ? '' : ', folded';
    lines.push(
      `class ${k}: ${cells.join(' x ')} cells of ${rounded(f64[g + job.GRID_SIZE])}${banded}${folded}`,
    );
  }
  return lines.join('\n');
}

/** Draws every cell of a class in which entities are, where they are, with how many they are; without ghosts. */
export function sketchGrid(
  { f64, u32 }: Heap,
  offset: number,
  k: number,
  { table, ends, ref }: EntryColumns,
  { x, y }: EntityState,
  sketch: StructureSketch,
): void {
  const g = (offset + k * job.GRID_BYTES) >>> 3;
  const w = g * 2;
  const [originX, originY] = [f64[g + job.GRID_ORIGIN], f64[g + job.GRID_ORIGIN + 1]];
  const [sizeX, sizeY] = [f64[g + job.GRID_SIZE], f64[g + job.GRID_SIZE + 1]];
  const counts = new Map<string, number>();
  const first = u32[w + job.GRID_FIRST_CELL_WORD];
  const cells = (u32[w + job.GRID_BAND_MASK_WORD] + 1) * u32[w + job.GRID_BAND_CELLS_WORD];
  for (let cell = first; cell < first + cells; cell++) {
    for (let i = table.array[cell]; i < ends.array[cell]; i++) {
      const slot = ref.array[i];
      if (slot >= job.GHOST_BIT) continue;
      const key = `${Math.floor((x[slot] - originX) / sizeX)} ${Math.floor((y[slot] - originY) / sizeY)}`;
      counts.set(key, (counts.get(key) ?? 0) + 1);
    }
  }
  for (const [key, count] of counts) {
    const [column, row] = key.split(' ').map(Number);
    const [minX, minY] = [originX + column * sizeX, originY + row * sizeY];
    sketch.cell(minX, minY, minX + sizeX, minY + sizeY, count);
  }
}
