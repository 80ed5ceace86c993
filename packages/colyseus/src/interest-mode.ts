/**
 * What a room's interest does in one mode or the other; `RoomInterest` has checked what comes in.
 */
import type { Client, Room } from '@colyseus/core';
import type { Schema } from '@colyseus/schema';
import { type Changes, type EntityId, UmweltError } from 'umwelt';

/** What is used of a room. */
export type InterestRoom = Pick<Room, 'clients' | 'onMessage' | 'hasReservedSeat'>;

export interface InterestMode {
  /** `client` is the newest of its session, which may be away. `own` is a schema in one mode and an entity in the other. */
  follow(client: Client, watcher: EntityId, own: Schema | EntityId | undefined): void;
  track(id: EntityId, schema: Schema): void;
  release(id: EntityId): void;
  publish(changes: Changes): void;
  dispose(): Promise<void>;
}

export function badOption(field: string, value: unknown, message: string): UmweltError {
  return new UmweltError('BAD_OPTION', message, { field, value });
}
