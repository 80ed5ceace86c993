/**
 * A WebSocket as the host's connection: how much of it is read, and how it ends.
 *
 * Bytes go to the parser as the host allows: of a stranger no more than a greeting has, of anyone else so many a second; the rest
 * waits in the network. A connection that is ended for what it did is not read from any more, however long its end takes.
 */
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import type { WebSocket } from 'ws';
import type { Places } from '../bounds/places.ts';
import { RateLimit } from '../bounds/rate-limit.ts';
import { ReadPace } from '../bounds/read-pace.ts';
import type { Connection, ConnectionEvents, TransportHost } from './transport.ts';

/** A closing handshake that takes longer is not waited for. */
const CLOSING_MS = 2000;
/** Connections that are being ended for what they did, at once. */
const CLOSING_MAX = 256;
/** Of a stranger, unless the host says: a gateway's hello with the longest credential and what WebSocket adds, twice. */
const STRANGER_BYTES_MAX = 8704;
const SAVED_SECONDS = 6;
/** More at once would be more work at once: what a stall has saved up may take a moment. */
const READ_SAVED_SECONDS = 1 / 16;
/** Parsed at once: at most some 1,300 messages, a few milliseconds. */
const PART_BYTES = 8192;
/** WebSocket's own pings. */
const PONGS_PER_SECOND = 10;
const TOO_BIG = 1009;
const PROTOCOL_ERROR = 1002;
/** Ends that are nobody's fault: the other end is given the time to agree. */
const FRIENDLY_CODES = new Set([1000, 1001]);
const NO_BYTES = new Uint8Array(0);

export class WebSocketConnection implements Connection {
  /** Resolves when it is over altogether. */
  readonly gone: Promise<void>;
  readonly #socket: WebSocket;
  readonly #raw: Duplex;
  readonly #closing: Places<WebSocketConnection>;
  readonly #address: string;
  readonly #pace: ReadPace | undefined;
  readonly #strangerBytesMax: number;
  readonly #pongs = new RateLimit(PONGS_PER_SECOND, SAVED_SECONDS, performance.now());
  #events: ConnectionEvents | undefined;
  /** Why it has to end, where its frames are the reason. */
  #fault: number | undefined;
  #isTrusted = false;
  #strangerBytes = 0;
  /** Nothing more of it is of interest. */
  #isEnded = false;
  #isPaused = false;
  #isHeld = false;

  /** `closing` are those of all connections that are being ended. */
  constructor(
    socket: WebSocket,
    raw: Duplex,
    address: string,
    host: TransportHost,
    closing: Places<WebSocketConnection>,
  ) {
    this.#socket = socket;
    this.#raw = raw;
    this.#address = address;
    this.#closing = closing;
    this.#strangerBytesMax = host.strangerBytesMax ?? STRANGER_BYTES_MAX;
    const bytesPerSecond = host.receivedBytesPerSecond;
    if (bytesPerSecond !== undefined) {
      this.#pace = new ReadPace(bytesPerSecond, READ_SAVED_SECONDS, performance.now());
    }
    this.gone = new Promise((resolve) => socket.once('close', () => resolve()));
    this.#gate();
  }

  get bufferedBytes(): number {
    return this.#socket.bufferedAmount;
  }

  /** Has the host take it, and tells it what comes in. */
  open(host: TransportHost, { url = '/', headers }: IncomingMessage): void {
    const socket = this.#socket;
    const events = host.accept(this, { address: this.#address, url, origin: headers.origin, headers });
    this.#events = events;
    socket.on('message', (data, isBinary) => {
      if (this.#events === undefined) return;
      if (isBinary) events.received(data as Buffer);
      else if (events.receivedText === undefined) events.received(NO_BYTES);
      else events.receivedText((data as Buffer).toString());
    });
    socket.on('ping', (data) => {
      if (socket.readyState === socket.OPEN && this.#pongs.take(performance.now())) socket.pong(data);
    });
    socket.on('error', (error: Error & { code?: string }) => {
      // ws has begun to close it by then; what remains open after a moment is cut.
      if (error.code === 'WS_ERR_UNSUPPORTED_MESSAGE_LENGTH') this.#fault = TOO_BIG;
      else if (error.code?.startsWith('WS_ERR')) this.#fault = PROTOCOL_ERROR;
      this.close(this.#fault ?? PROTOCOL_ERROR, '');
      this.#tellClosed(this.#fault ?? PROTOCOL_ERROR);
    });
    socket.on('close', (code) => this.#tellClosed(this.#fault ?? code));
  }

  send(bytes: Uint8Array): void {
    if (this.#socket.readyState === this.#socket.OPEN) this.#socket.send(bytes);
  }

  sendText(text: string): void {
    if (this.#socket.readyState === this.#socket.OPEN) this.#socket.send(text);
  }

  pause(): void {
    this.#isPaused = true;
    this.#socket.pause();
  }

  resume(): void {
    this.#isPaused = false;
    if (!this.#isHeld && !this.#isEnded) this.#socket.resume();
  }

  trust(): void {
    this.#isTrusted = true;
  }

  close(code: number, reason: string): void {
    const socket = this.#socket;
    socket.close(code, reason);
    const deadline = setTimeout(() => socket.terminate(), CLOSING_MS);
    deadline.unref();
    socket.once('close', () => clearTimeout(deadline));
    if (!FRIENDLY_CODES.has(code)) this.#stopReading();
  }

  terminate(): void {
    this.#socket.terminate();
  }

  #tellClosed(code: number): void {
    this.#events?.closed(code);
    this.#events = undefined;
  }

  /** The other end gets the close frame and the end after it, and may go; what it still sends stays in the network. */
  #stopReading(): void {
    if (this.#isEnded) return;
    this.#isEnded = true;
    this.#socket.pause();
    this.#raw.end();
    this.#closing.add(this, this.#address);
    this.#socket.once('close', () => this.#closing.delete(this));
    if (this.#closing.size > CLOSING_MAX) this.#closing.first?.terminate();
  }

  /** Stands between the socket and what parses it; where that is not done by a listener in JavaScript, nothing does. */
  #gate(): void {
    const [feed] = this.#raw.listeners('data') as ((this: Duplex, chunk: Buffer) => void)[];
    if (feed === undefined) return;
    this.#raw.removeListener('data', feed);
    this.#raw.on('data', (chunk: Buffer) => {
      if (this.#isEnded) this.#raw.pause();
      else if (this.#isTrusted) this.#feed(feed, chunk);
      else this.#feedStranger(feed, chunk);
    });
  }

  /** A part at a time where the host has a pace, so that the next tick never waits for the messages of a whole packet. */
  #feed(feed: (this: Duplex, chunk: Buffer) => void, chunk: Buffer): void {
    const pace = this.#pace;
    const part = pace === undefined ? chunk : chunk.subarray(0, PART_BYTES);
    feed.call(this.#raw, part);
    if (pace === undefined || this.#isEnded) return;
    const waitMs = pace.spend(part.length, performance.now());
    const isAll = part.length === chunk.length;
    if (waitMs === 0 && isAll) return;
    this.#isHeld = true;
    this.#socket.pause();
    if (!isAll) this.#raw.unshift(chunk.subarray(part.length));
    if (waitMs === 0) setImmediate(() => this.#goOn());
    else setTimeout(() => this.#goOn(), waitMs).unref();
  }

  #goOn(): void {
    this.#isHeld = false;
    if (!this.#isPaused && !this.#isEnded) this.#socket.resume();
  }

  /** Until the host knows it. What comes with a greeting, and at once after it, is the next one's. */
  #feedStranger(feed: (this: Duplex, chunk: Buffer) => void, chunk: Buffer): void {
    const part = chunk.subarray(0, this.#strangerBytesMax - this.#strangerBytes);
    this.#strangerBytes += part.length;
    if (part.length > 0) feed.call(this.#raw, part);
    if (part.length === chunk.length || this.#isEnded) return;
    if (this.#isTrusted) this.#feed(feed, chunk.subarray(part.length));
    else {
      this.close(TOO_BIG, 'tooBig');
      this.#tellClosed(TOO_BIG);
    }
  }
}
