/**
 * Turns a world and its latest changes into frames.
 *
 * One `Feed` serves all pages: population and tick frames are built at most once per tick, when the first page needs them,
 * and shared. While no page is open, only four sums are computed. Focus and structure frames are built per page.
 *
 * Cost of a tick frame: one `position` call per entity, a few milliseconds at 100,000, and a pass over the tick's enter and
 * leave events.
 */
import type { Changes, EntityId, Rectangle } from 'umwelt';
import { EVENT_ENTERED, EVENT_LEFT, IS_WATCHED, writeTickFrame } from '../feed-frame.ts';
import { DESCRIPTION_MAX, type DescriptionNews, NAME_MAX, writeMessage } from '../feed-message.ts';
import {
  type FocusEvents,
  type FocusFrame,
  type FocusList,
  type SenseRange,
  writeFocusFrame,
} from '../focus-frame.ts';
import { writePopulationChange, writePopulationFrame } from '../population-frame.ts';
import { explainPair } from './explain-pair.ts';
import { FramePace, PACED_FROM } from './frame-pace.ts';
import { Population, type PopulationSource } from './population.ts';
import { NO_SEATS, NOT_KNOWN, perceivedBy, seatsOf } from './relations.ts';
import { standingOf } from './standing.ts';
import { structureFrame } from './structure-packing.ts';
import { Watched } from './watched.ts';

export interface FeedSource extends PopulationSource {
  /** Ranges by sense; empty if the feed does not distinguish senses. */
  rangesOf(id: EntityId): readonly SenseRange[];
  /** Display name; of any number, since pages may ask for any. */
  nameOf(id: EntityId): string;
}

export interface FeedStatus {
  tickMs: number;
  paused: boolean;
  speed: number;
}

const NONE: FocusList = { total: 0, ids: new Uint32Array(0) };
const NOBODY = {
  present: false,
  x: 0,
  y: 0,
  z: 0,
  range: 0,
  margin: 0,
  ranges: [],
  perceives: NOT_KNOWN,
  perceivedBy: NONE,
  seats: NO_SEATS,
};
const NO_EVENTS: FocusEvents = {
  sinceTick: 0,
  unknownTicks: 0,
  enteredTotal: 0,
  leftTotal: 0,
  ticks: new Uint32Array(0),
  areEnters: new Uint8Array(0),
  ids: new Uint32Array(0),
};

export class Feed {
  readonly status: FeedStatus = { tickMs: 0, paused: false, speed: 1 };
  readonly #source: FeedSource;
  readonly #dimensions: 2 | 3;
  /** In a recording a gap in ticks is a jump; otherwise it is a tick that was not published. */
  readonly isRecording: boolean;
  readonly #population = new Population();
  readonly #watched = new Watched();
  /** Events since the feed began. */
  readonly #totals = { enteredTotal: 0, leftTotal: 0, updatedTotal: 0, sensedTotal: 0 };
  /** Exactly as long as a position, so that the world fills and returns this array. */
  readonly #position: Float32Array;
  #positions = new Float32Array(0);
  #changes: Changes | undefined;
  #timeMs = 0;
  #leaps = 0;
  /** The last tick that is included in the totals. Stored separately, since the next tick may overwrite the changes. */
  #takenTick: number;
  #tickFrame: Uint8Array<ArrayBuffer> | undefined;
  readonly #pace = new FramePace();
  /** Built for the present version of the population. */
  readonly #populationFrames: {
    version: number;
    whole?: Uint8Array<ArrayBuffer>;
    change?: Uint8Array<ArrayBuffer>;
  } = {
    version: 0,
  };

  constructor(source: FeedSource, dimensions: 2 | 3, isRecording = false) {
    this.#source = source;
    this.#dimensions = dimensions;
    this.isRecording = isRecording;
    this.#position = new Float32Array(dimensions);
    this.#takenTick = source.world.tickCount;
  }

  get tick(): number {
    return this.#source.world.tickCount;
  }

  /**
   * Takes a tick's changes, at time `timeMs` of any steady clock. For changes that were published before, it only updates the
   * status.
   */
  publish(changes: Changes, status: FeedStatus, timeMs: number): void {
    Object.assign(this.status, status);
    if (changes.tick !== this.#takenTick) {
      if (this.isRecording && changes.tick !== this.#takenTick + 1) this.#leaps++;
      this.#count(changes);
      this.#watched.take(changes);
      this.#takenTick = changes.tick;
      this.#timeMs = timeMs;
    }
    this.#changes = changes;
    this.#tickFrame = undefined;
  }

  /** Invalidates the frames that were built with the previous status. */
  setPace(pace: Partial<FeedStatus>): void {
    Object.assign(this.status, pace);
    this.#tickFrame = undefined;
  }

  /** The positions of all entities now. Valid until the next `publish`. */
  tickFrame(): Uint8Array<ArrayBuffer> {
    if (this.#tickFrame !== undefined) return this.#tickFrame;
    this.#pace.begin();
    this.#population.refresh(this.#source);
    this.#readPositions();
    const { relationCount, lingeringCount, waitingCount } = this.#source.world.stats();
    this.#tickFrame = writeTickFrame({
      tick: this.tick,
      populationVersion: this.#population.version,
      ...this.status,
      timeMs: this.#timeMs,
      ...this.#totals,
      relations: relationCount,
      lingering: lingeringCount,
      waiting: waitingCount,
      leaps: this.#leaps,
      dimensions: this.#dimensions,
      positions: this.#positions,
      events: this.#events(),
    });
    return this.#tickFrame;
  }

  /**
   * How long a page must wait for `tickFrame`, in milliseconds: not at all if it is built already, or in a small world. A recording is played only
   * to be looked at, so its frames do not wait.
   */
  get frameWaitMs(): number {
    if (this.isRecording || this.#tickFrame !== undefined || this.#population.count < PACED_FROM) return 0;
    return this.#pace.waitMs;
  }

  /** The tick's frames for one page have taken this long, and that ends now. */
  spend(ms: number): void {
    this.#pace.spend(ms);
  }

  /** One more than the largest kind seen. */
  get kindCount(): number {
    return this.#population.kindCount;
  }

  /** Version of the population that the latest tick frame follows. */
  get populationVersion(): number {
    return this.#population.version;
  }

  /**
   * The population of the latest tick frame, for a page that has version `from`; 0: none. In a large world it is only what has
   * changed, if that is the version before.
   */
  populationFrame(from: number): Uint8Array<ArrayBuffer> {
    const { version, change, count } = this.#population;
    const built = this.#populationFrames;
    if (built.version !== version) Object.assign(built, { version, whole: undefined, change: undefined });
    const { tick } = this;
    if (change !== undefined && from === version - 1 && count >= PACED_FROM) {
      built.change ??= writePopulationChange({
        tick,
        populationVersion: version,
        baseVersion: from,
        removed: change.removed,
        ...this.#population.of(change.set),
      });
      return built.change;
    }
    const { ids, kinds, watchers } = this.#population;
    built.whole ??= writePopulationFrame({ tick, populationVersion: version, ids, kinds, watchers });
    return built.whole;
  }

  /**
   * The focus frame of `id`, which may be any number, since pages may ask for any, with its events. `isAhead`: the tick frame is
   * sent after it. Cost: the number of its relations; for the selected entity, if its cap cuts any marker, also that of
   * `World.outranked`.
   */
  focusFrame(
    id: EntityId,
    role: FocusFrame['role'],
    isAhead: boolean,
    events = NO_EVENTS,
  ): Uint8Array<ArrayBuffer> {
    const { world } = this.#source;
    if (!world.has(id)) return writeFocusFrame({ tick: this.tick, id, role, isAhead, ...NOBODY, events });
    world.position(id, this.#position);
    const [x = 0, y = 0, z = 0] = this.#position;
    return writeFocusFrame({
      tick: this.tick,
      id,
      role,
      isAhead,
      present: true,
      x,
      y,
      z,
      range: this.#source.rangeOf(id),
      margin: world.leaveMargin(id),
      ranges: this.#source.rangesOf(id),
      perceives: perceivedBy(world, id),
      perceivedBy: listOf(world.watchersOf(id)),
      seats: role === 'selected' ? seatsOf(world, id) : NO_SEATS,
      events,
    });
  }

  /** Why the two entities are related or not, in both directions, as of the last tick; text. Cost: see `explainPair`. */
  explanation(from: EntityId, to: EntityId): string {
    return writeMessage(explainPair(this.#source.world, from, to));
  }

  /** Attachments and conditions of `id`, which may be any number; text. */
  standing(id: EntityId): string {
    return writeMessage(standingOf(this.#source.world, id));
  }

  /** Display names of some entities, which may be any numbers; text. */
  names(ids: readonly EntityId[]): string {
    return writeMessage({
      type: 'names',
      names: ids.map((id) => [id, cutName(this.#source.nameOf(id))]),
    });
  }

  /** The surroundings of an entity, which may be any number, in words. Cost: that of `World.describe`, n log n. */
  description(id: EntityId): string {
    const { world } = this.#source;
    const news: DescriptionNews = { type: 'description', tick: this.tick, id };
    if (world.has(id)) news.text = world.describe({ around: id }).slice(0, DESCRIPTION_MAX);
    return writeMessage(news);
  }

  /** The present structure of the detector in a window. Cost: the detector's; see its `sketch`. */
  structureFrame(window: Rectangle): Uint8Array<ArrayBuffer> {
    return structureFrame(this.#source.world, window);
  }

  #count(changes: Changes): void {
    this.#totals.enteredTotal += changes.enteredCount;
    this.#totals.leftTotal += changes.leftCount;
    this.#totals.updatedTotal += changes.updatedCount;
    this.#totals.sensedTotal += changes.sensedCount;
  }

  #readPositions(): void {
    const { ids } = this.#population;
    const { world } = this.#source;
    const out = this.#position;
    if (this.#positions.length < ids.length * this.#dimensions) {
      this.#positions = new Float32Array(ids.length * this.#dimensions * 2);
    }
    let at = 0;
    for (let i = 0; i < ids.length; i++) {
      world.position(ids[i] as number, out);
      this.#positions[at++] = out[0] as number;
      this.#positions[at++] = out[1] as number;
      if (this.#dimensions === 3) this.#positions[at++] = out[2] as number;
    }
  }

  #events(): Uint8Array {
    const events = new Uint8Array(this.#population.count);
    this.#watched.each(this.#source.world, this.#population.ids, (i) => {
      events[i] = IS_WATCHED;
    });
    if (this.#changes === undefined) return events;
    for (const [kind, bit] of [
      ['entered', EVENT_ENTERED],
      ['left', EVENT_LEFT],
    ] as const) {
      const { count, offsets, markers } = this.#changes.columns(kind);
      const end = count === 0 ? 0 : (offsets[count] as number);
      for (let i = 0; i < end; i++) {
        const index = this.#population.indexOf(markers[i] as number);
        if (index >= 0) events[index] = (events[index] as number) | bit;
      }
    }
    return events;
  }
}

/** A longer name ends with an ellipsis: two that differ only at their ends are not taken for one. */
function cutName(name: string): string {
  return name.length > NAME_MAX ? `${name.slice(0, NAME_MAX - 1)}…` : name;
}

function listOf(ids: Uint32Array): FocusList {
  return { total: ids.length, ids };
}
