/**
 * A Colyseus room: a meadow of sheep in which players walk and hide. Each client is sent what its player perceives, and nothing else.
 *
 * Colyseus accepts clients and keeps their connections. The world has all positions and finds out which entities perceive which;
 * `RoomInterest` sends each tick over the room's connections, as small binary frames. A room may also have a state, for data that
 * all clients should have.
 */
import { type Client, Room } from '@colyseus/core';
import { RoomInterest } from '@umwelt/colyseus';
import { type EntityId, World } from 'umwelt';
import { appearance } from './appearance.ts';

const TICK_MS = 50;
/** World units from edge to edge. */
const MEADOW = 200;
/** How far a player sees, in world units; a hiding player can be seen from a tenth of that distance. */
const SIGHT = 30;
const SHEEP = 300;
/** World units per tick. */
const PLAYER_PACE = 0.6;
const SHEEP_PACE = 0.15;
/** A player that was silent for so long stops: the page repeats its input several times a second, so the connection is broken. */
const SILENT_TICKS = 20;

/** Where it walks: -1, 0 or 1 along each axis. */
interface Walker {
  dx: number;
  dy: number;
  /** Of a player: the tick of its last input. */
  heardTick?: number;
}

export class MeadowRoom extends Room {
  // The margin prevents flicker at the edge of sight; the cap limits each player to 60 others.
  readonly world = new World({ interests: { default: { leaveMargin: 3, cap: 60 } } });
  readonly interest = new RoomInterest(this, this.world, {
    mode: 'frames',
    tickMs: TICK_MS,
    appearance,
    onInput: (client, payload) => this.#steer(client, payload),
  });
  /** By session id. */
  readonly #players = new Map<string, EntityId>();
  readonly #walkers = new Map<EntityId, Walker>();
  readonly #sheep: EntityId[] = [];

  override async onCreate({ opened }: { opened?: (room: MeadowRoom) => unknown } = {}): Promise<void> {
    // The meadow stays when the last player leaves: the inspector shows the world of this room.
    this.autoDispose = false;
    for (let count = 0; count < SHEEP; count++) {
      const id = this.world.add({ x: Math.random() * MEADOW, y: Math.random() * MEADOW });
      this.interest.set(id, { kind: 'sheep' });
      this.#walkers.set(id, { dx: 0, dy: 0 });
      this.#sheep.push(id);
    }
    this.setTimestep(() => this.#step(), TICK_MS);
    await opened?.(this);
  }

  /** The options are untrusted, too: what throws here must do so before the world has the player. */
  override onJoin(client: Client, options?: { name?: unknown } | null): void {
    const name = typeof options?.name === 'string' ? options.name.slice(0, 32) : 'somebody';
    const id = this.world.add({ x: start(), y: start(), range: SIGHT });
    this.interest.set(id, { kind: 'player', name });
    this.#players.set(client.sessionId, id);
    this.#walkers.set(id, { dx: 0, dy: 0 });
    this.interest.follow(client, id);
  }

  override onDrop(client: Client): void {
    // Rejects if the room is closing.
    this.allowReconnection(client, 20).catch(() => {});
  }

  override onLeave(client: Client): void {
    const id = this.#players.get(client.sessionId);
    // Colyseus also calls this when `onJoin` threw.
    if (id === undefined) return;
    this.#players.delete(client.sessionId);
    this.#walkers.delete(id);
    this.world.remove(id);
  }

  override onDispose(): Promise<void> {
    return this.interest.dispose();
  }

  /** Moves all entities, ticks the world, and sends each player its changes. */
  #step(): void {
    for (const id of this.#sheep) {
      if (Math.random() >= 0.02) continue;
      const walker = this.#walkers.get(id)!;
      walker.dx = Math.floor(Math.random() * 3) - 1;
      walker.dy = Math.floor(Math.random() * 3) - 1;
    }
    const players = new Set(this.#players.values());
    for (const [id, { dx, dy, heardTick = 0 }] of this.#walkers) {
      if (dx === 0 && dy === 0) continue;
      const isPlayer = players.has(id);
      if (isPlayer && this.world.tickCount - heardTick > SILENT_TICKS) continue;
      const [x = 0, y = 0] = this.world.position(id);
      const pace = isPlayer ? PLAYER_PACE : SHEEP_PACE;
      this.world.move(id, within(x + dx * pace), within(y + dy * pace));
    }
    this.interest.publish(this.world.tick());
  }

  /** Input of a player: three bytes, which are untrusted. */
  #steer({ sessionId }: Client, payload: Uint8Array): void {
    const id = this.#players.get(sessionId);
    const walker = id === undefined ? undefined : this.#walkers.get(id);
    if (id === undefined || walker === undefined || payload.length !== 3) return;
    const [dx = 0, dy = 0, hides = 0] = new Int8Array(payload);
    walker.dx = Math.sign(dx);
    walker.dy = Math.sign(dy);
    walker.heardTick = this.world.tickCount;
    this.world.update(id, { gain: hides === 1 ? 0.1 : 1 });
  }
}

/** Where a player begins, along one axis: near the middle, and seldom where another stands. */
function start(): number {
  return MEADOW / 2 + (Math.random() - 0.5) * 16;
}

function within(coordinate: number): number {
  return Math.min(Math.max(coordinate, 0), MEADOW);
}
