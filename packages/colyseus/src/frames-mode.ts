/**
 * Mode 'frames': a gateway whose connections are lines inside the connections of a Colyseus room.
 *
 * Colyseus has authenticated the client already, so a line is admitted with the watcher that `follow` set. A
 * line is open while the client's plug-in wants it to be and the Colyseus client is in the room. The
 * gateway's session outlives the line, and the next line of the same Colyseus session resumes it. A client
 * that violates the frame format must leave the room, as with messages that Colyseus cannot read.
 */
import { type Client, CloseCode } from '@colyseus/core';
import type { Schema } from '@colyseus/schema';
import {
  type AppearanceOptions,
  type Clock,
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

/** Options of mode 'frames': clients receive what they perceive as binary frames in the room's connection. */
export interface FramesOptions<A extends AppearanceOptions = AppearanceOptions>
  extends Pick<GatewayOptions<A>, 'tickMs' | 'appearance' | 'logger' | 'clock' | 'randomToken'> {
  /** Selects the mode. */
  readonly mode: 'frames';
  /**
   * How long the session of a client that is away is kept, in milliseconds. A client that returns later is
   * resynchronised. Default 30,000. Raised to at least 6,000, the time in which its rate limits refill.
   */
  readonly graceMs?: number;
  /** Limits that replace the gateway's defaults. */
  readonly limits?: Partial<Omit<GatewayLimits, 'graceMs'>>;
  /** An input that the client sent with `sendInput`. `payload` is valid only during the call. Untrusted. */
  onInput?(client: Client, payload: Uint8Array, number: number): void;
}

interface Follow {
  readonly watcher: EntityId;
  readonly own: EntityId | undefined;
}

const GONE: Follow = { watcher: 0, own: undefined };

/** One client's line in the room's connection. */
interface Line {
  readonly client: Client;
  /** Receives the events of the line; undefined while the client follows no watcher. */
  events: ConnectionEvents | undefined;
}

const NO_BYTES = new Uint8Array(0);
/**
 * Most lines that a client may open in a second: an honest one waits between its attempts. Each line costs the server
 * more than its message costs the client, and gets an answer, which a client that does not read leaves in memory.
 */
const OPENS_PER_SECOND = 100;
const SECOND_MS = 1000;
/**
 * Time in which the input rate limit of a session refills. A session that ended earlier would give its client
 * a full bucket with each connection.
 */
const ACCOUNT_MS = 6000;
const BROKEN = 1006;
const RELEASED = 4008;
const COME_AGAIN = 1001;
/** Close reasons of the gateway that depend on `follow`: the client may be shown something again later. */
const AGAIN = new Set(['released', 'unauthenticated', 'goingAway']);
/** Close reasons for which a client must leave the room. */
const MISDEEDS = new Set(['malformed', 'flood', 'tooBig']);

/**
 * The mode that uses the message types of a room, or was the last to. The handlers stay registered, and pass on to it:
 * Colyseus disconnects a client that sends a message without a handler, and one may be under way.
 */
const modeOf = new WeakMap<InterestRoom, FramesMode>();

export class FramesMode implements InterestMode {
  readonly gateway: Gateway;
  readonly #roomSessions: RoomSessions;
  readonly #world: GatewayWorld;
  /** Colyseus's session id of the client that follows a watcher. */
  readonly #followers = new Map<EntityId, string>();
  // All of these by Colyseus's session id.
  readonly #follows = new Map<string, Follow>();
  readonly #lines = new Map<string, Line>();
  readonly #sessions = new Map<string, Session>();
  /** Lines opened since `#countedMs`. */
  readonly #opens = new Map<string, number>();
  #countedMs = 0;
  readonly #clock: Pick<Clock, 'now'>;
  #isOver = false;

  constructor(
    room: InterestRoom,
    roomSessions: RoomSessions,
    world: GatewayWorld,
    options: FramesOptions,
    graceMs: number,
  ) {
    const former = modeOf.get(room);
    if (former !== undefined && !former.#isOver) {
      const message = "the room has an interest in mode 'frames'; expected one without, or a disposed one";
      throw badOption('room', 'frames', message);
    }
    const { mode: _mode, graceMs: _graceMs, limits, onInput, ...rest } = options;
    this.#roomSessions = roomSessions;
    this.#world = world;
    this.#clock = options.clock ?? performance;
    this.gateway = new Gateway(world, {
      ...rest,
      limits: { ...limits, graceMs: Math.min(Math.max(graceMs, ACCOUNT_MS), Number.MAX_SAFE_INTEGER) },
      // Never called: each line is accepted with an `authenticate` of its own.
      authenticate: () => undefined,
      onJoin: (session) => this.#sessions.set(session.data as string, session),
      onLeave: (session) => this.#sessions.delete(session.data as string),
      onInput: (session, payload, number) => {
        const line = this.#lines.get(session.data as string);
        if (line !== undefined) onInput?.(line.client, payload, number);
      },
    });
    modeOf.set(room, this);
    if (former !== undefined) return;
    const current = (): FramesMode => modeOf.get(room) ?? this;
    room.onMessage(OPEN, (client) => current().#open(client));
    room.onMessage(FRAMES, (client, bytes: unknown) => {
      const line = current().#lineOf(client);
      line?.events?.received(bytes instanceof Uint8Array ? bytes : NO_BYTES);
    });
    room.onMessage(CLOSE, (client) => current().#end(current().#lineOf(client), 1000));
  }

  follow({ sessionId }: Client, watcher: EntityId, own: Schema | EntityId | undefined): void {
    const other = this.#followers.get(watcher);
    if (other !== undefined && other !== sessionId) this.#unfollow(other);
    const follow: Follow = { watcher, own: own as EntityId | undefined };
    const session = this.#sessions.get(sessionId);
    session?.attach(watcher, follow.own ?? watcher);
    this.#drop(sessionId);
    this.#follows.set(sessionId, follow);
    this.#followers.set(watcher, sessionId);
    const line = this.#lines.get(sessionId);
    if (line !== undefined) this.#serve(line);
  }

  track(): void {
    throw badOption('mode', 'frames', "track is for mode 'view' only");
  }

  release(id: EntityId): void {
    const sessionId = this.#followers.get(id);
    if (sessionId !== undefined) this.#unfollow(sessionId);
  }

  /** The watchers that are followed, each with a function that ends it. */
  *followed(): IterableIterator<{ readonly watcher: EntityId; release(): void }> {
    for (const { watcher } of this.#follows.values()) yield { watcher, release: () => this.release(watcher) };
  }

  publish(changes: Changes): void {
    for (const line of this.#lines.values()) {
      if (this.#roomSessions.present(line.client.sessionId) !== line.client) this.#end(line, BROKEN);
    }
    for (const [sessionId, { watcher }] of this.#follows) {
      if (!this.#world.has(watcher)) this.#drop(sessionId);
    }
    // A session without a watcher is kept while its client is in the room or may come back: it may be given
    // another watcher.
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

  /** Close code for a client that is shown nothing any more. */
  get #goodbye(): number {
    return this.#isOver ? RELEASED : COME_AGAIN;
  }

  /** The line of the client's current connection. */
  #lineOf({ sessionId }: Client): Line | undefined {
    const line = this.#lines.get(sessionId);
    return line !== undefined && this.#roomSessions.present(sessionId) === line.client ? line : undefined;
  }

  #open(client: Client): void {
    if (this.#isOver || this.#roomSessions.present(client.sessionId) !== client) return;
    if (!this.#mayOpen(client)) {
      client.leave(CloseCode.WITH_ERROR, 'flood');
      return;
    }
    this.#end(this.#lines.get(client.sessionId), BROKEN);
    const line: Line = { client, events: undefined };
    this.#lines.set(client.sessionId, line);
    this.#serve(line);
  }

  #mayOpen({ sessionId }: Client): boolean {
    const nowMs = this.#clock.now();
    if (nowMs - this.#countedMs >= SECOND_MS) {
      this.#opens.clear();
      this.#countedMs = nowMs;
    }
    const count = (this.#opens.get(sessionId) ?? 0) + 1;
    this.#opens.set(sessionId, count);
    return count <= OPENS_PER_SECOND;
  }

  /** Passes the line to the gateway, if it is known what to show. */
  #serve(line: Line): void {
    const { client } = line;
    if (line.events !== undefined || !this.#hasAnything(client.sessionId)) return;
    line.events = this.gateway.accept(this.#connectionOf(line), requestOf(client), () => {
      const { watcher, own = watcher } = this.#follows.get(client.sessionId) ?? GONE;
      if (!this.#world.has(watcher)) return undefined;
      return { watcher, own: this.#world.has(own) ? own : 0, data: client.sessionId };
    });
    client.send(OPEN);
  }

  /**
   * Whether the client has something to be shown, or a session. The session of a client whose watcher was
   * removed while it was away must still take everything from it.
   */
  #hasAnything(sessionId: string): boolean {
    const follow = this.#follows.get(sessionId);
    return (follow !== undefined && this.#world.has(follow.watcher)) || this.#sessions.has(sessionId);
  }

  #connectionOf(line: Line): Connection {
    const { client } = line;
    return {
      get bufferedBytes(): number {
        // The socket of ws has this value. With other transports, acknowledgements show which clients are
        // behind.
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
    this.#drop(sessionId);
    this.#close(sessionId);
  }

  #drop(sessionId: string): void {
    const follow = this.#follows.get(sessionId);
    if (follow !== undefined) this.#followers.delete(follow.watcher);
    this.#follows.delete(sessionId);
  }

  /** Ends the gateway's session of a client, and its line. */
  #close(sessionId: string): void {
    this.#sessions.get(sessionId)?.release();
    const line = this.#lines.get(sessionId);
    if (line === undefined) return;
    this.#end(line, BROKEN);
    if (line.events !== undefined || this.#isOver) line.client.send(CLOSE, this.#goodbye);
  }
}

/** Colyseus has authenticated the client. */
function requestOf({ sessionId }: Client): ConnectionRequest {
  return { address: `session ${sessionId}`, url: '/', origin: undefined, headers: {} };
}
