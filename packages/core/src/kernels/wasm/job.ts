// Byte offsets of the words of ../layouts/sweep-job.ts, which says what they are.

export const SLOT_COUNT: usize = 0;
export const SENSE_COUNT: usize = 4;
export const DIMENSIONS: usize = 8;
export const SHAPE: usize = 12;
export const NOW_X: usize = 16;
export const NOW_Y: usize = 20;
export const NOW_Z: usize = 24;
export const NOW_FLAGS: usize = 28;
export const LAST_X: usize = 32;
export const LAST_Y: usize = 36;
export const LAST_Z: usize = 40;
export const LAST_FLAGS: usize = 44;
export const PENDING: usize = 48;
export const NOW_CLASS: usize = 52;
export const LAST_CLASS: usize = 56;
export const PLACES: usize = 60;
export const SOURCE_X: usize = 64;
export const SOURCE_Y: usize = 68;
export const SOURCE_Z: usize = 72;
export const TABLE: usize = 76;
export const CELL_COUNT: usize = 80;
export const GRIDS: usize = 84;
export const NEW_X: usize = 92;
export const NEW_Y: usize = 96;
export const NEW_Z: usize = 100;
export const OLD_X: usize = 104;
export const OLD_Y: usize = 108;
export const OLD_Z: usize = 112;
export const RANGE: usize = 116;
export const REF: usize = 120;
export const CROSSINGS: usize = 124;
export const CROSSING_CAPACITY: usize = 128;
export const CROSSING_COUNT: usize = 132;
export const FILTERED: usize = 136;
export const NOW_RANGES: usize = 144;
export const LAST_RANGES: usize = 176;
export const NOW_GAINS: usize = 208;
export const LAST_GAINS: usize = 240;
export const NOW_MIN_REACHES: usize = 272;
export const LAST_MIN_REACHES: usize = 304;
export const NOW_MAX_REACHES: usize = 640;
export const LAST_MAX_REACHES: usize = 672;
export const RATIO_X: usize = 336;
export const RATIO_Y: usize = 340;
export const RATIO_Z: usize = 344;
export const SLACK: usize = 352;
export const ENDS: usize = 372;
export const WITH_GAPS: usize = 376;
export const MOVERS: usize = 380;
export const MOVER_COUNT: usize = 384;
export const PENDING_COUNT: usize = 388;
export const COMMON_RANGES: usize = 392;
export const NOW_LAYERS: usize = 424;
export const NOW_SEES: usize = 428;
export const NOW_CHANNELS: usize = 432;
export const LAST_LAYERS: usize = 436;
export const LAST_SEES: usize = 440;
export const LAST_CHANNELS: usize = 444;
export const NOW_NEEDS: usize = 704;
export const NOW_ONLY: usize = 708;
export const NOW_ONLY_GROUPS: usize = 712;
export const LAST_NEEDS: usize = 716;
export const LAST_ONLY: usize = 720;
export const LAST_ONLY_GROUPS: usize = 724;
export const IDS: usize = 728;
export const NOW_GROUPS: usize = 732;
export const LAST_GROUPS: usize = 748;
export const LEVEL_COUNT: usize = 448;
export const LEVEL_RANGES: usize = 452;
export const LEVEL_SENSES: usize = 484;
export const LANES: usize = 528;
export const WINDOW_ROWS: usize = 544;
export const SOURCE_REF: usize = 560;
export const SOURCE_COUNT: usize = 564;
export const PENDING_SLOTS: usize = 568;
export const PART_SIZE: usize = 572;
export const PART_TABLES: usize = 576;
export const PART_COUNT: usize = 580;
export const ONLY_MOVES: usize = 584;
export const AT_X: usize = 628;
export const AT_Y: usize = 632;
export const MOVER_BITS: usize = 636;
export const WINDOW_REACHES: usize = 596;

export const FIRST_ENTRY: usize = 364;
export const SOURCE_ENDS: usize = 768;
export const OWN_REACHES: usize = 832;
export const THEIR_REACHES: usize = 864;

export const WAYS: usize = 896;

/** By class with members: which it is, and how far away one of the crowd and a thing meet its members. */
export const ACTIVE: usize = 1024;
export const ACTIVE_BYTES: usize = 24;
export const ACTIVE_CROWD_REACH: usize = 8;
export const ACTIVE_THING_REACH: usize = 16;

export const JOB_BYTES: usize = 1392;

export const GRID_BYTES: usize = 144;
export const GRID_ORIGIN: usize = 0;
export const GRID_INVERSE: usize = 24;
export const GRID_SIZE: usize = 48;
export const GRID_MAX_GAIN: usize = 72;
export const GRID_MAX_MIN_REACH: usize = 80;
export const GRID_EDGE_SLACK: usize = 88;
export const GRID_MAX_MAX_REACH: usize = 120;
export const GRID_MAX_RANGE: usize = 128;
export const GRID_WIDTH: usize = 96;
export const GRID_HEIGHT: usize = 100;
export const GRID_DEPTH: usize = 104;
export const GRID_FIRST_CELL: usize = 108;
export const GRID_MEMBERS: usize = 116;

/** The classes of entries, and what a byte of the class columns holds beside its class. */
export const CLASSES: u32 = 15;
export const CROWD: u32 = 0;
export const THINGS: u32 = 1;
export const FIRST_PROFILED: u32 = 4;
export const CLASS_MASK: u32 = 15;
export const WATCHES_AS_COMMON: u32 = 0x40;
export const WATCHES_BY_OWN: u32 = 0x80;

/** Of an element's place: nowhere now; and that it is split, so that a ghost is left where it was. */
export const NOWHERE: u32 = 0x7fffffff;
export const SPLIT_BIT: u32 = 0x80000000;
export const GHOST_BIT: u32 = 0x80000000;

/** A word of the job. */
// @ts-ignore: decorator
@inline
export function word(job: usize, offset: usize): u32 {
  return load<u32>(job + offset);
}

/** A column's address. */
// @ts-ignore: decorator
@inline
export function column(job: usize, offset: usize): usize {
  return <usize>load<u32>(job + offset);
}

/** Element i of a column of 32-bit floats. */
// @ts-ignore: decorator
@inline
export function floatAt(column: usize, i: u32): f32 {
  return load<f32>(column + (<usize>i << 2));
}

// @ts-ignore: decorator
@inline
export function setFloat(column: usize, i: u32, value: f32): void {
  store<f32>(column + (<usize>i << 2), value);
}

/** Element i of a column of 32-bit words. */
// @ts-ignore: decorator
@inline
export function wordAt(column: usize, i: u32): u32 {
  return load<u32>(column + (<usize>i << 2));
}

// @ts-ignore: decorator
@inline
export function setWord(column: usize, i: u32, value: u32): void {
  store<u32>(column + (<usize>i << 2), value);
}

// @ts-ignore: decorator
@inline
export function clampedCell(coordinate: f64, origin: f64, inverse: f64, count: u32): u32 {
  const cell = (coordinate - origin) * inverse;
  return cell <= 0 ? 0 : cell >= <f64>(count - 1) ? count - 1 : <u32>cell;
}
