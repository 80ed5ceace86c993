/** The strip under a recording as bars: what is high, what is cut, what is not known. */
import { describe, expect, it } from 'vitest';
import { churnBars, fullHeight, pairsAt } from '../../src/page/churn-bars.ts';

function stripOf(pairs: number[], known = pairs.map(() => 255), ticksPerCell = 1) {
  const columns = { pairs: Float32Array.from(pairs), known: Uint8Array.from(known) };
  return { kind: 'churn' as const, firstTick: 10, ticksPerCell, ...columns };
}

describe('bars', () => {
  it('leave one wild tick out of their scale, and mark it as cut', () => {
    const strip = stripOf([50_000, ...new Array(99).fill(8)]);
    expect(fullHeight(strip)).toBe(10);
    const { heights, areCut } = churnBars(strip, 1000);
    expect([heights[0], areCut[0]]).toEqual([1, 1]);
    expect(heights[1]).toBeCloseTo(0.8, 6);
    expect(areCut[1]).toBe(0);
  });

  it('show what little there is where next to nothing happens', () => {
    expect(fullHeight(stripOf([...new Array(99).fill(0), 3]))).toBe(3);
    expect(fullHeight(stripOf([0, 0]))).toBe(1);
    expect(fullHeight(stripOf([]))).toBe(1);
    expect(churnBars(stripOf([]), 100).heights.length).toBe(0);
  });

  it('are scaled by what is known alone', () => {
    expect(fullHeight(stripOf([4, 900], [255, 0]))).toBe(5);
    expect([...churnBars(stripOf([4, 0], [255, 0]), 2).known]).toEqual([1, 0]);
  });

  it('of more cells than columns are the highest of theirs, and no cell is left out', () => {
    const strip = stripOf(Array.from({ length: 100 }, (_, cell) => (cell === 57 ? 2 : 1)));
    const { heights } = churnBars(strip, 7);
    expect(heights.length).toBe(7);
    expect(heights.indexOf(Math.max(...heights))).toBe(4);
  });
});

describe('the count under the pointer', () => {
  it('is that of the cell with the tick', () => {
    const strip = stripOf([5, 6, 7], [255, 0, 255], 4);
    expect([11, 14, 15, 19, 22].map((tick) => pairsAt(strip, tick))).toEqual([5, 5, undefined, 7, 7]);
    // The first tick of a recording reports nothing, and after the last there is none.
    expect([10, 23, -5].map((tick) => pairsAt(strip, tick))).toEqual([undefined, undefined, undefined]);
  });
});
