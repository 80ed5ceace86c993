/**
 * The figures of a running world: what its status line and its final summary are made of.
 *
 * One `record` a tick takes up the report and how long it took. Events are everything reported: entered, left,
 * updated and sensed pairs. Their rate is that of the last two seconds or so; the tick times are those of the last
 * `TICK_WINDOW` ticks. Memory is bounded, whatever the world's size or the length of the run.
 */
import type { Changes } from 'umwelt';
import { Percentiles } from './percentiles.ts';
import { RateWindow } from './rate-window.ts';
import { RelationCount } from './relation-count.ts';

/** Ticks that the percentiles look back on: a minute, at 20 a second. */
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
  readonly #relations = new RelationCount();
  readonly #eventRate = new RateWindow(RATE_WINDOW_MS);
  readonly #tickRate = new RateWindow(RATE_WINDOW_MS);

  get relations(): number {
    return this.#relations.total;
  }

  /** @param now the clock's time in milliseconds; @param tickMs how long the tick took. */
  record(changes: Changes, tickMs: number, now: number): void {
    const { events } = this;
    events.entered += changes.enteredCount;
    events.left += changes.leftCount;
    events.updated += changes.updatedCount;
    events.sensed += changes.sensedCount;
    this.ticks++;
    this.tickMs.add(tickMs);
    this.#relations.record(changes);
    const count = changes.enteredCount + changes.leftCount + changes.updatedCount + changes.sensedCount;
    this.#eventRate.add(count, now);
    this.#tickRate.add(1, now);
  }

  eventsPerSecond(now: number): number {
    return this.#eventRate.perSecond(now);
  }

  ticksPerSecond(now: number): number {
    return this.#tickRate.perSecond(now);
  }
}
