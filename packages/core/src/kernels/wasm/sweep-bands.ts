// Where the cells of an entity's channel begin in a grid. Grids of entities that are in channels have a band of cells for each channel, or
// for some of them together, so that copies of a crowd at the same place are not searched for each other.
import { GRID_BAND_CELLS_WORD, GRID_BAND_MASK_WORD, GRID_FIRST_CELL_WORD } from '../layouts/sweep-job';
import { word } from './job';
import { channelIn } from './perception';

/** The first cell of the slot's band in a grid. */
@inline
export function bandOf(job: usize, grid: usize, state: u32, slot: u32): u32 {
  const first = word(grid, GRID_FIRST_CELL_WORD);
  const mask = word(grid, GRID_BAND_MASK_WORD);
  return mask == 0 ? first : first + (channelIn(job + (<usize>state << 2), slot) & mask) * word(grid, GRID_BAND_CELLS_WORD);
}
