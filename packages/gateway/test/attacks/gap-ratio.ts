/**
 * How much later frames come while a gateway is attacked, on a machine that others use, too.
 *
 * Each attacked phase is held against the quiet ones right before and after it, by the 99th percentile between two frames: their mean is
 * what that moment of the machine would have shown without the attack. The median of those ratios counts. What others do moves single
 * ratios, either way, and would have to coincide with most attacked phases, and with no quiet one, to move their median; what the attack
 * does is in all of them.
 */
import type { AttackFigures } from './attack-stage.ts';

export interface GapRatio {
  /** Of the 99th percentile while attacked to that of quiet neighbours. */
  readonly median: number;
  readonly each: readonly number[];
  /** The same of quiet phases alone, each against the mean of both its neighbours: what the machine does by itself. */
  readonly quietEach: readonly number[];
}

export function gapRatio({ quiet, attacked }: Pick<AttackFigures, 'quiet' | 'attacked'>): GapRatio {
  const gap = (i: number): number => quiet[i]!.gapP99Ms;
  const each = attacked.map(({ gapP99Ms }, i) => gapP99Ms / Math.sqrt(gap(i) * gap(i + 1)));
  const quietEach = quiet.slice(1, -1).map((_, i) => gap(i + 1) / Math.sqrt(gap(i) * gap(i + 2)));
  return { median: medianOf(each), each, quietEach };
}

export function medianOf(values: readonly number[]): number {
  const sorted = values.toSorted((one, other) => one - other);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
}
