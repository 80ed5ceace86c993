/**
 * How many of a recording's ids are present at once: the maximum, when, and the average.
 *
 * An appearance lasts from its first sample until the gap after its last. The maximum is found by going through all starts and
 * all ends in order of time, as in a merge of two sorted lists. O(n log n) in the number of appearances.
 */
import type { TraceColumns } from './trace-columns.ts';

export class Attendance {
  /** Maximum present at one moment. */
  readonly peak: number;
  /** When it is first reached, in the trace's own seconds. */
  readonly peakTime: number;
  /** Present on average, from the first sample to the end of the last appearance. */
  readonly mean: number;

  constructor(trace: TraceColumns, gapSeconds: number) {
    const { starts, time } = trace;
    const begins = Float64Array.from(starts, (sample) => time[sample]!);
    const ends = Float64Array.from(starts, (sample) => time[lastOf(trace, sample)]! + gapSeconds).sort();
    let presence = 0;
    let peak = 0;
    let peakTime = begins[0]!;
    let ended = 0;
    for (let begun = 0; begun < begins.length; begun++) {
      while (ends[ended]! <= begins[begun]!) ended++;
      if (begun + 1 - ended > peak) {
        peak = begun + 1 - ended;
        peakTime = begins[begun]!;
      }
      presence += ends[begun]! - begins[begun]!;
    }
    this.peak = peak;
    this.peakTime = peakTime;
    this.mean = presence / (ends.at(-1)! - begins[0]!);
  }
}

/** The last sample of this appearance. */
function lastOf(trace: TraceColumns, first: number): number {
  let sample = first;
  while (trace.next[sample]! !== 0) sample = trace.next[sample]!;
  return sample;
}
