/**
 * What pages are told of a world, and what they may ask of whoever drives it: given by whoever makes the feed.
 */
import type { EntityId, RangeShape, WorldReader } from 'umwelt';
import type { Bounds, RecordingSpan } from '../feed-message.ts';
import type { SenseRange } from '../focus-frame.ts';

/** What a page may ask of whoever drives the world. */
export interface InspectorCommands {
  /** Goes on. */
  play(): void;
  /** Stops; `step` goes on by one tick. */
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

/** Of what a page is shown, and what it may ask for. */
export interface FeedOptions {
  /** Asked for anew whenever it is needed, so that it may be a getter: going back in a recording makes another. */
  readonly world: WorldReader;
  /** Shown at the top of the page. */
  title: string;
  /** Names of the kinds that `kindOf` counts. At most 256. */
  kinds: readonly string[];
  /** An index into `kinds`; asked once for each entity. */
  kindOf(id: EntityId): number;
  /**
   * Where kinds change while nobody comes or goes: another number than before has `kindOf` asked anew for all. Asked with each
   * frame. A page that meets a kind which was not among `kinds` when it was greeted is greeted again.
   */
  kindsVersion?(): number;
  /** What people call an entity, in at most 80 characters; its kind and id unless given. Pages ask for those they show. */
  nameOf?(id: EntityId): string;
  /** World time from tick to tick at speed 1. */
  tickSeconds: number;
  /** What the page shows at first, in world units. With `minZ` and `maxZ` the world has three dimensions. */
  bounds: Bounds;
  /** An entity's longest range in world units, for drawing; 0 for none. The world's own unless given. */
  rangeOf?(id: EntityId): number;
  /** An entity's range in each sense that it has, for drawing. At most 8. The world's own unless given, or `rangeOf` is. */
  rangesOf?(id: EntityId): readonly SenseRange[];
  /** For drawing ranges; the world's own unless given. */
  rangeShape?: RangeShape;
  /** The world's own unless given. */
  rangeRatio?: readonly [x: number, y: number, z?: number];
  /**
   * Names of the detectors that a page may give the world: at most 64, each of 1 to 64 characters. With none, or
   * without the command `setDetector`, it shows the detector and may not choose.
   */
  detectors?: readonly string[];
  /** The world is that of a recording: the page has its time line. With the command `seek`. */
  recording?: RecordingSpan;
  /** Without it a page shows no play and pause: whoever drives the world lets no page in on it. */
  commands?: InspectorCommands;
}
