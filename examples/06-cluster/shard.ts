/**
 * One node of the cluster: its share of the world, and the gateway of its players. A game server needs no more than this to be one
 * of many.
 *
 * Walkers go to goals. A walker's goal is kept with it, so the node that takes it over lets it walk on to the same goal. A player's
 * input is a goal too, and is sent to the owner of the hero.
 */
import { type ClusterNode, joinWorld, type Log, Territories } from '@umwelt/cluster';
import { Gateway, WebSocketTransport } from '@umwelt/gateway';
import { UmweltError } from 'umwelt';
import {
  anywhere,
  type Goal,
  PLAYER_PACE,
  readGoal,
  SIGHT,
  SILENCE_TICKS,
  TICK_MS,
  TILE_SIZE,
  WALKER_PACE,
  writeGoal,
} from './rules.ts';

export interface ShardOptions {
  readonly log: Log;
  readonly name: string;
  /** Number of walkers that it adds at the start. */
  readonly walkers: number;
}

/** The options with which all nodes join. */
export const JOINED = { world: {}, tickMs: TICK_MS, silenceTicks: SILENCE_TICKS };

export class Shard {
  readonly node: ClusterNode;
  readonly gateway: Gateway;
  readonly #transport = new WebSocketTransport({ port: 0, host: '127.0.0.1' });
  readonly #goals = new Map<number, Goal>();

  private constructor(node: ClusterNode) {
    this.node = node;
    this.gateway = new Gateway(node.world, {
      tickMs: TICK_MS,
      appearance: { positionStep: 0.05, fields: { name: { type: 'string' } } },
      limits: { clientsPerAddressMax: 200, joinsPerSecond: 200 },
      authenticate: async ({ credential: name, signal }) => {
        if (!/^[\w -]{1,24}$/.test(name)) return undefined;
        const hero =
          node.find(name) ?? (await node.add({ ...anywhere(), range: SIGHT, key: name, fields: { name } }));
        await node.show(hero, { signal });
        return { watcher: hero };
      },
      onInput: ({ own }, payload) => this.#pass(own, payload),
      onLeave: ({ watcher }) => watcher !== 0 && node.hide(watcher),
    });
    node.attach(this.gateway);
    // Game code finds neighbours in its own process.
    new Territories(node, { tileSize: TILE_SIZE });

    node.on('gain', (id, state) => {
      const goal = readGoal(state);
      if (goal !== undefined) this.#goals.set(id, goal);
    });
    node.on('lose', (id) => this.#goals.delete(id));
    node.on('message', (id, bytes) => {
      const goal = readGoal(bytes);
      if (goal !== undefined) this.#setGoal(id, goal);
    });
    node.on('simulate', () => {
      for (const id of node.owned) if (node.world.has(id)) this.#step(id);
    });
  }

  static async start({ log, name, walkers }: ShardOptions): Promise<Shard> {
    const shard = new Shard(await joinWorld({ ...JOINED, log, name }));
    await shard.gateway.listen(shard.#transport);
    for (let i = 0; i < walkers; i++) {
      shard.node.add({ ...anywhere(), state: writeGoal(anywhere()) }).catch(passOverHalt);
    }
    return shard;
  }

  get port(): number {
    return this.#transport.port;
  }

  /** Simulates a crash within one process: nothing is given away, and no node is notified. */
  async crash(): Promise<void> {
    this.node.halt();
    await this.gateway.drain();
  }

  /** To the owner of the hero. An error here would close the player's connection: while the log stands still, inputs are lost. */
  #pass(hero: number, input: Uint8Array): void {
    try {
      if (this.node.world.has(hero)) this.node.send(hero, input);
    } catch (error) {
      if (!(error instanceof UmweltError && error.code === 'TOO_MUCH')) throw error;
    }
  }

  #step(id: number): void {
    const { node } = this;
    const goal = this.#goals.get(id);
    if (goal === undefined) return;
    const isPlayer = node.fieldsOf(id).name !== undefined;
    const [x = 0, y = 0] = node.world.position(id);
    const distance = Math.hypot(goal.x - x, goal.y - y);
    const pace = Math.min(distance, isPlayer ? PLAYER_PACE : WALKER_PACE);
    if (distance < 1e-3) {
      if (isPlayer) this.#goals.delete(id);
      else this.#setGoal(id, anywhere());
    } else node.move(id, x + ((goal.x - x) / distance) * pace, y + ((goal.y - y) / distance) * pace);
  }

  #setGoal(id: number, goal: Goal): void {
    this.#goals.set(id, goal);
    if (this.node.owned.has(id)) this.node.keep(id, writeGoal(goal));
  }
}

/** A node that is halted answers what waits with `LOG_DOWN`; any other fault is one. */
function passOverHalt(error: unknown): void {
  if (!(error instanceof UmweltError && error.code === 'LOG_DOWN')) throw error;
}
