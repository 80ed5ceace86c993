/**
 * Gives back memory that one large tick needed and the following ones do not: a crowd that appears all at once reports
 * a hundred times what it reports while it walks.
 *
 * The largest tick of a window of 64 is remembered; at its end buffers larger than four times that shrink to twice
 * that, in one move of the heap, where that gives back a sixteenth of it. So a world at rest in its habits never moves, and a spike is paid for a minute at most.
 */
import type { Crossings } from '../detectors/crossings.ts';
import type { Column, Heap } from '../kernels/heap.ts';
import { REPORT_KINDS, type Report } from './report.ts';

const WINDOW_TICKS = 64;
/** Of the heap: less than this share is not given back. */
const WORTH_A_MOVE = 16;
/** A heap as small as this is moved in no time. */
const SMALL_BYTES = 2 ** 22;
const BYTES = { f64: 8, f32: 4, u32: 4, u16: 2, u8: 1 } as const;

export class BufferTrim {
  /** The most of each kind, in the order of `REPORT_KINDS`, then crossings, in this window. */
  readonly #peaks = new Float64Array(REPORT_KINDS.length + 1);
  #age = 0;

  /**
   * To be called when a tick's report stands; `found` crossings were appended before they were resolved, and `updated` had to
   * have room for `updates` of its own, however few it came to be. Answers whether a window ended.
   */
  note(heap: Heap, report: Report, crossings: Crossings, found: number, updates: number): boolean {
    const peaks = this.#peaks;
    REPORT_KINDS.forEach((kind, i) => {
      peaks[i] = Math.max(peaks[i], kind === 'updated' ? updates : report[kind].count);
    });
    peaks[REPORT_KINDS.length] = Math.max(peaks[REPORT_KINDS.length], found);
    if (++this.#age < WINDOW_TICKS) return false;
    const sizes: [Column, number][] = crossings.sizesToTrim(peaks[REPORT_KINDS.length]);
    REPORT_KINDS.forEach((kind, i) => {
      sizes.push(...report[kind].sizesToTrim(peaks[i]));
    });
    // A move of the heap copies everything: what is given back must be worth it.
    const saved = sizes.reduce(
      (sum, [column, length]) => sum + (column.length - length) * BYTES[column.kind],
      0,
    );
    const isWorthIt = saved * WORTH_A_MOVE > heap.byteLength || heap.byteLength < SMALL_BYTES;
    if (isWorthIt) heap.resize(sizes);
    peaks.fill(0);
    this.#age = 0;
    return true;
  }
}
