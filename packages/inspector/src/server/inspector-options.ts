/**
 * The options of an inspector: those of its feed, and where it listens and to whom. All of them are checked here.
 */
import { type RangeShape, UmweltError } from 'umwelt';
import type { FeedOptions, InspectorCommands } from '../feed/feed-options.ts';
import {
  type Bounds,
  DETECTOR_NAME_MAX,
  DETECTORS_MAX,
  isDetectorName,
  type RecordingSpan,
  TICK_MAX,
} from '../feed-message.ts';
import { isHostName, isToken } from './request-guard.ts';

/** Options of `startInspector`. */
export interface InspectorOptions extends FeedOptions {
  /** TCP port; 0 takes a free one. */
  port: number;
  /** Address to listen on. Default 127.0.0.1. On any address but loopback a page needs the token. */
  host?: string;
  /**
   * Token that a page must have in its address, 16 to 512 characters. Default: none on loopback, else a random one, which is part
   * of the inspector's `url`.
   */
  token?: string;
  /**
   * Further host names that are allowed in requests, besides the machine's own name and addresses: those of a reverse proxy
   * or a container. At most 64. Default: none.
   */
  hostNames?: readonly string[];
}

const HOST_NAMES_MAX = 64;
const KINDS_MAX = 256;
const TOLD_LENGTH = 200;
const RANGE_SHAPES: readonly RangeShape[] = ['circle', 'box', 'cylinder'];

/** All option names: any other name is a mistake. */
const OPTION_NAMES: Readonly<Record<keyof InspectorOptions, true>> = {
  world: true,
  title: true,
  kinds: true,
  kindOf: true,
  kindsVersion: true,
  nameOf: true,
  tickSeconds: true,
  bounds: true,
  rangeOf: true,
  rangesOf: true,
  rangeShape: true,
  rangeRatio: true,
  detectors: true,
  recording: true,
  commands: true,
  port: true,
  host: true,
  token: true,
  hostNames: true,
};
const COMMAND_NAMES: Readonly<Record<keyof InspectorCommands, 'needed' | 'optional'>> = {
  play: 'needed',
  pause: 'needed',
  step: 'needed',
  setSpeed: 'needed',
  seek: 'optional',
  setDetector: 'optional',
};
const BOUNDS_NAMES: Readonly<Record<keyof Bounds, true>> = {
  minX: true,
  minY: true,
  maxX: true,
  maxY: true,
  minZ: true,
  maxZ: true,
};
const RECORDING_NAMES: Readonly<Record<keyof RecordingSpan, true>> = {
  firstTick: true,
  lastTick: true,
  isComplete: true,
};

/** Throws `BAD_OPTION`. */
export function checkOptions(options: InspectorOptions): void {
  checkNames('', options, OPTION_NAMES);
  if (options.commands !== undefined) checkNames('commands.', options.commands, COMMAND_NAMES);
  checkNames('bounds.', options.bounds, BOUNDS_NAMES);
  if (options.recording !== undefined) checkNames('recording.', options.recording, RECORDING_NAMES);
  checkFunctions(options);
  checkAccess(options);
  const { world, kinds, tickSeconds, bounds, port, detectors, rangeShape, rangeRatio = [1, 1] } = options;
  if (typeof world?.stats !== 'function')
    throw badOption('world', `world is ${told(world)}; expected a World`, world);
  const { minX, minY, maxX, maxY, minZ = 0, maxZ = 0 } = bounds;
  if (!Number.isInteger(port) || port < 0 || port > 65_535) {
    throw badOption('port', `port is ${told(port)}; expected an integer of 0 to 65535`, port);
  }
  if (!(isNumber(tickSeconds) && tickSeconds > 0)) {
    throw badOption(
      'tickSeconds',
      `tickSeconds is ${told(tickSeconds)}; expected a number above 0`,
      tickSeconds,
    );
  }
  if (!areTexts(kinds) || kinds.length > KINDS_MAX) {
    throw badOption(
      'kinds',
      `kinds are ${told(kinds)}; expected a list of at most ${KINDS_MAX} names`,
      kinds,
    );
  }
  const areNumbers = [minX, minY, maxX, maxY, minZ, maxZ].every(isNumber);
  if (!areNumbers || minX > maxX || minY > maxY || minZ > maxZ) {
    const expected = 'finite numbers with each min at most its max';
    throw badOption('bounds', `bounds are ${told(bounds)}; expected ${expected}`, bounds);
  }
  const areDetectors =
    areTexts(detectors) && detectors.length <= DETECTORS_MAX && detectors.every(isDetectorName);
  if (detectors !== undefined && !areDetectors) {
    const expected = `a list of at most ${DETECTORS_MAX} names of 1 to ${DETECTOR_NAME_MAX} characters`;
    throw badOption('detectors', `detectors are ${told(detectors)}; expected ${expected}`, detectors);
  }
  checkRecording(options);
  if (rangeShape !== undefined && !RANGE_SHAPES.includes(rangeShape)) {
    const expected = RANGE_SHAPES.join(', ');
    throw badOption('rangeShape', `rangeShape is ${told(rangeShape)}; expected ${expected}`, rangeShape);
  }
  const areRatios = Array.isArray(rangeRatio) && rangeRatio.length >= 2 && rangeRatio.length <= 3;
  if (!areRatios || !rangeRatio.every((ratio) => isNumber(ratio) && ratio >= 0)) {
    const expected = 'a list of two or three numbers of at least 0';
    throw badOption('rangeRatio', `rangeRatio is ${told(rangeRatio)}; expected ${expected}`, rangeRatio);
  }
}

/** A finite number. */
function isNumber(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value);
}

function areTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((name) => typeof name === 'string');
}

/** A value as short text: not every value can be converted. */
export function told(value: unknown): string {
  try {
    return typeof value === 'string'
      ? `'${value}'`
      : (JSON.stringify(value) ?? String(value)).slice(0, TOLD_LENGTH);
  } catch {
    return typeof value === 'bigint' ? String(value) : `a ${typeof value}`;
  }
}

/** `prefix`: path of the object within the options. */
function checkNames(prefix: string, given: unknown, known: Readonly<Record<string, unknown>>): void {
  const field = prefix.slice(0, -1) || 'options';
  const names = Object.keys(known).join(', ');
  if (typeof given !== 'object' || given === null || Array.isArray(given))
    throw badOption(field, `${field} is ${told(given)}; expected an object of ${names}`, given);
  const unknown = Object.keys(given).find((name) => !Object.hasOwn(known, name));
  if (unknown === undefined) return;
  throw badOption(prefix + unknown, `${prefix}${unknown} is no option; expected ${names}`);
}

function checkFunctions({ kindOf, nameOf, rangeOf, rangesOf, commands, title }: InspectorOptions): void {
  if (typeof title !== 'string') throw badOption('title', `title is ${told(title)}; expected text`, title);
  const optional = Object.entries(COMMAND_NAMES).filter(([, need]) => need === 'optional');
  const mayBeAbsent = new Set([
    'nameOf',
    'rangeOf',
    'rangesOf',
    ...optional.map(([name]) => `commands.${name}`),
  ]);
  const given: [string, unknown][] = [
    ...Object.entries({ kindOf, nameOf, rangeOf, rangesOf }),
    ...(commands === undefined ? [] : Object.keys(COMMAND_NAMES)).map((name): [string, unknown] => [
      `commands.${name}`,
      commands?.[name as keyof InspectorCommands],
    ]),
  ];
  for (const [field, value] of given) {
    if (typeof value === 'function' || (value === undefined && mayBeAbsent.has(field))) continue;
    throw badOption(field, `${field} is ${told(value)}; expected a function`, value);
  }
}

function checkAccess({ host, token, hostNames = [] }: InspectorOptions): void {
  if (host !== undefined && (typeof host !== 'string' || host === ''))
    throw badOption('host', `host is ${told(host)}; expected an address or a name`, host);
  // Without its value: errors end up in logs.
  if (token !== undefined && !isToken(token))
    throw badOption('token', 'token is not what was expected: text of 16 to 512 characters');
  const areNames = Array.isArray(hostNames) && hostNames.every(isHostName);
  if (areNames && hostNames.length <= HOST_NAMES_MAX) return;
  const expected = `at most ${HOST_NAMES_MAX} names such as game.example, without protocol, port and path`;
  throw badOption('hostNames', `hostNames are ${told(hostNames)}; expected ${expected}`, hostNames);
}

function checkRecording({ recording, commands }: InspectorOptions): void {
  if (recording === undefined) return;
  const { firstTick, lastTick } = recording;
  const areTicks = [firstTick, lastTick].every((tick) => Number.isInteger(tick) && tick >= 0);
  if (!areTicks || firstTick > lastTick || lastTick > TICK_MAX || commands?.seek === undefined) {
    const expected = `ticks of 0 to ${TICK_MAX}, the first at most the last, and the command seek`;
    throw badOption('recording', `recording is ${told(recording)}; expected ${expected}`, recording);
  }
}

function badOption(field: string, message: string, value?: unknown): UmweltError {
  return new UmweltError('BAD_OPTION', message, { field, ...(value === undefined ? {} : { value }) });
}
