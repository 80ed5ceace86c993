/**
 * Turns a world and its latest report into frames.
 *
 * One `Feed` serves all pages: the population and tick frames are built at most once a tick, when the first page
 * asks, and shared; nothing but four sums is computed while nobody looks. Focus and structure frames are a page's own.
 *
 * Cost of a tick frame: one `position` call an entity, a few milliseconds at 100,000, and a pass over the
 * tick's enter and leave events.
 */
import type { Changes, EntityId, Rectangle } from 'umwelt';
import {
  EVENT_ENTERED,
  EVENT_LEFT,
  IS_WATCHED,
  writePopulationFrame,
  writeTickFrame,
} from '../feed-frame.ts';
import { DESCRIPTION_MAX, type DescriptionNews, NAME_MAX, writeMessage } from '../feed-message.ts';
import {
  type FocusEvents,
  type FocusFrame,
  type FocusList,
  type SenseRange,
  writeFocusFrame,
} from '../focus-frame.ts';
import { explainPair } from './explain-pair.ts';
import { Population, type PopulationSource } from './population.ts';
import { NO_SEATS, NOT_KNOWN, perceivedBy, seatsOf } from './relations.ts';
import { standingOf } from './standing.ts';
import { structureFrame } from './structure-packing.ts';
import { Watched } from './watched.ts';

export interface FeedSource extends PopulationSource {
  /** Ranges by sense; empty where they are not told apart. */
  rangesOf(id: EntityId): readonly SenseRange[];
  /** What people call it; of any number, since pages may ask for any. */
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
  /** Whether a tick that does not follow upon the last one is a leap, and not one that nobody published. */
  readonly isRecording: boolean;
  readonly #population = new Population();
  readonly #watched = new Watched();
  /** Events since the feed began. */
  readonly #totals = { enteredTotal: 0, leftTotal: 0, updatedTotal: 0, sensedTotal: 0 };
  /** Exactly as long as a position, so that the world hands it back as it is. */
  readonly #position: Float32Array;
  #positions = new Float32Array(0);
  #changes: Changes | undefined;
  #timeMs = 0;
  #leaps = 0;
  /** The tick whose report is in the totals. Kept apart from the changes, which the next tick may overwrite. */
  #takenTick: number;
  #tickFrame: Uint8Array<ArrayBuffer> | undefined;
  #populationFrame: Uint8Array<ArrayBuffer> | undefined;
  #populationFrameVersion = 0;

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
   * Takes up a tick's report, at `timeMs` of any clock that goes on evenly. One that was taken up before only
   * renews the status.
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

  /** Ends what was built for the status before this one. */
  setPace(pace: Partial<FeedStatus>): void {
    Object.assign(this.status, pace);
    this.#tickFrame = undefined;
  }

  /** Everybody's position now. Valid until the next `publish`. */
  tickFrame(): Uint8Array<ArrayBuffer> {
    if (this.#tickFrame !== undefined) return this.#tickFrame;
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

  /** One more than the largest kind that was told. */
  get kindCount(): number {
    return this.#population.kindCount;
  }

  /** The version that the latest tick frame follows. */
  get populationVersion(): number {
    return this.#population.version;
  }

  /** Who the latest tick frame is about. */
  populationFrame(): Uint8Array<ArrayBuffer> {
    if (this.#populationFrame === undefined || this.#populationFrameVersion !== this.#population.version) {
      const { version, ids, kinds, watchers } = this.#population;
      this.#populationFrame = writePopulationFrame({
        tick: this.tick,
        populationVersion: version,
        ids,
        kinds,
        watchers,
      });
      this.#populationFrameVersion = version;
    }
    return this.#populationFrame;
  }

  /**
   * What there is to know of `id` now, of any number, since pages may ask for any; and what befell it. `isAhead`: the tick
   * frame goes out after it. Cost: the number of its relations; of the selected, if its cap cuts somebody, that of
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

  /** Why the one is related to the other, or not, and back, as of the last tick; text. Cost: see `explainPair`. */
  explanation(from: EntityId, to: EntityId): string {
    return writeMessage(explainPair(this.#source.world, from, to));
  }

  /** From whom `id`, of any number, hangs, who hangs from it, and whom it is for; text. */
  standing(id: EntityId): string {
    return writeMessage(standingOf(this.#source.world, id));
  }

  /** What people call some entities, of any numbers; text. */
  names(ids: readonly EntityId[]): string {
    return writeMessage({
      type: 'names',
      names: ids.map((id) => [id, this.#source.nameOf(id).slice(0, NAME_MAX)]),
    });
  }

  /** The world around an entity in words, of any number; text. Cost: that of `World.describe`, n log n. */
  description(id: EntityId): string {
    const { world } = this.#source;
    const news: DescriptionNews = { type: 'description', tick: this.tick, id };
    if (world.has(id)) news.text = world.describe({ around: id }).slice(0, DESCRIPTION_MAX);
    return writeMessage(news);
  }

  /** The detector's structure in a window, as it is. Cost: the detector's; see its `sketch`. */
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

function listOf(ids: Uint32Array): FocusList {
  return { total: ids.length, ids };
}
