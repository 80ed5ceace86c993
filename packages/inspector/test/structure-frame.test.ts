/**
 * The frame of a detector's structure: what is written is what is read, and whatever is read is sound or nothing.
 */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readFeedFrame } from '../src/feed-frame.ts';
import { STRUCTURE_SHAPES_MAX, type StructureFrame, writeStructureFrame } from '../src/structure-frame.ts';

const u32 = fc.nat({ max: 0xffffffff });
const edge = fc.double({ noNaN: true, min: -1e30, max: 1e30 });
const offset = fc.float({
  noNaN: true,
  noDefaultInfinity: true,
  min: Math.fround(-1e30),
  max: Math.fround(1e30),
});
/** Two numbers in order. */
const ordered = <T extends number>(value: fc.Arbitrary<T>) =>
  fc.tuple(value, value).map(([a, b]) => (a <= b ? [a, b] : [b, a]) as [T, T]);

const window = fc
  .tuple(ordered(edge), ordered(edge))
  .map(([[minX, maxX], [minY, maxY]]) => ({ minX, minY, maxX, maxY }));

const cell = fc
  .tuple(ordered(offset), ordered(offset))
  .map(([[minX, maxX], [minY, maxY]]) => [minX, minY, maxX, maxY]);

const structure: fc.Arbitrary<Omit<StructureFrame, 'kind'>> = fc
  .record({
    tick: u32,
    detector: fc.string({ unit: 'grapheme', maxLength: 20 }),
    window,
    cells: fc.array(fc.tuple(cell, u32), { maxLength: 30 }),
    lines: fc.array(fc.tuple(offset, offset, offset, offset), { maxLength: 30 }),
    isCutShort: fc.boolean(),
    caption: fc.string({ unit: 'grapheme', maxLength: 60 }),
    description: fc.string({ unit: 'grapheme', maxLength: 200 }),
  })
  .map(({ cells, lines, ...rest }) => ({
    ...rest,
    cells: Float32Array.from(cells.flatMap(([box]) => box)),
    counts: Uint32Array.from(cells, ([, count]) => count),
    lines: Float32Array.from(lines.flat()),
  }));

const empty = {
  ...{ tick: 1, detector: 'sweep', window: { minX: 0, minY: 0, maxX: 1, maxY: 1 }, isCutShort: false },
  ...{ cells: new Float32Array(0), counts: new Uint32Array(0), lines: new Float32Array(0) },
  ...{ caption: '', description: '' },
};

/** What a page relies on once a frame has been read. */
function expectSound(frame: StructureFrame): void {
  const { cells, counts, lines, window } = frame;
  expect(cells.length).toBe(counts.length * 4);
  expect(lines.length % 4).toBe(0);
  expect(counts.length + lines.length / 4).toBeLessThanOrEqual(STRUCTURE_SHAPES_MAX);
  expect(window.minX <= window.maxX && window.minY <= window.maxY).toBe(true);
  for (const value of [...cells, ...lines]) expect(Number.isFinite(value)).toBe(true);
  for (let i = 0; i < cells.length; i += 4) {
    expect(cells[i + 2]).toBeGreaterThanOrEqual(cells[i] as number);
    expect(cells[i + 3]).toBeGreaterThanOrEqual(cells[i + 1] as number);
  }
}

describe('a structure frame', () => {
  it('is read as it was written', () => {
    fc.assert(
      fc.property(structure, (frame) => {
        expect(readFeedFrame(writeStructureFrame(frame))).toEqual({ kind: 'structure', ...frame });
      }),
    );
  });

  it('is read from an odd place too', () => {
    fc.assert(
      fc.property(structure, (frame) => {
        const bytes = writeStructureFrame(frame);
        const shifted = new Uint8Array(bytes.length + 1);
        shifted.set(bytes, 1);
        expect(readFeedFrame(shifted.subarray(1))).toEqual(readFeedFrame(bytes));
      }),
    );
  });

  it('holds as many shapes as there may be in 20 bytes a cell and 16 a line, and no more are read', () => {
    const filled = (cellCount: number, lineCount: number) =>
      writeStructureFrame({
        ...empty,
        cells: new Float32Array(cellCount * 4),
        counts: new Uint32Array(cellCount),
        lines: new Float32Array(lineCount * 4),
      });
    const most = filled(STRUCTURE_SHAPES_MAX - 5, 5);
    expect(most.length - filled(0, 0).length).toBe((STRUCTURE_SHAPES_MAX - 5) * 20 + 5 * 16);
    expect(readFeedFrame(most)).toBeDefined();
    expect(readFeedFrame(filled(STRUCTURE_SHAPES_MAX - 5, 6))).toBeUndefined();
  });

  it('cuts texts that are too long between two characters', () => {
    const long = 'ä€😀'.repeat(9000);
    const bytes = writeStructureFrame({ ...empty, detector: long, caption: long, description: long });
    expect(bytes.length).toBeLessThan(20_000);
    const frame = readFeedFrame(bytes);
    if (frame?.kind !== 'structure') throw new Error('not read as a structure frame');
    for (const text of [frame.detector, frame.caption, frame.description]) {
      expect(text.length).toBeGreaterThan(80);
      expect(long.startsWith(text)).toBe(true);
    }
  });

  it('answers nothing when it is cut short or drawn out', () => {
    fc.assert(
      fc.property(structure, fc.nat(), (frame, at) => {
        const bytes = writeStructureFrame(frame);
        expect(readFeedFrame(bytes.slice(0, at % bytes.length))).toBeUndefined();
        const longer = new Uint8Array(bytes.length + 1 + (at % 8));
        longer.set(bytes);
        expect(readFeedFrame(longer)).toBeUndefined();
      }),
    );
  });

  it('is sound or nothing when its bytes are damaged', () => {
    let soundCount = 0;
    let refusedCount = 0;
    const hit = fc.tuple(fc.nat(), fc.nat({ max: 255 }));
    fc.assert(
      fc.property(structure, fc.array(hit, { minLength: 1, maxLength: 6 }), (written, hits) => {
        const bytes = writeStructureFrame(written);
        // Half of the damage goes to the header, where the counts are.
        hits.forEach(([at, value], i) => {
          const end = i % 2 === 0 ? 72 : bytes.length;
          bytes[12 + (at % (end - 12))] = value;
        });
        const frame = readFeedFrame(bytes);
        if (frame === undefined) refusedCount++;
        else soundCount++;
        if (frame?.kind === 'structure') expectSound(frame);
      }),
      { numRuns: 4000 },
    );
    expect(Math.min(soundCount, refusedCount)).toBeGreaterThan(100);
  });

  it.each([
    ['a cell that ends before it begins', [2, 0, 1, 1], []],
    ['a cell without a place', [0, Number.NaN, 1, 1], []],
    ['a cell without an end', [0, 0, Number.POSITIVE_INFINITY, 1], []],
    ['a line from nowhere', [], [Number.NaN, 0, 1, 1]],
    ['a line to infinity', [], [0, 0, 1, Number.NEGATIVE_INFINITY]],
  ])('is refused with %s', (_, cells, lines) => {
    const shapes = { cells: Float32Array.from(cells), lines: Float32Array.from(lines) };
    const bytes = writeStructureFrame({ ...empty, ...shapes, counts: new Uint32Array(cells.length / 4) });
    expect(readFeedFrame(bytes)).toBeUndefined();
  });

  it.each([
    ['the wrong way round', { minX: 1, minY: 0, maxX: 0, maxY: 1 }],
    ['of no place', { minX: Number.NaN, minY: 0, maxX: 1, maxY: 1 }],
    ['without end', { minX: 0, minY: 0, maxX: Number.POSITIVE_INFINITY, maxY: 1 }],
  ])('is refused with a window %s', (_, window) => {
    expect(readFeedFrame(writeStructureFrame(empty))).toBeDefined();
    expect(readFeedFrame(writeStructureFrame({ ...empty, window }))).toBeUndefined();
  });
});
