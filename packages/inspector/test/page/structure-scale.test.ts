/**
 * How strongly cells are filled.
 */
import { describe, expect, it } from 'vitest';
import { scaleTop, strengthOf } from '../../src/page/structure-scale.ts';

describe('the scale of counts', () => {
  it('ends at a round number that no count exceeds', () => {
    expect(
      [[], [0], [1], [2], [3], [5], [6], [10], [11, 4], [501], [4_193_280]].map((counts) =>
        scaleTop(Uint32Array.from(counts)),
      ),
    ).toEqual([1, 1, 1, 2, 5, 5, 10, 10, 20, 1000, 5_000_000]);
  });

  it('leaves empty cells empty, fills all others, and the fuller the more', () => {
    for (const top of [1, 10, 5000]) {
      expect(strengthOf(0, top)).toBe(0);
      expect(strengthOf(top, top)).toBe(1);
      for (let count = 1; count <= top; count++)
        expect(strengthOf(count, top)).toBeGreaterThan(strengthOf(count - 1, top));
    }
  });
});
