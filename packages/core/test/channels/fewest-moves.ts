/**
 * The fewest moves by which a small crowd is well placed, in the plainest way: every placement is tried.
 *
 * What is amiss with a placement is what the rules say of it: those in closed channels, and by how many the open ones
 * are above the most or below the least they may hold. Of the placements with every group whole and least amiss, the
 * one with the fewest moves counts.
 *
 * Cost: channels ^ (singles + groups).
 */
import type { Bounds } from '../../src/channels/channel-options.ts';

/** Somebody, or a group, that is in some channels. */
export interface Unit {
  /** The channel of each of its members. */
  readonly channels: readonly number[];
}

export interface Outcome {
  readonly amiss: number;
  readonly moves: number;
}

/** By how many the sizes of open channels are out of bounds. */
export function amissOf(sizes: readonly number[], { most, least }: Bounds): number {
  return sizes.reduce((sum, size) => sum + Math.max(0, size - most) + Math.max(0, least - size), 0);
}

/** The best outcome for `units` in the channels `open`. */
export function fewestMoves(units: readonly Unit[], open: readonly number[], bounds: Bounds): Outcome {
  let best: Outcome = { amiss: Number.POSITIVE_INFINITY, moves: Number.POSITIVE_INFINITY };
  const sizes = open.map(() => 0);
  const place = (index: number, moves: number): void => {
    const unit = units[index];
    if (unit === undefined) {
      const amiss = amissOf(sizes, bounds);
      if (amiss < best.amiss || (amiss === best.amiss && moves < best.moves)) best = { amiss, moves };
      return;
    }
    open.forEach((channel, i) => {
      sizes[i] += unit.channels.length;
      place(index + 1, moves + unit.channels.filter((at) => at !== channel).length);
      sizes[i] -= unit.channels.length;
    });
  };
  place(0, 0);
  return best;
}
