/**
 * The options for reading and playing a recording of real movement, the same for play, record and compare; and the lines that
 * describe the recording and the values chosen for it.
 */
import { loadTrace, type Trace } from '@umwelt/scenarios';
import { type Given, readList, readNumber, readWhole } from '../arguments.ts';
import { threeDigits } from '../compare/wording.ts';
import { counted, fullCount } from '../numbers.ts';

export const TRACE_OPTIONS = {
  trace: {
    value: 'FILE',
    help: 'recording to play instead: CSV, t,id,x,y or t,id,x,y,z; also .gz',
  },
  columns: {
    value: 'NAME,...',
    help: 'its columns, - to skip one: id,t,-,x,y; or its names of t,id,x,y: frame,ped,px,py',
  },
  tile: { value: 'COUNT', help: 'repeats the crowd COUNT x COUNT times, side by side (1)' },
  gap: { value: 'SECONDS', help: 'removes an entity that has no sample for that long (10)' },
  range: { value: 'DISTANCE', help: 'range of each entity (chosen: about ten others at the fullest moment)' },
  'playback-speed': {
    value: 'FACTOR',
    help: 'recorded seconds per world second (chosen from the recording)',
  },
} as const;

/** Options that have no effect without a recording. */
export const OF_TRACES = ['columns', 'tile', 'gap', 'range', 'playback-speed'] as const;

export interface TraceRequest {
  readonly path: string;
  readonly columns: readonly string[] | undefined;
  readonly gapSeconds: number;
  /** Absent: chosen from the recording. */
  readonly range: number | undefined;
  /** Absent: chosen from the recording. */
  readonly playbackSpeed: number | undefined;
}

/** @throws Mistake for invalid values. The columns are checked when the file is read. */
export function traceRequestOf(path: string, given: Given<typeof TRACE_OPTIONS>): TraceRequest {
  const { columns, gap, range, 'playback-speed': pace } = given;
  return {
    path,
    columns: columns === undefined ? undefined : readList(columns),
    gapSeconds: readNumber('--gap', gap ?? '10', 0.001, 1e9),
    range: range === undefined ? undefined : readNumber('--range', range, 1e-6, 1e12),
    playbackSpeed: pace === undefined ? undefined : readNumber('--playback-speed', pace, 0.001, 1e6),
  };
}

export function readTile(given: string | undefined): number {
  return readWhole('--tile', given ?? '1', 1, 1000);
}

/** Reads the whole file. Rejects with what is wrong with it. */
export function loadRequested({ path, columns, gapSeconds }: TraceRequest): Promise<Trace> {
  return loadTrace(path, { columns, gapSeconds });
}

/** Describes the recording, its fullest moment, and its range and speed; chosen values are marked as such. */
export function traceLines(trace: Trace, request: TraceRequest): string[] {
  const { idCount, seconds, fullest, usualSpeed } = trace;
  const range = request.range ?? trace.usualRange;
  const chosen = (given: number | undefined) => (given === undefined ? ' (chosen)' : '');
  const perceived = short(trace.perceivedWithin(range));
  const others = `${perceived} ${perceived === '1' ? 'other' : 'others'}`;
  const moment = `at most ${fullCount(fullest.count)} at once, ${short(fullest.seconds)} s from its beginning`;
  const pace = `playback speed ${short(request.playbackSpeed ?? usualSpeed)}${chosen(request.playbackSpeed)}`;
  return [
    `${trace.title}: ${counted(idCount, 'id')} in ${short(seconds)} s, ${moment}`,
    `range ${range}${chosen(request.range)}: at that moment an entity perceives ${others} on average`,
    `${pace}, gap ${short(request.gapSeconds)} s${visits(trace)}`,
  ];
}

/** How often ids appear, if more than once each. If the gap is too short for the samples, nothing ever moves. */
function visits({ idCount, visitCount, isTorn }: Trace): string {
  if (isTorn) return ': no id has two samples within the gap, so nothing moves; use a larger --gap';
  return visitCount > idCount ? `: ids appear ${fullCount(visitCount)} times` : '';
}

/** Three significant digits, or all digits of an integer. */
function short(number: number): string {
  return Number.isInteger(number)
    ? fullCount(number)
    : String(Number(threeDigits(number).replaceAll(',', '')));
}
