/**
 * A WebSocket as the host's connection: how much of it is read, and how it is closed.
 *
 * Bytes are passed to the parser as the host allows: for an unauthenticated connection no more than a hello
 * needs, for a client a number of bytes per second. Further bytes stay in the network (back-pressure). A
 * connection that is closed for a violation is not read any more, however long the close takes.
 */
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import type { WebSocket } from 'ws';
import type { Places } from '../bounds/places.ts';
import { RateLimit } from '../bounds/rate-limit.ts';
import { ReadPace } from '../bounds/read-pace.ts';
import type { Connection, ConnectionEvents, TransportHost } from './transport.ts';

/** Time for the closing handshake; then the connection is terminated. */
const CLOSING_MS = 2000;
/** Most connections at once that are being closed for a violation. */
const CLOSING_MAX = 256;
/**
 * For an unauthenticated connection, unless the host says otherwise: twice a gateway's hello with the longest
 * credential, including the overhead of WebSocket.
 */
const STRANGER_BYTES_MAX = 8704;
const SAVED_SECONDS = 6;
/**
 * A larger burst would be more work in one go. Data that a stalled connection has saved up may take a moment
 * to read.
 */
const READ_SAVED_SECONDS = 1 / 16;
/** Bytes parsed in one go: at most about 1,300 messages, a few milliseconds. */
const PART_BYTES = 8192;
/** Rate of answers to WebSocket's own pings. */
const PONGS_PER_SECOND = 10;
const TOO_BIG = 1009;
const PROTOCOL_ERROR = 1002;
/** Close codes without a fault of the client: it gets time for the closing handshake. */
const FRIENDLY_CODES = new Set([1000, 1001]);
const NO_BYTES = new Uint8Array(0);

export class WebSocketConnection implements Connection {
  /** Resolves when the connection is completely closed. */
  readonly gone: Promise<void>;
  readonly #socket: WebSocket;
  readonly #raw: Duplex;
  readonly #closing: Places<WebSocketConnection>;
  readonly #address: string;
  readonly #pace: ReadPace | undefined;
  readonly #strangerBytesMax: number;
  readonly #pongs = new RateLimit(PONGS_PER_SECOND, SAVED_SECONDS, performance.now());
  #events: ConnectionEvents | undefined;
  /** Close code of a protocol violation, if one was found. */
  #fault: number | undefined;
  #isTrusted = false;
  #strangerBytes = 0;
  /** Nothing more is read. */
  #isEnded = false;
  #isPaused = false;
  #isHeld = false;

  /** `closing` has all connections that are being closed for a violation. */
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

  /** Passes the connection to the host, and its events to the object that the host returns. */
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
      // ws has started to close it by then. If it is still open after a moment, it is terminated.
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

  /**
   * Sends the close frame and the end of the stream, and stops reading. What the client still sends stays in
   * the network.
   */
  #stopReading(): void {
    if (this.#isEnded) return;
    this.#isEnded = true;
    this.#socket.pause();
    this.#raw.end();
    this.#closing.add(this, this.#address);
    this.#socket.once('close', () => this.#closing.delete(this));
    if (this.#closing.size > CLOSING_MAX) this.#closing.first?.terminate();
  }

  /**
   * Puts the limits between the socket and its parser. If the parser is not a JavaScript listener, there are
   * no limits.
   */
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

  /**
   * If the host has a byte rate, feeds one part at a time, so that the next tick never waits for all messages
   * of a large packet.
   */
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

  /**
   * Feeds an unauthenticated connection. What arrives together with the hello counts as data of the client
   * once the hello has authenticated it.
   */
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
