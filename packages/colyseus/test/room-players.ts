/**
 * Clients of the SDK in the rooms of a stage, asked the same in both modes: which tick they have heard of, and what they have.
 */
import type { Client, Room } from '@colyseus/sdk';
import type { UmweltClient } from '@umwelt/client';
import { expect, vi } from 'vitest';
import { perceive } from '../src/client.ts';
import { type FramesRoom, lines, type Stage, type ViewRoom } from './room-stage.ts';

export type Mode = 'frames' | 'view';
export type ServerRoom = FramesRoom | ViewRoom;

/** A client of the SDK in a room. */
export interface Player {
  readonly room: Room;
  readonly client: UmweltClient | undefined;
  /** Of what it was told last. */
  tick(): number;
  /** What it has, as `ServerRoom.view` says it. */
  had(): string;
  has(id: number): boolean;
}

const RECONNECT_MS = 40;

function playerIn(room: Room): Player {
  const asked = connected(room);
  return {
    room,
    ...asked,
    has: (id) =>
      asked
        .had()
        .split('\n')
        .some((line) => line.startsWith(`${id} `)),
  };
}

function connected(room: Room): Pick<Player, 'client' | 'tick' | 'had'> {
  room.reconnection.minUptime = 0;
  room.reconnection.minDelay = RECONNECT_MS;
  room.reconnection.delay = RECONNECT_MS;
  if (room.name === 'frames') {
    const client = perceive(room);
    client.connect();
    return {
      client,
      tick: () => client.tick,
      had: () => lines([...client.entities.values()].map(({ id, x, y }) => [id, x, y])),
    };
  }
  return {
    client: undefined,
    tick: () => room.state.tick ?? 0,
    had: () => {
      const units = [...(room.state.units ?? new Map()).values()];
      return lines(units.map(({ id, x, y }: { id: number; x: number; y: number }) => [id, x, y]));
    },
  };
}

/** Ticks until the players hear of it, some of whom are only just coming in, and of the newest tick. */
export async function reach(server: ServerRoom, players: readonly Player[]): Promise<void> {
  const before = server.world.tickCount;
  await vi.waitFor(
    () => {
      server.step();
      expect(players.every((player) => player.tick() > before)).toBe(true);
    },
    { interval: 10 },
  );
  await heard(server, players);
}

/** Waits until the players have heard of the newest tick. */
export async function heard(server: ServerRoom, players: readonly Player[]): Promise<void> {
  for (const player of players) {
    await vi.waitFor(() => expect(player.tick()).toBe(server.world.tickCount), {
      interval: 1,
    });
  }
}

export function expectEqual(server: ServerRoom, player: Player): void {
  expect(player.had()).toBe(server.view(player.room.sessionId));
}

export function times(server: ServerRoom, event: string): number {
  return server.events.filter((one) => one === event).length;
}

/** A room of its own for a test, with one player in it. */
export async function firstIn<M extends Mode>(
  stage: Stage,
  sdk: Client,
  mode: M,
  options: object = {},
): Promise<{ server: M extends 'frames' ? FramesRoom : ViewRoom; player: Player }> {
  const player = playerIn(await sdk.create(mode, options));
  return { server: stage[mode](player.room.roomId) as never, player };
}

export async function nextIn(sdk: Client, server: ServerRoom, options: object = {}): Promise<Player> {
  return playerIn(await sdk.joinById(server.roomId, options));
}
