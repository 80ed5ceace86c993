/**
 * The player's end of a room in mode 'frames': an `UmweltClient` whose socket is the SDK's room.
 *
 * The room's connection is Colyseus's to keep: where it breaks the SDK comes back by itself, and then so does the line inside it,
 * to the difference. Once the room has been left the client is closed for good.
 */
import {
  type AppearanceShape,
  type ClientOptions,
  type ClientSocket,
  type SocketEvents,
  UmweltClient,
} from '@umwelt/client';
import { CLOSE, FRAMES, OPEN } from './channel.ts';

/** What is used of the SDK's `Room`. */
export interface PlayerRoom {
  /** Whether it can be sent to. */
  readonly connection: { readonly isOpen: boolean };
  /** A message to the room. */
  send(type: string, payload?: unknown): void;
  /** A message of this type came. */
  onMessage(type: string, listener: (payload: unknown) => void): unknown;
  /** The connection broke, and the SDK tries again. */
  onDrop(listener: (code: number) => void): unknown;
  /** It is back. */
  onReconnect(listener: () => void): unknown;
  /** It is over. */
  onLeave(listener: (code: number) => void): unknown;
}

/** Those of `UmweltClient` that a room leaves open. */
export type PerceiveOptions<A extends AppearanceShape = AppearanceShape> = Omit<
  ClientOptions<A>,
  'url' | 'credential' | 'openSocket'
>;

/** Complete by type. */
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

/** Colyseus keeps the pauses between its attempts; this one comes after the last of them. */
const RETRY_FIRST_MS = 50;
const BROKEN = 1006;
/** A close code after which the client does not come again. */
const RELEASED = 4008;

/** One socket of the client's. */
interface Line {
  readonly events: SocketEvents;
  /** The room has answered. */
  isOpen: boolean;
}

/**
 * A client whose connection is the room's, to be called once for a room, as soon as it has been joined; then
 * register listeners, then `connect()`. Throws a `TypeError` for an option that it does not know.
 */
export function perceive<const A extends AppearanceShape = AppearanceShape>(
  room: PlayerRoom,
  options: PerceiveOptions<A> = {},
): UmweltClient<A> {
  for (const name of Object.keys(options)) {
    if (Object.hasOwn(OPTION_NAMES, name)) continue;
    throw new TypeError(`${name} is no option; expected ${Object.keys(OPTION_NAMES).join(', ')}`);
  }
  const line = new RoomLine(room);
  return new UmweltClient<A>({
    retryFirstMs: RETRY_FIRST_MS,
    ...options,
    url: '',
    openSocket: (_url, events) => line.open(events),
  });
}

class RoomLine {
  readonly #room: PlayerRoom;
  #line: Line | undefined;
  /** Between a drop and the reconnection, what is sent is lost. */
  #isJoined: boolean;
  #hasLeft = false;

  constructor(room: PlayerRoom) {
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
    room.onLeave(() => {
      this.#isJoined = false;
      this.#hasLeft = true;
      this.#closed(RELEASED);
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
    if (line === undefined || line.isOpen) return;
    line.isOpen = true;
    line.events.opened();
  }

  #closed(code: number): void {
    const line = this.#line;
    this.#line = undefined;
    line?.events.closed(code, '');
  }

  /** The SDK would keep what cannot be sent, for a connection that it is not meant for. */
  #send(type: string, payload?: unknown): void {
    if (this.#isJoined && this.#room.connection.isOpen) this.#room.send(type, payload);
  }
}
