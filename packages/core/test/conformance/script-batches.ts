/**
 * Batches of random scripts, each tick compared with the model or, in larger worlds, with brute force.
 *
 * A failure prints its seed and sizes, the shrunk script and the first difference; `npm run fuzz` takes all of them.
 */
import { describe, expect, test } from 'vitest';
import { runSeeds, type ScriptSize, type Trial } from '../../src/conformance/index.ts';

export interface Batch {
  readonly name: string;
  readonly size: ScriptSize;
  readonly trial: Trial;
  /** Scripts, in cases of `aCase`. */
  readonly scripts: number;
  readonly aCase: number;
  readonly firstSeed: number;
}

/** A test for each case, and one that all together are at least so many operations. */
export function testBatches(batches: readonly Batch[], least: number): void {
  let total = 0;
  describe.each([...batches])('$name', ({ size, trial, scripts, aCase, firstSeed }) => {
    for (let first = firstSeed; first < firstSeed + scripts; first += aCase) {
      test(`scripts ${first} to ${first + aCase - 1} report what they must`, () => {
        const operations = runSeeds(first, aCase, size, trial);
        expect(operations).toBeGreaterThanOrEqual(aCase * size.operations);
        total += operations;
      });
    }
  });

  test(`${least} operations or more were run`, () => {
    expect(total).toBeGreaterThanOrEqual(least);
  });
}
