/**
 * Mode 'frames': a gateway whose connections are lines inside the connections of a Colyseus room.
 *
 * Colyseus has let the client into the room, so the gateway asks nobody: it admits a line as what `follow` said. A line is open
 * while the client's plug-in wants it to be and its Colyseus client is in the room; the gateway's session outlives it, and
 * a line of the same Colyseus session goes on with it. A client that breaks the frame format leaves the room, as Colyseus has it
 * for messages that it cannot read.
 */
import { type Client, CloseCode } from '@colyseus/core';
import type { Schema } from '@colyseus/schema';
import {
  type AppearanceOptions,
  type Connection,
  type ConnectionEvents,
  type ConnectionRequest,
  Gateway,
  type GatewayLimits,
  type GatewayOptions,
  type GatewayWorld,
  type Session,
} from '@umwelt/gateway';
import type { Changes, EntityId } from 'umwelt';
import { CLOSE, FRAMES, OPEN } from './channel.ts';
import { badOption, type InterestMode, type InterestRoom } from './interest-mode.ts';
import type { RoomSessions } from './room-sessions.ts';

/** Options of mode 'frames': what clients perceive goes to them as binary frames in the room's connection. */
export interface FramesOptions<A extends AppearanceOptions = AppearanceOptions>
  extends Pick<GatewayOptions<A>, 'tickMs' | 'appearance' | 'logger' | 'clock' | 'randomToken'> {
  /** Which of the two it is. */
  readonly mode: 'frames';
  /**
   * How long a client that is away is kept for, in milliseconds; one that is back later is told everything anew. 30,000; at least
   * 6,000, in which the account of what it may say is full again.
   */
  readonly graceMs?: number;
  /** Over the gateway's defaults. */
  readonly limits?: Partial<Omit<GatewayLimits, 'graceMs'>>;
  /** What the player does, sent by `sendInput` of the client. `payload` is valid during the call; hostile. */
  onInput?(client: Client, payload: Uint8Array, number: number): void;
}

interface Follow {
  readonly watcher: EntityId;
  readonly own: EntityId | undefined;
}

const GONE: Follow = { watcher: 0, own: undefined };

/** One client's part of the room's connection. */
interface Line {
  readonly client: Client;
  /** Whom to tell of what comes in; none while nobody is followed for the client. */
  events: ConnectionEvents | undefined;
}

const NO_BYTES = new Uint8Array(0);
/** A session's account of inputs is full after so long. One that went earlier would have a full one with each connection. */
const ACCOUNT_MS = 6000;
const BROKEN = 1006;
const RELEASED = 4008;
const COME_AGAIN = 1001;
/** Reasons of the gateway's that concern who is followed: somebody may be again. */
const AGAIN = new Set(['released', 'unauthenticated', 'goingAway']);
/** Reasons for which a client has to leave the room. */
const MISDEEDS = new Set(['malformed', 'flood', 'tooBig']);

/** A room's message types are for one interest. */
const takenRooms = new WeakSet<InterestRoom>();

export class FramesMode implements InterestMode {
  readonly gateway: Gateway;
  readonly #roomSessions: RoomSessions;
  readonly #world: GatewayWorld;
  // All three by Colyseus's session id.
  readonly #follows = new Map<string, Follow>();
  readonly #lines = new Map<string, Line>();
  readonly #sessions = new Map<string, Session>();
  #isOver = false;

  constructor(
    room: InterestRoom,
    roomSessions: RoomSessions,
    world: GatewayWorld,
    options: FramesOptions,
    graceMs: number,
  ) {
    if (takenRooms.has(room)) {
      throw badOption('room', 'frames', "the room has an interest in mode 'frames'; expected one without");
    }
    const { mode: _mode, graceMs: _graceMs, limits, onInput, ...rest } = options;
    this.#roomSessions = roomSessions;
    this.#world = world;
    this.gateway = new Gateway(world, {
      ...rest,
      limits: { ...limits, graceMs: Math.min(Math.max(graceMs, ACCOUNT_MS), Number.MAX_SAFE_INTEGER) },
      // Only asked for connections that nobody has admitted before; there are none here.
      authenticate: () => undefined,
      onJoin: (session) => this.#sessions.set(session.data as string, session),
      onLeave: (session) => this.#sessions.delete(session.data as string),
      onInput: (session, payload, number) => {
        const line = this.#lines.get(session.data as string);
        if (line !== undefined) onInput?.(line.client, payload, number);
      },
    });
    takenRooms.add(room);
    room.onMessage(OPEN, (client) => this.#open(client));
    room.onMessage(FRAMES, (client, bytes: unknown) => {
      this.#lineOf(client)?.events?.received(bytes instanceof Uint8Array ? bytes : NO_BYTES);
    });
    room.onMessage(CLOSE, (client) => this.#end(this.#lineOf(client), 1000));
  }

  follow({ sessionId }: Client, watcher: EntityId, own: Schema | EntityId | undefined): void {
    for (const [other, follow] of this.#follows) {
      if (follow.watcher === watcher && other !== sessionId) this.#unfollow(other);
    }
    const follow: Follow = { watcher, own: own as EntityId | undefined };
    const session = this.#sessions.get(sessionId);
    session?.attach(watcher, follow.own ?? watcher);
    this.#follows.set(sessionId, follow);
    const line = this.#lines.get(sessionId);
    if (line !== undefined) this.#serve(line);
  }

  track(): void {
    throw badOption('mode', 'frames', "track is of mode 'view'");
  }

  release(id: EntityId): void {
    for (const [sessionId, { watcher }] of this.#follows) if (watcher === id) this.#unfollow(sessionId);
  }

  /** Whose relations are shown, and an end to it. */
  *followed(): IterableIterator<{ readonly watcher: EntityId; release(): void }> {
    for (const { watcher } of this.#follows.values()) yield { watcher, release: () => this.release(watcher) };
  }

  publish(changes: Changes): void {
    for (const line of this.#lines.values()) {
      if (this.#roomSessions.present(line.client.sessionId) !== line.client) this.#end(line, BROKEN);
    }
    for (const [sessionId, { watcher }] of this.#follows) {
      if (!this.#world.has(watcher)) this.#follows.delete(sessionId);
    }
    // A player whose body is gone may get another, also while it is away; one that will not come back will not.
    for (const [sessionId, session] of this.#sessions) {
      const isHere = this.#roomSessions.present(sessionId) !== undefined;
      if (this.#follows.has(sessionId) || isHere || this.#roomSessions.mayComeBack(sessionId)) continue;
      session.release();
    }
    this.gateway.publish(changes);
  }

  dispose(): Promise<void> {
    this.#isOver = true;
    for (const { client } of this.#lines.values()) this.#close(client.sessionId);
    return this.gateway.drain();
  }

  /** What a client is told that is shown nothing any more. */
  get #goodbye(): number {
    return this.#isOver ? RELEASED : COME_AGAIN;
  }

  /** The line of the connection that a client has now. */
  #lineOf({ sessionId }: Client): Line | undefined {
    const line = this.#lines.get(sessionId);
    return line !== undefined && this.#roomSessions.present(sessionId) === line.client ? line : undefined;
  }

  #open(client: Client): void {
    if (this.#isOver || this.#roomSessions.present(client.sessionId) !== client) return;
    this.#end(this.#lines.get(client.sessionId), BROKEN);
    const line: Line = { client, events: undefined };
    this.#lines.set(client.sessionId, line);
    this.#serve(line);
  }

  /** Lets the gateway have the line, if it is known what to show. */
  #serve(line: Line): void {
    const { client } = line;
    if (line.events !== undefined || !this.#hasAnything(client.sessionId)) return;
    line.events = this.gateway.accept(this.#connectionOf(line), requestOf(client), () => {
      const { watcher, own = watcher } = this.#follows.get(client.sessionId) ?? GONE;
      if (!this.#world.has(watcher)) return undefined;
      return { watcher, own: this.#world.has(own) ? own : watcher, data: client.sessionId };
    });
    client.send(OPEN);
  }

  /** Whether there is something to show, or to take away: of one whose watcher was removed while it was away, all. */
  #hasAnything(sessionId: string): boolean {
    const follow = this.#follows.get(sessionId);
    return (follow !== undefined && this.#world.has(follow.watcher)) || this.#sessions.has(sessionId);
  }

  #connectionOf(line: Line): Connection {
    const { client } = line;
    return {
      get bufferedBytes(): number {
        // The ws socket has it; where another transport has not, acknowledgements tell who is behind.
        const { bufferedAmount } = client.ref as { readonly bufferedAmount?: unknown };
        return typeof bufferedAmount === 'number' ? bufferedAmount : 0;
      },
      send: (bytes) => client.sendBytes(FRAMES, bytes),
      close: (code, reason) => {
        this.#forget(line);
        if (MISDEEDS.has(reason)) client.leave(CloseCode.WITH_ERROR, reason);
        else client.send(CLOSE, AGAIN.has(reason) ? this.#goodbye : code);
      },
      terminate: () => this.#forget(line),
    };
  }

  #end(line: Line | undefined, code: number): void {
    if (line === undefined) return;
    this.#forget(line);
    line.events?.closed(code);
  }

  #forget(line: Line): void {
    if (this.#lines.get(line.client.sessionId) === line) this.#lines.delete(line.client.sessionId);
  }

  #unfollow(sessionId: string): void {
    this.#follows.delete(sessionId);
    this.#close(sessionId);
  }

  /** Ends what the gateway has of a client, and its line. */
  #close(sessionId: string): void {
    this.#sessions.get(sessionId)?.release();
    const line = this.#lines.get(sessionId);
    if (line === undefined) return;
    this.#end(line, BROKEN);
    if (line.events !== undefined || this.#isOver) line.client.send(CLOSE, this.#goodbye);
  }
}

/** Who the client is, Colyseus has found out. */
function requestOf({ sessionId }: Client): ConnectionRequest {
  return { address: `session ${sessionId}`, url: '/', origin: undefined, headers: {} };
}
