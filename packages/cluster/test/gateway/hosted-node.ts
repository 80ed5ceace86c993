/**
 * A node with a gateway on a real port, and a small game on it: wolves roam, heroes go where their players say.
 *
 * The same on each node and in each process. Nothing of it is asked of a clock or of chance, but the wolves' ways, by a seed.
 */
import { type ClusterNode, type JoinOptions, joinWorld, type Log } from '@umwelt/cluster';
import { Gateway, type GatewayOptions, WebSocketTransport } from '@umwelt/gateway';
import { pino } from 'pino';
import { worldOptions } from '../simulation/game.ts';
import { Random } from '../simulation/random.ts';

const TICK_MS = 20;
/** World units: everything is within a square of twice that, unless told otherwise. */
const FIELD = 60;
const RANGE = 25;
export const POSITION_STEP = 0.25;
/** Ids by a number that the client chose: its hero's key. */
export const keyOf = (credential: string): string => `hero:${credential}`;

/** As in the simulation, whose twin can judge it, too. */
export const WORLD = worldOptions({ hasRules: false });

export interface GameOptions {
  readonly seed: number;
  readonly tickMs?: number;
  /** Instead of `FIELD`. */
  readonly field?: number;
  /** How many it adds. */
  readonly wolves: number;
  /** Nothing happens by itself. */
  readonly isStill?: boolean;
  readonly gateway?: Partial<GatewayOptions>;
}

export interface HostOptions extends GameOptions {
  readonly log: Log;
  readonly name: string;
  readonly join?: Partial<JoinOptions>;
}

export class HostedNode {
  readonly node: ClusterNode;
  readonly gateway: Gateway;
  readonly transport: WebSocketTransport;
  readonly #random: Random;
  readonly #field: number;
  /** Where heroes go, units a tick. */
  readonly #ways = new Map<number, { dx: number; dy: number }>();

  private constructor(node: ClusterNode, options: GameOptions) {
    const { seed, gateway, isStill = false, tickMs = TICK_MS, field = FIELD } = options;
    this.#field = field;
    this.node = node;
    this.#random = new Random(seed);
    this.transport = new WebSocketTransport({ port: 0, host: '127.0.0.1' });
    this.gateway = new Gateway(node.world, {
      tickMs,
      appearance: {
        positionStep: POSITION_STEP,
        fields: { name: { type: 'string' }, health: { type: 'uint' } },
      },
      limits: { bytesPerSecond: 2 ** 24, clientsPerAddressMax: 1000, joinsPerSecond: 1000 },
      logger: pino({ enabled: false }),
      authenticate: async ({ credential, signal }) => {
        const key = keyOf(credential);
        const hero =
          node.find(key) ?? (await node.add({ ...this.#somewhere(), range: { sight: RANGE }, key }));
        await node.show(hero, { signal });
        return { watcher: hero };
      },
      onInput: ({ own }, payload) => node.world.has(own) && node.send(own, payload),
      onLeave: ({ watcher }) => {
        if (watcher !== 0) node.hide(watcher);
      },
      ...gateway,
    });
    node.attach(this.gateway);
    node.on('message', (id, [dx = 0, dy = 0]) => {
      this.#ways.set(id, { dx: (dx - 128) / 32, dy: (dy - 128) / 32 });
      node.broadcast(id, Uint8Array.of(dx, dy));
    });
    if (!isStill) node.on('simulate', () => this.#simulate());
  }

  static async start(options: HostOptions): Promise<HostedNode> {
    const { log, name, join } = options;
    const node = await joinWorld({ log, name, world: WORLD, tickMs: TICK_MS, silenceTicks: 25, ...join });
    return HostedNode.on(node, options);
  }

  /** On a node that is in the world. */
  static async on(node: ClusterNode, options: GameOptions): Promise<HostedNode> {
    const { wolves, isStill } = options;
    const hosted = new HostedNode(node, options);
    await hosted.gateway.listen(hosted.transport);
    for (let i = 0; i < wolves && isStill !== true; i++) hosted.#addWolf();
    return hosted;
  }

  get url(): string {
    return `ws://127.0.0.1:${this.transport.port}/`;
  }

  /** As a crash, but that its sockets are closed: its clients go elsewhere. */
  async crash(): Promise<void> {
    this.node.halt();
    await this.gateway.drain();
  }

  #addWolf(): void {
    const random = this.#random;
    // Of a node that is fenced meanwhile the call is made again.
    this.node
      .add({
        ...this.#somewhere(),
        fields: { name: `wolf ${random.below(1000)}` },
      })
      .catch(() => {});
  }

  #somewhere(): { x: number; y: number } {
    const coordinate = () => this.#random.between(-this.#field, this.#field);
    return { x: coordinate(), y: coordinate() };
  }

  #simulate(): void {
    const { node } = this;
    const random = this.#random;
    for (const id of node.owned) {
      if (!node.world.has(id)) continue;
      const [x = 0, y = 0] = node.world.position(id);
      const hero = this.#ways.get(id);
      if (hero !== undefined) node.move(id, this.#within(x + hero.dx), this.#within(y + hero.dy));
      else if (random.chance(0.6)) {
        node.move(id, this.#within(x + random.between(-2, 2)), this.#within(y + random.between(-2, 2)));
      }
      if (random.chance(0.05)) node.set(id, { health: random.below(100) });
    }
    const [some] = node.owned;
    const members = node.members.filter(({ adopts }) => adopts);
    if (some !== undefined && random.chance(0.1)) node.give(some, members[random.below(members.length)]!);
    else if (some !== undefined && random.chance(0.02) && !this.#isHero(some)) {
      node.remove(some);
      this.#addWolf();
    }
  }

  #isHero(id: number): boolean {
    return this.node.fieldsOf(id).name === undefined;
  }

  #within(coordinate: number): number {
    return Math.max(-this.#field, Math.min(this.#field, coordinate));
  }
}
