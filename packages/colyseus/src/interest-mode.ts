/** The interface of the two modes of a room's interest. `RoomInterest` validates the arguments. */
import type { Client, Room } from '@colyseus/core';
import type { Schema } from '@colyseus/schema';
import { type Changes, type EntityId, UmweltError } from 'umwelt';

/** The part of a room that is used. */
export type InterestRoom = Pick<Room, 'clients' | 'onMessage' | 'hasReservedSeat'>;

export interface InterestMode {
  /**
   * `client` is the newest client of its session, and may be away. `own` is a schema in mode 'view' and an
   * entity in mode 'frames'.
   */
  follow(client: Client, watcher: EntityId, own: Schema | EntityId | undefined): void;
  track(id: EntityId, schema: Schema): void;
  release(id: EntityId): void;
  publish(changes: Changes): void;
  dispose(): Promise<void>;
}

export function badOption(field: string, value: unknown, message: string): UmweltError {
  return new UmweltError('BAD_OPTION', message, { field, value });
}
