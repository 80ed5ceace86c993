/**
 * The client of a room in mode 'frames': an `UmweltClient` whose socket is the room of the Colyseus SDK.
 *
 * Colyseus keeps the room's connection: when it breaks the SDK reconnects by itself, then the line inside it
 * reopens, and the client receives what changed meanwhile. After the client has left the room the
 * `UmweltClient` is closed permanently.
 */
import {
  type AppearanceShape,
  type ClientOptions,
  type ClientSocket,
  type SocketEvents,
  UmweltClient,
} from '@umwelt/client';
import { CLOSE, FRAMES, OPEN } from './channel.ts';

/** The part of the SDK's `Room` that is used. */
export interface PlayerRoom {
  /** Whether messages can be sent. */
  readonly connection: { readonly isOpen: boolean };
  /** Sends a message to the room, without a `payload` unless it is given. */
  send(type: string, payload?: unknown): void;
  /** Calls `listener` for each message of this type. */
  onMessage(type: string, listener: (payload: unknown) => void): unknown;
  /** The connection broke; the SDK tries to reconnect. */
  onDrop(listener: (code: number) => void): unknown;
  /** The connection is back. */
  onReconnect(listener: () => void): unknown;
  /** The client has left the room. */
  onLeave(listener: (code: number) => void): unknown;
}

/** The options of `UmweltClient` that do not depend on the room. */
export type PerceiveOptions<A extends AppearanceShape = AppearanceShape> = Omit<
  ClientOptions<A>,
  'url' | 'credential' | 'openSocket'
>;

/** The type makes this list complete. */
const OPTION_NAMES: Readonly<Record<keyof PerceiveOptions, true>> = {
  delayTicks: true,
  keepLeftMs: true,
  retryFirstMs: true,
  retryMaxMs: true,
  now: true,
  setTimer: true,
  random: true,
  onError: true,
  appearance: true,
};

/** Colyseus waits between its own attempts; this pause comes after the last of them. */
const RETRY_FIRST_MS = 50;
const BROKEN = 1006;
/** A close code after which the client does not reconnect. */
const RELEASED = 4008;
/** Colyseus's close code for a client that sent a message for which the room has no handler. */
const WITH_ERROR = 4002;

const NO_FRAMES =
  "the room closed the connection with an error before it answered this client's first message; expected a room with a RoomInterest in mode 'frames'";

/** One socket of the client. */
interface Line {
  readonly events: SocketEvents;
  /** The room has answered. */
  isOpen: boolean;
}

/**
 * Creates a client that uses the connection of the room. Call it once per room, as soon as the room has been
 * joined; then register listeners, then call `connect()`. Throws a `TypeError` for what is no room, for an unknown
 * option, and as `new UmweltClient()` does. A room that has no `RoomInterest` in mode 'frames' closes the connection:
 * `onError` gets an error that says so.
 */
export function perceive<const A extends AppearanceShape = AppearanceShape>(
  room: PlayerRoom,
  options: PerceiveOptions<A> = {},
): UmweltClient<A> {
  // A promise of a room, most often: `joinOrCreate` was not awaited.
  if (typeof room?.connection !== 'object')
    throw new TypeError('room is no room of the Colyseus SDK; expected what `await joinOrCreate()` returned');
  for (const name of Object.keys(options)) {
    if (Object.hasOwn(OPTION_NAMES, name)) continue;
    throw new TypeError(`${name} is no option; expected ${Object.keys(OPTION_NAMES).join(', ')}`);
  }
  const client = new UmweltClient<A>({
    retryFirstMs: RETRY_FIRST_MS,
    ...options,
    url: '',
    openSocket: (_url, events) => line.open(events),
  });
  // After the options were checked: the room keeps its listeners.
  const line = new RoomLine(room, options.onError ?? throwLater);
  return client;
}

class RoomLine {
  readonly #room: PlayerRoom;
  #line: Line | undefined;
  /** False between a drop and the reconnection: messages sent then are lost. */
  #isJoined: boolean;
  #hasLeft = false;
  /** Whether the room has ever answered: then it knows the messages. */
  #isAnswered = false;

  constructor(room: PlayerRoom, onError: (error: unknown) => void) {
    this.#room = room;
    this.#isJoined = room.connection.isOpen;
    room.onMessage(OPEN, () => this.#opened());
    room.onMessage(FRAMES, (bytes) => {
      if (this.#line?.isOpen) this.#line.events.received(bytes as Uint8Array);
    });
    room.onMessage(CLOSE, (code) => this.#closed(Number(code)));
    room.onDrop(() => {
      this.#isJoined = false;
      this.#closed(BROKEN);
    });
    room.onReconnect(() => {
      this.#isJoined = true;
      if (this.#line !== undefined) this.#send(OPEN);
    });
    room.onLeave((code) => {
      this.#isJoined = false;
      this.#hasLeft = true;
      const isUnknown = code === WITH_ERROR && this.#line !== undefined && !this.#isAnswered;
      this.#closed(RELEASED);
      if (isUnknown) onError(new Error(NO_FRAMES));
    });
  }

  open(events: SocketEvents): ClientSocket {
    const line: Line = { events, isOpen: false };
    this.#line = line;
    if (this.#hasLeft) queueMicrotask(() => line === this.#line && this.#closed(RELEASED));
    else this.#send(OPEN);
    return {
      send: (bytes) => {
        if (line === this.#line && line.isOpen) this.#send(FRAMES, bytes);
      },
      close: (code) => {
        if (line !== this.#line) return;
        this.#line = undefined;
        this.#send(CLOSE, code);
      },
    };
  }

  #opened(): void {
    const line = this.#line;
    this.#isAnswered = true;
    if (line === undefined || line.isOpen) return;
    line.isOpen = true;
    line.events.opened();
  }

  #closed(code: number): void {
    const line = this.#line;
    this.#line = undefined;
    line?.events.closed(code, '');
  }

  /** Without a connection the SDK would queue the message for the next one, where it does not belong. */
  #send(type: string, payload?: unknown): void {
    if (this.#isJoined && this.#room.connection.isOpen) this.#room.send(type, payload);
  }
}

/** As `UmweltClient` does without `onError`. */
function throwLater(error: unknown): void {
  queueMicrotask(() => {
    throw error;
  });
}
