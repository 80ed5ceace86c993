/**
 * What whoever starts an inspector says of the world, and what the inspector may ask of them.
 */
import { type EntityId, type RangeShape, UmweltError, type World } from 'umwelt';
import {
  type Bounds,
  DETECTOR_NAME_MAX,
  DETECTORS_MAX,
  isDetectorName,
  type RecordingSpan,
  TICK_MAX,
} from '../feed-message.ts';
import type { SenseRange } from '../focus-frame.ts';

/** What a page may ask of whoever drives the world. */
export interface InspectorCommands {
  play(): void;
  pause(): void;
  /** One tick, while paused. */
  step(): void;
  /** `factor` is 1/64 to 64; 1 is real time. */
  setSpeed(factor: number): void;
  /** To a tick of the options' `recording`. Arriving is told by `publish`, and the way there by `tellSeek`. */
  seek?(tick: number): void;
  /** `name` is one of the options' `detectors`. An `UmweltError` that it throws is shown on the page. */
  setDetector?(name: string): void;
}

export interface InspectorOptions {
  /** Asked for anew whenever it is needed, so that it may be a getter: going back in a recording makes another. */
  readonly world: World;
  /** Shown at the top of the page. */
  title: string;
  /** Names of the kinds that `kindOf` counts. At most 256. */
  kinds: readonly string[];
  /** An index into `kinds`; asked once for each entity. */
  kindOf(id: EntityId): number;
  /** World time from tick to tick at speed 1. */
  tickSeconds: number;
  /** What the page shows at first, in world units. With `minZ` and `maxZ` the world has three dimensions. */
  bounds: Bounds;
  /** An entity's longest range in world units, for drawing; 0 for none. */
  rangeOf?(id: EntityId): number;
  /** An entity's range in each sense that it has, for drawing. At most 8; beside it, `rangeOf` may be left out. */
  rangesOf?(id: EntityId): readonly SenseRange[];
  /** The world's own, for drawing ranges; 'circle' unless given. */
  rangeShape?: RangeShape;
  /** The world's own; 1s unless given. */
  rangeRatio?: readonly [x: number, y: number, z?: number];
  /**
   * Names of the detectors that a page may give the world: at most 64, each of 1 to 64 characters. With none, or
   * without the command `setDetector`, it shows the detector and may not choose.
   */
  detectors?: readonly string[];
  /** The world is that of a recording: the page has its time line. With the command `seek`. */
  recording?: RecordingSpan;
  commands: InspectorCommands;
  /** 0 takes a free one. */
  port: number;
  /** 127.0.0.1 unless given. */
  host?: string;
}

/** Throws `BAD_OPTION`. */
export function checkOptions(options: InspectorOptions): void {
  const { kinds, tickSeconds, bounds, port, detectors, rangeRatio } = options;
  const { minX, minY, maxX, maxY, minZ = 0, maxZ = 0 } = bounds;
  if (!Number.isInteger(port) || port < 0 || port > 65_535) {
    throw badOption('port', `port is ${port}; expected an integer of 0 to 65535`, port);
  }
  if (!(tickSeconds > 0) || !Number.isFinite(tickSeconds)) {
    throw badOption('tickSeconds', `tickSeconds is ${tickSeconds}; expected a number above 0`, tickSeconds);
  }
  if (kinds.length > 256) {
    throw badOption('kinds', `kinds has ${kinds.length} names; expected at most 256`);
  }
  const isOrdered = minX <= maxX && minY <= maxY && minZ <= maxZ;
  if (!isOrdered || !Number.isFinite(maxX - minX + (maxY - minY) + (maxZ - minZ))) {
    throw badOption('bounds', 'bounds are not finite numbers with each min at most its max', bounds);
  }
  if (detectors !== undefined && (detectors.length > DETECTORS_MAX || !detectors.every(isDetectorName))) {
    const expected = `at most ${DETECTORS_MAX} names of 1 to ${DETECTOR_NAME_MAX} characters`;
    throw badOption(
      'detectors',
      `detectors are ${JSON.stringify(detectors)}; expected ${expected}`,
      detectors,
    );
  }
  checkRecording(options);
  const [ratioX, ratioY] = rangeRatio ?? [1, 1];
  if (!(ratioX >= 0 && ratioY >= 0) || !Number.isFinite(ratioX + ratioY)) {
    throw badOption('rangeRatio', `rangeRatio is ${rangeRatio}; expected numbers of at least 0`, rangeRatio);
  }
}

function checkRecording({ recording, commands }: InspectorOptions): void {
  if (recording === undefined) return;
  const { firstTick, lastTick } = recording;
  const areTicks = [firstTick, lastTick].every((tick) => Number.isInteger(tick) && tick >= 0);
  if (!areTicks || firstTick > lastTick || lastTick > TICK_MAX || commands.seek === undefined) {
    const expected = `ticks of 0 to ${TICK_MAX}, the first at most the last, and the command seek`;
    throw badOption(
      'recording',
      `recording is ${JSON.stringify(recording)}; expected ${expected}`,
      recording,
    );
  }
}

function badOption(field: string, message: string, value?: unknown): UmweltError {
  return new UmweltError('BAD_OPTION', message, { field, ...(value === undefined ? {} : { value }) });
}
