// Where the cells of an entity's channel begin in a grid. Grids of entities that are in channels have a band of cells for each channel, or
// for some of them together, so that copies of a crowd at the same place are not searched for each other.
import { CHANNELS } from '../layouts/perception';
import { GRID_BAND_CELLS_WORD, GRID_BAND_MASK_WORD, GRID_FIRST_CELL_WORD } from '../layouts/sweep-job';
import { column, word } from './job';

/** Words of a job: the channel of a slot in a state. 0: it meets all channels. */
@inline
export function channelIn(job: usize, state: u32, slot: u32): u32 {
  const channels = column(job, state + CHANNELS);
  return channels == 0 ? 0 : <u32>load<u16>(channels + (<usize>slot << 1));
}

/** The first cell of the slot's band in a grid. */
@inline
export function bandOf(job: usize, grid: usize, state: u32, slot: u32): u32 {
  const first = word(grid, GRID_FIRST_CELL_WORD);
  const mask = word(grid, GRID_BAND_MASK_WORD);
  return mask == 0 ? first : first + (channelIn(job, state, slot) & mask) * word(grid, GRID_BAND_CELLS_WORD);
}
