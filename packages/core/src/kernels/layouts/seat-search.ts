/**
 * The job of the kernels of searched watchers: one record of words in the heap, written by interest/seats/seat-search.ts.
 *
 * Both sides read this file: AssemblyScript compiles it, TypeScript imports it. Offsets are bytes; 0 means "no such column". All
 * columns except the entries' and scratch are by slot.
 *
 *   entries   | settled: sorted by grid, then cell | room | moving: sorted by grid, then cell |
 *   edits     | low high state | low high state | ...      two words of a crossing, and the pair's state from now on
 */

/**
 * The present state of the world, with the ranges of hidden watchers included; and the state at the last tick: the words of
 * perception.ts.
 */
export const NOW_STATE = 0;
export const LAST_STATE = 53;
/**
 * Float64, two words. The travel: the most by which any distance can have changed since the world began, without the steps of
 * leapers.
 */
export const TRAVEL = 106;
/** Scratch, float32 by sense: the ranges of the current watcher. */
export const OWN_RANGES = 132;
export const TICK = 140;
/** The last serial number that was written to `STAMPS`. */
export const SERIAL = 141;
/** Weights now, and at the last tick: float32. 0 if all weights are 1. */
export const WEIGHTS = 142;
export const LAST_WEIGHTS = 143;
/** Numbers of interests, and caps of watchers; rules by interest, `RULE_WORDS` each. */
export const INTERESTS = 144;
export const CAPS = 145;
export const RULES = 146;
/**
 * STANDING: one byte, see the values below. BORDERS: float32, from the last decision: no seat ranks worse, and if the watcher is
 * calm, no perceived marker without a seat ranks better; not above 0 if unknown. STAMPS:
 * serial numbers.
 */
export const STANDING = 147;
export const BORDERS = 148;
export const STAMPS = 149;
/** The rows of pairs: see interest/table/pair-rows.ts. */
export const PAIR_START = 150;
export const PAIR_SIZE = 151;
export const PAIR_MARKER = 152;
export const PAIR_STATE = 153;
export const PAIR_SINCE = 154;
/** By slot, one byte, bits: `PLAIN`, `USUAL`, `EVEN`. 0 for an entity that is no marker. */
export const IS_PLAIN = 156;
/**
 * Whether any marker has layers, a channel, a condition, a gain, a minReach or a maxReach of its own, or the world's shape is not
 * a circle.
 */
export const IS_MIXED = 157;
export const ENTRY_SLOT = 158;
export const ENTRY_X = 159;
export const ENTRY_Y = 160;
export const ENTRY_Z = 161;
/**
 * Grids of the settled part, then of the moving part; where each cell begins; by cell, 1 + the number of its finer grid, or 0.
 */
export const GRIDS = 162;
export const GRID_COUNT = 163;
export const TABLE = 164;
export const FINER = 165;
export const FINER_GRIDS = 166;
/** The watchers to be decided, ascending. */
export const ASKED_LIST = 170;
export const ASKED_COUNT = 171;
/**
 * Scratch for the candidates of one watcher. SQUARE: float32, squared distances of the row's markers, parallel to the candidates.
 * DROPPED: indexes of candidates that get no seat. KEY: 64 bits each, by which candidates are sorted. CAPACITY: the most
 * candidates that fit. While a user's function ranks them, RANK holds their distances, and KEY takes its ranks as float64.
 */
export const CANDIDATE_SLOT = 172;
export const CANDIDATE_RANK = 173;
export const CANDIDATE_STATE = 174;
export const CANDIDATE_KIND = 175;
export const CANDIDATE_SQUARE = 176;
export const CANDIDATE_DROPPED = 177;
export const CANDIDATE_KEY = 178;
export const CANDIDATE_CAPACITY = 179;
/** Scratch, float32 by pair of the row: its rank, the bonus included, or NaN (kernels/wasm/seat-band.ts). */
export const ROW_RANKS = 167;
/** Scratch: entries of one run, all of which may be near enough; of a whole row, the quotas of its plain pairs. */
export const RUN = 180;
/** Edits are stored from EDIT_COUNT on, up to EDIT_CAPACITY: each thread has a part of the list. */
export const EDITS = 181;
export const EDIT_CAPACITY = 182;
export const EDIT_COUNT = 183;
/** By decided watcher: its range in the edits, and the new size of its row. */
export const FIRST_EDIT = 184;
export const EDIT_END = 185;
export const NEW_SIZE = 186;
/** Where `reportSeats` writes the words of crossings. */
export const CROSSING_WORDS = 187;
/**
 * Which watchers are calm: kernels/wasm/seat-calm.ts. By slot: the travel at which the watcher must be decided again (float64); for searched
 * watchers, the distance beyond which plain markers certainly have no seat (float32).
 */
export const CALM_UNTIL = 189;
export const CALM_TO = 190;
/** By slot: see interest/standing/ruled-watchers.ts; and which watchers are hidden. */
export const LOOKS = 193;
export const HIDDEN = 194;
export const PENDING = 195;
export const PENDING_SLOTS = 196;
export const PENDING_COUNT = 197;
/**
 * Watchers with a row: all of them, ascending, or some, in any order; room for twice as many as there are. And scratch for those that are due, of
 * as many words and `SORT_WORDS` more.
 */
export const ROWS = 198;
export const ROW_COUNT = 199;
export const DUE = 200;
/** Scratch: slots of the entities that leaped or changed in this tick. */
export const LEAPERS = 201;
export const LEAPER_CAPACITY = 202;
/** For whole rows (kernels/wasm/seat-whole.ts): the resolved crossings; which watchers were hidden at the last tick. */
export const CROSSINGS = 203;
export const CROSSING_COUNT = 204;
export const LAST_HIDDEN = 205;
/** Two words each: layers, and the number of seats for them. */
export const QUOTAS = 206;
/** By slot: how many pairs a whole row may have while each of them has its seat, or the value below. */
export const LIMITS = 188;
/** Some pairs of the row wait for the enter budget. */
export const LIMIT_WHILE_WAITING = 0xfffffffe;
/** Scratch: the number of candidates by quota of the current watcher. */
export const QUOTA_COUNTS = 207;
/** The markers that watchers block: pairs of words, watcher and marker, ascending; and the number of pairs. */
export const BARRED = 271;
export const BARRED_COUNT = 272;
/** Float64, two words: the longest step in this tick of an entity that is not a leaper. */
export const STEP = 274;
/**
 * As `BARRED`, ascending by watcher, then marker: pairs about which a rule says otherwise in this tick than their state. If the watcher has an
 * `admit`, it answered otherwise; a pair without an answer counts as admitted. Else the pair relates by other forces, whose bits lie above the
 * marker, `FORCE_SHIFT` higher than in a state; maybe by none any more.
 */
export const TURNED_PAIRS = 312;
export const TURNED_COUNT = 313;
/** Scratch by quota of the current watcher: how many pairs are outside the band, and how many of these keep their seats. */
export const QUOTA_OUTSIDE = 314;
export const QUOTA_KEPT = 346;
/**
 * Scratch by quota, and one element for markers without quota, of a row that is compared with its cutoffs (kernels/wasm/seat-band.ts):
 * plain pairs, seats among them; float32: the worst rank of the seats, and the best of the others.
 */
export const CLASS_PLAIN = 378;
export const CLASS_SEATED = 411;
export const CLASS_WORST = 444;
export const CLASS_BEST = 477;
/** By slot, one byte, 0 for most: `LEAPS` or `MUST_BE_READ`. TypeScript sets and clears the second, before and after a call. */
export const LEAPT = 510;
/** By slot: `roomLimit` of interest/standing/relation-counts.ts; how many pairs of the row only the margin holds. */
export const ROOM_LIMITS = 511;
export const MARGIN_HELD = 512;
/** Whether only some watchers with a row are listed in `ROWS`: all others are known to be calm or to have nothing to decide. */
export const ARE_SOME = 513;
/** Number of watchers with a row, and of slots. */
export const ALL_ROWS = 514;
export const SLOT_COUNT = 515;
/** Float64, two words: no searched watcher that is calm has a longer `CALM_TO`. */
export const FARTHEST = 516;
/** The job of near-watchers.ts, whose grids hold all watchers with a row that need not be read; 0: there are no such grids. */
export const NEAR_JOB = 518;
/**
 * By slot, two float32, squared ranks, of a calm watcher with a whole row: a marker that ranked and ranks no worse than the first has a seat, one that
 * ranked and ranks no better than the second has none, and neither leaves it less slack. -1 and Infinity: no such ranks are known.
 */
export const RINGS = 519;
/** The result if more is affected by leapers than it costs to look at each row. */
export const TOO_MANY = 0xffff_ffff;
/** An even number, so that the float64 of each thread's record are aligned. */
export const JOB_WORDS = 520;

/** In `TURNED_PAIRS`: how far the bits of forces are shifted, and the bits of the marker in their word. */
export const FORCE_SHIFT = 6;
export const MARKER_BITS = 0x3f_ffff;

/**
 * PLAIN: a marker with only default properties. USUAL: a marker that may be tested with others, four at a time: met like a plain one
 * (layers, conditions) by all of its channel, and of no extreme weight. EVEN: it is perceived from as far as a plain one.
 */
export const PLAIN = 1;
export const USUAL = 2;
export const EVEN = 4;

/** Words of `LEAPERS` before the list: counts of steps by exponent, and one word for reading the bits of a float. */
export const STEP_COUNTS = 256;
export const LEAPERS_BEGIN = 257;

/**
 * A rule's words: cap, float32 (1 - bonus), dwell in ticks, leave margin (float32), ticks to linger, enter budget, quotas, whether
 * there is an `admit` function, whether seats need mutual consent, and whether a user's function ranks.
 */
export const RULE_CAP = 0;
export const RULE_FACTOR = 1;
export const RULE_DWELL = 2;
export const RULE_MARGIN = 3;
export const RULE_LINGER = 4;
export const RULE_BUDGET = 5;
export const RULE_FIRST_QUOTA = 6;
export const RULE_QUOTA_COUNT = 7;
export const RULE_HAS_ADMIT = 8;
export const RULE_IS_MUTUAL = 9;
export const RULE_HAS_RANK = 10;
export const RULE_WORDS = 11;

/**
 * Standing of a watcher. ASKED: to be decided, or left to TypeScript. DECIDED: decided, no change. EDITED: decided, with edits.
 */
export const ASKED = 1;
export const DECIDED = 2;
export const EDITED = 3;

/** In `LEAPT`. MUST_BE_READ: a watcher that may not be found around the leapers that concern it. */
export const LEAPS = 1;
export const MUST_BE_READ = 2;

/** Standing of a candidate: its seat is protected by dwell; it was seated before; it is new. See interest/rules/cap.ts. */
export const PROTECTED = 0;
export const SEATED = 1;
export const NEW = 2;

/** A grid's numbers, float64: origin, cells a unit, cells by axis, first cell, members; and bounds over its members. */
export const GRID_ORIGIN = 0;
export const GRID_INVERSE = 3;
export const GRID_WIDTH = 4;
export const GRID_HEIGHT = 5;
export const GRID_DEPTH = 6;
export const GRID_FIRST_CELL = 7;
export const GRID_MEMBERS = 8;
export const GRID_MAX_GAIN = 9;
export const GRID_MAX_MIN_REACH = 10;
export const GRID_MAX_WEIGHT = 11;
/** 1: gain 1, no minReach or maxReach, default layers and channel, no condition, weight 1. */
export const GRID_IS_PLAIN = 12;
/** 1: some of its cells have finer grids. */
export const GRID_HAS_FINER = 13;
/**
 * In how many bands its cells are divided, a power of two, less 1, and the cells of a band: a marker in a channel lies in the band of its
 * channel's lowest bits. Only markers that are in channels have more than one.
 */
export const GRID_BAND_MASK = 14;
export const GRID_BAND_CELLS = 15;
/** Bits of the layers that its members are on. */
export const GRID_LAYERS = 16;
/** Infinite if a member has no maxReach in some sense. */
export const GRID_MAX_MAX_REACH = 17;
export const GRID_NUMBERS = 18;

/** In place of the number of candidates that a user's function ranks: TypeScript must decide the row; the edits need more room. */
export const NOT_DECIDED = 0xffff_ffff;
export const NO_ROOM = 0xffff_fffe;

/** Words of an edit. */
export const EDIT_WORDS = 3;
/**
 * In the place of the state of a pair that leaves the row: others rank better, and no sense perceives the marker by the margin
 * alone. 0 for a pair that leaves for another reason.
 */
export const OUTRANKED = 0x80000000;
