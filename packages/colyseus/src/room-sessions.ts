/**
 * Which client a Colyseus session has: one that is in the room, or one that is away and may come back.
 *
 * A session gets a new client object with each connection, and a reconnection is allowed for the newest of them only. A game
 * may still hold an older one. So the newest is remembered here for each session that is followed, and looked up anew
 * with each tick. Memory: one entry for each session in the room or away; none for one that is over.
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

  /** The client that a session has in the room now. */
  present(sessionId: string): Client | undefined {
    return this.#room.clients.get(sessionId);
  }

  /** The client that a session has, or had before it went away; `undefined` once it is known not to come back. */
  newest(sessionId: string): Client | undefined {
    return this.present(sessionId) ?? this.#newest.get(sessionId);
  }

  /** Whether the session is away and Colyseus keeps its seat. */
  mayComeBack(sessionId: string): boolean {
    const client = this.#newest.get(sessionId);
    return client !== undefined && this.present(sessionId) === undefined && this.#hasSeat(client);
  }

  /** The newest client of the session that `client` is or was one of; `undefined` if that session is over. Remembers it. */
  resolve(client: Client): Client | undefined {
    const { sessionId } = client;
    const newest =
      this.present(sessionId) ??
      [this.#newest.get(sessionId), client].find((one) => one !== undefined && this.#hasSeat(one));
    if (newest !== undefined) this.#newest.set(sessionId, newest);
    return newest;
  }

  /** Takes note of who came back, and forgets who will not. To be called with each tick. */
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
