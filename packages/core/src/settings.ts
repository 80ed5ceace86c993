/**
 * What a world is, as its inside reads it: `WorldOptions` checked, every default filled in, numbers rounded to
 * float32; and the limits of the numbers a world takes.
 */

/** How reach becomes a region round the watcher. 'circle' is a sphere in 3-D. */
export type RangeShape = 'circle' | 'box' | 'cylinder';

/** Whether distance or the distance in cells decides who is perceived. */
export type Granularity = 'exact' | 'cell';

/**
 * With granularity 'cell', cell = floor(x / cellSize) in float64 per axis. 'neighbours': perceived with any reach above 0
 * when the cells differ by at most 1 on each axis. 'reach': by at most ceil(reach / cellSize).
 */
export type CellRule = 'neighbours' | 'reach';

/**
 * With granularity 'cell', whether a reach counts for the cells that it touches, or only for those that it covers whole:
 * with 'down' by at most floor(reach / cellSize), and a reach below a cell is for one's own cell alone, whatever the rule.
 */
export type CellRounding = 'up' | 'down';

/** Fixed for a world's life. */
export interface WorldSettings {
  readonly dimensions: 2 | 3;
  /** Bit i of a sense mask is `senses[i]`. */
  readonly senses: readonly string[];
  readonly senseCount: number;
  readonly rangeShape: RangeShape;
  /** Half extents of 'box' per unit of reach; of 'cylinder' only z counts. float32. */
  readonly ratioX: number;
  readonly ratioY: number;
  readonly ratioZ: number;
  /** 'cell': perception goes by cells, as the classics have it; see `CellRule`. */
  readonly granularity: Granularity;
  /** What decides with granularity 'cell'. */
  readonly cellRule: CellRule;
  /** 'up' with granularity 'exact'. */
  readonly cellRounding: CellRounding;
  /** float32 per axis, world units; fixed with granularity 'cell'; `undefined` when the detector is to choose. */
  readonly cellSize: readonly [x: number, y: number, z: number] | undefined;
  /** Kinds of groups: bit i of a kind mask is `groups[i]`. */
  readonly groups: readonly string[];
  /** The number of each named interest; 'default' is 0. Grows while the world lives. */
  readonly interestNames: ReadonlyMap<string, number>;
}

/** Entities that can be present in one world: every slot an id can name, less 1,024 that stay free. */
export const MAX_ENTITIES = 4_193_280;
/** |position|, range, minReach, maxReach. */
export const MAX_DISTANCE = 1e12;
/** Gain. */
export const MAX_GAIN = 1e6;
/** Kinds of groups that a world may have. */
export const MAX_GROUP_KINDS = 4;
/** Interests that a world may name. */
export const MAX_INTERESTS = 4096;
/** Ranges, gains, minReach and maxReach below this are stored as 0, so that no square underflows to nothing. */
export const MIN_MAGNITUDE = 1e-6;
