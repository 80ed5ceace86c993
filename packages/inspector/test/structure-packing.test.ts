/**
 * What a detector sketches, made fit to be sent: whatever it put there.
 */
import fc from 'fast-check';
import { StructureSketch } from 'umwelt';
import { describe, expect, it } from 'vitest';
import { packed } from '../src/feed/structure-packing.ts';
import { STRUCTURE_SHAPES_MAX } from '../src/structure-frame.ts';

const window = { minX: 100, minY: -50, maxX: 300, maxY: 50 };

/** What a detector of somebody's own may have put into a sketch, past its checks. */
function sketchOf(cells: number[], lines: number[]): StructureSketch {
  const sketch = new StructureSketch(window);
  for (const value of cells) sketch.cells.push(value);
  for (const value of lines) sketch.lines.push(value);
  return sketch;
}

describe('packed shapes', () => {
  it('are offsets from the corner of the window, with counts and words', () => {
    const sketch = new StructureSketch(window);
    sketch.caption = 'What they mean.';
    sketch.cell(100, -50, 150, 0, 7);
    sketch.cell(250, 0, 350, 100, 0);
    sketch.line(100, -50, 300, 50);
    const { cells, counts, lines, caption, isCutShort } = packed(sketch);
    expect([...cells]).toEqual([0, 0, 50, 50, 150, 50, 250, 150]);
    expect([...counts]).toEqual([7, 0]);
    expect([...lines]).toEqual([0, 0, 200, 100]);
    expect({ caption, isCutShort }).toEqual({ caption: 'What they mean.', isCutShort: false });
  });

  it('keep a fraction of a unit at the end of the largest world', () => {
    const sketch = new StructureSketch({ minX: 1e12, minY: 1e12, maxX: 1e12 + 100, maxY: 1e12 + 100 });
    sketch.cell(1e12 + 0.5, 1e12 + 10.25, 1e12 + 1.5, 1e12 + 11.25, 1);
    expect([...packed(sketch).cells]).toEqual([0.5, 10.25, 1.5, 11.25]);
  });

  it('end one window away, however large they are', () => {
    const whole = [Number.NEGATIVE_INFINITY, -1e12, 1e12, Number.POSITIVE_INFINITY, 9];
    const { cells, lines } = packed(sketchOf(whole, [-1e12, 0, 1e12, 0]));
    expect([...cells]).toEqual([-200, -100, 400, 200]);
    expect([...lines]).toEqual([-200, 50, 400, 50]);
  });

  it('keep the direction of lines that are cut', () => {
    const [x1 = 0, y1 = 0, x2 = 0, y2 = 0] = packed(sketchOf([], [200, 0, 200 + 4e6, 1e6])).lines;
    expect([x1, y1]).toEqual([100, 50]);
    expect((y2 - y1) / (x2 - x1)).toBeCloseTo(1 / 4, 5);
    expect(x2).toBe(400);
  });

  it('are bounded, and say so', () => {
    const many = Array.from({ length: (STRUCTURE_SHAPES_MAX + 3) * 5 }, (_, i) => (i % 5 < 2 ? 120 : 130));
    const { counts, lines, isCutShort } = packed(sketchOf(many, [100, 0, 200, 0]));
    expect([counts.length, lines.length, isCutShort]).toEqual([STRUCTURE_SHAPES_MAX, 0, true]);
    const sketch = sketchOf([], []);
    sketch.isCutShort = true;
    expect(packed(sketch).isCutShort).toBe(true);
  });

  it('have counts that are whole numbers', () => {
    const cell = (count: number) => [110, 0, 120, 10, count];
    const given = [-3, 2.4, Number.NaN, Number.POSITIVE_INFINITY, 1e12];
    expect([...packed(sketchOf(given.flatMap(cell), [])).counts]).toEqual([0, 2, 0, 0xffffffff, 0xffffffff]);
  });

  it('are finite and within reach of the window, whatever the sketch holds', () => {
    const number = fc.oneof(fc.double(), fc.double({ min: -400, max: 800 }), fc.constantFrom(0, 100, 300));
    fc.assert(
      fc.property(
        fc.array(number, { maxLength: 60 }),
        fc.array(number, { maxLength: 60 }),
        (cells, lines) => {
          const shapes = packed(sketchOf(cells, lines));
          expect(shapes.counts.length).toBe(shapes.cells.length / 4);
          [...shapes.cells, ...shapes.lines].forEach((value, i) => {
            const [min, max] = i % 2 === 0 ? [-200.1, 400.1] : [-100.1, 200.1];
            expect(value >= min && value <= max).toBe(true);
          });
        },
      ),
      { examples: [[[], [3.3590222040907106e217, 0, -3.762511014278637e225, 0]]] },
    );
  });
});
