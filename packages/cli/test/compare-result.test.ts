/** A result as it is kept: JSON that reads back as it was written, and is refused when it is something else. */
import { describe, expect, it } from 'vitest';
import { disagreements } from '../src/compare/agreement.ts';
import { readComparison, writeComparison } from '../src/compare/comparison.ts';
import { Mistake } from '../src/faults.ts';
import { comparisonOf, crowdOf, rowOf } from './compare-rows.ts';

const crowd = crowdOf();
const comparison = comparisonOf(
  [crowd],
  [
    rowOf(crowd, 'sweep', { ms: { add: 12.25 } }),
    rowOf(crowd, 'brute-force', { skipped: 'expected to take 3 min, budget 5 s', rounds: 0 }),
    rowOf(crowd, 'nine-grid by cells', {
      isExact: false,
      inexactness: { exact: 3, reported: 4, extra: 1, missed: 0 },
    }),
  ],
);

describe('a result', () => {
  it('reads back as it was written', () => {
    expect(readComparison(writeComparison(comparison), 'result.json')).toEqual(comparison);
  });

  it('is the same text again', () => {
    const text = writeComparison(comparison);
    expect(writeComparison(readComparison(text, 'result.json'))).toBe(text);
  });

  it('keeps five digits of what was measured', () => {
    const long = comparisonOf([crowdOf({ perceived: Math.PI })], []);
    expect(writeComparison(long)).toContain('"perceived": 3.1416');
  });

  it.each([
    ['', /expected the JSON that umwelt compare writes; this is not JSON/],
    ['[]', /expected the JSON that umwelt compare writes, version 1/],
    ['{"format":"umwelt compare","version":2}', /version 1/],
  ])('that is %j is refused, by the name of its file', (text, expected) => {
    expect(() => readComparison(text, 'a.json')).toThrow(Mistake);
    expect(() => readComparison(text, 'a.json')).toThrow(expected);
    expect(() => readComparison(text, 'a.json')).toThrow(/^a\.json: /);
  });

  it.each([
    ['"processor"', '"producer"', /'machine'/],
    ['"date"', '"day"', /'date'/],
    ['"isSmoke"', '"smoke"', /'isSmoke'/],
    ['"mapWidth"', '"width"', /crowd 0/],
    ['"series": "population"', '"series": "people"', /crowd 0/],
    [`"crowd": "${crowd.id}"`, '"crowd": "elsewhere"', /row 0/],
    ['"allMoving"', '"allFlying"', /row 0/],
    ['"hash": "00000000000000aa"', '"hash": "aa"', /row 0/],
    ['"extra": 1', '"extra": "1"', /row 2/],
  ])('in which %s became %s is refused', (from, to, expected) => {
    const text = writeComparison(comparison);
    expect(text).toContain(from);
    expect(() => readComparison(text.replace(from, to), 'a.json')).toThrow(expected);
  });
});

describe('exact contenders', () => {
  it('that report the same do not disagree, nor does one by cells or one that was skipped', () => {
    expect(disagreements(comparison)).toEqual([]);
  });

  it('that differ are named: brute force is right', () => {
    const rows = ['sweep', 'tower'].map((name) => rowOf(crowd, name));
    const definition = rowOf(crowd, 'brute-force', { hash: '00000000000000bb' });
    expect(disagreements({ crowds: [crowd], rows: [...rows, definition] })).toEqual([
      `crowd ${crowd.id}: sweep (00000000000000aa), tower (00000000000000aa) differ from brute-force (00000000000000bb)`,
    ]);
  });

  it('that differ are named: without it the many are right', () => {
    const rows = ['tower', 'sweep', 'quadtree'].map((name) => rowOf(crowd, name));
    const other = rowOf(crowd, 'hot-pair', { hash: '00000000000000bb' });
    expect(disagreements({ crowds: [crowd], rows: [other, ...rows] })).toEqual([
      `crowd ${crowd.id}: hot-pair (00000000000000bb) differs from tower, sweep, quadtree (00000000000000aa)`,
    ]);
  });
});
