// A window of ranks that is moved until seats end in it: for rows as they are (crowd-border.ts) and as bits (block-scan.ts).

/** How much farther than it did last the border may lie before more must be gathered. */
export const GUESS: f32 = 1.1;

/** What there is to do when those in the window were counted. */
export const ENDS_HERE: u32 = 0;
export const MOVED: u32 = 1;
export const OUT_OF_COVER: u32 = 2;

/** The window: ranks that are not below `low`, and not above `high`. */
export let low: f32 = 0;
export let high: f32 = 0;
let width: f32 = 0;
let cover: f32 = 0;

/** Begins about where seats ended last, so narrow to either side; no farther than `farthest`. */
export function openWindow(last: f32, narrow: f32, farthest: f32): void {
  width = narrow;
  cover = farthest;
  low = last * (1 - width);
  high = last == 0 ? cover * width : min(cover, last * (1 + width));
}

/** Moves the window, each time a wider one, unless so many seats end in it: `below` rank below it and `within` in it. */
export function moveWindow(below: u32, within: u32, seats: u32): u32 {
  if (below > seats) {
    if (low == 0) return OUT_OF_COVER;
    high = low;
    width = min<f32>(1, 2 * width);
    low = low * (1 - width);
    return MOVED;
  }
  if (below + within >= seats) return ENDS_HERE;
  if (high >= cover) return OUT_OF_COVER;
  low = high;
  width = 2 * width;
  high = min(cover, max(high * (1 + width), cover * width));
  return MOVED;
}
