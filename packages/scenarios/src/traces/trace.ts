/**
 * A whole recording of real movement: its properties, and playbacks of it.
 *
 * Playback options that are not given are chosen from the recording: a speed at which people can watch it, and a range at which an
 * entity perceives about ten others at the fullest moment, when a world costs most. Reading is the expensive part, a second
 * per million samples; playbacks share the data.
 */
import { basename } from 'node:path';
import { UmweltError } from 'umwelt';
import { checkNames, checkNumber, MOST_ENTITIES, numberOptions, told } from '../option-check.ts';
import type { Simulation } from '../simulation.ts';
import { Attendance } from './attendance.ts';
import { Nearness } from './nearness.ts';
import { collectTrace, type TraceColumns } from './trace-columns.ts';
import { checkColumns } from './trace-layout.ts';
import { readTrace } from './trace-reader.ts';
import { pitch, TraceSimulation } from './trace-simulation.ts';

/** How to read a file. A member that is `undefined` counts as absent. */
export interface TraceFileOptions {
  /** How long an id without a further sample stays, in the recording's seconds. Default 10. */
  gapSeconds?: number | undefined;
  /** The file's columns, as for `readTrace`. Absent: the header is t,id,x,y or t,id,x,y,z. */
  columns?: readonly string[] | undefined;
}

/** How to play a recording. A member that is `undefined` counts as absent. */
export interface TracePlayOptions {
  /** Seconds per step. Default 0.05. */
  tickSeconds?: number | undefined;
  /** Repeats the crowd side by side: `tile` * `tile` independent copies. Default 1. */
  tile?: number | undefined;
  /**
   * The recording's seconds per second. Default: 1 if the average moving entity crosses the scene within a minute, else the smallest
   * of 2, 5, 10, 30, 60, ... with which that takes at most half a minute.
   */
  speed?: number | undefined;
  /** Range of each entity, in the recording's units. Default: `Trace.usualRange`. */
  range?: number | undefined;
  /** Whether to start again at the end. false (default): `done` becomes true, and further steps change nothing. */
  loop?: boolean | undefined;
  /** Time of the first step, in the recording's seconds after its first sample. Default 0. */
  startSeconds?: number | undefined;
}

/** How to read and play a recording. */
export interface TraceOptions extends TraceFileOptions, TracePlayOptions {}

const FILE_NAMES = ['gapSeconds', 'columns'] as const;
const PLAY_NAMES = ['tickSeconds', 'tile', 'speed', 'range', 'loop', 'startSeconds'] as const;
const GAP_RULE = { default: 10, min: 0.001, max: 1e9 };
const PLAY_RULES = {
  tickSeconds: { default: 0.05, min: 0.001, max: 10 },
  tile: { default: 1, min: 1, max: 1000, whole: true },
  startSeconds: { default: 0, min: 0, max: 1e12 },
};
const SPEED_RULE = { default: 1, min: 1e-6, max: 1e6 };
const RANGE_RULE = { default: 1, min: 1e-6, max: 1e12 };
/** Maximum number of rows: actors of all copies, present or not. */
const MOST_ACTORS = 16_777_216;
/** Speeds that people can imagine. */
const PACES = [2, 5, 10, 30, 60, 120, 300, 600, 1800, 3600, 10_800, 21_600, 43_200, 86_400];
const PERCEIVED = 10;
/** With fewer others than this, ten would be most of the crowd: then the range is at most a fifth of the scene. */
const FEW = 20;

/** A recording of movement in memory, for any number of playbacks. */
export class Trace {
  /** 'pedestrians' for 'pedestrians.csv.gz'. */
  readonly title: string;
  /** 3 if there is a column z. */
  readonly dimensions: 2 | 3;
  /** Number of distinct ids. */
  readonly idCount: number;
  /** Number of appearances: one per id, and one more after each pause without samples that exceeds the gap. */
  readonly visitCount: number;
  /** Whether nothing moves because no id has two samples within the gap, although there are ids with several samples. */
  readonly isTorn: boolean;
  /** Duration from its first sample to its last. */
  readonly seconds: number;
  /** The moment with the most entities, in seconds after the first sample, and their number. */
  readonly fullest: { readonly seconds: number; readonly count: number };
  /** Default speed of a playback: the recording's seconds per world second. */
  readonly usualSpeed: number;
  readonly #columns: TraceColumns;
  readonly #attendance: Attendance;
  readonly #gapSeconds: number;
  #nearness: Nearness | undefined;

  constructor(title: string, columns: TraceColumns, gapSeconds: number) {
    this.title = title;
    this.#columns = columns;
    this.#gapSeconds = gapSeconds;
    this.#attendance = new Attendance(columns, gapSeconds);
    const { time, sampleCount, dimensions, ids } = columns;
    const { peak, peakTime } = this.#attendance;
    this.dimensions = dimensions;
    this.idCount = ids.length;
    this.visitCount = columns.starts.length;
    this.isTorn = this.visitCount === sampleCount && sampleCount > ids.length;
    this.seconds = time[sampleCount - 1]! - time[0]!;
    this.fullest = { seconds: peakTime - time[0]!, count: peak };
    this.usualSpeed = paceFor(columns);
  }

  /**
   * Default range of a playback, to two digits: an entity perceives about ten others at the fullest moment, in one copy. With
   * fewer than twenty others it is at most a fifth of the scene.
   */
  get usualRange(): number {
    const extents = [0, 1].map((axis) => this.#columns.high[axis]! - this.#columns.low[axis]!);
    const wide = extents.filter((extent) => extent > 0);
    const fifth = wide.length === 0 ? 0.2 : Math.min(...wide) / 5;
    const forTen = this.#near().rangeFor(PERCEIVED) ?? fifth;
    const range = this.fullest.count - 1 < FEW ? Math.min(forTen, fifth) : forTen;
    return Math.max(RANGE_RULE.min, Number(range.toPrecision(2)));
  }

  /** Mean number of others that an entity perceives with that range at the fullest moment, in one copy. */
  perceivedWithin(range: number): number {
    return this.#near().within(range);
  }

  /**
   * A simulation with one actor per id and copy, all watchers with the same range; no actor is present before the first step.
   * @throws UmweltError `BAD_OPTION` for invalid options.
   */
  play(options: TracePlayOptions = {}): Simulation {
    const { loop, speed, range, tickSeconds, tile, startSeconds } = checkedPlay(options);
    const copies = tile * tile;
    if (this.fullest.count * copies > MOST_ENTITIES || this.idCount * copies > MOST_ACTORS) {
      const crowd = `${this.idCount} ids, up to ${this.fullest.count} at once, ${copies} times`;
      throw new UmweltError(
        'BAD_OPTION',
        `a trace: tile is ${tile}; ${crowd} are more than fit into a world`,
        {
          field: 'tile',
          value: tile,
        },
      );
    }
    return new TraceSimulation(this.#columns, {
      title: this.title,
      gapSeconds: this.#gapSeconds,
      attendance: this.#attendance,
      tickSeconds,
      tile,
      startSeconds,
      loop,
      speed: speed ?? this.usualSpeed,
      range: range ?? this.usualRange,
    });
  }

  /** Distances at the fullest moment. */
  #near(): Nearness {
    if (this.#nearness === undefined) {
      const crowd = this.play({ range: 1, startSeconds: this.fullest.seconds });
      crowd.step();
      const there = (_: number, actor: number) => crowd.present[actor] === 1;
      const [x, y, z] = [crowd.x, crowd.y, crowd.z].map((column) => column.filter(there));
      this.#nearness = new Nearness({ x: x!, y: y!, z: z! });
    }
    return this.#nearness;
  }
}

/** Default speed, from the time in which the average moving entity crosses the scene. */
function paceFor(trace: TraceColumns): number {
  if (trace.meanSpeed === 0) return 1;
  const crossingSeconds = Math.max(pitch(trace, 0), pitch(trace, 1)) / trace.meanSpeed;
  if (crossingSeconds <= 60) return 1;
  return PACES.find((pace) => crossingSeconds / pace <= 30) ?? PACES.at(-1)!;
}

function checkedFile({ gapSeconds, columns }: TraceFileOptions): { gapSeconds: number } {
  if (columns !== undefined) checkColumns(columns);
  return numberOptions('a trace', { gapSeconds }, { gapSeconds: GAP_RULE });
}

function checkedPlay({ loop = false, speed, range, ...rest }: TracePlayOptions) {
  const numbers = numberOptions('a trace', rest, PLAY_RULES);
  if (speed !== undefined) checkNumber('a trace', 'speed', speed, SPEED_RULE);
  if (range !== undefined) checkNumber('a trace', 'range', range, RANGE_RULE);
  if (typeof loop !== 'boolean') {
    throw new UmweltError('BAD_OPTION', `a trace: loop is ${told(loop)}; expected true or false`, {
      field: 'loop',
      value: loop,
    });
  }
  return { loop, speed, range, ...numbers };
}

/**
 * Reads the whole recording at `path`. Rejects with `BAD_TRACE` if the file is invalid (the line's number is in the message and in
 * `details.index`), with `BAD_OPTION` for invalid options.
 */
export async function loadTrace(path: string, options: TraceFileOptions = {}): Promise<Trace> {
  checkNames('a trace', options, FILE_NAMES);
  const { gapSeconds } = checkedFile(options);
  if (typeof path !== 'string') {
    const message = `a trace: path is ${told(path)}; expected the path of a file`;
    throw new UmweltError('BAD_OPTION', message, { field: 'path', value: path });
  }
  const name = basename(path);
  const title = name.replace(/\.gz$/, '').replace(/\.csv$/, '') || name;
  const columns = await collectTrace(readTrace(path, { columns: options.columns }), name, gapSeconds);
  return new Trace(title, columns, gapSeconds);
}

/**
 * Reads the whole recording at `path` and plays it: `loadTrace` and `Trace.play` in one. Rejects with `BAD_TRACE`,
 * `BAD_OPTION`.
 */
export async function openTrace(path: string, options: TraceOptions = {}): Promise<Simulation> {
  checkNames('a trace', options, [...FILE_NAMES, ...PLAY_NAMES]);
  const { gapSeconds, columns, ...play } = options;
  checkedFile({ gapSeconds, columns });
  checkedPlay(play);
  const trace = await loadTrace(path, { gapSeconds, columns });
  return trace.play(play);
}
