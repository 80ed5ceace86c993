/**
 * One engine on its own copy of a simulation: steps the simulation, times the engine's ticks, and keeps what they
 * reported.
 *
 * Equal simulations move alike, so lanes need not run in step: tick 7 of one lane is tick 7 of every other, whenever each
 * gets there, and both must have the same hash. Stepping the simulation and hashing are not timed. In long runs one tick
 * in 64 is hashed: a report that becomes wrong stays wrong.
 *
 * The first tick of a turn finds the caches full of another engine's data: it takes 1.1 to 1.6 times the median where all of a
 * crowd move, and up to five times where few do among many. With fewer than a hundred ticks a turn it would be the 99th
 * percentile. So percentiles leave it out; medians and ratios do not.
 */
import type { Simulation } from '@umwelt/scenarios';
import type { Engine, EngineKind } from '../engines/engine.ts';
import { coreWaitMs } from './core-wait.ts';
import { LEAST_TICKS, LEAST_WARM_TICKS, type Pace } from './pace.ts';
import { median, percentile } from './samples.ts';

/** An engine to be measured, and its simulation. */
export interface LanePlan {
  /** Its name in the table: the engine, and how the lane differs from the others. */
  readonly label: string;
  readonly engine: EngineKind;
  /** Whether watchers get `updated` lists. */
  readonly updates: boolean;
  /** The name of the work: lanes with the same name must report the same, tick by tick. */
  readonly work: string;
  /** The engine that checks this lane's reports at smoke size, where brute force cannot. */
  readonly judge?: EngineKind;
  simulate(): Simulation;
}

/** Milliseconds of a tick, without and with the time that its thread waited for a core. */
export interface TickTime {
  readonly tickMs: number;
  readonly wallMs: number;
}

/** The tick whose hash and relations are shown: every lane reaches it. */
export const SHOWN_TICK = 3;
const ALL_HASHED_UP_TO = 16;
const HASHED_EVERY = 64;

export class Lane {
  readonly plan: LanePlan;
  /** Milliseconds of each timed tick, minus the time that its thread waited for a core. */
  readonly samples: number[] = [];
  /** By round: the median tick of the turn, milliseconds. */
  readonly turnMedians: number[] = [];
  /** Hashes by tick, from 1. */
  readonly hashes = new Map<number, string>();
  /** Ticks so far, including those that were not timed. */
  ticks = 0;
  /** Reported pairs, over all ticks but the first. */
  entered = 0;
  left = 0;
  updated = 0;
  /** Relations after the tick that is shown. */
  relationsShown = 0;
  memoryBytes: number | undefined;
  /** Entities in the simulation. */
  readonly entities: number;
  /** Milliseconds spent so far, without the simulation and hashing. */
  spentMs = 0;
  readonly #simulation: Simulation;
  /** The first tick of each turn, and all others. */
  readonly #firstTimes: TickTime[] = [];
  readonly #laterTimes: TickTime[] = [];
  #engine: Engine | undefined;
  #relations = 0;
  /** Of all turns, as `samples`. */
  #turnsMs = 0;

  constructor(plan: LanePlan) {
    this.plan = plan;
    this.#simulation = plan.simulate();
    this.entities = this.#simulation.capacity;
    this.#engine = plan.engine.create(this.#simulation, { updates: plan.updates });
  }

  /** The first tick, in which all entities enter, and more ticks until all code is warm. */
  warmUp(pace: Pace): void {
    this.#tick();
    this.#run(pace.warmUpMs, LEAST_WARM_TICKS - 1, pace.mostTicks);
  }

  /** Runs a turn. Returns false without doing anything if the lane was measured for long enough, or its budget is used up. */
  takeTurn(pace: Pace): boolean {
    if (this.turnMedians.length >= pace.leastRounds && this.#turnsMs >= pace.enoughMs) return false;
    if (this.samples.length >= LEAST_TICKS && this.spentMs >= pace.budgetMs) return false;
    const turn = this.#run(pace.turnMs, 1, pace.mostTicks);
    this.#firstTimes.push(...turn.slice(0, 1));
    this.#laterTimes.push(...turn.slice(1));
    for (const { tickMs } of turn) {
      this.samples.push(tickMs);
      this.#turnsMs += tickMs;
    }
    this.turnMedians.push(median(turn.map(({ tickMs }) => tickMs)));
    return true;
  }

  /**
   * The time that `share` (0 to 1) of the ticks do not exceed, without the first tick of each turn. A lane that has fewer than
   * three others, because one tick takes a whole turn, has its first ticks counted, too.
   */
  percentileTime(share: number): TickTime {
    const later = this.#laterTimes;
    const times = later.length >= LEAST_TICKS ? later : [...this.#firstTimes, ...later];
    const of = (milliseconds: (time: TickTime) => number) => percentile(times.map(milliseconds), share);
    return { tickMs: of(({ tickMs }) => tickMs), wallMs: of(({ wallMs }) => wallMs) };
  }

  /** Releases the engine, which may hold gigabytes. */
  end(): void {
    this.memoryBytes = this.#engine?.memoryBytes;
    this.#engine?.dispose();
    this.#engine = undefined;
  }

  /** Runs ticks until they took `enoughMs` in all, at least `least` and at most `most` of them. */
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
    // An engine in another process measures its own waiting.
    const wallMs = engine.tickMs ?? measuredMs;
    const waitedMs = engine.tickMs === undefined ? coreWaitMs() - waitedBeforeMs : (engine.waitedMs ?? 0);
    this.spentMs += wallMs;
    this.ticks++;
    this.#relations += counts.entered - counts.left;
    // The pairs of the first tick are the whole crowd.
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
