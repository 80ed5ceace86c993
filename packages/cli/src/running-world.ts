/**
 * A world, the simulation that moves it, and the measurements of the two.
 *
 * One `tick` steps the simulation, applies its moves to the world, and ticks the world. The tick time covers `world.tick()` and
 * reading the whole report (`columns()` of every kind), as a game server would; moving the crowd, counting and hashing are
 * not included.
 *
 * The hash of a run is the sum, modulo 2^64, of its ticks' hashes: equal for every detector, machine and speed. It is computed
 * only on request, since it costs more than the reading.
 */
import { type Simulation, WorldDriver } from '@umwelt/scenarios';
import { type Changes, type DetectorName, type EntityId, World } from 'umwelt';
import type { Clock } from './clock.ts';
import { Figures } from './figures.ts';
import type { Status } from './status-line.ts';

export interface RunningWorldOptions {
  readonly clock: Clock;
  readonly detector: DetectorName;
  /** Whether to keep the hash of all reports. */
  readonly hashed: boolean;
}

export interface TickOutcome {
  readonly changes: Changes;
  /** Milliseconds for the tick and reading its report. */
  readonly tickMs: number;
}

/** State of the loop that ticks it. */
export interface Pace {
  readonly paused: boolean;
  readonly ticksBehind: number;
}

const REPORT_KINDS = ['entered', 'left', 'updated', 'sensed'] as const;

export class RunningWorld {
  readonly simulation: Simulation;
  readonly world: World;
  readonly figures = new Figures();
  readonly #clock: Clock;
  readonly #driver: WorldDriver;
  readonly #hashed: boolean;
  #hashSum = 0n;

  /** @throws UmweltError if the world cannot be made with these options. */
  constructor(simulation: Simulation, { clock, detector, hashed }: RunningWorldOptions) {
    this.simulation = simulation;
    this.#clock = clock;
    this.#hashed = hashed;
    this.world = new World({ ...simulation.worldOptions, detector });
    this.#driver = new WorldDriver(simulation, this.world);
  }

  /** The hash of all reports so far, 16 hexadecimal digits; undefined if it is not kept. */
  get hash(): string | undefined {
    return this.#hashed ? this.#hashSum.toString(16).padStart(16, '0') : undefined;
  }

  tick(): TickOutcome {
    this.#driver.step();
    const startedMs = this.#clock.now();
    const changes = this.world.tick();
    for (const kind of REPORT_KINDS) changes.columns(kind);
    const endedMs = this.#clock.now();
    const tickMs = endedMs - startedMs;
    this.figures.record(changes, tickMs, endedMs);
    if (this.#hashed) this.#hashSum = BigInt.asUintN(64, this.#hashSum + BigInt(`0x${changes.hash()}`));
    return { changes, tickMs };
  }

  /** The present figures. */
  status({ paused, ticksBehind }: Pace): Status {
    const now = this.#clock.now();
    const { figures } = this;
    const { entities, relationCount, detector } = this.world.stats();
    return {
      ...(paused ? { state: 'paused' } : {}),
      entities,
      relations: relationCount,
      detector,
      eventsPerSecond: figures.eventsPerSecond(now),
      tickMsMedian: figures.tickMs.at(0.5),
      tickMsP99: figures.tickMs.at(0.99),
      ticksBehind,
      ticksPerSecond: figures.ticksPerSecond(now),
    };
  }

  /** Index of the entity's kind in the simulation's `kinds`. */
  kindOf(id: EntityId): number {
    return this.simulation.kind[this.#driver.actorOf(id)] ?? 0;
  }

  /** Display name of an entity; accepts any number. */
  nameOf(id: EntityId): string {
    const actor = this.#driver.actorOf(id);
    if (actor < 0) return 'gone';
    return this.simulation.nameOf?.(actor) ?? `${this.simulation.kinds[this.kindOf(id)]} ${actor + 1}`;
  }
}
