/**
 * A player's client for either room, with Colyseus's SDK: it counts the deer that enter and leave its sight.
 *
 * In the room with a state it uses the SDK's own callbacks. In the room with frames, `perceive` makes a client from the room.
 */
import { Callbacks, type Room } from '@colyseus/sdk';
import { perceive } from '@umwelt/colyseus/client';
import type { ViewRoom } from './view-room.ts';

export interface Sight {
  /** The deer that it sees now. */
  readonly deer: Set<unknown>;
  came: number;
  went: number;
}

function note(sight: Sight, id: unknown, kind: unknown, isHere: boolean): void {
  if (kind !== 'deer') return;
  if (isHere) sight.deer.add(id);
  else sight.deer.delete(id);
  if (isHere) sight.came++;
  else sight.went++;
}

export function lookByState(room: Room<unknown, ViewRoom['state']>): Sight {
  const sight: Sight = { deer: new Set(), came: 0, went: 0 };
  const callbacks = Callbacks.get(room);
  callbacks.onAdd('creatures', ({ kind }, id) => note(sight, id, kind, true));
  callbacks.onRemove('creatures', ({ kind }, id) => note(sight, id, kind, false));
  return sight;
}

export function lookByFrames(room: Room): Sight {
  const sight: Sight = { deer: new Set(), came: 0, went: 0 };
  const client = perceive(room);
  client.on('enter', ({ id, fields }) => note(sight, String(id), fields.kind, true));
  client.on('leave', ({ id, fields }) => note(sight, String(id), fields.kind, false));
  client.connect();
  return sight;
}
