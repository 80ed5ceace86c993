/**
 * The forest of both rooms: deer that wander, and players that walk.
 *
 * It does not depend on Colyseus: it is a game's world, which a room ticks.
 */
import { type Changes, type EntityId, World } from 'umwelt';

export const TICK_MS = 50;
const DEER = 300;
/** World units from the forest's centre to each side. */
const HALF_SIDE = 100;
const SIGHT = 25;
/** World units per tick. */
const PACE = 1.5;

export class Forest {
  readonly world = new World();
  readonly deer: EntityId[] = [];
  /** Each player's movement per tick, by the player's id. */
  readonly #headings = new Map<EntityId, { readonly dx: number; readonly dy: number }>();

  constructor() {
    for (let index = 0; index < DEER; index++) {
      const { x, y } = this.#grazing(index);
      this.deer.push(this.world.add({ x, y }));
    }
  }

  /** Adds a player at the forest's edge. */
  admit(): EntityId {
    return this.world.add({ x: -HALF_SIDE / 2, y: 0, range: SIGHT });
  }

  remove(id: EntityId): void {
    this.#headings.delete(id);
    this.world.remove(id);
  }

  /** `direction` is untrusted input of a client: an angle in radians, if it is valid. */
  head(id: EntityId, direction: unknown): void {
    if (typeof direction !== 'number' || !Number.isFinite(direction)) return;
    this.#headings.set(id, { dx: PACE * Math.cos(direction), dy: PACE * Math.sin(direction) });
  }

  /** Moves all entities, and ticks. */
  step(): Changes {
    for (const [index, id] of this.deer.entries()) {
      const { x, y } = this.#grazing(index);
      this.world.move(id, x, y);
    }
    for (const [id, { dx, dy }] of this.#headings) {
      const [x = 0, y = 0] = this.world.position(id);
      this.world.move(id, within(x + dx), within(y + dy));
    }
    return this.world.tick();
  }

  /** Each deer circles a place of its own. */
  #grazing(index: number): { readonly x: number; readonly y: number } {
    const angle = index + this.world.tickCount / 40;
    const x = ((index * 61.9) % (2 * HALF_SIDE)) - HALF_SIDE + 8 * Math.cos(angle);
    const y = ((index * 28.3) % (2 * HALF_SIDE)) - HALF_SIDE + 8 * Math.sin(angle);
    return { x, y };
  }
}

function within(coordinate: number): number {
  return Math.max(-HALF_SIDE, Math.min(HALF_SIDE, coordinate));
}
