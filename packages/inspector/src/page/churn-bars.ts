/**
 * The strip under a recording's world as bars: where in it much came and went, and what is not known yet.
 *
 * A bar is one pixel column or more; where several cells share one, the highest tells. Heights go up to a little above the
 * 98th percentile, and what is higher is cut: the first tick, in which everybody enters, would else leave nothing of the
 * rest. A cut bar has a mark on top.
 */
import { type ChurnFrame, KNOWN_MAX } from '../churn-frame.ts';

const QUANTILE = 0.98;
const ROOM_ABOVE = 1.25;

/** One bar, by columns of equal length. */
export interface ChurnBars {
  /** 0 to 1 of the strip's height. */
  readonly heights: Float32Array;
  /** 1 where it is cut. */
  readonly areCut: Uint8Array;
  /** 0 to 1. */
  readonly known: Float32Array;
}

/** Pairs in a tick that a bar of full height stands for. */
export function fullHeight({ pairs, known }: Pick<ChurnFrame, 'pairs' | 'known'>): number {
  const seen = pairs.filter((_, cell) => (known[cell] as number) > 0).sort();
  const high = seen[Math.floor(QUANTILE * (seen.length - 1))] ?? 0;
  // Where next to nothing ever happens, what does is all there is to see.
  return Math.max(high > 0 ? high * ROOM_ABOVE : (seen.at(-1) ?? 0), 1);
}

/** At most `count` bars, one a cell where there are fewer. */
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

/** Pairs in the wildest known tick of the cell in which that tick is; undefined where none is known. */
export function pairsAt(frame: ChurnFrame, tick: number): number | undefined {
  const cell = Math.floor((tick - frame.firstTick - 1) / frame.ticksPerCell);
  return (frame.known[cell] ?? 0) > 0 ? frame.pairs[cell] : undefined;
}
