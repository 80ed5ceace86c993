/**
 * The client of each Colyseus session: a client that is in the room, or one that is away and may come back.
 *
 * A session gets a new client object with each connection, and Colyseus allows a reconnection for the newest
 * one only, while a game may still hold an older one. So the newest client of each followed session is
 * remembered here, and updated at each tick. Memory: one entry per session in the room or away; none for a
 * session that has ended.
 */
import type { Client } from '@colyseus/core';
import type { InterestRoom } from './interest-mode.ts';

export class RoomSessions {
  readonly #room: InterestRoom;
  /** By session id. */
  readonly #newest = new Map<string, Client>();

  constructor(room: InterestRoom) {
    this.#room = room;
  }

  /** The client of a session in the room now. */
  present(sessionId: string): Client | undefined {
    return this.#room.clients.get(sessionId);
  }

  /**
   * The client of a session, or the last one before it went away. `undefined` once it is known not to come
   * back.
   */
  newest(sessionId: string): Client | undefined {
    return this.present(sessionId) ?? this.#newest.get(sessionId);
  }

  /** Whether the session is away and Colyseus keeps its seat. */
  mayComeBack(sessionId: string): boolean {
    const client = this.#newest.get(sessionId);
    return client !== undefined && this.present(sessionId) === undefined && this.#hasSeat(client);
  }

  /**
   * The newest client of the session of `client`; `undefined` if that session has ended. Remembers the newest
   * client.
   */
  resolve(client: Client): Client | undefined {
    const { sessionId } = client;
    const newest =
      this.present(sessionId) ??
      [this.#newest.get(sessionId), client].find((one) => one !== undefined && this.#hasSeat(one));
    if (newest !== undefined) this.#newest.set(sessionId, newest);
    return newest;
  }

  /** Updates sessions that came back, and forgets those that will not. Call this at each tick. */
  refresh(): void {
    for (const [sessionId, client] of this.#newest) {
      const present = this.present(sessionId);
      if (present !== undefined) this.#newest.set(sessionId, present);
      else if (!this.#hasSeat(client)) this.#newest.delete(sessionId);
    }
  }

  #hasSeat({ sessionId, reconnectionToken }: Client): boolean {
    return this.#room.hasReservedSeat(sessionId, reconnectionToken);
  }
}
