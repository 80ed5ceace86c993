/**
 * The text messages of the feed: what a page asks of the world's process, and the two things that this says in
 * words rather than in frames. JSON, one object a message, writer and reader side by side.
 *
 * Both readers are total: they answer a message whose every member has been checked, or undefined. What a page
 * sends is never longer than `PAGE_MESSAGE_MAX_BYTES`; the feed closes on a longer one unread.
 */

/** The longest of a page's messages takes half of this. */
export const PAGE_MESSAGE_MAX_BYTES = 128;

/** Slowest and fastest pace that a page may ask for, as factors on real time. */
export const SPEED_MIN = 1 / 64;
export const SPEED_MAX = 64;

/** World units. */
export interface Bounds {
  minX: number;
  minY: number;
  maxX: number;
  maxY: number;
  /** Both given: the world has three dimensions. */
  minZ?: number;
  maxZ?: number;
}

/** From the page. */
export type PageMessage =
  | { type: 'play' }
  | { type: 'pause' }
  | { type: 'step' }
  | { type: 'speed'; factor: number }
  /** The entity to answer for with focus frames, until another; 0: none. */
  | { type: 'select'; id: number }
  | { type: 'hover'; id: number }
  /** How many tick frames the page has taken in since it connected: the feed sends on only when they are. */
  | { type: 'taken'; frames: number };

/** The first thing a page hears. */
export interface Greeting {
  type: 'greeting';
  version: number;
  title: string;
  kinds: string[];
  bounds: Bounds;
  tickSeconds: number;
}

/** Whether and how fast the world goes on, told when a command has changed it: a paused world has no tick to tell it. */
export interface Pace {
  type: 'pace';
  paused: boolean;
  speed: number;
}

export type FeedMessage = Greeting | Pace;

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
    case 'select':
    case 'hover': {
      const id = message.id;
      return isWhole(id, 0xffffffff) ? { type: message.type, id } : undefined;
    }
    case 'taken': {
      const frames = message.frames;
      return isWhole(frames, Number.MAX_SAFE_INTEGER) ? { type: 'taken', frames } : undefined;
    }
    default:
      return undefined;
  }
}

function readBounds(value: unknown): Bounds | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const { minX, minY, maxX, maxY, minZ, maxZ } = value as Record<string, unknown>;
  if (!isFiniteNumber(minX) || !isFiniteNumber(minY) || !isFiniteNumber(maxX) || !isFiniteNumber(maxY))
    return undefined;
  if (minX > maxX || minY > maxY) return undefined;
  const bounds: Bounds = { minX, minY, maxX, maxY };
  if (isFiniteNumber(minZ) && isFiniteNumber(maxZ) && minZ <= maxZ) return { ...bounds, minZ, maxZ };
  return minZ === undefined && maxZ === undefined ? bounds : undefined;
}

export function readFeedMessage(text: string): FeedMessage | undefined {
  const message = parsed(text);
  if (message?.type === 'pace') {
    const { paused, speed } = message;
    return typeof paused === 'boolean' && isFiniteNumber(speed) ? { type: 'pace', paused, speed } : undefined;
  }
  if (message?.type !== 'greeting') return undefined;
  const { version, title, kinds, tickSeconds } = message;
  const bounds = readBounds(message.bounds);
  if (!isWhole(version, 0xffff) || typeof title !== 'string' || bounds === undefined) return undefined;
  if (!isFiniteNumber(tickSeconds) || tickSeconds <= 0) return undefined;
  if (!Array.isArray(kinds) || !kinds.every((kind) => typeof kind === 'string')) return undefined;
  return { type: 'greeting', version, title, kinds, bounds, tickSeconds };
}
