/**
 * The figures of a running world, for its status line and its final summary.
 *
 * `record` is called once per tick with the changes and the tick time. The event rate counts pairs that entered, left and were
 * sensed in about the last two seconds, as on the page: changes of relations. Updates are counted separately, since each move
 * causes one per relation and would hide the rest. Tick times are those of the last `TICK_WINDOW` ticks. Memory is bounded,
 * whatever the world's size or the length of the run.
 */
import type { Changes } from 'umwelt';
import { Percentiles } from './percentiles.ts';
import { RateWindow } from './rate-window.ts';

/** Window of the percentiles: a minute at 20 ticks per second. */
const TICK_WINDOW = 1200;
const RATE_WINDOW_MS = 2000;

export interface EventCounts {
  entered: number;
  left: number;
  updated: number;
  sensed: number;
}

export class Figures {
  readonly tickMs = new Percentiles(TICK_WINDOW);
  readonly events: EventCounts = { entered: 0, left: 0, updated: 0, sensed: 0 };
  ticks = 0;
  readonly #eventRate = new RateWindow(RATE_WINDOW_MS);
  readonly #tickRate = new RateWindow(RATE_WINDOW_MS);

  /** @param now the clock's time in milliseconds; @param tickMs the duration of the tick. */
  record(changes: Changes, tickMs: number, now: number): void {
    const { events } = this;
    events.entered += changes.enteredCount;
    events.left += changes.leftCount;
    events.updated += changes.updatedCount;
    events.sensed += changes.sensedCount;
    this.ticks++;
    this.tickMs.add(tickMs);
    this.#eventRate.add(changes.enteredCount + changes.leftCount + changes.sensedCount, now);
    this.#tickRate.add(1, now);
  }

  /** Pairs that entered, left or were sensed. */
  eventsPerSecond(now: number): number {
    return this.#eventRate.perSecond(now);
  }

  ticksPerSecond(now: number): number {
    return this.#tickRate.perSecond(now);
  }
}
