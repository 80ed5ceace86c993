// Byte offsets of ../crowd-job.ts's words, for the twins; and its numbers.

export const SLOT_COUNT: usize = 0;
export const DIMENSIONS: usize = 4;
export const TICK: usize = 8;
export const X: usize = 12;
export const Y: usize = 16;
export const Z: usize = 20;
export const FLAGS: usize = 24;
export const WEIGHTS: usize = 28;
export const INTERESTS: usize = 32;
export const CAPS: usize = 36;
export const RULES: usize = 40;
export const STANDING: usize = 44;
export const BORDERS: usize = 48;
export const PLACES: usize = 52;
export const PAIR_START: usize = 56;
export const PAIR_SIZE: usize = 60;
export const PAIR_MARKER: usize = 64;
export const PAIR_STATE: usize = 68;
export const PAIR_SINCE: usize = 72;
export const PAIR_REPORTED: usize = 76;
export const TREE_SLOT: usize = 80;
export const TREE_X: usize = 84;
export const TREE_Y: usize = 88;
export const TREE_Z: usize = 92;
export const TREE_COUNT: usize = 96;
export const NODE_BEGIN: usize = 100;
export const NODE_END: usize = 104;
export const NODE_LEFT: usize = 108;
export const NODE_ASKED: usize = 112;
export const NODE_BOX: usize = 116;
export const NODE_COUNT: usize = 120;
export const NODE_STACK: usize = 124;
export const LEAVES: usize = 128;
export const LEAF_COUNT: usize = 132;
export const NEAR_SLOT: usize = 136;
export const NEAR_X: usize = 140;
export const NEAR_Y: usize = 144;
export const NEAR_Z: usize = 148;
export const NEAR_WEIGHT: usize = 152;
export const NEAR_FACTOR: usize = 156;
export const NEAR_RANK: usize = 160;
export const WINDOW: usize = 164;
export const EDITS: usize = 168;
export const EDIT_CAPACITY: usize = 172;
export const EDIT_COUNT: usize = 176;
export const FIRST_EDIT: usize = 180;
export const EDIT_END: usize = 184;
export const GREATEST_WEIGHT: usize = 188;
export const SENSE_COUNT: usize = 192;
export const EDITED: usize = 196;
export const EDITED_COUNT: usize = 200;
export const RANGES: usize = 208;
/** How often the boxes of the tree were found anew since it was planted; float32: the sum of their sides when they first were. */
export const REFITS: usize = 240;
export const EXTENTS: usize = 244;
/** Of no meaning: what was read only to be fetched. */
export const FETCHED: usize = 248;
export const PACKING: usize = 256;

export const RULE_BYTES: usize = 32;
export const KEEPS_REPORTED: u32 = 1;
export const MAY_FORCE: u32 = 2;

export const ASKED: u32 = 1;
export const DECIDED: u32 = 2;
export const LEFT: u32 = 3;

export const UNSPLIT: i32 = 0;
export const LEAF: i32 = -1;
export const PILE: i32 = -2;
export const LEAF_SIZE: u32 = 24;
export const BOX_BYTES: usize = 32;
export const EDIT_BYTES: usize = 12;

/** Bits of a pair's state: see interest/pair-rows.ts. */
export const FORCED: u32 = 0x1c0000;
export const SIMPLY_SEATED: u32 = 0x830000;
/** Bits of the column of flags. */
export const MARKER: u32 = 2;
