/** All that one tick has to tell: four kinds of rows, filled from resolved crossings. */
import type { Crossings } from '../detectors/crossings.ts';
import type { EntityStore } from '../entities/entity-store.ts';
import type { Heap } from '../kernels/heap.ts';
import { ReportRows } from './report-rows.ts';

/** The kinds, in the order in which listeners hear of them. */
export const REPORT_KINDS = ['left', 'entered', 'sensed', 'updated'] as const;

export type ReportKind = (typeof REPORT_KINDS)[number];

export class Report {
  readonly entered: ReportRows;
  readonly left: ReportRows;
  readonly updated: ReportRows;
  readonly sensed: ReportRows;

  constructor(heap: Heap) {
    this.entered = new ReportRows(heap, true);
    this.left = new ReportRows(heap, false);
    this.updated = new ReportRows(heap, false);
    this.sensed = new ReportRows(heap, true);
  }

  /** Makes room for what the crossings will say. */
  reserve(crossings: Crossings): void {
    let entered = 0;
    let left = 0;
    for (let i = 0; i < crossings.count; i++) {
      if (!crossings.wasRelated(i)) entered++;
      else if (!crossings.isRelated(i)) left++;
    }
    const sensed = crossings.count - entered - left;
    this.entered.reserve(entered, entered);
    this.left.reserve(left, left);
    this.sensed.reserve(sensed, sensed);
  }

  /** Turns resolved crossings into entered, left and sensed rows. Room was reserved. */
  fill(store: EntityStore, crossings: Crossings): void {
    this.entered.clear();
    this.left.clear();
    this.sensed.clear();
    const { idOf } = store.ids;
    for (let i = 0; i < crossings.count; i++) {
      const rows = !crossings.wasRelated(i)
        ? this.entered
        : !crossings.isRelated(i)
          ? this.left
          : this.sensed;
      rows.append(idOf[crossings.watcherAt(i)], idOf[crossings.markerAt(i)], crossings.afterAt(i));
    }
  }
}
