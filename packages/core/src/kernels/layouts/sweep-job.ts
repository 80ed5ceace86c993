/**
 * What the sweep kernels are told: one record of words in the heap, written by detectors/sweep.ts and read by the
 * kernels. All offsets are bytes; 0 is "no such column". Where threads share the work each has a record of
 * its own, one behind the other, which differ in where crossings go.
 *
 * An entry is one appearance of an entity in a tick: most have one, with an old and a new position. One that leaped
 * farther than the slack, was added, removed or changed is split in two: where it is, with no old position (NaN), and a
 * ghost where it was, with no new one. Entries are sorted by class, then cell.
 *
 *   entries  | newX newY newZ | oldX oldY oldZ | range | ref |      range: the longest, 0 for no watcher; kept where few move
 *                                                                    ref: slot, and bit 31 for a ghost
 *                                                                    from class 4 on in place of range: how far those with
 *                                                                    the first sense's common range perceive it, squared
 *   table    | start of cell 0 | start of cell 1 | ... | end |      so cell c has room for table[c] .. table[c + 1]
 *   ends     | end of cell 0 | end of cell 1 | ... |                and holds table[c] .. ends[c]
 *
 * Where few move, cells have room to spare: entries past a cell's end are gaps, all NaN, so that they fail every test and
 * runs may go over them.
 *
 * A class is a kind of entity with a grid of its own (detectors/sweep/entry-classes.ts): the crowd, things, and some kinds of odd
 * ones, farther or nearer perceived, or seeing, by `GRID_MAX_RANGE`, `GRID_MAX_GAIN`, `GRID_MAX_MIN_REACH` and
 * `GRID_MAX_MAX_REACH`.
 */

import * as perception from './perception.ts';

/** Words of a job. */
export const SLOT_COUNT = 0;
export const PENDING = 12;
/** Class by slot, now and at the last tick. */
export const NOW_CLASS = 13;
export const LAST_CLASS = 14;
/** Scratch by element: where it goes, see sweep-entries.ts; or who is near, see sweep-pairs.ts. */
export const PLACES = 15;
/**
 * What is sorted: the entries of the tick before, as long as there are any (their positions, their refs, how many), and then
 * those of the pending slots that were added. Without refs (0) it is all slots, and the positions are those by slot.
 */
export const SOURCE_X = 16;
export const SOURCE_Y = 17;
export const SOURCE_Z = 18;
export const SOURCE_REF = 140;
export const SOURCE_COUNT = 141;
export const PENDING_SLOTS = 142;
/** Elements of a part, and by part a table of how many it has for each cell, then of where its next one goes. */
export const PART_SIZE = 143;
export const PART_TABLES = 144;
export const PART_COUNT = 145;
/** 1: nobody did anything but move. */
export const ONLY_MOVES = 146;
/** Scratch by element, where it is: while kernels sort. */
export const AT_X = 157;
export const AT_Y = 158;
/** One bit an entry, where few move: set while it is listed as a mover. */
export const MOVER_BITS = 159;
export const TABLE = 19;
export const CELL_COUNT = 20;
export const GRIDS = 21;
export const NEW_X = 23;
export const NEW_Y = 24;
export const NEW_Z = 25;
export const OLD_X = 26;
export const OLD_Y = 27;
export const OLD_Z = 28;
export const RANGE = 29;
export const REF = 30;
export const CROSSINGS = 31;
export const CROSSING_CAPACITY = 32;
/** Read and written. */
export const CROSSING_COUNT = 33;
/** 1: who meets whom depends on layers, channels, conditions and on who is a marker. */
export const FILTERED = 34;
/** float64, at word 88: an entity that moved farther than this along an axis is split. */
export const SLACK_F64 = 44;
export const ENDS = 93;
/** 1: leave room in cells. */
export const WITH_GAPS = 94;
/** Entries that changed, as words, and what is kept behind them: see resident-entries.ts; how many entries, and of how many slots. */
export const MOVERS = 95;
export const MOVER_COUNT = 96;
export const PENDING_COUNT = 97;
/** By sense, the ranges of all watchers that have the common ones (float32); all 0 where there are no such. */
export const COMMON_RANGES = 98;
/**
 * A bit for each class whose markers do not look for watchers with the common ranges: those look for them. Set where there are fewer such
 * watchers than markers.
 */
export const FOUND_BY_WATCHERS = 147;
/** The entry that scanEntries counts from. */
export const FIRST_ENTRY = 91;
/**
 * Where all watchers have the same ranges: how many different ones there are (0 where they have not), each as float32,
 * farthest first, and for each the senses that have it.
 */
export const LEVEL_COUNT = 112;
export const LEVEL_RANGES = 113;
export const LEVEL_SENSES = 121;
/** Four words, at a multiple of 16 bytes: scratch of the kernels. */
export const LANES = 132;
/**
 * The later half of the window that those of one cell share, in 2-D and off the border: how many rows, the own one first,
 * and for each how many cells it reaches to either side. 0 rows where there is no such window.
 */
export const WINDOW_ROWS = 136;
export const WINDOW_REACHES = 149;
export const MAX_WINDOW_ROWS = 8;
/** By class: where its entries end among what is sorted. */
export const SOURCE_ENDS = 192;
/** Scratch of the kernels: by sense, how far the entry at hand perceives, and from how far those with the common ranges perceive it. */
export const OWN_REACHES = 208;
export const THEIR_REACHES = 216;
/** Ways to four entries. */
export const WAYS = 224;
/** By class with members: which it is, and how far away one of the crowd and a thing meet its members (float64, in bytes). */
export const ACTIVE = 256;
export const ACTIVE_BYTES = 24;
export const ACTIVE_CROWD_REACH = 8;
export const ACTIVE_THING_REACH = 16;
/** The state of the world as it is, and as it was at the last tick: the words of perception.ts, some of which have names here. */
export const NOW_STATE = 348;
export const LAST_STATE = 401;
export const NOW_X = NOW_STATE + perception.X;
export const NOW_Y = NOW_STATE + perception.Y;
export const NOW_Z = NOW_STATE + perception.Z;
export const NOW_FLAGS = NOW_STATE + perception.FLAGS;
export const SENSE_COUNT = NOW_STATE + perception.SENSE_COUNT;
export const DIMENSIONS = NOW_STATE + perception.DIMENSIONS;
export const SHAPE = NOW_STATE + perception.SHAPE;
export const RATIO_X = NOW_STATE + perception.RATIO_X;
export const RATIO_Y = NOW_STATE + perception.RATIO_Y;
export const RATIO_Z = NOW_STATE + perception.RATIO_Z;
export const LAST_X = LAST_STATE + perception.X;
export const LAST_Y = LAST_STATE + perception.Y;
export const LAST_Z = LAST_STATE + perception.Z;
export const LAST_FLAGS = LAST_STATE + perception.FLAGS;
/** Rounded up, so that every job lies at a multiple of 16 bytes. */
export const JOB_WORDS = 456;
export const JOB_BYTES = JOB_WORDS * 4;

/** A grid record: float64 by index 0 to 11, 15 and 16, words from 24 to 29. 144 bytes. */
export const GRID_BYTES = 144;
export const GRID_ORIGIN = 0;
/** 1 / cell size. */
export const GRID_INVERSE = 3;
export const GRID_SIZE = 6;
export const GRID_MAX_GAIN = 9;
export const GRID_MAX_MIN_REACH = 10;
/** World units by which a computed cell edge may be off. */
export const GRID_EDGE_SLACK = 11;
export const GRID_MAX_MAX_REACH = 15;
/** The longest range of its watchers; 0 where nobody in it watches. */
export const GRID_MAX_RANGE = 16;
export const GRID_WIDTH_WORD = 24;
export const GRID_HEIGHT_WORD = 25;
export const GRID_DEPTH_WORD = 26;
export const GRID_FIRST_CELL_WORD = 27;
/** 0: nobody was in it at the last tick, nor is now. */
export const GRID_MEMBERS_WORD = 29;

/** The classes of entries, and what a byte of the class columns holds beside its class: see detectors/sweep/entry-classes.ts. */
export const CLASSES = 15;
export const CROWD = 0;
export const THINGS = 1;
export const OTHER_RANGES = 2;
export const FAR_SEEING = 3;
/** From here on markers have gains, minReaches or maxReaches of their own. */
export const FIRST_PROFILED = 4;
export const CLASS_MASK = 15;
export const WATCHES_AS_COMMON = 0x40;
export const WATCHES_BY_OWN = 0x80;

/** Of an element's place: nowhere now; and that it is split, so that a ghost is left where it was. */
export const NOWHERE = 0x7fff_ffff;
export const SPLIT_BIT = 0x8000_0000;
export const GHOST_BIT = 0x8000_0000;
