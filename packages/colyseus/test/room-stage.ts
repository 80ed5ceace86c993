/**
 * A real Colyseus server on the loopback, with one kind of room for each mode, that ticks when a test says so.
 *
 * The rooms are as a game would have them, but for the timer: the test calls `step`, and whoever listens can tell by the tick
 * number, in the state or in the frame, that all of it has arrived.
 */
import type { AddressInfo } from 'node:net';
import { type Client, matchMaker, Room, Server } from '@colyseus/core';
import { schema, t } from '@colyseus/schema';
import { WebSocketTransport } from '@colyseus/ws-transport';
import { type EntityId, type Interest, World } from 'umwelt';
import { RoomInterest } from '../src/index.ts';

const POSITION_STEP = 0.25;
const RANGE = 30;
const GRACE_SECONDS = 5;
export const GRACE_MS = 1000;

export const Unit = schema({ id: t.uint32(), x: t.float32(), y: t.float32() }, 'Unit');
const State = schema({ tick: t.uint32(), units: t.map(Unit).view() }, 'State');
type UnitSchema = InstanceType<typeof Unit>;

/** What both kinds of rooms have in common: a world with players and others, and what happened to players. */
abstract class StageRoom extends Room<{ state: InstanceType<typeof State> }> {
  override patchRate = null;
  override state = new State();
  readonly world = new World({ interests: { default: { leaveMargin: 2 } satisfies Interest } });
  readonly events: string[] = [];
  readonly crowd: EntityId[] = [];
  /** The time by which grace is reckoned: a test lets it pass. */
  nowMs = 0;
  readonly graceClock = { now: (): number => this.nowMs, repeat: () => () => {} };
  /** By session id. */
  readonly players = new Map<string, EntityId>();
  abstract readonly interest: RoomInterest;

  /** With `lurk`, the client is in the room and sees nothing. */
  override onJoin(client: Client, { lurk = false, x }: { lurk?: boolean; x?: number } = {}): void {
    if (lurk) return;
    const id = this.put({ x: x ?? this.clients.length * 20, y: 0, range: RANGE });
    this.players.set(client.sessionId, id);
    this.interest.follow(client, id);
  }

  override onDrop(client: Client): void {
    this.events.push('drop');
    // Refused when the room is closing.
    this.allowReconnection(client, GRACE_SECONDS).catch(() => {});
  }

  override onReconnect(): void {
    this.events.push('reconnect');
  }

  override onLeave(client: Client): void {
    this.events.push('leave');
    const id = this.players.get(client.sessionId);
    this.players.delete(client.sessionId);
    if (id !== undefined && this.world.has(id)) this.take(id);
  }

  override onDispose(): Promise<void> {
    return this.interest.dispose();
  }

  put(place: { x: number; y: number; range?: number }): EntityId {
    return this.world.add(place);
  }

  take(id: EntityId): void {
    this.world.remove(id);
  }

  move(id: EntityId, x: number, y: number): void {
    this.world.move(id, x, y);
  }

  step(): void {
    this.interest.publish(this.world.tick());
    this.state.tick = this.world.tickCount;
    this.broadcastPatch();
  }

  /** What the player of a session is to see: as lines, in order. */
  view(sessionId: string): string {
    const id = this.players.get(sessionId)!;
    return lines([id, ...this.world.visibleTo(id)].map((one) => [one, ...this.world.position(one)]));
  }
}

export class FramesRoom extends StageRoom {
  readonly heard: string[] = [];
  readonly interest = new RoomInterest(this, this.world, {
    mode: 'frames',
    graceMs: GRACE_MS,
    clock: this.graceClock,
    tickMs: 20,
    appearance: {
      positionStep: POSITION_STEP,
      bands: { near: 10 },
      fields: { name: { type: 'string' }, mood: { type: 'uint', audience: 'near' } },
    },
    limits: { messageBytesMax: 500 },
    onInput: (client, payload) => this.heard.push(`${client.sessionId} ${[...payload]}`),
  });
}

export class ViewRoom extends StageRoom {
  readonly interest = new RoomInterest(this, this.world, {
    mode: 'view',
    graceMs: GRACE_MS,
    clock: this.graceClock,
    onHide: (client, schema, reason) => {
      this.hidden.push(`${client.sessionId} ${(schema as UnitSchema).id} ${reason}`);
    },
  });
  readonly units = new Map<EntityId, UnitSchema>();
  /** Who was taken from whose view, and why. */
  readonly hidden: string[] = [];

  override put(place: { x: number; y: number; range?: number }): EntityId {
    const id = super.put(place);
    const unit = new Unit().assign({ id, x: place.x, y: place.y });
    this.state.units.set(String(id), unit);
    this.units.set(id, unit);
    this.interest.track(id, unit);
    return id;
  }

  override take(id: EntityId): void {
    super.take(id);
    this.state.units.delete(String(id));
    this.units.delete(id);
  }

  override move(id: EntityId, x: number, y: number): void {
    super.move(id, x, y);
    this.units.get(id)?.assign({ x, y });
  }
}

/** Rows of an id and a position, in order and as text: equal texts, equal views. */
export function lines(rows: readonly (readonly number[])[]): string {
  const round = (value: number): number => Math.round(value / POSITION_STEP);
  return rows
    .toSorted(([one = 0], [other = 0]) => one - other)
    .map(([id, x = 0, y = 0]) => `${id} ${round(x)} ${round(y)}`)
    .join('\n');
}

export interface Stage {
  readonly port: number;
  frames(roomId: string): FramesRoom;
  view(roomId: string): ViewRoom;
  close(): Promise<void>;
}

/** There is one match maker in a process, and so one stage. */
export async function openStage(): Promise<Stage> {
  const transport = new WebSocketTransport();
  const server = new Server({ transport, greet: false, gracefullyShutdown: false });
  server.define('frames', FramesRoom);
  server.define('view', ViewRoom);
  await server.listen(0, '127.0.0.1');
  return {
    port: (transport.server!.address() as AddressInfo).port,
    frames: (roomId) => matchMaker.getLocalRoomById(roomId) as unknown as FramesRoom,
    view: (roomId) => matchMaker.getLocalRoomById(roomId) as unknown as ViewRoom,
    close: () => server.gracefullyShutdown(false),
  };
}

/** Breaks a client's connection as a network does: nobody says goodbye. */
export function cut(room: StageRoom, sessionId: string): void {
  const ref = room.clients.get(sessionId)?.ref as unknown as { terminate(): void };
  ref.terminate();
}
