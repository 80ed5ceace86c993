/**
 * The game: a meadow of sheep in which players walk and hide. Each player is sent what it perceives, and nothing else.
 *
 * The world has all positions and finds out which entities perceive which. The gateway keeps the players' connections and
 * sends each tick to them.
 */
import { type Admission, Gateway, type Session } from '@umwelt/gateway';
import { type EntityId, World } from 'umwelt';
import { appearance } from './appearance.ts';

export const TICK_MS = 50;
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
}

interface Player extends Walker {
  /** The tick of its last input. */
  heardTick: number;
}

export class Game {
  // The margin prevents flicker at the edge of sight; the cap limits each player to 60 others.
  readonly world = new World({ interests: { default: { leaveMargin: 3, cap: 60 } } });
  readonly gateway = new Gateway(this.world, {
    tickMs: TICK_MS,
    appearance,
    authenticate: ({ credential }) => this.#admit(credential),
    onInput: (session, payload) => this.#steer(session, payload),
    onLeave: (session) => this.#remove(session),
  });
  readonly #players = new Map<EntityId, Player>();
  readonly #sheep = new Map<EntityId, Walker>();

  constructor() {
    for (let count = 0; count < SHEEP; count++) {
      const id = this.world.add({ x: Math.random() * MEADOW, y: Math.random() * MEADOW });
      this.gateway.set(id, { kind: 'sheep' });
      this.#sheep.set(id, { dx: 0, dy: 0 });
    }
  }

  /** Moves all entities, ticks the world, and sends each player its changes. */
  step(): void {
    for (const [id, player] of this.#players) {
      if (this.world.tickCount - player.heardTick <= SILENT_TICKS) this.#walk(id, player, PLAYER_PACE);
    }
    for (const [id, walker] of this.#sheep) {
      if (Math.random() < 0.02) {
        walker.dx = Math.floor(Math.random() * 3) - 1;
        walker.dy = Math.floor(Math.random() * 3) - 1;
      }
      this.#walk(id, walker, SHEEP_PACE);
    }
    this.gateway.publish(this.world.tick());
  }

  /** Accepts a player and creates its entity. A game with accounts would check a ticket here. */
  #admit(name: string): Admission | undefined {
    if (name === '') return undefined;
    const watcher = this.world.add({ x: start(), y: start(), range: SIGHT });
    this.gateway.set(watcher, { kind: 'player', name: name.slice(0, 32) });
    this.#players.set(watcher, { dx: 0, dy: 0, heardTick: 0 });
    return { watcher };
  }

  /** Input of a player: three bytes, which are untrusted. */
  #steer(session: Session, payload: Uint8Array): void {
    const player = this.#players.get(session.watcher);
    if (player === undefined || payload.length !== 3) return;
    const [dx = 0, dy = 0, hides = 0] = new Int8Array(payload);
    player.dx = Math.sign(dx);
    player.dy = Math.sign(dy);
    player.heardTick = this.world.tickCount;
    this.world.update(session.watcher, { gain: hides === 1 ? 0.1 : 1 });
  }

  #remove(session: Session): void {
    this.#players.delete(session.watcher);
    this.world.remove(session.watcher);
  }

  #walk(id: EntityId, { dx, dy }: Walker, pace: number): void {
    if (dx === 0 && dy === 0) return;
    const [x = 0, y = 0] = this.world.position(id);
    this.world.move(id, within(x + dx * pace), within(y + dy * pace));
  }
}

/** Where a player begins, along one axis: near the middle, and seldom where another stands. */
function start(): number {
  return MEADOW / 2 + (Math.random() - 0.5) * 16;
}

function within(coordinate: number): number {
  return Math.min(Math.max(coordinate, 0), MEADOW);
}
