/**
 * The client of a gateway: keeps a connection, and from its frames a mirror of what the player perceives.
 *
 * The client sends a hello with a credential, or with the token of its last session. The server then resumes
 * that session and sends what changed since the last frame that the client took in. When a connection breaks
 * the client reconnects, after a pause that grows with each failure. When the close code says that a retry is
 * useless, the client stops. An invalid frame closes the connection, and the next connection starts with a
 * resync.
 *
 * Clock, timers, random numbers and sockets can be passed in, so that a run can be replayed.
 */
import { type AppearanceShape, checkAppearance, mismatch } from './appearance.ts';
import { BackOff } from './back-off.ts';
import { ByteCursor, FrameError } from './byte-cursor.ts';
import { writeAck, writeHello, writeInput, writePing } from './client-message.ts';
import { FRAME, PONG, WELCOME } from './frame-format.ts';
import { InputPace } from './input-pace.ts';
import { type Entity, Mirror, type MirrorEvents, type MirroredEntity } from './mirror.ts';
import { check, checkName, checkOptions, invalid, type OptionKind } from './options.ts';
import { Playback } from './playback.ts';
import { type ClientSocket, type OpenSocket, openWebSocket } from './socket.ts';
import { readWelcome, type Welcome } from './welcome.ts';

/**
 * 'waiting': until the next connection attempt. 'closed': after `close`, or after the server has refused this
 * client permanently; the client does not reconnect by itself.
 */
export type ClientState = 'connecting' | 'open' | 'waiting' | 'closed';

/** The events of `UmweltClient.on`. */
export interface ClientEvents<A extends AppearanceShape = AppearanceShape> extends MirrorEvents<A> {
  /** The state has changed. `code` is the close code of the connection that ended, if one has. */
  state(state: ClientState, code?: number): void;
  /** A frame was taken in, and its other events have been emitted. */
  frame(tick: number): void;
}

/** Options of `new UmweltClient()`. Only `url` is required. */
export interface ClientOptions<A extends AppearanceShape = AppearanceShape> {
  /**
   * Address such as 'wss://play.example/', or a function that returns one. The function is called for each
   * connection, so it can choose another server after a failure. What it throws is thrown by `connect`; at a
   * reconnection it counts as a failed attempt and is passed to `onError`.
   */
  readonly url: string | (() => string);
  /**
   * The credential for the server's `authenticate`, at most 4096 bytes. Called for each connection. It returns
   * a string, not a promise: fetch a new one in state 'waiting' if it expires. What it throws is handled as
   * with `url`; so is the `TypeError` for a value that is no string. Default: ''.
   */
  readonly credential?: () => string;
  /**
   * The appearance that the gateway was made with: gives the names and types of `entity.fields`. If the
   * server lacks one of its fields or has it with another type, the client closes permanently and passes an
   * `AppearanceError` to `onError`. Default: fields of any names and types.
   */
  readonly appearance?: A;
  /** How far behind the newest tick entities are drawn, in ticks. Default 2. */
  readonly delayTicks?: number;
  /** How long `left` keeps entities that left, in milliseconds. Default 0. */
  readonly keepLeftMs?: number;
  /**
   * Pause before the second attempt, in milliseconds. It doubles after each failure up to `retryMaxMs`. Each
   * pause is a random part of that, from half of it to all. Default 500.
   */
  readonly retryFirstMs?: number;
  /** Longest pause between two attempts, in milliseconds. Default 15000. */
  readonly retryMaxMs?: number;
  /** Monotonic time in milliseconds, from any origin. `performance.now` unless given. */
  readonly now?: () => number;
  /**
   * Calls `action` once after `ms` milliseconds, unless the returned function is called before. `setTimeout`
   * unless given.
   */
  readonly setTimer?: (action: () => void, ms: number) => () => void;
  /** Returns a random number of 0 to 1. `Math.random` unless given. */
  readonly random?: () => number;
  /** Opens the connection. A `WebSocket` unless given. */
  readonly openSocket?: OpenSocket;
  /**
   * Receives what a listener throws, and `url` and `credential` at a reconnection. Unless given, the error is rethrown asynchronously, where nothing
   * catches it.
   */
  readonly onError?: (error: unknown) => void;
}

const PING_MS = 5000;
/** Longest time that a frame stays unacknowledged. */
const ACK_MS = 500;
/** A connection that receives nothing for this long is considered dead. */
const SILENCE_MS = 15_000;
/** Close codes with which a server refuses this client permanently. */
const FINAL_CODES = [1009, 4000, 4001, 4005, 4008, 4009];
const OPTIONS: Readonly<Record<keyof ClientOptions, OptionKind>> = {
  url: 'text or a function',
  credential: 'a function',
  appearance: 'an object',
  delayTicks: 'a number of at least 0',
  keepLeftMs: 'a number of at least 0',
  retryFirstMs: 'a number of at least 0',
  retryMaxMs: 'a number of at least 0',
  now: 'a function',
  setTimer: 'a function',
  random: 'a function',
  openSocket: 'a function',
  onError: 'a function',
};
const EVENTS = [
  'enter',
  'update',
  'leave',
  'message',
  'messageAt',
  'state',
  'frame',
] as const satisfies readonly (keyof ClientEvents)[];

/**
 * A connection to a gateway, and a mirror of what its player perceives. Reconnects by itself and resumes its
 * session.
 */
export class UmweltClient<const A extends AppearanceShape = AppearanceShape> {
  readonly #options: ClientOptions<A>;
  readonly #now: () => number;
  readonly #setTimer: (action: () => void, ms: number) => () => void;
  readonly #backOff: BackOff;
  readonly #listeners = new Map<string, Set<(...values: never[]) => void>>();
  readonly #emit = (event: keyof ClientEvents, ...values: unknown[]): void => {
    for (const listener of this.#listeners.get(event) ?? []) {
      try {
        listener(...(values as never[]));
      } catch (error) {
        // Other listeners and the other events of the frame must still run.
        this.#fault(error);
      }
    }
  };
  #state: ClientState = 'closed';
  #socket: ClientSocket | undefined;
  #stopTimer = (): void => {};
  #stopAck: (() => void) | undefined;
  #welcome: Welcome | undefined;
  #mirror: Mirror | undefined;
  #playback = new Playback();
  #pace = new InputPace();
  #lastTick = 0;
  /** 0: the next frame may have any number. */
  #frameNumber = 0;
  #inputNumber = 0;
  #inputTaken = 0;
  #heardMs = 0;
  #ackedMs = 0;
  #pingNumber = 0;
  #pingedMs = 0;
  #roundTripMs: number | undefined;

  /** Throws `TypeError` for an unknown option, for a value of the wrong kind, or for an invalid field in `appearance`. */
  constructor(options: ClientOptions<A>) {
    checkOptions(options, OPTIONS);
    checkAppearance(options.appearance);
    const { retryFirstMs = 500, retryMaxMs = 15_000, random = Math.random } = options;
    this.#options = options;
    this.#now = options.now ?? (() => performance.now());
    this.#setTimer = options.setTimer ?? timer;
    this.#backOff = new BackOff(retryFirstMs, retryMaxMs, random);
  }

  /** State of the connection. */
  get state(): ClientState {
    return this.#state;
  }

  /** The entities perceived now, and the client's own entity, by id. */
  get entities(): ReadonlyMap<number, Entity<A>> {
    return (this.#mirror?.entities ?? new Map()) as ReadonlyMap<number, Entity<A>>;
  }

  /** The entities that left and are still kept, by id; see `keepLeftMs`. */
  get left(): ReadonlyMap<number, Entity<A>> {
    return (this.#mirror?.left ?? new Map()) as ReadonlyMap<number, Entity<A>>;
  }

  /** The player's own entity; undefined before the first frame. */
  get own(): Entity<A> | undefined {
    return this.entities.get(this.#mirror?.ownId ?? 0);
  }

  /** The server's description of the world; undefined before it has arrived. */
  get welcome(): Welcome | undefined {
    return this.#welcome;
  }

  /** Tick of the newest frame; 0 before the first one. */
  get tick(): number {
    return this.#lastTick;
  }

  /**
   * Number of the last input that the server had processed at the newest frame: for client-side prediction.
   */
  get inputTaken(): number {
    return this.#inputTaken;
  }

  /** Round-trip time of the last ping, in milliseconds; undefined before the first answer. */
  get roundTripMs(): number | undefined {
    return this.#roundTripMs;
  }

  /**
   * Calls `listener` at each event; returns a function that removes it. An error in a listener does not stop
   * the others. Throws `TypeError` for an unknown event, or for a listener that is no function.
   */
  on<Name extends keyof ClientEvents>(event: Name, listener: ClientEvents<A>[Name]): () => void {
    checkName('event', event, EVENTS);
    // Otherwise the mistake would show at the first event, which may come minutes later.
    check('listener', listener, 'a function');
    const listeners = this.#listeners.get(event) ?? new Set();
    this.#listeners.set(event, listeners.add(listener));
    return () => listeners.delete(listener);
  }

  /** Connects. Does nothing unless the state is 'closed'. Throws what `url`, `credential` and `openSocket` throw. */
  connect(): void {
    if (this.#state !== 'closed') return;
    try {
      this.#open();
    } catch (error) {
      if (this.#isOpening) this.#setState('closed');
      throw error;
    }
  }

  /**
   * Closes the connection without reconnecting. The session stays on the server for the gateway's `graceMs`, and `connect`
   * continues it. A server ends a session at once with `session.release()`. Idempotent.
   */
  close(): void {
    this.#end(1000);
    this.#setState('closed');
  }

  /**
   * Sends an input of the player. Returns its number, or 0 if it was not sent: there is no open connection,
   * or the input exceeds the server's rate (`welcome.inputsPerSecond`, with a burst of one second's worth).
   * Send an input that must not be lost again later. A server closes a client for good, with 1009, that sends it a
   * longer message than its limit `messageBytesMax` (8192 bytes unless set). Throws `TypeError` for a payload that
   * is no array of bytes.
   */
  sendInput(payload: Uint8Array): number {
    // Otherwise a text would be sent as zeros. `instanceof` would refuse an array of another realm, as in a test's page.
    if (payload?.BYTES_PER_ELEMENT !== 1) throw invalid('payload', payload, 'a Uint8Array');
    if (this.#state !== 'open' || !this.#pace.take(this.#now())) return 0;
    this.#inputNumber = (this.#inputNumber + 1) >>> 0 || 1;
    this.#socket?.send(writeInput(this.#inputNumber, payload));
    return this.#inputNumber;
  }

  /**
   * Sets `shown` of each entity to the position at which to draw it at `nowMs`, in milliseconds of the clock; now,
   * unless given. Cost: O(entities).
   */
  interpolate(nowMs: number = this.#now()): void {
    const { delayTicks = 2, keepLeftMs = 0 } = this.#options;
    const tick = this.#playback.tickAt(nowMs) - delayTicks;
    this.#mirror?.forgetLeft(nowMs, keepLeftMs);
    for (const shown of [this.entities, this.left] as unknown as ReadonlyMap<number, MirroredEntity>[])
      for (const { track, shown: place } of shown.values()) track.at(tick, delayTicks, place);
  }

  /** False once a listener, `url` or `credential` has called `close`, or `connect` again, in the midst of `#open`. */
  get #isOpening(): boolean {
    return this.#state === 'connecting' && !this.#socket;
  }

  #open(): void {
    this.#setState('connecting');
    if (!this.#isOpening) return;
    let isOver = false;
    const end = (code: number): void => {
      if (isOver) return;
      isOver = true;
      this.#lost(code);
    };
    this.#heardMs = this.#now();
    this.#ackedMs = this.#heardMs;
    this.#frameNumber = 0;
    const { url, credential, openSocket = openWebSocket } = this.#options;
    const text: unknown = credential?.() ?? '';
    // Otherwise a promise would be sent as '[object Promise]', and a game without accounts would take that for a name.
    if (typeof text !== 'string') throw invalid('credential', text, 'a string');
    const hello = writeHello(this.#welcome?.token ?? [], this.#lastTick, text);
    const address = typeof url === 'function' ? url() : url;
    if (!this.#isOpening) return;
    const socket = openSocket(address, {
      opened: () => {
        if (!isOver) this.#socket?.send(hello);
      },
      received: (bytes) => {
        if (!isOver) this.#receive(bytes);
      },
      closed: end,
    });
    this.#socket = {
      send: (bytes) => {
        if (!isOver) socket.send(bytes);
      },
      close: (code, reason) => {
        isOver = true;
        socket.close(code, reason);
      },
    };
    this.#stopTimer = this.#setTimer(() => this.#watch(), PING_MS);
  }

  #receive(bytes: Uint8Array): void {
    this.#heardMs = this.#now();
    try {
      if (bytes[0] === FRAME) this.#takeFrame(bytes.subarray(1));
      else this.#takeOther(bytes);
    } catch (error) {
      if (!(error instanceof FrameError)) throw error;
      // Entities may be half changed: the next connection starts with a resync.
      this.#lastTick = 0;
      this.#end(4000);
      this.#retry(4000);
    }
  }

  #takeOther(bytes: Uint8Array): void {
    const cursor = new ByteCursor(bytes);
    const kind = cursor.byte();
    if (kind === PONG) {
      const number = cursor.varint();
      cursor.end();
      if (number === this.#pingNumber) this.#roundTripMs = this.#heardMs - this.#pingedMs;
    } else if (kind === WELCOME && this.#state === 'connecting') {
      this.#enterWorld(readWelcome(cursor));
    } else throw new FrameError('an invalid message');
  }

  #enterWorld(welcome: Welcome): void {
    const error = mismatch(welcome.fields, this.#options.appearance);
    if (error !== undefined) {
      // A retry would get the same answer.
      this.#end(4009);
      this.#setState('closed', 4009);
      this.#fault(error);
      return;
    }
    const earlier = this.#mirror;
    const socket = this.#socket;
    // In another world the ids mean other entities: everything here leaves, and nothing there may be confused
    // with it.
    const isElsewhere = this.#welcome !== undefined && this.#welcome.worldId !== welcome.worldId;
    this.#welcome = welcome;
    this.#mirror = new Mirror(welcome, isElsewhere ? undefined : earlier);
    if (isElsewhere || !welcome.resumed) {
      // The newest tick is of an earlier session: a hello that names it would ask this one for a difference.
      this.#lastTick = 0;
      this.#playback = new Playback();
      this.#pace = new InputPace();
      this.#inputTaken = 0;
    }
    // After a restart of the server, a resumed session may have other settings.
    this.#pace.perSecond = welcome.inputsPerSecond;
    this.#playback.tickMs = welcome.tickMs;
    if (isElsewhere) earlier?.leaveAll(this.#heardMs, this.#emit);
    // A listener may have called `close`, and `connect` again.
    if (this.#socket === socket) this.#setState('open');
  }

  #takeFrame(bytes: Uint8Array): void {
    const mirror = this.#mirror;
    if (mirror === undefined || this.#state !== 'open') throw new FrameError('a frame before a welcome');
    const { frameNumber, tick, inputNumber } = mirror.take(bytes, this.#frameNumber);
    this.#frameNumber = frameNumber;
    this.#lastTick = tick;
    this.#inputTaken = inputNumber;
    this.#backOff.succeeded();
    this.#playback.arrived(tick, this.#heardMs);
    // In a background tab messages arrive at once, but browsers delay timers.
    const dueMs = this.#ackedMs + ACK_MS - this.#heardMs;
    if (dueMs <= 0) this.#acknowledge();
    else this.#stopAck ??= this.#setTimer(() => this.#acknowledge(), dueMs);
    mirror.tell(this.#heardMs, this.#emit);
    mirror.forgetLeft(this.#heardMs, this.#options.keepLeftMs ?? 0);
    this.#emit('frame', tick);
  }

  #acknowledge(): void {
    this.#stopAck?.();
    this.#stopAck = undefined;
    this.#ackedMs = this.#now();
    this.#socket?.send(writeAck(this.#lastTick));
  }

  /** Pings the server, and detects a dead connection. */
  #watch(): void {
    const nowMs = this.#now();
    if (nowMs - this.#heardMs >= SILENCE_MS) {
      this.#end(4007);
      this.#retry(1006);
      return;
    }
    if (this.#state === 'open') {
      this.#pingedMs = nowMs;
      this.#socket?.send(writePing(++this.#pingNumber));
    }
    this.#stopTimer = this.#setTimer(() => this.#watch(), PING_MS);
  }

  #lost(code: number): void {
    this.#stopTimers();
    this.#socket = undefined;
    if (FINAL_CODES.includes(code)) this.#setState('closed', code);
    else this.#retry(code);
  }

  #retry(code: number): void {
    this.#stopTimer = this.#setTimer(() => {
      try {
        this.#open();
      } catch (error) {
        if (this.#isOpening) this.#retry(1006);
        this.#fault(error);
      }
    }, this.#backOff.nextMs());
    this.#setState('waiting', code);
  }

  #end(code: number): void {
    this.#stopTimers();
    this.#socket?.close(code, '');
    this.#socket = undefined;
  }

  #stopTimers(): void {
    this.#stopTimer();
    this.#stopAck?.();
    this.#stopAck = undefined;
  }

  #setState(state: ClientState, code?: number): void {
    if (state === this.#state) return;
    this.#state = state;
    this.#emit('state', state, code);
  }

  #fault(error: unknown): void {
    (this.#options.onError ?? throwLater)(error);
  }
}

function throwLater(error: unknown): void {
  queueMicrotask(() => {
    throw error;
  });
}

function timer(action: () => void, ms: number): () => void {
  const handle = setTimeout(action, ms);
  return () => clearTimeout(handle);
}
