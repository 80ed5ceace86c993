/**
 * The figures of the last minute, for the charts: 240 buckets of a quarter of a second.
 *
 * Time counts only while the page sees the world run: a pause or a lost connection leaves no gap.
 */
import type { TickFrame } from '../feed-frame.ts';

const BUCKET_SECONDS = 0.25;
const BUCKETS_MAX = 240;
/** A longer wait for the next tick is a pause. */
const GAP_SECONDS = 2.5;

/** Columns of equal length, oldest first. */
export interface HistoryColumns {
  /** Seconds since the page began to look. */
  time: number[];
  entities: number[];
  tickMsMean: number[];
  tickMsMax: number[];
  /** Ticks that took longer than the budget. */
  ticksOver: number[];
  eventsPerSecond: number[];
  /** Relations that entered or left, per watcher and tick. */
  churn: number[];
}

function eventsOf(frame: TickFrame): number {
  return frame.enteredTotal + frame.leftTotal + frame.sensedTotal;
}

/** The difference in totals to the frame before, if it is that of a single tick: the next tick, or one reached by a jump. */
function aloneSince(
  frame: TickFrame,
  last: TickFrame | undefined,
): { events: number; changed: number } | undefined {
  if (last === undefined) return undefined;
  const leapt = frame.leaps - last.leaps;
  if (leapt !== 1 && (leapt !== 0 || frame.tick !== last.tick + 1)) return undefined;
  return {
    events: eventsOf(frame) - eventsOf(last),
    changed: frame.enteredTotal + frame.leftTotal - last.enteredTotal - last.leftTotal,
  };
}

/** 0 for an empty list. */
function meanOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / Math.max(values.length, 1);
}

export class History {
  /** Time available for a tick, in milliseconds. */
  budgetMs = Number.POSITIVE_INFINITY;
  readonly columns: HistoryColumns = {
    time: [],
    entities: [],
    tickMsMean: [],
    tickMsMax: [],
    ticksOver: [],
    eventsPerSecond: [],
    churn: [],
  };
  #seconds = 0;
  #last: TickFrame | undefined;
  /** As `#last`, but kept across interruptions. */
  #newest: TickFrame | undefined;
  #alone: { events: number; changed: number } | undefined;
  #bucketSeconds = 0;
  #bucketEvents = 0;
  #bucketChanged = 0;
  /** Watchers times ticks. */
  #bucketTurns = 0;
  #bucketTickMs = 0;
  #bucketTickMsMax = 0;
  #bucketTicks = 0;
  #bucketOver = 0;

  /** Events per second in the last full second; 0 at first. */
  get eventsPerSecond(): number {
    return meanOf(this.columns.eventsPerSecond.slice(-4));
  }

  /** Relations that entered or left per watcher and tick, in the last full second; 0 at first. */
  get churn(): number {
    return meanOf(this.columns.churn.slice(-4));
  }

  /** Ticks that took longer than `budgetMs`, in the frames of about the last minute. */
  get ticksOver(): number {
    return this.columns.ticksOver.reduce((sum, count) => sum + count, 0);
  }

  /** Tick duration in milliseconds, mean of the last full second. */
  get tickMs(): number {
    const recent = this.columns.tickMsMean.slice(-4);
    return recent.length === 0 ? (this.#last?.tickMs ?? 0) : meanOf(recent);
  }

  /** The newest tick's own events and changed relations; undefined if it arrived together with others. */
  get alone(): { readonly events: number; readonly changed: number } | undefined {
    return this.#alone;
  }

  take(frame: TickFrame, watcherCount: number): void {
    const last = this.#last;
    this.#alone = aloneSince(frame, this.#newest);
    this.#last = frame;
    this.#newest = frame;
    // The first frame, or a restarted world: there is nothing to measure from.
    if (last === undefined || frame.tick <= last.tick) return;
    const elapsed = (frame.timeMs - last.timeMs) / 1000;
    if (!(elapsed > 0) || elapsed > GAP_SECONDS) return;
    this.#bucketSeconds += elapsed;
    this.#bucketEvents += eventsOf(frame) - eventsOf(last);
    this.#bucketChanged += frame.enteredTotal - last.enteredTotal + frame.leftTotal - last.leftTotal;
    this.#bucketTurns += watcherCount * (frame.tick - last.tick);
    this.#bucketTickMs += frame.tickMs;
    this.#bucketTickMsMax = Math.max(this.#bucketTickMsMax, frame.tickMs);
    this.#bucketTicks++;
    if (frame.tickMs > this.budgetMs) this.#bucketOver++;
    if (this.#bucketSeconds >= BUCKET_SECONDS) this.#fill(frame.events.length);
  }

  /** The next frame does not continue the last one. */
  interrupt(): void {
    this.#last = undefined;
  }

  clear(): void {
    for (const column of Object.values(this.columns) as number[][]) column.length = 0;
    this.#last = undefined;
    this.#newest = undefined;
    this.#alone = undefined;
    this.#seconds = 0;
    this.#emptyBucket();
  }

  #fill(entityCount: number): void {
    const { time, entities, tickMsMean, tickMsMax, ticksOver, eventsPerSecond, churn } = this.columns;
    this.#seconds += this.#bucketSeconds;
    time.push(this.#seconds);
    entities.push(entityCount);
    tickMsMean.push(this.#bucketTickMs / this.#bucketTicks);
    tickMsMax.push(this.#bucketTickMsMax);
    ticksOver.push(this.#bucketOver);
    eventsPerSecond.push(Math.max(0, this.#bucketEvents / this.#bucketSeconds));
    churn.push(Math.max(0, this.#bucketChanged / Math.max(1, this.#bucketTurns)));
    if (time.length > BUCKETS_MAX) {
      for (const column of Object.values(this.columns) as number[][]) column.shift();
    }
    this.#emptyBucket();
  }

  #emptyBucket(): void {
    this.#bucketSeconds = 0;
    this.#bucketEvents = 0;
    this.#bucketChanged = 0;
    this.#bucketTurns = 0;
    this.#bucketTickMs = 0;
    this.#bucketTickMsMax = 0;
    this.#bucketTicks = 0;
    this.#bucketOver = 0;
  }
}
