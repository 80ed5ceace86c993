/**
 * The report of one tick: four kinds of rows, filled from resolved crossings by the kernels of
 * kernels/layouts/fill-report.ts, on all threads.
 */
import type { Crossings } from '../detectors/crossings.ts';
import type { EntityStore } from '../entities/entity-store.ts';
import type { Column, Heap } from '../kernels/heap.ts';
import * as job from '../kernels/layouts/fill-report.ts';
import { type ReadableRows, ReportRows } from './report-rows.ts';

/** The kinds, in the order in which listeners get them. */
export const REPORT_KINDS = ['left', 'entered', 'sensed', 'updated'] as const;

/** The four lists of a report: 'entered', 'left', 'updated', 'sensed'. */
export type ReportKind = (typeof REPORT_KINDS)[number];

/** Number of parts for each thread, if there are several threads: some parts wait longer for memory than others. */
const PARTS_PER_THREAD = 4;

/** A report as readers see it. */
export type ReportLists = Readonly<Record<ReportKind, ReadableRows>>;

export class Report {
  readonly entered: ReportRows;
  readonly left: ReportRows;
  readonly updated: ReportRows;
  readonly sensed: ReportRows;
  /** Number of rows and markers that `entered` will have, once room was made for them. */
  readonly entering = { rows: 0, markers: 0 };
  readonly #heap: Heap;
  readonly #job: Column<'u32'>;
  #partSize = 1;

  constructor(heap: Heap) {
    this.#heap = heap;
    this.entered = new ReportRows(heap, true);
    this.left = new ReportRows(heap, false);
    this.updated = new ReportRows(heap, false);
    this.sensed = new ReportRows(heap, true);
    const parts = heap.crew.jobCount * PARTS_PER_THREAD;
    this.#job = heap.column('u32', job.FILL_JOB_HEAD + parts * job.FILL_PART_WORDS);
  }

  /** Counts what the crossings will report, and makes room for it. */
  reserve(crossings: Crossings): void {
    const { count } = crossings;
    const parts = this.#heap.crew.partsOf(count);
    this.#partSize = Math.max(1, Math.ceil(count / (parts === 1 ? 1 : parts * PARTS_PER_THREAD)));
    this.#writeHead(crossings);
    this.#work('countReport', count);
    this.#kinds.forEach((rows, kind) => {
      const counted = job.COUNTED + 2 * kind;
      rows.reserve(this.#sumOf(counted, count), this.#sumOf(counted + 1, count));
    });
    this.entering.rows = this.#sumOf(job.COUNTED, count);
    this.entering.markers = this.#sumOf(job.COUNTED + 1, count);
  }

  /**
   * Fills entered, left and sensed rows from resolved crossings. Room was reserved. If a worker fails, this thread
   * does the work again, and the next tick throws the error: the report of the tick before is already overwritten.
   */
  fill(store: EntityStore, crossings: Crossings): void {
    try {
      this.#fill(store, crossings);
    } catch (error) {
      this.#heap.crew.tellLater(error);
      this.#fill(store, crossings);
    }
  }

  get #kinds(): readonly ReportRows[] {
    return [this.entered, this.left, this.sensed];
  }

  #fill(store: EntityStore, crossings: Crossings): void {
    const { count } = crossings;
    this.#writeHead(crossings);
    const words = this.#job.array;
    words[2] = store.ids.idColumn.offset;
    this.#kinds.forEach((rows, kind) => {
      rows.clear();
      this.#writeKind(rows, kind, count);
    });
    this.#work('fillReport', count);
  }

  /** Writes where the rows of each part begin; this also gives the total count. */
  #writeKind(rows: ReportRows, kind: number, count: number): void {
    const words = this.#job.array;
    for (let part = 0; part * this.#partSize < count; part++) {
      const first = job.FILL_JOB_HEAD + part * job.FILL_PART_WORDS;
      const at = first + kind * job.KIND_WORDS;
      rows.writeOffsets(words, at);
      words[at + job.SENSES_MASK] = rows.senses === undefined ? 0 : 0xffff_ffff;
      if (rows.senses === undefined) words[at + 3] = this.#job.offset + first * 4 + job.SPARE_BYTE;
      words[at + job.ROWS] = rows.rowCount;
      words[at + job.MARKERS] = rows.count;
      words[at + job.LAST_WATCHER] = job.NO_WATCHER;
      rows.rowCount += words[first + job.COUNTED + 2 * kind];
      rows.count += words[first + job.COUNTED + 2 * kind + 1];
    }
  }

  #writeHead(crossings: Crossings): void {
    const words = this.#job.array;
    words[0] = crossings.offset;
    words[1] = crossings.count;
    words[3] = this.#partSize;
  }

  #sumOf(counted: number, count: number): number {
    let sum = 0;
    for (let part = 0; part * this.#partSize < count; part++) {
      sum += this.#job.array[job.FILL_JOB_HEAD + part * job.FILL_PART_WORDS + counted];
    }
    return sum;
  }

  #work(kernel: 'countReport' | 'fillReport', total: number): void {
    const { crew } = this.#heap;
    crew.begin(total, this.#partSize);
    this.#heap.workAtTask(kernel, this.#job.offset, 0, crew.taskJobs);
  }
}
