/** A colour for each node, in the order of first appearance; grey for entities that stand still. */
const PALETTE = ['#f2b134', '#36b5a0', '#ee6c5b', '#7c9cf5', '#c98bdb', '#9bc53d', '#e58fb1', '#5bc0eb'];
export const STILL = '#5b6675';

const known = new Map<string, string>();

export function colourOf(name: string): string {
  const colour = known.get(name) ?? PALETTE[known.size % PALETTE.length] ?? STILL;
  known.set(name, colour);
  return colour;
}
