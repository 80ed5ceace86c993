/**
 * `WorldOptions`: checked once, here, and converted to the settings that the rest of the code trusts.
 */
import type { DetectorFactory, DetectorName } from './detectors/detector.ts';
import { detectorFactory, detectorNameOf } from './detectors/registry.ts';
import { badOption, isRecord, rejectUnknownKeys, shown, UmweltError } from './errors.ts';
import type { Interest } from './interest/rules/interest.ts';
import { InterestBook } from './interest/rules/interest-book.ts';
import type { KernelChoice } from './kernels/heap.ts';
import {
  type CellRounding,
  type CellRule,
  type Granularity,
  MAX_DISTANCE,
  MAX_ENTITIES,
  MAX_GAIN,
  MAX_GROUP_KINDS,
  MIN_MAGNITUDE,
  type RangeShape,
  type WorldSettings,
} from './settings.ts';
import { MAX_THREADS } from './threads/control-block.ts';

/** Options of `new World()`. All are optional and fixed for the world's life. */
export interface WorldOptions {
  /** 2 (default) or 3. In 2-D `z` is ignored everywhere. */
  dimensions?: 2 | 3;
  /** Names of the senses, 1 to 8, distinct. Bit i of a sense mask is `senses[i]`. Default `['sight']`. */
  senses?: readonly string[];
  /** Shape of a range. Default 'circle'; 'cylinder' is for 3-D only. */
  rangeShape?: RangeShape;
  /** Half extents of 'box' per unit of reach (x, y, z); for 'cylinder' only z is used. Positive; default 1 each. */
  rangeRatio?: readonly [x: number, y: number, z?: number];
  /** The algorithm that finds the crossings. Default 'sweep'. All detectors give the same reports. */
  detector?: DetectorName | DetectorFactory;
  /**
   * 'exact' (default), or 'cell' for 'nine-grid', 'tower' and 'cross-list': coarse perception by cells, as the
   * classic algorithms have it. 'cell' needs `cellSize` and the default range shape.
   */
  granularity?: Granularity;
  /** Cell edge in world units, for detectors that have cells. If absent, it is chosen from the population. */
  cellSize?: number | readonly [number, number, number?];
  /**
   * With granularity 'cell', how a reach is converted to a number of cells on each side of the watcher's own cell.
   * 'up' (default) counts a cell that the reach touches; 'down' counts only cells that it covers completely. So with
   * 'down', a range below one cell perceives its own cell only, a range of one cell 3 by 3 cells, of two cells 5 by
   * 5; with 'nine-grid' never more than 3 by 3.
   */
  cellRounding?: CellRounding;
  /** Number of entities to reserve room for at the start, 0 (default) to 4,193,280. The world grows by itself. */
  capacity?: number;
  /**
   * Rules on top of perception, by name; 'default' applies to every watcher that names no interest. See `Interest`.
   */
  interests?: Readonly<Record<string, Interest>>;
  /** Kinds of groups (party, raid, guild), 1 to 4 names. Default `['group']`. */
  groups?: readonly string[];
  /**
   * Which kernels run. 'auto' (default): WebAssembly if the runtime has SIMD, else JavaScript. 'wasm' or 'typescript'
   * selects one. Both give the same bytes. If the chosen kernels are not available, `UNSUPPORTED` is thrown: a bundle
   * for browsers has the JavaScript kernels once it imports `umwelt/kernels/javascript`.
   */
  kernels?: KernelChoice;
  /**
   * Number of threads that a tick may use, 1 to 64, the calling thread included. Default 1. The reports are the same
   * bytes at any count. Fewer threads run if memory cannot be shared or workers cannot be created: `stats().threads`
   * says how many. With more than one thread, call `dispose` when the world is no longer needed. See docs/threads.md.
   */
  threads?: number;
  /**
   * For development: the lists of a tick are overwritten when the next tick is over, so that a list that was kept too
   * long is noticed. Its ids become 4294966272, which every call rejects, and a late read of `Changes` or a `View`
   * throws `STALE_REPORT`. Default false. Cost: a copy of each report.
   */
  debug?: boolean;
}

/** `WorldOptions`, checked and complete. */
export interface ResolvedOptions {
  readonly settings: WorldSettings;
  readonly makeDetector: DetectorFactory;
  readonly capacity: number;
  readonly kernels: KernelChoice;
  readonly threads: number;
  readonly interests: InterestBook;
  readonly debug: boolean;
}

const MAX_SENSES = 8;
/** The cell rule of each detector that supports granularity 'cell'. */
const CELL_RULES: Readonly<Record<string, CellRule>> = {
  'nine-grid': 'neighbours',
  tower: 'reach',
  'cross-list': 'reach',
};

const OPTION_NAMES = new Set([
  'dimensions',
  'senses',
  'rangeShape',
  'rangeRatio',
  'detector',
  'granularity',
  'cellSize',
  'cellRounding',
  'capacity',
  'kernels',
  'interests',
  'groups',
  'threads',
  'debug',
]);

/**
 * Checks options and fills in defaults; `undefined` counts as absent. Throws `BAD_OPTION`, `UNKNOWN_DETECTOR`,
 * `UNSUPPORTED`.
 */
export function resolveOptions(options: WorldOptions): ResolvedOptions {
  // A world is an object, too; its getters and methods would be taken for options.
  if (!isRecord(options) || typeof (options as { stats?: unknown }).stats === 'function')
    throw badOption('options', options, 'an object of WorldOptions');
  rejectUnknownKeys(options, OPTION_NAMES, 'WorldOptions');
  const {
    dimensions = 2,
    rangeShape = 'circle',
    detector = 'sweep',
    capacity = 0,
    kernels = 'auto',
    interests: rules = {},
  } = options;
  if (dimensions !== 2 && dimensions !== 3) throw badOption('dimensions', dimensions, '2 or 3');
  const senses = checkedSenses(options.senses);
  if (rangeShape !== 'circle' && rangeShape !== 'box' && rangeShape !== 'cylinder') {
    throw badOption('rangeShape', rangeShape, "'circle', 'box' or 'cylinder'");
  }
  if (rangeShape === 'cylinder' && dimensions === 2) {
    throw badOption('rangeShape', rangeShape, "'circle' or 'box' in 2-D; a cylinder needs dimensions: 3");
  }
  const [ratioX, ratioY, ratioZ] = checkedRatio(options.rangeRatio);
  const makeDetector = detectorFactory(detector);
  if (!Number.isInteger(capacity) || capacity < 0 || capacity > MAX_ENTITIES) {
    throw badOption('capacity', capacity, `a whole number from 0 to ${MAX_ENTITIES}`);
  }
  if (kernels !== 'auto' && kernels !== 'typescript' && kernels !== 'wasm') {
    throw badOption('kernels', kernels, "'auto', 'typescript' or 'wasm'");
  }
  const threads = checkedThreads(options.threads);
  const granularity = checkedGranularity(options);
  const interestNames = new Map<string, number>();
  const settings: WorldSettings = {
    dimensions,
    senses,
    senseCount: senses.length,
    rangeShape,
    ratioX,
    ratioY,
    ratioZ,
    granularity,
    cellRule: cellRuleOf(detector) ?? 'reach',
    cellRounding: checkedRounding(options),
    cellSize: checkedCellSize(options.cellSize),
    groups: checkedGroupKinds(options.groups),
    interestNames,
  };
  if (granularity === 'cell' && cellRuleOf(detector) === undefined) {
    throw notByCells(detector, Object.keys(CELL_RULES));
  }
  const interests = new InterestBook(settings, interestNames, rules);
  const debug = checkedDebug(options.debug);
  return { settings, makeDetector, capacity, kernels, threads, interests, debug };
}

function checkedSenses(senses: readonly string[] = ['sight']): readonly string[] {
  if (!Array.isArray(senses) || senses.length < 1 || senses.length > MAX_SENSES) {
    throw badOption('senses', senses, `1 to ${MAX_SENSES} names`);
  }
  for (const sense of senses) {
    if (typeof sense !== 'string' || sense === '')
      throw badOption('senses', sense, 'names that are not empty');
  }
  if (new Set(senses).size !== senses.length) throw badOption('senses', senses.join(', '), 'distinct names');
  return [...senses];
}

function checkedGroupKinds(groups: readonly string[] = ['group']): readonly string[] {
  if (!Array.isArray(groups) || groups.length < 1 || groups.length > MAX_GROUP_KINDS) {
    throw badOption('groups', groups, `1 to ${MAX_GROUP_KINDS} names`);
  }
  for (const kind of groups) {
    if (typeof kind !== 'string' || kind === '') throw badOption('groups', kind, 'names that are not empty');
  }
  if (new Set(groups).size !== groups.length) throw badOption('groups', groups.join(', '), 'distinct names');
  return [...groups];
}

function checkedRatio(ratio: WorldOptions['rangeRatio']): [number, number, number] {
  if (ratio === undefined) return [1, 1, 1];
  if (!Array.isArray(ratio) || ratio.length < 2 || ratio.length > 3) {
    throw badOption('rangeRatio', ratio, '[x, y] or [x, y, z]');
  }
  const [x, y, z = 1] = ratio;
  for (const value of [x, y, z]) {
    if (!isWithin(value, MAX_GAIN)) {
      throw badOption('rangeRatio', value, `numbers from ${MIN_MAGNITUDE} to ${MAX_GAIN}`);
    }
  }
  return [Math.fround(x), Math.fround(y), Math.fround(z)];
}

/**
 * Whether a size is a number from 1e-6 to `most`. Compares the float32 value, because a stored value must pass this
 * check again in a snapshot.
 */
function isWithin(value: unknown, most: number): value is number {
  return typeof value === 'number' && Math.fround(value) >= Math.fround(MIN_MAGNITUDE) && value <= most;
}

/** Throws `BAD_OPTION`. */
export function checkedThreads(threads = 1): number {
  if (!Number.isInteger(threads) || threads < 1 || threads > MAX_THREADS) {
    throw badOption('threads', threads, `a whole number from 1 to ${MAX_THREADS}`);
  }
  return threads;
}

/** Throws `BAD_OPTION`. */
export function checkedDebug(debug = false): boolean {
  if (typeof debug !== 'boolean') throw badOption('debug', debug, 'true or false');
  return debug;
}

function checkedGranularity({ granularity = 'exact', rangeShape, cellSize }: WorldOptions): Granularity {
  if (granularity === 'exact') return granularity;
  if (granularity !== 'cell') throw badOption('granularity', granularity, "'exact' or 'cell'");
  if (rangeShape !== undefined && rangeShape !== 'circle') {
    throw new UmweltError(
      'UNSUPPORTED',
      `rangeShape: ${shown(rangeShape)} was given with granularity 'cell', expected the default`,
      { field: 'rangeShape', value: rangeShape },
    );
  }
  if (cellSize === undefined) throw badOption('cellSize', undefined, "world units, with granularity 'cell'");
  return granularity;
}

function checkedRounding({ cellRounding = 'up', granularity = 'exact' }: WorldOptions): CellRounding {
  if (cellRounding !== 'up' && cellRounding !== 'down')
    throw badOption('cellRounding', cellRounding, "'up' or 'down'");
  if (cellRounding === 'down' && granularity === 'exact')
    throw badOption('cellRounding', cellRounding, "'up', or granularity: 'cell' with it");
  return cellRounding;
}

/** Throws `UNSUPPORTED` if the detector does not have the cell rule of a world with granularity 'cell'. */
export function checkGranularity(settings: WorldSettings, detector: DetectorName | DetectorFactory): void {
  if (settings.granularity === 'exact') return;
  if (cellRuleOf(detector) === settings.cellRule) return;
  const fitting = Object.keys(CELL_RULES).filter((name) => CELL_RULES[name] === settings.cellRule);
  throw notByCells(detector, fitting);
}

/** `undefined` for a detector that does not support granularity 'cell'. */
function cellRuleOf(detector: DetectorName | DetectorFactory): CellRule | undefined {
  return CELL_RULES[detectorNameOf(detectorFactory(detector))];
}

function notByCells(detector: unknown, fitting: readonly string[]): UmweltError {
  return new UmweltError(
    'UNSUPPORTED',
    `detector: ${shown(detector)} was given with granularity 'cell', expected ${fitting.join(' or ')}`,
    { field: 'detector', value: detector },
  );
}

function checkedCellSize(cellSize: WorldOptions['cellSize']): [number, number, number] | undefined {
  if (cellSize === undefined) return undefined;
  const isList = Array.isArray(cellSize);
  if (isList && (cellSize.length < 2 || cellSize.length > 3)) {
    throw badOption('cellSize', cellSize, 'a number, [x, y] or [x, y, z]');
  }
  const list: readonly (number | undefined)[] = isList ? cellSize : [cellSize as number];
  for (const [axis, value] of list.entries()) {
    if (value === undefined && axis === 2) continue;
    if (!isWithin(value, MAX_DISTANCE)) {
      throw badOption('cellSize', value, `world units from ${MIN_MAGNITUDE} to ${MAX_DISTANCE}`);
    }
  }
  const x = Math.fround(list[0] as number);
  return [x, Math.fround(list[1] ?? x), Math.fround(list[2] ?? x)];
}
