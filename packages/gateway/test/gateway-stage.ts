/** A gateway, its world and real clients in one process, on a clock of the test's own. */
import { type ClientOptions, UmweltClient } from '@umwelt/client';
import { pino } from 'pino';
import { type EntityId, World } from 'umwelt';
import {
  type Admission,
  type Clock,
  Gateway,
  type GatewayOptions,
  InProcessTransport,
  type Session,
} from '../src/index.ts';
import type { InProcessLine } from '../src/transports/in-process.ts';

const TICK_MS = 50;

/** Time that passes when a test says so. */
class HandClock implements Clock {
  #nowMs = 1000;
  #timers: { dueMs: number; everyMs: number; action: () => void }[] = [];

  now(): number {
    return this.#nowMs;
  }

  repeat(action: () => void, ms: number): () => void {
    return this.#add(action, ms, ms);
  }

  once(action: () => void, ms: number): () => void {
    return this.#add(action, ms, 0);
  }

  pass(ms: number): void {
    const endMs = this.#nowMs + ms;
    for (;;) {
      const [next] = this.#timers.toSorted((one, other) => one.dueMs - other.dueMs);
      if (next === undefined || next.dueMs > endMs) break;
      this.#nowMs = next.dueMs;
      if (next.everyMs > 0) next.dueMs += next.everyMs;
      else this.#timers = this.#timers.filter((timer) => timer !== next);
      next.action();
    }
    this.#nowMs = endMs;
  }

  #add(action: () => void, ms: number, everyMs: number): () => void {
    const timer = { dueMs: this.#nowMs + ms, everyMs, action };
    this.#timers.push(timer);
    return () => {
      this.#timers = this.#timers.filter((one) => one !== timer);
    };
  }
}

/** A client, and the line of its newest connection. */
export interface Player {
  readonly client: UmweltClient;
  readonly told: string[];
  line: InProcessLine;
}

export class GatewayStage {
  readonly clock: HandClock;
  readonly world: World;
  readonly transport = new InProcessTransport();
  readonly gateway: Gateway;
  readonly joined: Session[] = [];
  readonly ended: string[] = [];
  readonly inputs: string[] = [];
  #tokens = 0;

  /** With a snapshot, its gateway is the one restored from that. */
  constructor(options: Partial<GatewayOptions> = {}, world: World = new World(), snapshot?: Uint8Array) {
    this.world = world;
    this.clock = options.clock instanceof HandClock ? options.clock : new HandClock();
    const all: GatewayOptions = {
      tickMs: TICK_MS,
      appearance: {
        positionStep: 0.5,
        fields: { hp: { type: 'uint' }, gold: { type: 'uint', audience: 'owner' } },
      },
      // The credential is the id of the watcher.
      authenticate: ({ credential }): Admission | undefined =>
        this.world.has(Number(credential)) ? { watcher: Number(credential), data: credential } : undefined,
      onJoin: (session) => this.joined.push(session),
      onLeave: ({ data }, reason) => this.ended.push(`${data} ${reason}`),
      onInput: ({ data }, payload, number) => this.inputs.push(`${data} ${number}: ${[...payload]}`),
      clock: this.clock,
      logger: pino({ enabled: false }),
      randomToken: () => new Uint8Array(Uint32Array.of(++this.#tokens, 0, 0, 0).buffer),
      ...options,
    };
    this.gateway =
      snapshot === undefined ? new Gateway(this.world, all) : Gateway.restore(this.world, snapshot, all);
  }

  async listen(): Promise<this> {
    await this.gateway.listen(this.transport);
    return this;
  }

  player(watcher: EntityId | string, options: Partial<ClientOptions> = {}): Player {
    const player: Partial<Player> & { told: string[] } = { told: [] };
    const client = new UmweltClient({
      url: '/',
      credential: () => String(watcher),
      openSocket: (url, events) => {
        player.line = this.transport.openSocket(url, events);
        return player.line;
      },
      now: () => this.clock.now(),
      setTimer: (action, ms) => this.clock.once(action, ms),
      random: () => 0.5,
      ...options,
    });
    client.on('message', ({ id }, bytes) => player.told.push(`message ${id}: ${[...bytes]}`));
    client.on('enter', ({ id }) => player.told.push(`enter ${id}`));
    client.on('leave', ({ id }) => player.told.push(`leave ${id}`));
    client.on('state', (state, code) => player.told.push(code === undefined ? state : `${state} ${code}`));
    client.connect();
    player.told.length = 0;
    return Object.assign(player, { client }) as Player;
  }

  /** A player who is in. */
  async joinedPlayer(watcher: EntityId | string, options: Partial<ClientOptions> = {}): Promise<Player> {
    const player = this.player(watcher, options);
    await this.settle();
    player.told.length = 0;
    return player;
  }

  /** Delivers all that is under way, and lets admissions through. */
  async settle(): Promise<void> {
    for (let round = 0; round < 3; round++) {
      this.transport.deliver();
      await Promise.resolve();
      await Promise.resolve();
      await Promise.resolve();
    }
    this.transport.deliver();
  }

  /** One tick, heard by everyone who listens. */
  tick(): void {
    this.clock.pass(TICK_MS);
    this.gateway.publish(this.world.tick());
    this.transport.deliver();
  }

  /** Whether the client has what its watcher relates to, and its own, where they are. */
  isEqual({ client }: Player, watcher: EntityId): boolean {
    const expected = new Set([watcher, ...this.world.visibleTo(watcher)]);
    const wanted = [...expected].map((id) => {
      const [x = 0, y = 0] = this.world.position(id);
      return `${id} ${Math.round(x / 0.5)} ${Math.round(y / 0.5)} ${this.gateway.get(id, 'hp')}`;
    });
    const had = [...client.entities.values()].map(
      ({ id, x, y, fields }) => `${id} ${x * 2} ${y * 2} ${fields.hp}`,
    );
    return wanted.sort().join() === had.sort().join();
  }

  async count(metric: string): Promise<number> {
    const line = (await this.gateway.metrics())
      .split('\n')
      .find((text) => text.startsWith(`umwelt_gateway_${metric} `));
    return Number(line?.split(' ').at(-1) ?? Number.NaN);
  }

  /** How many connections ended for a reason. */
  async closes(why: string): Promise<number> {
    const count = await this.count(`closes_total{why="${why}"}`);
    return Number.isNaN(count) ? 0 : count;
  }
}
