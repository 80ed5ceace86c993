/**
 * How a sense is drawn: in a colour and a line of its own, so that neither alone has to tell it.
 *
 * The same in the world, on the card and in the legend. The first sense's line is whole; senses beyond the eighth begin again.
 */
import type { Palette } from './palette.ts';

/** Lengths of a dash and of the gap after it, in CSS pixels; 0: whole. */
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
