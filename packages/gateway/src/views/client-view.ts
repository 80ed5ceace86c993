/**
 * Everything that the next frame of one client depends on: its rows, its own entity, messages, and what must
 * be resynchronised.
 *
 * A view outlives connections. While the client is away or behind, the view still merges every tick, without
 * sending bytes.
 */
import type { EntityId } from 'umwelt';
import { FORMAT_VERSION } from '../wire/frame-format.ts';
import { ClientRows } from './client-rows.ts';
import { Departures } from './departures.ts';

/** Rows that only wait to be reported as left; beyond this number the client is resynchronised. */
const GONE_ROWS_MAX = 4096;
/** Messages that wait for a frame, including empty ones. */
const MESSAGES_MAX = 4096;
const NOBODY = new Uint32Array(0);

export interface QueuedMessage {
  /** Subject of the message; 0 if it comes from a place. */
  readonly marker: EntityId;
  /** Position in steps along each axis, if it comes from a place. */
  readonly steps?: readonly number[];
  readonly bytes: Uint8Array;
}

export class ClientView {
  readonly departures = new Departures();
  readonly rows = new ClientRows(this.departures);
  /** The watcher whose relations the client is shown; 0 for none. */
  watcher: EntityId = 0;
  /** The watcher's interest when the view last took in a tick (`World.interestKey`); undefined if unknown. */
  interest: object | undefined;
  /** Focus of the client when its last frame was written. */
  focus: EntityId = 0;
  #own: EntityId = 0;
  /** The client must be sent the id of its own entity. */
  isOwnNews = true;
  /** The client must discard everything it has. */
  mustResync = true;
  /**
   * What the client has may be of ticks that are no more, because the server continued from an older state. Their
   * numbers are used again, so until the client has acknowledged a frame since, no tick that it names says what it has.
   */
  isAstray = false;
  /**
   * On this connection, an acknowledgement up to this tick may be of a frame from before the state was replaced. A later
   * connection acknowledges only its own frames.
   */
  #strayTick = 0;
  /** This process does not know what the watcher perceives at the moment: the client keeps what it has. */
  isHeld = false;
  /** Version of the frame format that the newest connection speaks. */
  formatVersion: number = FORMAT_VERSION;
  /** Number of the last frame; the first is 1. */
  frameNumber = 0;
  /** Tick of the last frame; 0 before it. */
  lastTick = 0;
  /**
   * Tick of the newest frame that the client has acknowledged. A new connection sets it to the tick of the
   * connection, and ticks without a frame move it on: `lastTick - ackedTick` frames are not acknowledged.
   */
  ackedTick = 0;
  /**
   * Entities that changed in this tick, `newsMarkers[newsStart .. newsEnd)`: a window on the report, until
   * merged into the rows.
   */
  newsMarkers: Uint32Array = NOBODY;
  newsStart = 0;
  newsEnd = 0;
  /**
   * Children and their parents that the client was sent, as in `Parentage.toldTo`; `undefined` if unknown.
   */
  attached: readonly number[] | undefined = [];
  /** Version of the parentage with which `attached` was found; -1: the entities that the client has are others since. */
  parentageVersion = -1;
  /** Whether it may have been sent an attachment since its last resync. */
  wasToldAttached = false;
  messages: QueuedMessage[] = [];
  messageBytes = 0;
  /** Number of messages dropped because the queue was full. */
  messagesLost = 0;

  get own(): EntityId {
    return this.#own;
  }

  /** Continues from a stored view; the rows have been restored already. */
  adopt(own: EntityId, focus: EntityId): void {
    this.#own = own;
    this.focus = focus;
  }

  /** The previous own entity may have been removed from the world. */
  setOwn(id: EntityId, tick: number, isRemoved = false): void {
    if (id === this.#own) return;
    this.rows.setOwn(id, this.#own, isRemoved, tick);
    this.#own = id;
    this.isOwnNews = true;
  }

  /**
   * `markers[from .. to)`, ascending, changed in this tick: they must be sent, or noted, before the next one.
   */
  hear(markers: Uint32Array, from: number, to: number): void {
    this.newsMarkers = markers;
    this.newsStart = from;
    this.newsEnd = to;
  }

  /** No frame was sent for the reported changes: stores them in the rows. */
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

  /** Queues a message for the next frame. Messages beyond `bytesMax` bytes in the queue are dropped. */
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
   * A client reconnects and says that it took in no frame after tick `last`, 0 for none at all. The next
   * frame starts from what it then has.
   */
  resume(last: number, tick: number): void {
    this.isOwnNews = true;
    if (this.wasToldAttached) this.attached = undefined;
    this.ackedTick = tick;
    this.#strayTick = 0;
    if (last > this.lastTick) this.isAstray = true;
    const isKnown = last > 0 && !this.isAstray && !this.mustResync && this.departures.knows(last);
    this.parentageVersion = -1;
    if (isKnown) this.rows.rollBack(last, tick);
    else this.mustResync = true;
  }

  /** The client has taken in the frame of `tick`. */
  acknowledge(tick: number): void {
    // The resync, or a frame after it.
    const isSince = !this.mustResync && tick > this.#strayTick && tick <= this.lastTick;
    if (isSince && this.departures.knows(tick)) this.isAstray = false;
    // Clamp it: a client gains nothing by acknowledging frames that do not exist.
    this.ackedTick = Math.max(this.ackedTick, Math.min(tick, this.lastTick));
    this.departures.acknowledge(tick);
  }

  /** The frame of `tick` was written. No frame was due for the ticks between it and the frame before. */
  sent(tick: number): void {
    const newest = Math.max(this.lastTick, this.ackedTick);
    this.ackedTick += Math.max(0, tick - 1 - newest);
    this.lastTick = tick;
  }

  /** The state of the world was replaced, at this tick: everything that the client has may be wrong. */
  beginAnew(tick: number): void {
    this.mustResync = true;
    this.isAstray = true;
    this.forgetNews();
    this.#strayTick = Math.max(this.#strayTick, this.lastTick);
    this.lastTick = Math.min(this.lastTick, tick);
    this.ackedTick = this.lastTick;
  }

  /** Before a frame is written: resynchronises the client if this was requested or is cheaper. */
  settle(tick: number): void {
    if (this.rows.goneCount + this.rows.anew.size > GONE_ROWS_MAX) this.mustResync = true;
    if (!this.mustResync) return;
    this.rows.forget(tick);
    this.attached = [];
    this.parentageVersion = -1;
    this.wasToldAttached = false;
    this.departures.forgetBefore(tick);
    this.isOwnNews = true;
  }
}
