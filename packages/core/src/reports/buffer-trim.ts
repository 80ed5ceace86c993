/**
 * Frees memory that one large tick needed and later ticks do not: a crowd that appears all at once reports a hundred
 * times what it reports while it walks.
 *
 * The largest tick in a window of 64 ticks is recorded. At the end of the window, buffers larger than four times that
 * shrink to twice that. So in a world with a steady load the heap
 * never moves, and memory for a peak is kept for a minute at most. While nothing happens, only the first window ends so:
 * nothing more could be freed, and looking for it takes ten times as long as such a tick.
 */
import type { Crossings } from '../detectors/crossings.ts';
import type { Column, Sizes } from '../kernels/heap.ts';
import { REPORT_KINDS, type Report } from './report.ts';

const WINDOW_TICKS = 64;

export class BufferTrim {
  /** The peak of each kind, in the order of `REPORT_KINDS`, then of crossings, in this window. */
  readonly #peaks = new Float64Array(REPORT_KINDS.length + 1);
  #age = 0;
  #hasChanged = false;
  /** Whether nothing changed in the window before. */
  #isStill = false;

  /**
   * Call this when a tick's report is complete. `found`: crossings appended before they were resolved. `updates`: the
   * number of own updates that `updated` needed room for, even if fewer remained. `hasChanged`: whether the tick had anything to do,
   * or anything is held that queries made.
   * Returns the columns that should shrink, and to what length, if it is time to free memory: a window ended.
   */
  note(
    report: Report,
    crossings: Crossings,
    { found, updates, hasChanged }: { found: number; updates: number; hasChanged: boolean },
  ): Sizes | undefined {
    const peaks = this.#peaks;
    if (hasChanged) this.#hasChanged = true;
    REPORT_KINDS.forEach((kind, i) => {
      peaks[i] = Math.max(peaks[i], kind === 'updated' ? updates : report[kind].count);
    });
    peaks[REPORT_KINDS.length] = Math.max(peaks[REPORT_KINDS.length], found);
    if (++this.#age < WINDOW_TICKS) return undefined;
    this.#age = 0;
    const wasStill = this.#isStill;
    this.#isStill = !this.#hasChanged;
    this.#hasChanged = false;
    if (wasStill && this.#isStill) return undefined;
    const sizes: [Column, number][] = crossings.sizesToTrim(peaks[REPORT_KINDS.length]);
    REPORT_KINDS.forEach((kind, i) => {
      sizes.push(...report[kind].sizesToTrim(peaks[i]));
    });
    peaks.fill(0);
    return sizes;
  }
}
