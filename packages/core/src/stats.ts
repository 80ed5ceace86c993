/** What `world.stats()` answers, and the clock behind its timings. */
import type { ChangeCounts } from './entities/pending.ts';

/** Counts and timings of the last tick. Timings are milliseconds, 0 where the runtime has no `performance`. */
export interface WorldStats {
  /** Ticks so far. */
  readonly tick: number;
  /** Present now. */
  readonly entities: number;
  /** Its name. */
  readonly detector: string;
  /** Which kernels run. */
  readonly kernels: 'wasm' | 'typescript';
  /** Threads in use. */
  readonly threads: number;
  /** Entities that the last tick found moved, added, removed, changed in a property, touched. */
  readonly movedCount: number;
  readonly addedCount: number;
  readonly removedCount: number;
  readonly changedCount: number;
  readonly touchedCount: number;
  /** Pairs that the last tick reported. */
  readonly enteredCount: number;
  readonly leftCount: number;
  readonly updatedCount: number;
  readonly sensedCount: number;
  /** Pairs related as of the last tick. */
  readonly relationCount: number;
  /** Of those, pairs that no sense perceives any more and that stay for their watcher's `lingerTicks`; children of such a marker aside. */
  readonly lingeringCount: number;
  /** Pairs that are due a seat as of the last tick and wait for it: the watcher's `enterBudget` was used up. */
  readonly waitingCount: number;
  /** Entities attached to others now. */
  readonly attachedCount: number;
  /** The whole last tick, without listeners; and the part in which the detector found crossings. */
  readonly tickMs: number;
  readonly detectMs: number;
  /** All columns and structures of the world. */
  readonly memoryBytes: number;
}

type TickFigures = Pick<
  WorldStats,
  'movedCount' | 'addedCount' | 'removedCount' | 'changedCount' | 'touchedCount' | 'tickMs' | 'detectMs'
>;

const runtime = globalThis as { performance?: { now(): number } };

/** Measures one tick after the other; nothing in the world depends on it. */
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

  /** The detector is done with what `counts` says had changed. */
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
