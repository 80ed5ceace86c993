/**
 * All that the next frame of one client depends on: its rows, its own entity, messages, and what must be told anew.
 *
 * A view outlives connections. It goes on taking in ticks while its client is away or held up, at the cost of merging
 * and no bytes.
 */
import type { EntityId } from 'umwelt';
import { FORMAT_VERSION } from '../wire/frame-format.ts';
import { ClientRows } from './client-rows.ts';
import { Departures } from './departures.ts';

/** Rows that only stand for what is to be told as left; with more, everything is told anew. */
const GONE_ROWS_MAX = 4096;
/** Messages that wait for a frame, those of no bytes included. */
const MESSAGES_MAX = 4096;
const NOBODY = new Uint32Array(0);

export interface QueuedMessage {
  /** Whom it is about; 0: nobody, it comes from a place. */
  readonly marker: EntityId;
  /** Steps along each axis; of one that comes from a place. */
  readonly steps?: readonly number[];
  readonly bytes: Uint8Array;
}

export class ClientView {
  readonly departures = new Departures();
  readonly rows = new ClientRows(this.departures);
  /** Whose relations the client is shown; 0: nobody's. */
  watcher: EntityId = 0;
  /** Whom the client looked from when its last frame was written. */
  focus: EntityId = 0;
  #own: EntityId = 0;
  /** The client has not been told who its own is. */
  isOwnNews = true;
  /** The client has to forget what it has. */
  mustResync = true;
  /** What its watcher perceives is not known here at the moment: the client keeps what it has. */
  isHeld = false;
  /** Of the frame format, as the client of the newest connection speaks it. */
  formatVersion: number = FORMAT_VERSION;
  /** Of the last frame; the first is 1. */
  frameNumber = 0;
  /** Tick of the last frame; 0 before it. */
  lastTick = 0;
  /** Tick of the newest frame that the client is known to have taken in, or of its connection. */
  ackedTick = 0;
  /** Who changed in this tick, `newsMarkers[newsStart .. newsEnd)`: a window on the report, until the rows have it. */
  newsMarkers: Uint32Array = NOBODY;
  newsStart = 0;
  newsEnd = 0;
  /** Children and their parents that the client was told of, as `Parentage.toldTo`; `undefined`: nobody knows. */
  attached: readonly number[] | undefined = [];
  /** Whether it may have been told of any since its last resync. */
  wasToldAttached = false;
  messages: QueuedMessage[] = [];
  messageBytes = 0;
  /** Messages that found no room any more. */
  messagesLost = 0;

  get own(): EntityId {
    return this.#own;
  }

  /** Goes on where another view stood, whose rows this one has. */
  adopt(own: EntityId, focus: EntityId): void {
    this.#own = own;
    this.focus = focus;
  }

  /** The own before may have been removed from the world. */
  setOwn(id: EntityId, tick: number, isRemoved = false): void {
    if (id === this.#own) return;
    this.rows.setOwn(id, this.#own, isRemoved, tick);
    this.#own = id;
    this.isOwnNews = true;
  }

  /** `markers[from .. to)`, ascending, changed in this tick: to be told or noted before the next one. */
  hear(markers: Uint32Array, from: number, to: number): void {
    this.newsMarkers = markers;
    this.newsStart = from;
    this.newsEnd = to;
  }

  /** No frame tells what was heard: the rows have to remember it. */
  noteNews(tick: number): void {
    if (this.newsEnd === 0) return;
    this.rows.update(this.newsMarkers, this.newsStart, this.newsEnd, tick);
    this.forgetNews();
  }

  forgetNews(): void {
    this.newsMarkers = NOBODY;
    this.newsStart = 0;
    this.newsEnd = 0;
  }

  /** A message for the next frame; those waiting have at most `bytesMax` bytes, and what is beyond is lost. */
  queue(message: QueuedMessage, bytesMax = Number.POSITIVE_INFINITY): void {
    const bytes = this.messageBytes + message.bytes.length;
    if (bytes > bytesMax || this.messages.length === MESSAGES_MAX) {
      this.messagesLost++;
      return;
    }
    this.messages.push(message);
    this.messageBytes = bytes;
  }

  dropMessages(): void {
    this.messages = [];
    this.messageBytes = 0;
    this.messagesLost = 0;
  }

  /**
   * A client comes back and says that it took in no frame after that of tick `last`, 0 for none at all. What it then
   * has is what the next frame starts from.
   */
  resume(last: number, tick: number): void {
    this.isOwnNews = true;
    if (this.wasToldAttached) this.attached = undefined;
    this.ackedTick = tick;
    const isKnown = last > 0 && last <= this.lastTick && !this.mustResync && this.departures.knows(last);
    if (isKnown) this.rows.rollBack(last, tick);
    else this.mustResync = true;
  }

  /** The client says that it has taken in the frame of `tick`. */
  acknowledge(tick: number): void {
    // Whoever says more than can be gains nothing.
    this.ackedTick = Math.max(this.ackedTick, Math.min(tick, this.lastTick));
    this.departures.acknowledge(tick);
  }

  /** The world is in another state than ticks led to, at this tick: nothing that the client has is known to hold. */
  beginAnew(tick: number): void {
    this.mustResync = true;
    this.forgetNews();
    this.lastTick = Math.min(this.lastTick, tick);
    this.ackedTick = this.lastTick;
  }

  /** Before a frame is written: begins anew where that was asked for or has become the lesser evil. */
  settle(tick: number): void {
    if (this.rows.goneCount + this.rows.anew.size > GONE_ROWS_MAX) this.mustResync = true;
    if (!this.mustResync) return;
    this.rows.forget(tick);
    this.attached = [];
    this.wasToldAttached = false;
    this.departures.forgetBefore(tick);
    this.isOwnNews = true;
  }
}
