/**
 * The settings of a world as internal code reads them: `WorldOptions` after checking, with every default filled in
 * and numbers rounded to float32. Also the limits of the numbers that a world accepts.
 */

/** Shape of the region around the watcher. 'circle' is a sphere in 3-D. */
export type RangeShape = 'circle' | 'box' | 'cylinder';

/** Whether perception depends on the exact distance, or on the distance in cells. */
export type Granularity = 'exact' | 'cell';

/**
 * With granularity 'cell', cell = floor(x / cellSize) in float64 per axis. 'neighbours': with any reach above 0, a
 * marker is perceived if the cells differ by at most 1 on each axis. 'reach': if they differ by at most ceil(reach /
 * cellSize).
 */
export type CellRule = 'neighbours' | 'reach';

/**
 * With granularity 'cell', whether a reach counts the cells that it touches ('up') or only those that it covers
 * completely ('down'). With 'down' the cells may differ by at most floor(reach / cellSize), and a reach below one
 * cell perceives only the own cell, with either rule.
 */
export type CellRounding = 'up' | 'down';

/** Settings that are fixed for the life of a world. */
export interface WorldSettings {
  readonly dimensions: 2 | 3;
  /** Bit i of a sense mask is `senses[i]`. */
  readonly senses: readonly string[];
  readonly senseCount: number;
  readonly rangeShape: RangeShape;
  /** Half extents of 'box' per unit of reach; for 'cylinder' only z is used. float32. */
  readonly ratioX: number;
  readonly ratioY: number;
  readonly ratioZ: number;
  /** 'cell': perception by cells, as in the classic algorithms; see `CellRule`. */
  readonly granularity: Granularity;
  /** The rule that applies with granularity 'cell'. */
  readonly cellRule: CellRule;
  /** 'up' with granularity 'exact'. */
  readonly cellRounding: CellRounding;
  /** float32 per axis, world units; fixed with granularity 'cell'; `undefined` if the detector is to choose. */
  readonly cellSize: readonly [x: number, y: number, z: number] | undefined;
  /** Kinds of groups: bit i of a kind mask is `groups[i]`. */
  readonly groups: readonly string[];
  /** The number of each named interest; 'default' is 0. Grows as interests are added. */
  readonly interestNames: ReadonlyMap<string, number>;
}

/** Maximum number of entities in one world: all slots that an id can name, less 1,024 that stay free. */
export const MAX_ENTITIES = 4_193_280;
/** Maximum of |position|, range, minReach, maxReach. */
export const MAX_DISTANCE = 1e12;
/** Maximum gain. */
export const MAX_GAIN = 1e6;
/** Maximum number of group kinds in a world. */
export const MAX_GROUP_KINDS = 4;
/** Maximum number of named interests in a world. */
export const MAX_INTERESTS = 4096;
/** Ranges, gains, minReach and maxReach below this are stored as 0, so that no square underflows to 0. */
export const MIN_MAGNITUDE = 1e-6;
