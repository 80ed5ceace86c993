/**
 * The game: a meadow of sheep in which players walk and hide. Each player is sent what it perceives, and nothing else.
 *
 * The world knows where everyone is and who perceives whom. The gateway keeps the players' connections and puts each tick on them.
 */
import { type Admission, Gateway, type Session } from '@umwelt/gateway';
import { type EntityId, World } from 'umwelt';
import { appearance } from './appearance.ts';

export const TICK_MS = 50;
/** World units from edge to edge. */
const MEADOW = 200;
/** How far a player sees, in world units; one that hides is seen from a tenth as far. */
const SIGHT = 30;
const SHEEP = 300;
/** World units a tick. */
const PLAYER_PACE = 0.6;
const SHEEP_PACE = 0.15;

/** Where it walks: -1, 0 or 1 along each axis. */
interface Walker {
  dx: number;
  dy: number;
}

export class Game {
  // Nobody flickers at the edge of sight, and nobody is shown more than 60 others.
  readonly world = new World({ interests: { default: { leaveMargin: 3, cap: 60 } } });
  readonly gateway = new Gateway(this.world, {
    tickMs: TICK_MS,
    appearance,
    authenticate: ({ credential }) => this.#admit(credential),
    onInput: (session, payload) => this.#steer(session, payload),
    onLeave: (session) => this.#remove(session),
  });
  readonly #players = new Map<EntityId, Walker>();
  readonly #sheep = new Map<EntityId, Walker>();

  constructor() {
    for (let count = 0; count < SHEEP; count++) {
      const id = this.world.add({ x: Math.random() * MEADOW, y: Math.random() * MEADOW });
      this.gateway.set(id, { kind: 'sheep' });
      this.#sheep.set(id, { dx: 0, dy: 0 });
    }
  }

  /** Everybody walks, the world finds out who came into whose sight, and each player is told. */
  step(): void {
    for (const [id, walker] of this.#players) this.#walk(id, walker, PLAYER_PACE);
    for (const [id, walker] of this.#sheep) {
      if (Math.random() < 0.02) {
        walker.dx = Math.floor(Math.random() * 3) - 1;
        walker.dy = Math.floor(Math.random() * 3) - 1;
      }
      this.#walk(id, walker, SHEEP_PACE);
    }
    this.gateway.publish(this.world.tick());
  }

  /** Who comes in, and as whom. A game that people log in to asks here for a ticket. */
  #admit(name: string): Admission | undefined {
    if (name === '') return undefined;
    const watcher = this.world.add({ x: MEADOW / 2, y: MEADOW / 2, range: SIGHT });
    this.gateway.set(watcher, { kind: 'player', name: name.slice(0, 32) });
    this.#players.set(watcher, { dx: 0, dy: 0 });
    return { watcher };
  }

  /** What a player does: three bytes, and anyone may have sent them. */
  #steer(session: Session, payload: Uint8Array): void {
    const walker = this.#players.get(session.watcher);
    if (walker === undefined || payload.length !== 3) return;
    const [dx = 0, dy = 0, hides = 0] = new Int8Array(payload);
    walker.dx = Math.sign(dx);
    walker.dy = Math.sign(dy);
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

function within(coordinate: number): number {
  return Math.min(Math.max(coordinate, 0), MEADOW);
}
