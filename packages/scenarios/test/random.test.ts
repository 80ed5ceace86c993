/** The generator against its published outputs, and what is derived from it. */
import { describe, expect, it } from 'vitest';
import { Random } from '../src/random.ts';

function draws(random: Random, count: number): number[] {
  return Array.from({ length: count }, () => random.next());
}

describe('Random', () => {
  it('gives the outputs of the reference implementation of xoshiro128**', () => {
    const expected = [
      11520, 0, 5927040, 70819200, 2031721883, 1637235492, 1287239034, 3734860849, 3729100597, 4258142804,
    ];
    expect(draws(Random.fromState([1, 2, 3, 4]), 10)).toEqual(expected);
  });

  it('gives the same numbers for the same seed', () => {
    expect(draws(new Random(7), 100)).toEqual(draws(new Random(7), 100));
  });

  it('gives other numbers for neighbouring, negative and very large seeds', () => {
    const seeds = [0, 1, 2, -1, -2, 4_294_967_296, 4_294_967_297, Number.MAX_SAFE_INTEGER];
    const firsts = seeds.map((seed) => draws(new Random(seed), 2).join());
    expect(new Set(firsts).size).toBe(seeds.length);
  });

  it('keeps unit within 0 and 1, below within its count, and both spread over it', () => {
    const random = new Random(3);
    const tally = new Array<number>(10).fill(0);
    for (let i = 0; i < 100_000; i++) {
      const unit = random.unit();
      expect(unit >= 0 && unit < 1).toBe(true);
      tally[random.below(10)]!++;
    }
    // 10,000 each, standard deviation 95: six of them are not exceeded by chance.
    for (const count of tally) expect(Math.abs(count - 10_000)).toBeLessThan(570);
  });

  it('gives directions of length 1 on all sides', () => {
    const random = new Random(4);
    const out = new Float64Array(2);
    const quadrants = new Set<string>();
    for (let i = 0; i < 1000; i++) {
      random.directionInto(out);
      expect(Math.hypot(out[0]!, out[1]!)).toBeCloseTo(1, 12);
      quadrants.add(`${out[0]! > 0},${out[1]! > 0}`);
    }
    expect(quadrants.size).toBe(4);
  });
});
