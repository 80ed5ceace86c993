/** What `world.stats()` returns, and the clock behind its timings. */
import type { ChangeCounts } from './entities/pending.ts';

/** Counts and timings of the last tick. Timings are in milliseconds; 0 if the runtime has no `performance`. */
export interface WorldStats {
  /** Number of ticks so far. */
  readonly tick: number;
  /** Number of entities present now. */
  readonly entities: number;
  /** Name of the detector. */
  readonly detector: string;
  /** Which kernels run. */
  readonly kernels: 'wasm' | 'typescript';
  /** Number of threads in use. */
  readonly threads: number;
  /** Number of entities that the last tick found moved. */
  readonly movedCount: number;
  /** Number of entities that the last tick found added. */
  readonly addedCount: number;
  /** Number of entities that the last tick found removed. */
  readonly removedCount: number;
  /**
   * Number of entities that the last tick found changed in a property that perception depends on: ranges, gains, reaches,
   * layers, channel, conditions, `marker`, `watches`, attachment. One that was set back in between counts, too.
   */
  readonly changedCount: number;
  /** Number of entities that the last tick found touched. */
  readonly touchedCount: number;
  /** Number of pairs that the last tick reported as entered. */
  readonly enteredCount: number;
  /** Number of pairs that the last tick reported as left. */
  readonly leftCount: number;
  /** Number of pairs that the last tick reported as updated. */
  readonly updatedCount: number;
  /** Number of pairs that the last tick reported as sensed. */
  readonly sensedCount: number;
  /** Number of pairs related as of the last tick. */
  readonly relationCount: number;
  /**
   * How many of these pairs no sense perceives any more and remain only for their watcher's `lingerTicks`. Children
   * attached to such a marker are not counted.
   */
  readonly lingeringCount: number;
  /** Number of pairs due a seat as of the last tick that wait because the watcher's `enterBudget` was used up. */
  readonly waitingCount: number;
  /** Number of entities attached to others now. */
  readonly attachedCount: number;
  /** Duration of the whole last tick, without listeners. */
  readonly tickMs: number;
  /** Duration of the part of the last tick in which the detector found crossings. */
  readonly detectMs: number;
  /**
   * Bytes of all columns and structures of the world. It includes the buffers of reports, which shrink 128 ticks after a large one: so it
   * is several times as much in the first 128 ticks of a world into which a whole crowd is added at once.
   */
  readonly memoryBytes: number;
}

type TickFigures = Pick<
  WorldStats,
  'movedCount' | 'addedCount' | 'removedCount' | 'changedCount' | 'touchedCount' | 'tickMs' | 'detectMs'
>;

const runtime = globalThis as { performance?: { now(): number } };

/** Measures the duration of each tick; nothing in the world depends on it. */
export class TickClock {
  lastTick: TickFigures = {
    movedCount: 0,
    addedCount: 0,
    removedCount: 0,
    changedCount: 0,
    touchedCount: 0,
    tickMs: 0,
    detectMs: 0,
  };
  #startedAt = 0;
  #detectedAt = 0;
  #counts: ChangeCounts | undefined;

  start(): void {
    this.#startedAt = now();
  }

  /** Called when the detector is done. `counts`: what had changed. */
  detected(counts: ChangeCounts): void {
    this.#detectedAt = now();
    this.#counts = counts;
  }

  end(): void {
    const counts = this.#counts as ChangeCounts;
    this.lastTick = {
      movedCount: counts.moved,
      addedCount: counts.added,
      removedCount: counts.removed,
      changedCount: counts.changed - counts.hidden,
      touchedCount: counts.touched,
      tickMs: now() - this.#startedAt,
      detectMs: this.#detectedAt - this.#startedAt,
    };
  }
}

function now(): number {
  return runtime.performance?.now() ?? 0;
}
