/**
 * One engine on its own copy of a simulation: steps it, times the engine's ticks, keeps what they reported.
 *
 * Simulations made alike move alike, so lanes need not keep step: tick 7 of one is tick 7 of any other, whenever each
 * gets there, and by then both must have the same hash. Stepping the simulation and hashing are not timed. Of long
 * runs one tick in 64 is hashed: a report that goes wrong goes on being wrong.
 */
import type { Simulation } from '@umwelt/scenarios';
import type { Engine, EngineKind } from '../engines/engine.ts';
import { coreWaitMs } from './core-wait.ts';
import { LEAST_TICKS, LEAST_WARM_TICKS, type Pace } from './pace.ts';
import { median } from './samples.ts';

/** An engine to be measured, and on what. */
export interface LanePlan {
  /** What the table calls it: the engine, and how it differs from its neighbours. */
  readonly label: string;
  readonly engine: EngineKind;
  /** Whether watchers get lists of those who stayed and moved. */
  readonly updates: boolean;
  /** Names what is to be done: lanes with the same name must report the same, tick by tick. */
  readonly work: string;
  /** Who judges its reports at smoke size, where two plain loops cannot. */
  readonly judge?: EngineKind;
  simulate(): Simulation;
}

/** How long a tick took, without and with what its thread waited for a core. */
interface TickTime {
  readonly tickMs: number;
  readonly wallMs: number;
}

/** The tick whose hash and relations are shown: every lane gets that far. */
export const SHOWN_TICK = 3;
const ALL_HASHED_UP_TO = 16;
const HASHED_EVERY = 64;

export class Lane {
  readonly plan: LanePlan;
  /** Milliseconds of each timed tick, less what its thread waited for a core. */
  readonly samples: number[] = [];
  /** The same by the clock on the wall. */
  readonly wallSamples: number[] = [];
  /** By round: the median tick of the turn. */
  readonly turnMedians: number[] = [];
  /** By tick, from 1. */
  readonly hashes = new Map<number, string>();
  /** Ticks so far, those that were not timed included. */
  ticks = 0;
  /** Pairs, over all ticks but the first. */
  entered = 0;
  left = 0;
  updated = 0;
  /** Pairs related after the tick that is shown. */
  relationsShown = 0;
  memoryBytes: number | undefined;
  /** In the simulation. */
  readonly entities: number;
  /** Spent so far, the simulation and hashing left out. */
  spentMs = 0;
  readonly #simulation: Simulation;
  #engine: Engine | undefined;
  #relations = 0;

  constructor(plan: LanePlan) {
    this.plan = plan;
    this.#simulation = plan.simulate();
    this.entities = this.#simulation.capacity;
    this.#engine = plan.engine.create(this.#simulation, { updates: plan.updates });
  }

  /** The first tick, which brings everybody in and is like no other, and some more until all is warm. */
  warmUp(pace: Pace): void {
    this.#tick();
    this.#run(pace.warmUpMs, LEAST_WARM_TICKS - 1, pace.mostTicks);
  }

  /** A turn. False, and nothing done, when its time is up. */
  takeTurn(pace: Pace): boolean {
    if (this.samples.length >= LEAST_TICKS && this.spentMs >= pace.budgetMs) return false;
    const turn = this.#run(pace.turnMs, 1, pace.mostTicks);
    for (const { tickMs, wallMs } of turn) {
      this.samples.push(tickMs);
      this.wallSamples.push(wallMs);
    }
    this.turnMedians.push(median(turn.map(({ tickMs }) => tickMs)));
    return true;
  }

  /** Lets go of the engine, which may hold gigabytes. */
  end(): void {
    this.memoryBytes = this.#engine?.memoryBytes;
    this.#engine?.dispose();
    this.#engine = undefined;
  }

  /** Ticks until they took `enoughMs` in all, at least `least` and at most `most` of them. */
  #run(enoughMs: number, least: number, most: number): TickTime[] {
    const times: TickTime[] = [];
    for (let sumMs = 0; times.length < least || (sumMs < enoughMs && times.length < most); ) {
      const time = this.#tick();
      times.push(time);
      sumMs += time.tickMs;
    }
    return times;
  }

  /** One step and one tick. */
  #tick(): TickTime {
    const engine = this.#engine;
    if (engine === undefined) throw new Error(`lane '${this.plan.label}' has ended`);
    this.#simulation.step();
    const waitedBeforeMs = coreWaitMs();
    const beganMs = performance.now();
    const counts = engine.tick();
    const measuredMs = performance.now() - beganMs;
    // One that runs elsewhere waits elsewhere.
    const wallMs = engine.tickMs ?? measuredMs;
    const waitedMs = engine.tickMs === undefined ? coreWaitMs() - waitedBeforeMs : (engine.waitedMs ?? 0);
    this.spentMs += wallMs;
    this.ticks++;
    this.#relations += counts.entered - counts.left;
    // Those of the first tick are the whole crowd.
    if (this.ticks > 1) {
      this.entered += counts.entered;
      this.left += counts.left;
      this.updated += counts.updated;
    }
    if (this.ticks === SHOWN_TICK) this.relationsShown = this.#relations;
    if (this.ticks <= ALL_HASHED_UP_TO || this.ticks % HASHED_EVERY === 0) {
      this.hashes.set(this.ticks, engine.hash());
    }
    return { tickMs: wallMs - waitedMs, wallMs };
  }
}
