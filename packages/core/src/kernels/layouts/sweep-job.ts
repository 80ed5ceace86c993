/**
 * The job of the sweep kernels: one record of words in the heap, written by detectors/sweep.ts and read by the kernels. All
 * offsets are bytes; 0 means "no such column". If threads share the work, each has a record of its own, one after the other; they
 * differ in where crossings are written.
 *
 * An entry is one record of an entity in a tick. Most entities have one entry, with an old and a new position. An entity that
 * leaped (moved farther than the slack), was added or removed is split into two entries: one at its present place, with no old
 * position (NaN), and a ghost at its former place, with no new one. So is one that changed otherwise, unless it changed in place:
 * wasm/sweep-changed.ts. Entries are sorted by class, then cell.
 *
 *   entries  | newX newY newZ | oldX oldY oldZ | ref |              ref: slot, and bit 31 for a ghost
 *   profiles | range gain minReach maxReach | ... |                 by sense, a plane each: only for odd entries (class 2 on)
 *   table    | start of cell 0 | start of cell 1 | ... | end |      so cell c has room for table[c] .. table[c + 1]
 *   ends     | end of cell 0 | end of cell 1 | ... |                and holds table[c] .. ends[c]
 *
 * If few entities move, cells have spare room: entries past a cell's end are gaps. All their positions are NaN, so that they fail
 * every test and runs may cross them.
 *
 * A class is a kind of entity with a grid of its own (detectors/sweep/entry-classes.ts): the crowd, things, and several classes
 * of entities that differ from the common profile, by `GRID_MAX_RANGE`, `GRID_MAX_GAIN`, `GRID_MAX_MIN_REACH` and
 * `GRID_MAX_MAX_REACH`: how far they perceive, and from how far they are perceived.
 */
import * as perception from './perception.ts';

/** Words of a job. */
export const PENDING = 12;
/** Class by slot, now and at the last tick. */
export const NOW_CLASS = 13;
export const LAST_CLASS = 14;
/** Scratch by element: its target place, see sweep-entries.ts. */
export const PLACES = 15;
/**
 * What is sorted: the entries of the last tick, if there are any (their positions, refs and number), and then the pending slots
 * that were added. If SOURCE_REF is 0, it is all slots, and the positions are by slot.
 */
export const SOURCE_X = 16;
export const SOURCE_Y = 17;
export const SOURCE_Z = 18;
export const SOURCE_REF = 140;
export const SOURCE_COUNT = 141;
export const PENDING_SLOTS = 142;
/**
 * Elements of a part. By part a table: first how many of its elements each cell gets, then where the next element of the cell
 * goes.
 */
export const PART_SIZE = 143;
export const PART_TABLES = 144;
export const PART_COUNT = 145;
/** 1: entities only moved; nothing else happened. */
export const ONLY_MOVES = 146;
/** Scratch by element: its position, while kernels sort. */
export const AT_X = 157;
export const AT_Y = 158;
/** One bit for each entry, used if few entities move: set while the entry is listed as a mover. */
export const MOVER_BITS = 159;
/** The same, set while the entry does not have the position of its slot: see resident-entries.ts. */
export const STALE_BITS = 40;
/**
 * By cell, if few entities move: how many entries are still to enter it in this tick, all 0 between ticks; and as many words of
 * scratch.
 */
export const ENTERING = 45;
/**
 * The entries of the entities that changed in place: words from this address on, downwards, and their number. `putMovers` writes both;
 * it is given an upper bound of the number. Address 0: all entries of the class `IN_PLACE`, which begins with `FIRST_ENTRY`.
 */
export const CHANGED_LIST = 46;
export const CHANGED_COUNT = 47;
/** By slot, if few entities move: its entry, without ghosts. */
export const PLACE_OF = 22;
export const TABLE = 19;
export const CELL_COUNT = 20;
export const GRIDS = 21;
export const NEW_X = 23;
export const NEW_Y = 24;
export const NEW_Z = 25;
export const OLD_X = 26;
export const OLD_Y = 27;
export const OLD_Z = 28;
export const REF = 30;
export const CROSSINGS = 31;
export const CROSSING_CAPACITY = 32;
/** Read and written. */
export const CROSSING_COUNT = 33;
/** 1: whether a watcher meets a marker may depend on layers, channels, conditions and the marker flag. */
export const FILTERED = 34;
/** float64, at word 88: an entity that moved farther than this along an axis is split. */
export const SLACK_F64 = 44;
export const ENDS = 93;
/** 1: leave room in cells. */
export const WITH_GAPS = 94;
/** Entries that changed, as words, and the data kept after them: see resident-entries.ts; the number of entries, and of slots. */
export const MOVERS = 95;
export const MOVER_COUNT = 96;
export const PENDING_COUNT = 97;
/**
 * 1: `scanMovers` is given all entries of watchers, in place of the entries that changed: see resident-entries.ts. The bits of both are
 * set.
 */
export const FROM_WATCHERS = 92;
/** The list of those, as words; and 1 if positions are written only into entries near them. */
export const WATCHERS = 41;
export const MAY_BE_STALE = 42;
/** By sense, the ranges of the crowd's watchers (float32); all 0 if there is no crowd. */
export const COMMON_RANGES = 98;
/** The entry at which `scanPairs` and `fillProfiles` start counting. */
export const FIRST_ENTRY = 91;
/**
 * What `scanPairs` tests: the class whose entries search, the class in which they search, whether all members of both have plain
 * profiles (gain 1, no minReach, no maxReach); and, a float64 at word 86, how far any of the ones perceives any of the others, or
 * is perceived by it.
 */
export const PAIR_CLASS = 35;
export const PAIR_OTHER = 36;
export const PAIR_IS_PLAIN = 37;
export const PAIR_REACH_F64 = 43;
/**
 * Planes of float32 by entry, four for each sense: the range (NaN if it is no watcher), the gain (NaN if it is not perceptible), the
 * minReach and the maxReach. The address at which entry 0 would be in the first plane, and the bytes of a plane; 0 if there are no
 * planes.
 */
export const PROFILES = 38;
export const PROFILE_BYTES = 39;
export const PLANES_OF_SENSE = 4;
/**
 * Scratch, 32 words: the profile of the current entry, in the order of the planes. In `scanChanged`, by sense, squares: how far it
 * perceives plain markers, and from how far the crowd perceives it; then both at the last tick.
 */
export const OWN_PROFILE = 50;
/**
 * Of the crowd's ranges: how many are distinct (0 if there is no crowd), each as float32, farthest first, and the senses that have
 * each.
 */
export const LEVEL_COUNT = 112;
export const LEVEL_RANGES = 113;
export const LEVEL_SENSES = 121;
/** Four words, at a multiple of 16 bytes: scratch of the kernels. */
export const LANES = 132;
/**
 * The later half of the window that all entries of a cell share, in 2-D and away from the border: the number of rows, beginning
 * with the cell's own, and how many cells each row extends to either side. 0 rows if there is no such window.
 */
export const WINDOW_ROWS = 136;
export const WINDOW_REACHES = 149;
export const MAX_WINDOW_ROWS = 8;
/** By class: where its entries end in what is sorted. */
export const SOURCE_ENDS = 828;
/** Scratch of the kernels, by sense: from how far watchers with the common ranges perceive the current entry. */
export const THEIR_REACHES = 216;
/**
 * By class with members, in bytes: its number; float64: the distances at which a member of the crowd and a thing meet its members, and
 * the box in which an odd class of one cell lies.
 */
export const ACTIVE = 256;
export const ACTIVE_BYTES = 56;
export const ACTIVE_CROWD_REACH = 8;
export const ACTIVE_THING_REACH = 16;
export const ACTIVE_MIN_X = 24;
export const ACTIVE_MAX_X = 32;
export const ACTIVE_MIN_Y = 40;
export const ACTIVE_MAX_Y = 48;
/** The present state of the world, and the state at the last tick: the words of perception.ts, some of which have names here. */
export const NOW_STATE = 720;
export const LAST_STATE = 773;
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
export const JOB_WORDS = 864;
export const JOB_BYTES = JOB_WORDS * 4;

/** A grid record: float64 by index 0 to 11, 15, 16 and 18 to 23, words from 24 to 29, 34, 35, 48 and 49. 208 bytes. */
export const GRID_BYTES = 208;
export const GRID_ORIGIN = 0;
/** 1 / cell size. */
export const GRID_INVERSE = 3;
export const GRID_SIZE = 6;
export const GRID_MAX_GAIN = 9;
export const GRID_MAX_MIN_REACH = 10;
/** World units by which a computed cell edge may be off. */
export const GRID_EDGE_SLACK = 11;
export const GRID_MAX_MAX_REACH = 15;
/** The longest range of its watchers; 0 if it has no watchers. */
export const GRID_MAX_RANGE = 16;
/** By axis, twice the grid's extent, and 1 / that, if positions are folded into it (wasm/sweep-folds.ts); else 0. */
export const GRID_PERIOD = 18;
export const GRID_INVERSE_PERIOD = 21;
export const GRID_WIDTH_WORD = 24;
export const GRID_HEIGHT_WORD = 25;
export const GRID_DEPTH_WORD = 26;
export const GRID_FIRST_CELL_WORD = 27;
/** 0: it has no members now and had none at the last tick. */
export const GRID_MEMBERS_WORD = 29;
/**
 * A grid has a band of cells for each of its channels, or for some of them together: the number of bands, a power of two, less 1; and
 * the cells of a band. An entity lies in the band of its channel's lowest bits.
 */
export const GRID_BAND_MASK_WORD = 34;
export const GRID_BAND_CELLS_WORD = 35;
/** The layers that any watcher of the class sees, and those that any marker of it is on. */
export const GRID_SEES_WORD = 48;
export const GRID_LAYERS_WORD = 49;

/**
 * The classes of entries: see detectors/sweep/entry-classes.ts. Odd watchers, among them those of `ONE_WAY`, come before odd things. `IN_CHANNEL` is a bit of the
 * class of an entity that is in a channel; the others, which meet all channels, are in classes of their own. `KIND_MASK`: the
 * class without that bit. In a byte of the class columns, `IS_PROFILED` marks an entity with a gain, minReach or maxReach of its own, and `IS_FILTERED` one that may not meet
 * others by layers, channel, conditions, or because it is no marker. `IS_IN_PLACE` marks, during a tick, one that changed otherwise
 * than by moving, and may keep one entry: see wasm/sweep-changed.ts. If all are sorted, these entries are in a class of their own,
 * `IN_PLACE`, until the next sort.
 */
export const CLASSES = 33;
export const CROWD = 0;
export const THINGS = 1;
export const FIRST_ODD = 2;
export const ONE_WAY = 8;
export const FIRST_ODD_THINGS = 9;
export const IN_CHANNEL = 16;
export const IN_PLACE = 32;
export const CLASS_MASK = 31;
/** Keeps the bit of `IN_PLACE`, so that this class has a kind of its own. */
export const KIND_MASK = 47;
export const IS_PROFILED = 0x80;
export const IS_FILTERED = 0x40;
export const IS_IN_PLACE = 0x20;

/**
 * Values of an element's place: nowhere now; and a bit for an element that is split, so that a ghost is left at its former place.
 */
export const NOWHERE = 0x7fff_ffff;
export const SPLIT_BIT = 0x8000_0000;
export const GHOST_BIT = 0x8000_0000;
