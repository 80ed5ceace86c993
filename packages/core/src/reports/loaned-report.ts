/**
 * The report of one tick for a world with `debug`: lists that are overwritten when the next tick is over.
 *
 * Problem: the lists of a tick are windows on buffers that the next tick overwrites, so a caller that keeps one later
 * reads other ids, without an error. Method: the lists are copies, made for each tick. At the next tick all their ids
 * become `SPOILT_ID`, which every call rejects with an explanation; a list that was not read by then throws. Memory:
 * a copy of the report. Cost: a copy a tick.
 */
import { type EntityId, SPOILT_ID } from '../entities/entity-ids.ts';
import { UmweltError } from '../errors.ts';
import type { Report, ReportLists } from './report.ts';
import { type ReadableRows, type ReportRows, rowFrom } from './report-rows.ts';

export class LoanedReport implements ReportLists {
  readonly entered: LoanedRows;
  readonly left: LoanedRows;
  readonly updated: LoanedRows;
  readonly sensed: LoanedRows;

  constructor(tick: number, { entered, left, updated, sensed }: Report) {
    this.entered = new LoanedRows(tick, entered);
    this.left = new LoanedRows(tick, left);
    this.updated = new LoanedRows(tick, updated);
    this.sensed = new LoanedRows(tick, sensed);
  }

  /** Overwrites all lists handed out; later reads throw. */
  recall(): void {
    for (const rows of [this.entered, this.left, this.updated, this.sensed]) rows.recall();
  }
}

class LoanedRows implements ReadableRows {
  readonly rowCount: number;
  readonly count: number;
  readonly #tick: number;
  readonly #watchers: Uint32Array;
  readonly #offsets: Uint32Array;
  readonly #markers: Uint32Array;
  readonly #senses: Uint8Array | undefined;
  #isOver = false;

  constructor(tick: number, { rowCount, count, watchers, offsets, markers, senses }: ReportRows) {
    this.rowCount = rowCount;
    this.count = count;
    this.#tick = tick;
    this.#watchers = watchers.slice(0, rowCount);
    this.#offsets = offsets.slice(0, rowCount + 1);
    this.#markers = markers.slice(0, count);
    this.#senses = senses?.slice(0, count);
  }

  get watchers(): Uint32Array {
    this.#check();
    return this.#watchers;
  }

  get offsets(): Uint32Array {
    this.#check();
    return this.#offsets;
  }

  get markers(): Uint32Array {
    this.#check();
    return this.#markers;
  }

  get senses(): Uint8Array | undefined {
    this.#check();
    return this.#senses;
  }

  rowOf(watcher: EntityId): number {
    const row = rowFrom(this.watchers, this.rowCount, watcher);
    return row < this.rowCount && this.#watchers[row] === watcher ? row : -1;
  }

  listOf(row: number): Uint32Array {
    this.#check();
    return this.#markers.subarray(this.#offsets[row], this.#offsets[row + 1]);
  }

  /** Offsets stay: rows of invalid ids are easier to notice than empty rows. */
  recall(): void {
    this.#isOver = true;
    this.#watchers.fill(SPOILT_ID);
    this.#markers.fill(SPOILT_ID);
  }

  #check(): void {
    if (this.#isOver) throw staleReport(this.#tick);
  }
}

/** The error for reading changes of this tick too late. */
export function staleReport(tick: number): UmweltError {
  return new UmweltError(
    'STALE_REPORT',
    `changes of tick ${tick} were read after the next tick, expected before it; what is to be kept must be copied, a list by slice()`,
    { value: tick },
  );
}
