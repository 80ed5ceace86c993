/**
 * How a sense is drawn: with a colour and a line style of its own, so that it can be told by either.
 *
 * It is the same in the world, on the card and in the legend. The first sense has a solid line; senses beyond the eighth
 * reuse the first styles.
 */
import type { Palette } from './palette.ts';

/** Length of a dash and of the gap after it, in CSS pixels; 0: solid. */
const DASHES = [0, 10, 2.5, 18, 6, 3.5, 14, 4.5] as const;

export interface SenseStyle {
  /** `#rrggbb`. */
  readonly colour: string;
  readonly dash: number;
}

export function senseStyle(palette: Palette, sense: number): SenseStyle {
  const i = Math.max(0, sense) % DASHES.length;
  return { colour: palette.senses[i] as string, dash: DASHES[i] as number };
}
