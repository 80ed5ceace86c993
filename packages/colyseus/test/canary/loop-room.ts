/**
 * A room without sockets: clients, seats and messages as Colyseus has them, at the speed of memory.
 *
 * What the room says to a client is looked at as it is said, and arrives when the network delivers. A session gets a new client
 * object with each connection, which takes over the view of the one before, as `allowReconnection` does it.
 */
import { type Client, ClientArray, ClientState } from '@colyseus/core';
import type { StateView } from '@colyseus/schema';
import type { PlayerRoom } from '../../src/client.ts';
import type { InterestRoom } from '../../src/index.ts';

type Listener = (payload: unknown) => void;
type Handler = (client: Client, payload: unknown) => void;

/** Looks at bytes on their way to a session. */
export type Tap = (sessionId: string, bytes: Uint8Array) => void;

export class LoopRoom implements Pick<InterestRoom, 'clients' | 'hasReservedSeat'> {
  readonly clients = new ClientArray<Client>();
  readonly tap: Tap;
  readonly #handlers = new Map<string, Handler>();
  /** Reconnection tokens, by session id. */
  readonly #seats = new Map<string, string>();
  #tokens = 0;

  constructor(tap: Tap) {
    this.tap = tap;
  }

  onMessage(type: string, handler: Handler): void {
    this.#handlers.set(type, handler);
  }

  hasReservedSeat(sessionId: string, token?: string): boolean {
    return this.#seats.get(sessionId) === token && token !== undefined;
  }

  hear(client: LoopClient, type: string, payload: unknown): void {
    if (this.clients.get(client.sessionId) === client.asClient)
      this.#handlers.get(type)?.(client.asClient, payload);
  }

  /** A new connection of a session: its first, or one in place of `before`, which was dropped. */
  enter(sessionId: string, before?: LoopClient): LoopClient {
    const client = new LoopClient(this, sessionId, `token ${++this.#tokens}`);
    this.clients.push(client.asClient);
    if (before === undefined) return client;
    this.#seats.delete(sessionId);
    client.view = before.view;
    before.state = ClientState.RECONNECTED;
    before.reconnectionToken = client.reconnectionToken;
    return client;
  }

  /** The connection breaks; with a seat, the session may come back. */
  drop(client: LoopClient, keepsSeat: boolean): void {
    client.state = ClientState.LEAVING;
    this.clients.delete(client.asClient);
    if (keepsSeat) this.#seats.set(client.sessionId, client.reconnectionToken);
  }

  giveUpSeat(sessionId: string): void {
    this.#seats.delete(sessionId);
  }
}

/** One connection: the room's client, and what is under way on it. */
export class LoopClient {
  readonly sessionId: string;
  reconnectionToken: string;
  view: StateView | undefined;
  state: ClientState = ClientState.JOINED;
  readonly ref = { bufferedAmount: 0 };
  readonly #room: LoopRoom;
  readonly #toPlayer: [type: string, payload: unknown][] = [];
  readonly #toRoom: [type: string, payload: unknown][] = [];

  constructor(room: LoopRoom, sessionId: string, token: string) {
    this.#room = room;
    this.sessionId = sessionId;
    this.reconnectionToken = token;
  }

  get asClient(): Client {
    return this as unknown as Client;
  }

  /** State, whole or a patch. */
  raw(bytes: Uint8Array): void {
    this.#room.tap(this.sessionId, bytes);
    this.#toPlayer.push(['state', bytes.slice()]);
  }

  sendBytes(type: string, bytes: Uint8Array): void {
    this.#room.tap(this.sessionId, bytes);
    this.#toPlayer.push([type, bytes.slice()]);
  }

  send(type: string, payload?: unknown): void {
    this.#toPlayer.push([type, payload]);
  }

  leave(): void {
    throw new Error(`the room sends ${this.sessionId} away`);
  }

  say(type: string, payload?: unknown): void {
    this.#toRoom.push([type, payload instanceof Uint8Array ? payload.slice() : payload]);
  }

  /** Brings the oldest `most` messages each way to their ends. */
  deliver(listeners: ReadonlyMap<string, Listener>, most = Number.POSITIVE_INFINITY): void {
    for (const [type, payload] of this.#toPlayer.splice(0, most)) listeners.get(type)?.(payload);
    for (const [type, payload] of this.#toRoom.splice(0, most)) this.#room.hear(this, type, payload);
  }
}

/** The player's end: what `perceive` takes for the SDK's room. */
export class LoopPlayerRoom implements PlayerRoom {
  readonly connection = { isOpen: true };
  readonly listeners = new Map<string, Listener>();
  #client: LoopClient;
  #dropped: ((code: number) => void) | undefined;
  #reconnected: (() => void) | undefined;

  constructor(client: LoopClient) {
    this.#client = client;
  }

  send(type: string, payload?: unknown): void {
    this.#client.say(type, payload);
  }

  onMessage(type: string, listener: Listener): void {
    this.listeners.set(type, listener);
  }

  onDrop(listener: (code: number) => void): void {
    this.#dropped = listener;
  }

  onReconnect(listener: () => void): void {
    this.#reconnected = listener;
  }

  onLeave(): void {}

  dropped(): void {
    this.connection.isOpen = false;
    this.#dropped?.(1006);
  }

  reconnected(client: LoopClient): void {
    this.#client = client;
    this.connection.isOpen = true;
    this.#reconnected?.();
  }
}
