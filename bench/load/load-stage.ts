/**
 * The server of a load run: walkers in a world, a gateway on a real port, and ticks at a steady rate.
 *
 * A late tick does not delay the later ones. At sampled ticks the server records what each client should see.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { Gateway, type GatewayLimits, WebSocketTransport } from '@umwelt/gateway';
import { createWalkers } from '@umwelt/scenarios';
import { World } from 'umwelt';
import { machineMs, POSITION_STEP, sighting, stepsOf } from './sight.ts';
import { TimedTransport } from './timed-transport.ts';

export const TICK_MS = 50;
const PERCEIVED = 100;
/** The range of a watcher that sees everything. */
const WIDE = 1e7;

/** Times of each tick, in milliseconds. */
export interface TickTimes {
  /** By the machine's clock. */
  readonly startMs: number[];
  readonly worldMs: number[];
  readonly publishMs: number[];
}

/** What this process has used so far; processor time in microseconds. */
export interface Usage {
  readonly ticks: number;
  /** The whole process, with system calls and garbage collection. */
  readonly processUs: number;
  /** The part of that for the simulation, the world's ticks, and the records for comparison. */
  readonly worldUs: number;
  /** The part for `publish`, sending included. */
  readonly publishUs: number;
  /** Duration of `publish`, and of the sending in it, by the clock: on a busy machine only their ratio means anything. */
  readonly publishMs: number;
  readonly sendMs: number;
}

export class LoadStage {
  readonly world = new World();
  readonly gateway: Gateway;
  readonly watchers: readonly number[];
  readonly times: TickTimes = { startMs: [], worldMs: [], publishMs: [] };
  /** By tick, for ticks that are multiples of `sampleTicks`: the sum that each client's mirror should have. */
  readonly sums = new Map<number, Uint32Array>();
  readonly sampleTicks: number;
  readonly #simulation;
  readonly #ids: Uint32Array;
  readonly #transport = new WebSocketTransport({ port: 0, host: '127.0.0.1' });
  readonly #timed = new TimedTransport(this.#transport);
  #worldUs = 0;
  #publishUs = 0;
  #publishMs = 0;
  #isRunning = false;
  #run: Promise<void> = Promise.resolve();

  constructor(entities: number, clients: number, sampleTicks: number, limits: Partial<GatewayLimits> = {}) {
    this.sampleTicks = sampleTicks;
    this.#simulation = createWalkers({ entities, perceived: PERCEIVED });
    const { world } = this;
    const simulation = this.#simulation;
    simulation.step();
    const range = simulation.range[0]!;
    const { x, y } = simulation;
    const watched = world.addMany({ x: x.subarray(0, clients), y: y.subarray(0, clients), range });
    const others = world.addMany({ x: x.subarray(clients), y: y.subarray(clients) });
    this.watchers = [...watched];
    this.#ids = Uint32Array.of(...watched, ...others);
    this.gateway = new Gateway(world, {
      tickMs: TICK_MS,
      appearance: { positionStep: POSITION_STEP },
      authenticate: ({ credential }) =>
        credential === 'wide'
          ? { watcher: world.add({ x: 0, y: 0, range: WIDE, marker: false }), bytesPerSecond: 1e8 }
          : { watcher: Number(credential) },
      onLeave: ({ watcher }) => {
        // Walkers are never removed.
        if (!this.watchers.includes(watcher) && world.has(watcher)) world.remove(watcher);
      },
      limits: { clientsMax: clients + 16, ...limits },
    });
  }

  async listen(): Promise<string> {
    await this.gateway.listen(this.#timed);
    return `ws://127.0.0.1:${this.#transport.port}/`;
  }

  /** What was used until now. */
  usage(): Usage {
    return {
      ticks: this.world.tickCount,
      processUs: processUs(),
      worldUs: this.#worldUs,
      publishUs: this.#publishUs,
      publishMs: this.#publishMs,
      sendMs: this.#timed.sendMs,
    };
  }

  /** Starts ticking, until `stop`. */
  start(): void {
    this.#isRunning = true;
    this.#run = this.#tickOn();
  }

  async stop(): Promise<void> {
    this.#isRunning = false;
    await this.#run;
  }

  /** Resolves after this many more ticks. */
  async pass(ticks: number): Promise<void> {
    const end = this.world.tickCount + ticks;
    while (this.world.tickCount < end) await sleep(TICK_MS / 2);
  }

  async end(): Promise<void> {
    await this.stop();
    await this.gateway.drain();
    await this.world.dispose();
  }

  async #tickOn(): Promise<void> {
    let dueMs = machineMs();
    while (this.#isRunning) {
      this.#tick();
      dueMs += TICK_MS;
      const waitMs = dueMs - machineMs();
      // Too late to catch up: the schedule restarts from now.
      if (waitMs < -10 * TICK_MS) dueMs = machineMs();
      await sleep(Math.max(0, waitMs));
    }
  }

  #tick(): void {
    const simulation = this.#simulation;
    let beganUs = processUs();
    simulation.step();
    const startMs = machineMs();
    this.world.moveMany(this.#ids, simulation.x, simulation.y);
    const changes = this.world.tick();
    const changedUs = processUs();
    this.#worldUs += changedUs - beganUs;
    const tickedMs = machineMs();
    this.gateway.publish(changes);
    const publishedMs = machineMs();
    this.#publishUs += processUs() - changedUs;
    this.#publishMs += publishedMs - tickedMs;
    this.times.startMs[changes.tick] = startMs;
    this.times.worldMs.push(tickedMs - startMs);
    this.times.publishMs.push(publishedMs - tickedMs);
    beganUs = processUs();
    if (changes.tick % this.sampleTicks === 0) this.#sample(changes.tick);
    this.#worldUs += processUs() - beganUs;
  }

  #sample(tick: number): void {
    const { world } = this;
    const sightingAt = new Map<number, number>();
    for (const id of world.ids()) {
      const [x = 0, y = 0] = world.position(id);
      sightingAt.set(id, sighting(id, stepsOf(x), stepsOf(y)));
    }
    const sums = this.watchers.map((watcher) => {
      let sum = sightingAt.get(watcher) ?? 0;
      for (const id of world.visibleTo(watcher)) sum = (sum + (sightingAt.get(id) ?? 0)) >>> 0;
      return sum;
    });
    this.sums.set(tick, Uint32Array.from(sums));
  }
}

function processUs(): number {
  const { user, system } = process.cpuUsage();
  return user + system;
}
