/**
 * The server of a load run: walkers in a world, a gateway on a real port, and ticks at a steady pace.
 *
 * A tick that comes late does not push the later ones back. At sampled ticks it is kept what each client should see.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { Gateway, type GatewayLimits, WebSocketTransport } from '@umwelt/gateway';
import { createWalkers } from '@umwelt/scenarios';
import { World } from 'umwelt';
import { machineMs, POSITION_STEP, sighting, stepsOf } from './sight.ts';
import { TimedTransport } from './timed-transport.ts';

export const TICK_MS = 50;
const PERCEIVED = 100;
/** Range of whoever is to see everything. */
const WIDE = 1e7;

/** Of each tick, in milliseconds. */
export interface TickTimes {
  /** By the machine's clock. */
  readonly startMs: number[];
  readonly worldMs: number[];
  readonly publishMs: number[];
}

/** What this process has used up so far; processor time in microseconds. */
export interface Usage {
  readonly ticks: number;
  /** All of it: system calls and garbage collection, too. */
  readonly processUs: number;
  /** Of that, the simulation, the world's ticks, and what is kept for comparison. */
  readonly worldUs: number;
  /** And `publish`, sending included. */
  readonly publishUs: number;
  /** How long `publish` took, and how long sending took of that, by the clock: only their ratio tells anything on a busy machine. */
  readonly publishMs: number;
  readonly sendMs: number;
}

export class LoadStage {
  readonly world = new World();
  readonly gateway: Gateway;
  readonly watchers: readonly number[];
  readonly times: TickTimes = { startMs: [], worldMs: [], publishMs: [] };
  /** By tick, of those that are multiples of `sampleTicks`: what each client's mirror should come to. */
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
        // Walkers stay.
        if (!this.watchers.includes(watcher) && world.has(watcher)) world.remove(watcher);
      },
      limits: { clientsMax: clients + 16, ...limits },
    });
  }

  async listen(): Promise<string> {
    await this.gateway.listen(this.#timed);
    return `ws://127.0.0.1:${this.#transport.port}/`;
  }

  /** Until now. */
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

  /** Ticks from now on, until `stop`. */
  start(): void {
    this.#isRunning = true;
    this.#run = this.#tickOn();
  }

  async stop(): Promise<void> {
    this.#isRunning = false;
    await this.#run;
  }

  /** Resolves when so many more ticks are over. */
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
      // So late that it will not be made up for: begins anew.
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
