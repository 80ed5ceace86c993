/** All that one tick has to tell: four kinds of rows, filled from resolved crossings. */
import { type Crossings, RELATED_AFTER, RELATED_BEFORE } from '../detectors/crossings.ts';
import type { EntityStore } from '../entities/entity-store.ts';
import { FILL_JOB_WORDS, FIRST_KIND, KIND_WORDS } from '../kernels/fill-report.ts';
import type { Column, Heap } from '../kernels/heap.ts';
import { ReportRows } from './report-rows.ts';

/** The kinds, in the order in which listeners hear of them. */
export const REPORT_KINDS = ['left', 'entered', 'sensed', 'updated'] as const;

export type ReportKind = (typeof REPORT_KINDS)[number];

export class Report {
  readonly entered: ReportRows;
  readonly left: ReportRows;
  readonly updated: ReportRows;
  readonly sensed: ReportRows;
  readonly #job: Column<'u32'>;

  constructor(heap: Heap) {
    this.entered = new ReportRows(heap, true);
    this.left = new ReportRows(heap, false);
    this.updated = new ReportRows(heap, false);
    this.sensed = new ReportRows(heap, true);
    this.#job = heap.column('u32', FILL_JOB_WORDS);
  }

  /** Makes room for what the crossings will say. */
  reserve(crossings: Crossings): void {
    let entered = 0;
    let left = 0;
    const { words, count } = crossings;
    for (let i = 0; i < count; i++) {
      const low = words[2 * i];
      if ((low & RELATED_BEFORE) === 0) entered++;
      else if ((low & RELATED_AFTER) === 0) left++;
    }
    const sensed = crossings.count - entered - left;
    this.entered.reserve(entered, entered);
    this.left.reserve(left, left);
    this.sensed.reserve(sensed, sensed);
  }

  /** Turns resolved crossings into entered, left and sensed rows. Room was reserved. */
  fill(store: EntityStore, crossings: Crossings): void {
    const words = this.#job.array;
    words[0] = crossings.offset;
    words[1] = crossings.count;
    words[2] = store.ids.idColumn.offset;
    const kinds = [this.entered, this.left, this.sensed];
    kinds.forEach((rows, kind) => {
      rows.writeOffsets(words, FIRST_KIND + kind * KIND_WORDS);
    });
    store.heap.kernels.fillReport(this.#job.offset);
    kinds.forEach((rows, kind) => {
      rows.rowCount = words[FIRST_KIND + kind * KIND_WORDS + 4];
      rows.count = words[FIRST_KIND + kind * KIND_WORDS + 5];
    });
  }
}
