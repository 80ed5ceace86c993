/**
 * The churn strip of a recording as bars: where many pairs entered and left, and which parts are not known yet.
 *
 * A bar is at least one pixel column; if several cells share a bar, the highest counts. The scale ends a little above the 98th
 * percentile, and higher bars are cut: otherwise the first tick, in which every pair enters, would leave the rest invisible.
 * A cut bar has a mark on top.
 */
import { type ChurnFrame, KNOWN_MAX } from '../churn-frame.ts';

const QUANTILE = 0.98;
const ROOM_ABOVE = 1.25;

/** The bars, as columns of equal length. */
export interface ChurnBars {
  /** Height, 0 to 1 of the strip's. */
  readonly heights: Float32Array;
  /** 1 if the bar is cut. */
  readonly areCut: Uint8Array;
  /** Known share, 0 to 1. */
  readonly known: Float32Array;
}

/** Pairs per tick at which a bar has full height. */
export function fullHeight({ pairs, known }: Pick<ChurnFrame, 'pairs' | 'known'>): number {
  const seen = pairs.filter((_, cell) => (known[cell] as number) > 0).sort();
  const high = seen[Math.floor(QUANTILE * (seen.length - 1))] ?? 0;
  // In a recording with almost no events, use the largest value.
  return Math.max(high > 0 ? high * ROOM_ABOVE : (seen.at(-1) ?? 0), 1);
}

/** At most `count` bars; one per cell if there are fewer cells. */
export function churnBars(frame: ChurnFrame, count: number): ChurnBars {
  const { pairs, known } = frame;
  const barCount = Math.min(Math.max(1, count), pairs.length);
  const top = fullHeight(frame);
  const bars = {
    heights: new Float32Array(barCount),
    areCut: new Uint8Array(barCount),
    known: new Float32Array(barCount),
  };
  for (let bar = 0; bar < barCount; bar++) {
    const start = Math.floor((bar * pairs.length) / barCount);
    const end = Math.floor(((bar + 1) * pairs.length) / barCount);
    let most = 0;
    let share = 0;
    for (let cell = start; cell < end; cell++) {
      most = Math.max(most, pairs[cell] as number);
      share += (known[cell] as number) / KNOWN_MAX / (end - start);
    }
    bars.heights[bar] = Math.min(1, most / top);
    bars.areCut[bar] = most > top ? 1 : 0;
    bars.known[bar] = Math.min(1, share);
  }
  return bars;
}

/** Pairs of the busiest known tick in the cell of `tick`; undefined if none is known. */
export function pairsAt(frame: ChurnFrame, tick: number): number | undefined {
  const cell = Math.floor((tick - frame.firstTick - 1) / frame.ticksPerCell);
  return (frame.known[cell] ?? 0) > 0 ? frame.pairs[cell] : undefined;
}
