/**
 * The world of an endurance run: walkers who come, go, change and lose health, players among them, and a gateway that outlives its
 * process.
 */
import { pino } from 'pino';
import { type EntityId, World } from 'umwelt';
import { Gateway, type GatewayOptions } from '../../src/index.ts';
import { POSITION_STEP, playerNumber, type SavedTown, type Sighting, sightingOf } from './messages.ts';

const WALKERS_A_CLIENT = 3;
const SIGHT = 30;
/** Of all there are, how many a player perceives. */
const PERCEIVED = 30;
/** World units a second. */
const SPEED = 8;
/** Of the walkers, in each tick. */
const LEAVING = 0.003;
const HURT = 0.02;
const TURNING = 0.05;

export class Town {
  readonly world: World;
  readonly gateway: Gateway;
  readonly #tickMs: number;
  readonly #side: number;
  readonly #walkers: number;
  readonly #headings: Map<EntityId, number>;
  readonly #bodies: Map<number, EntityId>;
  #isFrozen = false;

  constructor(clients: number, tickMs: number, saved: SavedTown | undefined) {
    this.#tickMs = tickMs;
    this.#walkers = clients * WALKERS_A_CLIENT;
    const entities = clients + this.#walkers;
    this.#side = SIGHT * Math.sqrt((Math.PI * entities) / PERCEIVED);
    this.#headings = new Map(saved?.headings);
    this.#bodies = new Map(saved?.bodies);
    const options = this.#options(clients);
    if (saved === undefined) {
      this.world = new World({ interests: { default: { leaveMargin: 3 } } });
      this.gateway = new Gateway(this.world, options);
      for (let i = 0; i < this.#walkers; i++) this.#settle(0, 'walker');
      return;
    }
    this.world = World.restore(saved.world);
    this.gateway = Gateway.restore(this.world, saved.gateway, options);
  }

  step(): void {
    const { world, gateway } = this;
    if (!this.#isFrozen) this.#live();
    gateway.publish(world.tick());
  }

  freeze(): void {
    this.#isFrozen = true;
  }

  /** As of the last step. */
  save(): SavedTown {
    const { world, gateway } = this;
    return {
      world: world.snapshot(),
      gateway: gateway.snapshot(),
      headings: this.#headings,
      bodies: this.#bodies,
    };
  }

  /** What each player should see, as of the last step. */
  sightings(): Sighting[] {
    const { world, gateway } = this;
    const sums = new Map<EntityId, number>();
    for (const id of world.ids()) {
      const [x = 0, y = 0] = world.position(id);
      sums.set(id, sightingOf(id, x, y, Number(gateway.get(id, 'health')), String(gateway.get(id, 'name'))));
    }
    return [...this.#bodies].map(([client, body]) => {
      let sum = sums.get(body)!;
      for (const id of world.visibleTo(body)) sum = (sum + sums.get(id)!) >>> 0;
      return { client, tick: world.tickCount, sum };
    });
  }

  #options(clients: number): GatewayOptions {
    return {
      tickMs: this.#tickMs,
      appearance: {
        positionStep: POSITION_STEP,
        fields: { name: { type: 'string' }, health: { type: 'uint' } },
      },
      authenticate: ({ credential }) => {
        const player = playerNumber(credential);
        if (player === undefined) return undefined;
        // One whose session was lost with a process that broke off comes as somebody new.
        const watcher = this.#bodies.get(player) ?? this.#settle(SIGHT, credential);
        this.#bodies.set(player, watcher);
        return { watcher, data: { player } };
      },
      onInput: ({ own }, payload) => {
        if (payload.length === 1) this.#headings.set(own, (payload[0]! / 128) * Math.PI);
      },
      onLeave: ({ watcher, data }) => {
        const { player } = data as { player: number };
        if (this.#bodies.get(player) !== watcher) return;
        this.#bodies.delete(player);
        this.#headings.delete(watcher);
        this.world.remove(watcher);
      },
      // Connections that break are what the run is about, and no news.
      logger: pino({ enabled: false }),
      limits: { clientsMax: 2 * clients + 16 },
    };
  }

  #live(): void {
    const { world, gateway } = this;
    const step = (SPEED * this.#tickMs) / 1000;
    const bodies = new Set(this.#bodies.values());
    let walkers = 0;
    for (const [id, heading] of this.#headings) {
      if (!bodies.has(id)) {
        if (Math.random() < LEAVING) {
          this.#headings.delete(id);
          world.remove(id);
          continue;
        }
        walkers++;
      }
      const [x = 0, y = 0] = world.position(id);
      const [nextX, nextY] = [x + step * Math.cos(heading), y + step * Math.sin(heading)];
      const isInside = Math.max(Math.abs(nextX), Math.abs(nextY)) <= this.#side / 2;
      if (isInside) world.move(id, nextX, nextY);
      if (!isInside || Math.random() < TURNING) this.#headings.set(id, Math.random() * 2 * Math.PI);
      if (Math.random() < HURT) gateway.set(id, { health: Math.floor(Math.random() * 100) });
    }
    for (; walkers < this.#walkers; walkers++) this.#settle(0, 'walker');
  }

  #settle(range: number, name: string): EntityId {
    const place = (): number => (Math.random() - 0.5) * this.#side;
    const id = this.world.add({ x: place(), y: place(), range });
    this.#headings.set(id, Math.random() * 2 * Math.PI);
    this.gateway.set(id, { name: `${name} of tick ${this.world.tickCount}`, health: 100 });
    return id;
  }
}
