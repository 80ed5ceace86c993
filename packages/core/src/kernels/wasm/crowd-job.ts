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
export const LEAF_LIMIT: usize = 204;
export const RANGES: usize = 208;
/** How often the boxes of the tree were found anew since it was planted; float32: the sum of their sides when they first were. */
export const REFITS: usize = 240;
export const EXTENTS: usize = 244;
/** Of no meaning: what was read only to be fetched. */
export const FETCHED: usize = 248;
export const PACKING: usize = 256;
export const BLOCK_PLACES: usize = 512;
export const BLOCK_GROUPS: usize = 520;
export const BLOCK_TABLE: usize = 524;
export const GROUPS: usize = 528;
export const LENT: usize = 532;
export const FRAME: usize = 536;
export const BIT_EDIT_COUNT: usize = 540;
export const HAS_PILES: usize = 544;
export const TOLD_WORDS: usize = 548;
export const GROUP_CAPACITY: usize = 552;
/** float32, world units: how far anyone came in this tick, and since the tree was planted, both of a pair taken together. */
export const STEP: usize = 556;
export const DRIFT: usize = 560;
export const BLOCK_NODES: usize = 564;
export const ASKED_COUNT: usize = 568;
export const GROUP_COUNT: usize = 572;

export const RULE_BYTES: usize = 32;
export const KEEPS_REPORTED: u32 = 1;
export const MAY_FORCE: u32 = 2;
export const REMEMBERS: u32 = 4;

export const ASKED: u32 = 1;
export const DECIDED: u32 = 2;
export const LEFT: u32 = 3;
export const TOLD: u32 = 4;

export const UNSPLIT: i32 = 0;
export const LEAF: i32 = -1;
export const PILE: i32 = -2;
export const BLOCK_SIZE: u32 = 16;
export const BOX_BYTES: usize = 32;
export const EDIT_BYTES: usize = 12;

export const MOST_NEAR: u32 = 64;
export const NOWHERE: u32 = 0xffffffff;
export const AS_BITS: u8 = 1;
export const UNSORTED: u8 = 2;

/** Of a rank, or of one that is listed: its marker is in the row. */
export const SEATED_BIT: u32 = 0x80000000;
/** Bits of a pair's state: see interest/pair-rows.ts. */
export const FORCED: u32 = 0x1c0000;
export const SIMPLY_SEATED: u32 = 0x830000;
/** Bits of the column of flags. */
export const MARKER: u32 = 2;
