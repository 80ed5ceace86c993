/**
 * One connection of another server, from its first byte, which may come from anyone, to the last.
 *
 * It sends a hello, in binary or in JSON, and keeps that encoding; then it sends batches. An invalid message closes the
 * connection with a code; an invalid command is refused, and the next one is processed. While the caller does not read what it
 * was sent, nothing is read from it either (back-pressure), and it is left out of ticks; the first tick after that
 * resynchronises it.
 */
import type { Connection, ConnectionEvents } from '@umwelt/gateway';
import { UmweltError } from 'umwelt';
import type { Refused, Welcome } from './answer.ts';
import { BinaryViewsWriter, writeRefused, writeWelcome } from './binary-answers.ts';
import { readBatch, readHello } from './binary-commands.ts';
import type { CommandSink, Hello, Properties, PutProperties, SoundProperties } from './command.ts';
import { JsonViewsWriter, writeRefusedText, writeWelcomeText } from './json-answers.ts';
import { readBatchText, readHelloText } from './json-commands.ts';
import type { Key } from './key.ts';
import type { KeyedWorld } from './keyed-world.ts';
import type { Refusal, RefusedCommand } from './refusal.ts';
import {
  CloseCode,
  type CloseReason,
  REASON_BYTES_MAX,
  REFUSALS_TOLD,
  SERVE_VERSION,
  SERVE_VERSION_OLDEST,
} from './serve-format.ts';
import type { ServeLimits } from './serve-limits.ts';
import type { ServeMetrics } from './serve-metrics.ts';
import type { ViewsWriter } from './views-writer.ts';

/** WebSocket's own code for invalid frames. */
const PROTOCOL_ERROR = 1002;
/** Maximum bytes of the reason in a WebSocket's close frame. */
const CLOSE_BYTES_MAX = 123;
const VERSIONS = `expected ${SERVE_VERSION_OLDEST} to ${SERVE_VERSION}`;

const NOT_ON_DEMAND: Refusal = { code: 'NOT_ON_DEMAND', reason: 'the service ticks by itself' };
const TICK_NOT_LAST: Refusal = {
  code: 'TICK_NOT_LAST',
  reason: 'a tick must be the last command of its batch',
};

/** What a caller needs of its service. */
export interface CallerHome {
  readonly keyed: KeyedWorld;
  readonly limits: ServeLimits;
  readonly counts: ServeMetrics;
  readonly isOnDemand: boolean;
  now(): number;
  welcome(version: number): Welcome;
  /** Returns its owner number, or the reason to close it. */
  admit(caller: Caller, token: string): number | CloseReason;
  /** It requested a tick, and is allowed to. */
  tick(): void;
  /** The connection has ended; called once. `detail`: what was wrong with its message. */
  ended(caller: Caller, why: string, detail?: string): void;
  /** A bug of the service threw an error. */
  fault(error: unknown): void;
}

/** A tick's message to a caller. */
export interface CallerTick {
  readonly writer: ViewsWriter;
  /** All relations of its watchers are sent, instead of the changes. */
  readonly resync: boolean;
  /** Version of the format. */
  readonly version: number;
}

export class Caller implements ConnectionEvents, CommandSink {
  readonly address: string;
  readonly openedMs: number;
  /** Its number as an owner of entities; 0: it has not sent its hello. */
  number = 0;
  /** Version of the format, from its hello. */
  #version: number = SERVE_VERSION;
  readonly #home: CallerHome;
  readonly #connection: Connection;
  #isText = false;
  #isOver = false;
  /** Number of processed batches. */
  #taken = 0;
  /** Since when it has been behind. */
  #behindMs: number | undefined;
  #mustResync = false;
  /** Messages that arrived while it was behind: those that the system had received before reading stopped. */
  #waiting: (Uint8Array | string)[] = [];
  #waitingBytes = 0;
  /** Index of the command in the current batch. */
  #index = -1;
  #refusedTotal = 0;
  #refused: RefusedCommand[] = [];
  #isTickAsked = false;
  #hasEnough = false;

  constructor(home: CallerHome, connection: Connection, address: string) {
    this.#home = home;
    this.#connection = connection;
    this.address = address;
    this.openedMs = home.now();
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  received(bytes: Uint8Array): void {
    this.#receive(bytes);
  }

  receivedText(text: string): void {
    this.#receive(text);
  }

  closed(code: number): void {
    if (this.#isOver) return;
    this.#isOver = true;
    const isFault = code === PROTOCOL_ERROR || code === CloseCode.malformed;
    this.#home.ended(this, code === CloseCode.tooBig ? 'tooBig' : isFault ? 'malformed' : 'closed');
  }

  /** Ends the connection. Idempotent. `detail`: what was wrong with its message. */
  close(why: CloseReason, detail?: string): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#connection.resume?.();
    const reason = detail === undefined ? why : `${why}: ${detail}`;
    this.#connection.close(CloseCode[why], shortened(reason, CLOSE_BYTES_MAX));
    this.#home.ended(this, why, detail);
  }

  /** The writer of its views of a tick; undefined: it is behind, and is left out of this tick. */
  beginTick(tick: number): CallerTick | undefined {
    if (this.#behindMs !== undefined) {
      this.#mustResync = true;
      this.#home.counts.ticksMissed.add(1);
      return undefined;
    }
    const resync = this.#mustResync;
    this.#mustResync = false;
    const header = { tick, taken: this.#taken, resync };
    const { keyed, limits } = this.#home;
    const writer = this.#isText
      ? new JsonViewsWriter(keyed, header, limits.partBytes)
      : new BinaryViewsWriter(keyed, header, limits.partBytes);
    return { writer, resync, version: this.#version };
  }

  endTick(writer: ViewsWriter): void {
    for (const message of writer.finish()) {
      this.#home.counts.sentBytes.add(message.length);
      this.#send(message);
    }
  }

  /** Checks whether it has caught up, or must be closed. */
  watch(nowMs: number): void {
    if (this.#isOver) return;
    const { helloMs, behindBytes, behindMs } = this.#home.limits;
    if (this.number === 0 && nowMs - this.openedMs >= helloMs) this.close('tooLate');
    if (this.#behindMs === undefined) return;
    if (this.#connection.bufferedBytes <= behindBytes / 2) this.#catchUp();
    else if (nowMs - this.#behindMs >= behindMs) this.close('tooSlow');
  }

  put(key: Key, x: number, y: number, z: number | undefined, properties: PutProperties | undefined): void {
    this.#attempt('put', () => this.#home.keyed.put(this.number, key, x, y, z, properties));
  }

  update(key: Key, properties: Properties): void {
    this.#attempt('update', () => this.#home.keyed.update(this.number, key, properties));
  }

  touch(key: Key): void {
    this.#attempt('touch', () => this.#home.keyed.touch(this.number, key));
  }

  remove(key: Key): void {
    this.#attempt('remove', () => this.#home.keyed.remove(this.number, key));
  }

  attach(key: Key, to: Key, x: number | undefined, y: number | undefined, z: number | undefined): void {
    this.#attempt('attach', () => this.#home.keyed.attach(this.number, key, to, x, y, z));
  }

  detach(key: Key): void {
    this.#attempt('detach', () => this.#home.keyed.detach(this.number, key));
  }

  sound(
    key: Key,
    x: number,
    y: number,
    z: number | undefined,
    properties: SoundProperties | undefined,
  ): void {
    this.#attempt('sound', () => this.#home.keyed.sound(key, x, y, z, properties));
  }

  tick(): void {
    this.#attempt('tick', () => {
      if (!this.#home.isOnDemand) return NOT_ON_DEMAND;
      this.#isTickAsked = true;
      return undefined;
    });
  }

  nonsense(why: string): void {
    this.#attempt('nonsense', () => ({ code: 'MALFORMED', reason: why }));
  }

  get hasEnough(): boolean {
    return this.#hasEnough;
  }

  #receive(message: Uint8Array | string): void {
    if (this.#isOver) return;
    if (this.#behindMs !== undefined) {
      this.#waiting.push(typeof message === 'string' ? message : new Uint8Array(message));
      this.#waitingBytes += message.length;
      if (this.#waitingBytes > 2 * this.#home.limits.messageBytesMax) this.close('tooSlow');
      return;
    }
    try {
      if (this.number === 0) this.#greet(message);
      else this.#takeBatch(message);
    } catch (error) {
      this.#home.fault(error);
      this.close('internalError');
    }
  }

  #greet(message: Uint8Array | string): void {
    this.#isText = typeof message === 'string';
    const tell = (why: string): void => this.close('malformed', why);
    const hello: Hello =
      typeof message === 'string' ? readHelloText(message, tell) : readHello(message, tell);
    if (hello === undefined) return;
    if (hello.kind === 'other version') this.close('otherVersion', VERSIONS);
    else {
      const answer = this.#home.admit(this, hello.token);
      if (typeof answer === 'string') this.close(answer);
      else {
        this.number = answer;
        this.#connection.trust?.();
        this.#version = hello.version;
        const welcome = this.#home.welcome(hello.version);
        this.#send(this.#isText ? writeWelcomeText(welcome) : writeWelcome(welcome));
      }
    }
  }

  #takeBatch(message: Uint8Array | string): void {
    const { counts, keyed } = this.#home;
    counts.batches.add(1);
    counts.receivedBytes.add(message.length);
    this.#taken++;
    this.#index = -1;
    this.#isTickAsked = false;
    this.#hasEnough = false;
    let fault: string | undefined;
    if ((typeof message === 'string') !== this.#isText)
      fault = `expected ${this.#isText ? 'text' : 'bytes'}, as the hello was`;
    else if (typeof message === 'string') readBatchText(message, this);
    else
      readBatch(message, keyed.world.dimensions, this, (why) => {
        fault = why;
      });
    this.#tellRefused();
    if (this.#hasEnough) fault = this.#tooMany();
    if (fault !== undefined) this.close('malformed', fault);
    else if (this.#isTickAsked) this.#home.tick();
  }

  #attempt(kind: string, carryOut: () => Refusal | undefined): void {
    const { counts, limits } = this.#home;
    if (this.#index + 1 === limits.commandsMax) this.#hasEnough = true;
    if (this.#hasEnough) return;
    this.#index++;
    counts.commands.add(1, kind);
    let refusal: { readonly code: string; readonly reason: string } | undefined;
    try {
      refusal = this.#isTickAsked ? TICK_NOT_LAST : carryOut();
    } catch (error) {
      if (!(error instanceof UmweltError)) throw error;
      refusal = { code: error.code, reason: error.message };
    }
    if (refusal === undefined) return;
    counts.refused.add(1, refusal.code);
    if (++this.#refusedTotal > limits.refusalsMax) this.#hasEnough = true;
    if (this.#refused.length === REFUSALS_TOLD) return;
    this.#refused.push({
      index: this.#index,
      code: refusal.code,
      reason: shortened(refusal.reason, REASON_BYTES_MAX),
    });
  }

  /** Which limit of a batch was exceeded. */
  #tooMany(): string {
    const { commandsMax, refusalsMax } = this.#home.limits;
    const [most, what] =
      this.#index + 1 >= commandsMax ? [commandsMax, 'commands'] : [refusalsMax, 'refused commands'];
    return `expected at most ${most} ${what} in a batch`;
  }

  #tellRefused(): void {
    if (this.#refusedTotal === 0) return;
    const refused: Refused = { batch: this.#taken, total: this.#refusedTotal, commands: this.#refused };
    this.#refusedTotal = 0;
    this.#refused = [];
    this.#send(this.#isText ? writeRefusedText(refused) : writeRefused(refused));
  }

  #send(message: Buffer | string): void {
    if (this.#isOver) return;
    if (typeof message === 'string') this.#connection.sendText?.(message);
    else this.#connection.send(message);
    if (this.#behindMs !== undefined || this.#connection.bufferedBytes <= this.#home.limits.behindBytes)
      return;
    this.#behindMs = this.#home.now();
    this.#connection.pause?.();
  }

  #catchUp(): void {
    this.#behindMs = undefined;
    const waiting = this.#waiting;
    this.#waiting = [];
    this.#waitingBytes = 0;
    // One of them may put it behind again; then the rest waits again, in order.
    for (const message of waiting) this.#receive(message);
    if (this.#behindMs === undefined) this.#connection.resume?.();
  }
}

/** Cut to so many bytes. */
function shortened(text: string, bytesMax: number): string {
  const bytes = Buffer.from(text);
  if (bytes.length <= bytesMax) return text;
  // The last character may have been cut in two; it then becomes a replacement character.
  return bytes
    .subarray(0, bytesMax)
    .toString()
    .replace(/\ufffd+$/u, '');
}
