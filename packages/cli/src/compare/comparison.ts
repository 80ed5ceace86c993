/**
 * The result of a run of `umwelt compare` as it is stored: JSON, its writer and its reader.
 *
 * The report, its plots, verdicts and advice depend on this alone, so a report can be made again from a stored result on any
 * machine. Crowds and rows are plain data; an absent member was not measured.
 */
import { Mistake } from '../faults.ts';
import { type Figure, type FigureName, figureNames } from './figure.ts';

const FORMAT = 'umwelt compare';
const VERSION = 1;

/**
 * What a crowd is measured for: growing crowds, one crowd getting denser, one crowd on growing maps, a hundred people on
 * growing maps, new entities in crowds without watchers, the crowds of a published comparison, and the inexactness of answers
 * by cells.
 */
export type Series = 'population' | 'density' | 'map' | 'empty-map' | 'insertion' | 'published' | 'cells';

const ALL_SERIES: readonly Series[] = [
  'population',
  'density',
  'map',
  'empty-map',
  'insertion',
  'published',
  'cells',
];

export interface Crowd {
  readonly id: string;
  readonly series: Series;
  /** What the crowds of one curve have in common: the name of a scenario or recording. */
  readonly scenario: string;
  readonly title: string;
  readonly dimensions: 2 | 3;
  readonly entities: number;
  /** World units; the range of most watchers. */
  readonly range: number;
  /** World units. */
  readonly mapWidth: number;
  readonly mapHeight: number;
  /** With cells as wide as the range, over the whole map. */
  readonly entitiesPerCell: number;
  readonly cellsPerEntity: number;
  /** Other entities that a watcher perceives, on average. */
  readonly perceived: number;
  /** Number of entities that move in a tick with all moving. */
  readonly movers: number;
}

/** Pairs that a contender by cells reports, and how many of them are not perceived or are missing. */
export interface Inexactness {
  readonly exact: number;
  readonly reported: number;
  readonly extra: number;
  readonly missed: number;
}

export interface Row {
  /** Its id. */
  readonly crowd: string;
  readonly contender: string;
  readonly isExact: boolean;
  /** How often the contender ran through the script. */
  readonly rounds: number;
  /** Milliseconds. */
  readonly figures: Readonly<Partial<Record<FigureName, Figure>>>;
  readonly memoryBytes?: number;
  /** Sum modulo 2^64 of the hashes of all ticks of one round: 16 hexadecimal digits. */
  readonly hash?: string;
  /** Why there are no figures. */
  readonly skipped?: string;
  readonly inexactness?: Inexactness;
}

export interface Machine {
  readonly processor: string;
  readonly cores: number;
  readonly runtime: string;
}

export interface Comparison {
  readonly machine: Machine;
  /** The date, ISO 8601. */
  readonly date: string;
  /** The command that produced the result. */
  readonly command: string;
  /** Time limit per contender and crowd. */
  readonly budgetSeconds: number;
  /** Small sizes, to check that everything works: the figures mean nothing. */
  readonly isSmoke: boolean;
  readonly crowds: readonly Crowd[];
  readonly rows: readonly Row[];
}

/** The stored text. One row per line would be shorter; one member per line shows what changed between two results. */
export function writeComparison(comparison: Comparison): string {
  return `${JSON.stringify({ format: FORMAT, version: VERSION, ...comparison }, rounded, 2)}\n`;
}

/** Five significant digits are more than the measurements give. */
function rounded(_name: string, value: unknown): unknown {
  return typeof value === 'number' && !Number.isInteger(value) ? Number(value.toPrecision(5)) : value;
}

/** @throws Mistake unless `text` was written by `writeComparison`. `name` is the file's, for the message. */
export function readComparison(text: string, name: string): Comparison {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new Mistake(`${name}: expected the JSON that umwelt compare writes; this is not JSON`);
  }
  if (!isRecord(value) || value.format !== FORMAT || value.version !== VERSION) {
    throw new Mistake(`${name}: expected the JSON that umwelt compare writes, version ${VERSION}`);
  }
  const { format: _format, version: _version, ...rest } = value;
  const problem = problemIn(rest);
  if (problem !== undefined) throw new Mistake(`${name}: ${problem}`);
  return rest as unknown as Comparison;
}

/** The problem of the first invalid member. */
function problemIn(value: Record<string, unknown>): string | undefined {
  const { machine, crowds, rows } = value;
  if (!isRecord(machine) || !hasTexts(machine, ['processor', 'runtime']) || !hasNumbers(machine, ['cores'])) {
    return "its 'machine' is incomplete";
  }
  if (!hasTexts(value, ['date', 'command']) || !hasNumbers(value, ['budgetSeconds'])) {
    return "its 'date', 'command' or 'budgetSeconds' is missing";
  }
  if (typeof value.isSmoke !== 'boolean') return "its 'isSmoke' is missing";
  if (!Array.isArray(crowds) || !Array.isArray(rows)) return "its 'crowds' or 'rows' are no list";
  const badCrowd = crowds.findIndex((crowd) => !isCrowd(crowd));
  if (badCrowd >= 0) return `crowd ${badCrowd} is incomplete`;
  const ids = new Set(crowds.map((crowd: Crowd) => crowd.id));
  const badRow = rows.findIndex((row) => !isRow(row) || !ids.has(row.crowd));
  return badRow >= 0 ? `row ${badRow} is incomplete, or its crowd is missing` : undefined;
}

function isCrowd(value: unknown): value is Crowd {
  return (
    isRecord(value) &&
    hasTexts(value, ['id', 'scenario', 'title']) &&
    ALL_SERIES.includes(value.series as Series) &&
    hasNumbers(value, [
      'dimensions',
      'entities',
      'range',
      'mapWidth',
      'mapHeight',
      'entitiesPerCell',
      'cellsPerEntity',
      'perceived',
      'movers',
    ])
  );
}

function isRow(value: unknown): value is Row {
  if (!isRecord(value) || !hasTexts(value, ['crowd', 'contender']) || !hasNumbers(value, ['rounds']))
    return false;
  if (typeof value.isExact !== 'boolean' || !isRecord(value.figures)) return false;
  if (value.hash !== undefined && !/^[0-9a-f]{16}$/u.test(String(value.hash))) return false;
  if (value.skipped !== undefined && typeof value.skipped !== 'string') return false;
  if (value.memoryBytes !== undefined && typeof value.memoryBytes !== 'number') return false;
  const { inexactness } = value;
  const counts = ['exact', 'reported', 'extra', 'missed'];
  if (inexactness !== undefined && !(isRecord(inexactness) && hasNumbers(inexactness, counts))) return false;
  return Object.entries(value.figures).every(
    ([name, figure]) =>
      (figureNames as readonly string[]).includes(name) &&
      isRecord(figure) &&
      hasNumbers(figure, ['median', 'low', 'high', 'samples']),
  );
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function hasTexts(value: Record<string, unknown>, names: readonly string[]): boolean {
  return names.every((name) => typeof value[name] === 'string');
}

function hasNumbers(value: Record<string, unknown>, names: readonly string[]): boolean {
  return names.every((name) => Number.isFinite(value[name]));
}
