/**
 * A town that survives a restart of its server: people walk about, players among them, and a snapshot takes a few bytes each.
 *
 * The game stores its own data itself (here: each entity's heading, and how far each player has walked). World and gateway store
 * the rest: positions, relations, what each client has been sent, and the clients' tokens.
 */
import { Gateway, type Transport } from '@umwelt/gateway';
import { type EntityId, World } from 'umwelt';

export const TICK_MS = 50;
const SIDE = 1000;
const SIGHT = 60;
const SPEED = 2;
const PEOPLE = 600;

/** The complete state of a town, for the next process. */
export interface SavedTown {
  readonly world: Uint8Array;
  readonly gateway: Uint8Array;
  /** By entity. */
  readonly headings: readonly (readonly [EntityId, number])[];
}

export class Town {
  readonly world: World;
  readonly gateway: Gateway;
  /** Radians. */
  readonly #headings: Map<EntityId, number>;

  constructor(saved?: SavedTown) {
    this.world =
      saved === undefined
        ? new World({ interests: { default: { leaveMargin: 5 } } })
        : World.restore(saved.world);
    this.#headings = new Map(saved?.headings);
    const options: ConstructorParameters<typeof Gateway>[1] = {
      tickMs: TICK_MS,
      appearance: {
        positionStep: 0.01,
        bands: { near: 20 },
        fields: { name: { type: 'string' }, steps: { type: 'uint', audience: 'near' } },
      },
      authenticate: ({ credential }) => {
        const name = credential.slice(0, 20);
        const watcher = this.#settle(SIGHT);
        this.gateway.set(watcher, { name });
        // Stored in the snapshot as JSON.
        return { watcher, data: { name } };
      },
      // An angle in whole degrees.
      onInput: ({ own }, payload) => {
        if (payload.length === 2)
          this.#headings.set(own, ((payload[0]! * 256 + payload[1]!) * Math.PI) / 180);
      },
      onLeave: ({ watcher }) => {
        if (watcher === 0) return;
        this.#headings.delete(watcher);
        this.world.remove(watcher);
      },
    };
    if (saved === undefined) {
      this.gateway = new Gateway(this.world, options);
      for (let i = 0; i < PEOPLE; i++) this.gateway.set(this.#settle(0), { name: `townsman ${i}` });
    } else this.gateway = Gateway.restore(this.world, saved.gateway, options);
  }

  listen(transport: Transport): Promise<void> {
    return this.gateway.listen(transport);
  }

  step(): void {
    for (const [id, heading] of this.#headings) {
      const [x = 0, y = 0] = this.world.position(id);
      const [nextX, nextY] = [x + SPEED * Math.cos(heading), y + SPEED * Math.sin(heading)];
      const isInside = Math.max(Math.abs(nextX), Math.abs(nextY)) <= SIDE / 2;
      if (isInside) this.world.move(id, nextX, nextY);
      else this.#headings.set(id, heading + 2);
      this.gateway.set(id, { steps: Number(this.gateway.get(id, 'steps')) + 1 });
    }
    this.gateway.publish(this.world.tick());
  }

  /** As of the last step. */
  save(): SavedTown {
    return {
      world: this.world.snapshot(),
      gateway: this.gateway.snapshot(),
      headings: [...this.#headings],
    };
  }

  #settle(range: number): EntityId {
    const place = (): number => (Math.random() - 0.5) * SIDE;
    const id = this.world.add({ x: place(), y: place(), range });
    this.#headings.set(id, Math.random() * 2 * Math.PI);
    return id;
  }
}
