/**
 * The text messages of the feed: a page's requests, and the process's answers that are text, not frames. JSON, one object
 * per message, writer and reader side by side.
 *
 * Both readers never throw: they return a message with every member checked, or undefined. A page's message is never longer
 * than `PAGE_MESSAGE_MAX_BYTES`; the feed closes the connection on a longer one without reading it.
 */
import type { RangeShape, Rectangle } from 'umwelt';
import { type ExplanationNews, readExplanation } from './explanation-news.ts';
import { FEED_VERSION } from './frame-header.ts';
import { readStanding, type StandingNews } from './standing-news.ts';

/** The longest message is a window with four numbers of maximum length; it fits. */
export const PAGE_MESSAGE_MAX_BYTES = 256;

/** Maximum number of detectors offered to a page, and maximum length of a detector's name, in characters. */
export const DETECTORS_MAX = 64;
export const DETECTOR_NAME_MAX = 64;

/** Farthest edge of a window, in world units: beyond all worlds, and its extent still fits a float32. */
export const WINDOW_EDGE_MAX = 1e30;

/** Slowest and fastest speed that a page may request, as factors on real time. */
export const SPEED_MIN = 1 / 64;
export const SPEED_MAX = 64;

/** Frames store ticks in 32 bits. */
export const TICK_MAX = 0xffffffff;

/** Maximum number of names that a page may request in one message: they fit into it. */
export const NAMES_ASKED_MAX = 16;
/** Maximum length of an entity's name, in characters; longer names are cut. */
export const NAME_MAX = 80;

/** A rectangle or box in world units. */
export interface Bounds {
  /** World units. */
  minX: number;
  minY: number;
  maxX: number;
  maxY: number;
  /** If both are given, the world has three dimensions. */
  minZ?: number;
  maxZ?: number;
}

/** The range of ticks that a recording has. Integers, at most 2^32 - 1. */
export interface RecordingSpan {
  /** `firstTick` is the state before the recording's first change; `lastTick` is its last tick. */
  firstTick: number;
  lastTick: number;
  /** False: the recording was cut short after `lastTick`. */
  isComplete: boolean;
}

/** From the page. */
export type PageMessage =
  | { type: 'play' }
  | { type: 'pause' }
  | { type: 'step' }
  | { type: 'speed'; factor: number }
  /** Recordings only: show the state at the end of that tick. Replaces an earlier seek that is still under way. */
  | { type: 'seek'; tick: number }
  /** The entity to describe with focus frames, until another is selected; 0: none. */
  | { type: 'select'; id: number }
  | { type: 'hover'; id: number }
  /** The entity to compare with the selected one in explanations, until another is set; 0: none. */
  | { type: 'explain'; id: number }
  /** The entity whose surroundings are to be described, now and as they change; 0: none. */
  | { type: 'describe'; id: number }
  /** One of the detector names in the greeting. */
  | { type: 'detector'; name: string }
  /** The window whose structure is to be sent, now and whenever it may have changed; absent: stop sending. */
  | { type: 'structure'; window?: Rectangle | undefined }
  /** Entities whose names are requested, at most `NAMES_ASKED_MAX`. */
  | { type: 'names'; ids: readonly number[] }
  /** How many tick and structure frames the page has processed since it connected: the feed sends more only then. */
  | { type: 'taken'; frames: number; structures: number };

/** The first message to a page. */
export interface Greeting {
  type: 'greeting';
  version: typeof FEED_VERSION;
  title: string;
  kinds: string[];
  /** Names of the world's senses; the i-th name is bit i of a sense mask. */
  senses: string[];
  bounds: Bounds;
  tickSeconds: number;
  /** Shape of a range. */
  rangeShape: RangeShape;
  /** Half the extent of a range along x and y, in ranges; 1 except for boxes. */
  rangeRatio: [x: number, y: number];
  /** Names of the detectors to choose from; empty: the page may not choose. */
  detectors: string[];
  /** Whether a page may play, pause, step and change the speed. */
  isDriven: boolean;
  /** Whether entities have names that can be requested. */
  hasNames: boolean;
  /** Set if the world is that of a recording that can be sought through. */
  recording?: RecordingSpan | undefined;
}

/** All that is read of a greeting of another version. */
export interface ForeignGreeting {
  type: 'foreign';
  version: number;
}

/** Whether the world runs, and its speed. Sent when a command has changed it: a paused world has no tick to report it. */
export interface Pace {
  type: 'pace';
  paused: boolean;
  speed: number;
}

/** The world's detector. Sent after the greeting, when another was chosen, and when a choice was refused. */
export interface DetectorNews {
  type: 'detector';
  name: string;
  /** Why the requested detector was refused. */
  refusal?: string | undefined;
}

/** Progress on the way to a requested tick, 0 to 1; 1: arrived, and its frames have been sent. */
export interface SeekNews {
  type: 'seek';
  tick: number;
  progress: number;
}

/** Maximum length of a description, in characters; longer ones are cut. */
export const DESCRIPTION_MAX = 16_384;

/** The surroundings of an entity as text from `World.describe`, as of the tick. */
export interface DescriptionNews {
  type: 'description';
  tick: number;
  id: number;
  /** Absent: the entity is gone. */
  text?: string | undefined;
}

/** Display names of entities. */
export interface NamesNews {
  type: 'names';
  names: [id: number, name: string][];
}

/** From the feed. */
export type FeedMessage =
  | Greeting
  | Pace
  | DetectorNews
  | SeekNews
  | ExplanationNews
  | DescriptionNews
  | StandingNews
  | NamesNews;

export function writeMessage(message: PageMessage | FeedMessage): string {
  return JSON.stringify(message);
}

function parsed(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
    return value as Record<string, unknown>;
  } catch {
    return undefined;
  }
}

function isWhole(value: unknown, max: number): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= max;
}

function isFiniteNumber(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value);
}

/** Whether a page may be offered a detector of this name: it must be short and have no control characters. */
export function isDetectorName(value: unknown): value is string {
  if (typeof value !== 'string' || value.length === 0 || value.length > DETECTOR_NAME_MAX) return false;
  return !/[\p{Cc}\p{Cs}]/u.test(value);
}

export function readPageMessage(text: string): PageMessage | undefined {
  if (text.length > PAGE_MESSAGE_MAX_BYTES) return undefined;
  const message = parsed(text);
  switch (message?.type) {
    case 'play':
    case 'pause':
    case 'step':
      return { type: message.type };
    case 'speed': {
      const factor = message.factor;
      return isFiniteNumber(factor) && factor >= SPEED_MIN && factor <= SPEED_MAX
        ? { type: 'speed', factor }
        : undefined;
    }
    case 'seek': {
      const { tick } = message;
      return isWhole(tick, TICK_MAX) ? { type: 'seek', tick } : undefined;
    }
    case 'select':
    case 'hover':
    case 'explain':
    case 'describe': {
      const id = message.id;
      return isWhole(id, 0xffffffff) ? { type: message.type, id } : undefined;
    }
    case 'detector': {
      const { name } = message;
      return isDetectorName(name) ? { type: 'detector', name } : undefined;
    }
    case 'structure': {
      if (message.window === undefined) return { type: 'structure' };
      const window = readRectangle(message.window);
      const isFar =
        window !== undefined && Object.values(window).some((edge) => Math.abs(edge) > WINDOW_EDGE_MAX);
      return window === undefined || isFar ? undefined : { type: 'structure', window };
    }
    case 'names': {
      const { ids } = message;
      const areIds = Array.isArray(ids) && ids.length <= NAMES_ASKED_MAX;
      return areIds && ids.every((id) => isWhole(id, 0xffffffff)) ? { type: 'names', ids } : undefined;
    }
    case 'taken': {
      const { frames, structures } = message;
      if (!isWhole(frames, Number.MAX_SAFE_INTEGER) || !isWhole(structures, Number.MAX_SAFE_INTEGER))
        return undefined;
      return { type: 'taken', frames, structures };
    }
    default:
      return undefined;
  }
}

function readRectangle(value: unknown): Rectangle | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const { minX, minY, maxX, maxY } = value as Record<string, unknown>;
  if (!isFiniteNumber(minX) || !isFiniteNumber(minY) || !isFiniteNumber(maxX) || !isFiniteNumber(maxY))
    return undefined;
  if (minX > maxX || minY > maxY || !Number.isFinite(maxX - minX + (maxY - minY))) return undefined;
  return { minX, minY, maxX, maxY };
}

function readBounds(value: unknown): Bounds | undefined {
  const rectangle = readRectangle(value);
  if (rectangle === undefined) return undefined;
  const { minZ, maxZ } = value as Record<string, unknown>;
  if (isFiniteNumber(minZ) && isFiniteNumber(maxZ) && minZ <= maxZ) return { ...rectangle, minZ, maxZ };
  return minZ === undefined && maxZ === undefined ? rectangle : undefined;
}

function readRatio(value: unknown): [x: number, y: number] | undefined {
  if (!Array.isArray(value) || value.length !== 2) return undefined;
  const [x, y] = value as unknown[];
  return isFiniteNumber(x) && isFiniteNumber(y) && x >= 0 && y >= 0 ? [x, y] : undefined;
}

export function readFeedMessage(text: string): FeedMessage | ForeignGreeting | undefined {
  const message = parsed(text);
  if (message?.type === 'pace') {
    const { paused, speed } = message;
    return typeof paused === 'boolean' && isFiniteNumber(speed) ? { type: 'pace', paused, speed } : undefined;
  }
  if (message?.type === 'detector') {
    const { name, refusal } = message;
    if (typeof name !== 'string' || (refusal !== undefined && typeof refusal !== 'string')) return undefined;
    return { type: 'detector', name, ...(refusal === undefined ? {} : { refusal }) };
  }
  if (message?.type === 'seek') {
    const { tick, progress } = message;
    const isShare = isFiniteNumber(progress) && progress >= 0 && progress <= 1;
    return isWhole(tick, TICK_MAX) && isShare ? { type: 'seek', tick, progress } : undefined;
  }
  if (message?.type === 'explanation') return readExplanation(message);
  if (message?.type === 'standing') return readStanding(message);
  if (message?.type === 'description') {
    const { tick, id, text } = message;
    if (!isWhole(tick, TICK_MAX) || !isWhole(id, 0xffffffff)) return undefined;
    if (text === undefined) return { type: 'description', tick, id };
    return typeof text === 'string' ? { type: 'description', tick, id, text } : undefined;
  }
  if (message?.type === 'names') return readNames(message);
  return message?.type === 'greeting' ? readGreeting(message) : undefined;
}

function readNames({ names }: Record<string, unknown>): NamesNews | undefined {
  if (!Array.isArray(names) || names.length > NAMES_ASKED_MAX) return undefined;
  const areNames = names.every((pair) => {
    const [id, name] = Array.isArray(pair) ? (pair as unknown[]) : [];
    return isWhole(id, 0xffffffff) && typeof name === 'string' && name.length <= NAME_MAX;
  });
  return areNames ? { type: 'names', names } : undefined;
}

/** `null`: the value is no span. */
function readSpan(value: unknown): RecordingSpan | null | undefined {
  if (value === undefined) return undefined;
  if (typeof value !== 'object' || value === null) return null;
  const { firstTick, lastTick, isComplete } = value as Record<string, unknown>;
  if (!isWhole(firstTick, TICK_MAX) || !isWhole(lastTick, TICK_MAX) || firstTick > lastTick) return null;
  return typeof isComplete === 'boolean' ? { firstTick, lastTick, isComplete } : null;
}

function readGreeting(message: Record<string, unknown>): Greeting | ForeignGreeting | undefined {
  const { version, title, kinds, senses, tickSeconds, rangeShape, detectors, isDriven, hasNames } = message;
  const bounds = readBounds(message.bounds);
  const rangeRatio = readRatio(message.rangeRatio);
  const recording = readSpan(message.recording);
  if (!isWhole(version, 0xffff)) return undefined;
  if (version !== FEED_VERSION) return { type: 'foreign', version };
  if (typeof title !== 'string' || bounds === undefined) return undefined;
  if (!isFiniteNumber(tickSeconds) || tickSeconds <= 0 || rangeRatio === undefined) return undefined;
  if (!Array.isArray(kinds) || !kinds.every((kind) => typeof kind === 'string')) return undefined;
  if (!Array.isArray(senses) || !senses.every((sense) => typeof sense === 'string')) return undefined;
  if (typeof isDriven !== 'boolean' || typeof hasNames !== 'boolean') return undefined;
  if (!Array.isArray(detectors) || !detectors.every(isDetectorName)) return undefined;
  if (recording === null) return undefined;
  if (rangeShape !== 'circle' && rangeShape !== 'box' && rangeShape !== 'cylinder') return undefined;
  return {
    type: 'greeting',
    version,
    title,
    kinds,
    senses,
    bounds,
    tickSeconds,
    rangeShape,
    rangeRatio,
    detectors,
    isDriven,
    hasNames,
    ...(recording === undefined ? {} : { recording }),
  };
}
