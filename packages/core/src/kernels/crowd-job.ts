/**
 * What the kernels of crowds are told: one record of words in the heap, written by interest/crowds/crowd-kernels.ts and read
 * by the kernels and their twins. Offsets are bytes; 0 is "no such column". See docs/internals/crowds.md.
 *
 *   tree    | slots and places of all markers, nodes being stretches of them | nodes: begin end left asked box
 *   near    | the markers near the leaf at hand, side by side | those of one row who are not, behind them
 *   edits   | low high state | low high state | ...      two words of a crossing, and the pair's state from now on
 */

/** Words of a job. */
export const SLOT_COUNT = 0;
export const DIMENSIONS = 1;
export const TICK = 2;
/** Where everyone is now, float32 by slot; weights by slot, 0 while all weigh 1. */
export const X = 3;
export const Y = 4;
export const Z = 5;
export const FLAGS = 6;
export const WEIGHTS = 7;
/** Numbers of interests and own caps by slot; rules by interest, `RULE_WORDS` each. */
export const INTERESTS = 8;
export const CAPS = 9;
export const RULES = 10;
/** By slot: `ASKED`, then `TOLD`, `DECIDED` or `LEFT` to the long way; float32, where seats ended last; zeros, see crowd-near.ts. */
export const STANDING = 11;
export const BORDERS = 12;
export const PLACES = 13;
/** The rows of pairs: see interest/pair-rows.ts. */
export const PAIR_START = 14;
export const PAIR_SIZE = 15;
export const PAIR_MARKER = 16;
export const PAIR_STATE = 17;
export const PAIR_SINCE = 18;
export const PAIR_REPORTED = 19;
/** All markers, in the order of the tree. */
export const TREE_SLOT = 20;
export const TREE_X = 21;
export const TREE_Y = 22;
export const TREE_Z = 23;
export const TREE_COUNT = 24;
/** By node: its stretch, the first of its two children (or one of the three below), how many asked stand in it, its box. */
export const NODE_BEGIN = 25;
export const NODE_END = 26;
export const NODE_LEFT = 27;
export const NODE_ASKED = 28;
export const NODE_BOX = 29;
export const NODE_COUNT = 30;
export const NODE_STACK = 31;
/** The leaves in which someone who is asked stands. */
export const LEAVES = 32;
export const LEAF_COUNT = 33;
export const NEAR_SLOT = 34;
export const NEAR_X = 35;
export const NEAR_Y = 36;
export const NEAR_Z = 37;
export const NEAR_WEIGHT = 38;
export const NEAR_FACTOR = 39;
export const NEAR_RANK = 40;
export const WINDOW = 41;
export const EDITS = 42;
export const EDIT_CAPACITY = 43;
export const EDIT_COUNT = 44;
/** By slot, of those decided: their stretch of the edits. */
export const FIRST_EDIT = 45;
export const EDIT_END = 46;
/** float32: of all markers. */
export const GREATEST_WEIGHT = 47;
export const SENSE_COUNT = 48;
/** Watchers decided that have edits, in the order in which they were. */
export const EDITED = 49;
export const EDITED_COUNT = 50;
/** At most so many markers in a leaf, unless they stand on one point: `LEAF_SIZE`, or `BLOCK_SIZE` where leaves are full blocks. */
export const LEAF_LIMIT = 51;
/** One word a sense: of the ranges by slot, 0 where nobody has one. */
export const RANGES = 52;
// Words 60 to 62 are kept by the WebAssembly kernels for themselves: see wasm/crowd-job.ts.
/** Sixteen times sixteen bytes: how a vector is shuffled so that the lanes named by four bits come to its front, in order. */
export const PACKING = 64;
/** Rows as bits: see seat-blocks.ts. By slot, where in the order of the tree it is. */
export const BLOCK_PLACES = 128;
/** By block: which group its watchers are, from 1 on, or 0; scratch of zeros. */
export const BLOCK_GROUPS = 130;
export const BLOCK_TABLE = 131;
/** Groups, `GROUP_WORDS` each, and how many there is room for. */
export const GROUPS = 132;
export const GROUP_CAPACITY = 138;
/** By slot: where its row is; `IN_ROW`, `AS_BITS`, or in its place but in no order. */
export const LENT = 133;
/** Scratch: see seat-blocks.ts. */
export const FRAME = 134;
/** Of the edits, those of rows that are held as bits; they come first. */
export const BIT_EDIT_COUNT = 135;
/** Where `tellBits` writes. */
export const TOLD_WORDS = 137;
/** By block: its leaf among the nodes. */
export const BLOCK_NODES = 141;
/** How many of those asked are still to be decided: to be counted down from how many were. */
export const ASKED_COUNT = 142;
// Words 136, 139, 140 and 143 are kept by the kernels for themselves.
export const JOB_WORDS = 144;

/** A rule's words: cap, float32 (1 - bonus), dwell in ticks, the bits below, leave margin (float32). */
export const RULE_WORDS = 8;
export const RULE_CAP = 0;
export const RULE_FACTOR = 1;
export const RULE_DWELL = 2;
export const RULE_BITS = 3;
export const RULE_MARGIN = 4;
/** Told of changes at rates: when it was told of each matters. */
export const KEEPS_REPORTED = 1;
/** Pairs may relate by force. */
export const MAY_FORCE = 2;
/** Whoever is lost from sight is remembered. */
export const REMEMBERS = 4;

export const ASKED = 1;
export const DECIDED = 2;
export const LEFT = 3;
/** Decided, and its crossings are among those that `tellBits` writes. */
export const TOLD = 4;

export const UNSPLIT = 0;
export const LEAF = -1;
/** A leaf whose markers stand on one point, in the order of weight, then slot, and are more than a leaf has. */
export const PILE = -2;
export const LEAF_SIZE = 24;
export const BLOCK_SIZE = 16;
/** Blocks in a list, at most. */
const MOST_NEAR = 64;
/** Words of a group: how many blocks are listed; how far the list is good for, float32; the list; 16 bits a block for each watcher. */
export const GROUP_LIST = 4;
export const GROUP_ROWS = GROUP_LIST + MOST_NEAR;
export const GROUP_ROW_WORDS = MOST_NEAR / 2;
export const GROUP_WORDS = GROUP_ROWS + BLOCK_SIZE * GROUP_ROW_WORDS;
/** Bits are numbered by 32-bit words, which is enough for so many groups. */
export const MOST_GROUPS = Math.floor(2 ** 27 / GROUP_WORDS);
/** A row is in its place among the pairs; held as bits; whatever is greater: there, but in no order. */
export const IN_ROW = 0;
export const AS_BITS = 1;
/** Edits of one group of watchers that are held as bits, at most. */
export const EDITS_IN_GROUP = 512;
/** Words of a window, at least. */
export const LEAST_WINDOW = 272;
/** Bytes of the frame. */
export const FRAME_BYTES = 7424;
/** Words of a node's box: least x y z and one to spare, greatest x y z and one to spare; float32. */
export const BOX_WORDS = 8;
/** Words of an edit. */
export const EDIT_WORDS = 3;
