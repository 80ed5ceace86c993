/**
 * Options of a feed: what pages see of a world, and which commands they may send.
 */
import type { EntityId, RangeShape, WorldReader } from 'umwelt';
import type { Bounds, RecordingSpan } from '../feed-message.ts';
import type { SenseRange } from '../focus-frame.ts';

/** Commands that a page may send to the program that drives the world. */
export interface InspectorCommands {
  /** Continues. */
  play(): void;
  /** Stops; `step` then advances by one tick. */
  pause(): void;
  /** Advances by one tick, while paused. */
  step(): void;
  /** Sets the speed. `factor` is 1/64 to 64; 1 is real time. */
  setSpeed(factor: number): void;
  /** Goes to a tick of the options' `recording`. Report the progress with `tellSeek` and the arrival with `publish`. */
  seek?(tick: number): void;
  /** Changes the detector. `name` is one of the options' `detectors`. If it throws an `UmweltError`, the page shows its message. */
  setDetector?(name: string): void;
}

/** What a page shows, and which commands it may send. */
export interface FeedOptions {
  /** Read anew at each use, so it may be a getter: seeking back in a recording creates another world. */
  readonly world: WorldReader;
  /** Title at the top of the page. */
  title: string;
  /** Names of the kinds; `kindOf` returns an index into this list. At most 256. */
  kinds: readonly string[];
  /**
   * Index of an entity's kind in `kinds`. While a page is open, called for each new entity, and again for all entities whenever
   * one was added or removed: in a large world for some of them with each frame, until all have been asked about. If it throws,
   * the entity has the first kind.
   */
  kindOf(id: EntityId): number;
  /**
   * For kinds that change while the set of entities stays the same: when the returned number changes, `kindOf` is called again
   * for all entities. Called with each frame. If a kind is new since a page's greeting, the page reconnects and is greeted again.
   */
  kindsVersion?(): number;
  /**
   * Display name of an entity; it is cut at 80 characters. Called for entities that a page shows, also for removed ones. If it
   * returns no text, an empty one, or throws, the page shows what it shows by default: kind and id.
   */
  nameOf?(id: EntityId): string;
  /** World time per tick at speed 1, in seconds. */
  tickSeconds: number;
  /** Initial view of the page, in world units. With `minZ` and `maxZ` the world has three dimensions. */
  bounds: Bounds;
  /** An entity's longest range in world units, for drawing; 0 for none, also if it throws. Default: the world's. */
  rangeOf?(id: EntityId): number;
  /** An entity's range in each of its senses, for drawing. At most 8; none if it throws. Default: the world's, unless `rangeOf` is given. */
  rangesOf?(id: EntityId): readonly SenseRange[];
  /** Shape for drawing ranges. Default: the world's. */
  rangeShape?: RangeShape;
  /** Default: the world's. */
  rangeRatio?: readonly [x: number, y: number, z?: number];
  /**
   * Names of the detectors that a page may choose: at most 64, each of 1 to 64 characters. Default: none. If empty, or without
   * the command `setDetector`, the page shows the detector but offers no choice.
   */
  detectors?: readonly string[];
  /** Set for the world of a recording: the page shows a time line. Requires the command `seek`. Default: no recording. */
  recording?: RecordingSpan;
  /** Without it a page has no play and pause: pages cannot control the world. */
  commands?: InspectorCommands;
}
