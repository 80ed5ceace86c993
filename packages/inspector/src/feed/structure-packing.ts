/**
 * Prepares a detector's sketch of its structure for sending: bounded, finite, clipped to the surroundings of the window.
 *
 * A detector may be user code, and a sketch may contain anything: edges at infinity, counts that are not numbers, more shapes
 * than allowed. Shapes are clipped where they leave the window by more than its own extent. That is far enough out that a page
 * that pans between two frames does not see the clipped edge. Cost: one pass over the shapes.
 */
import type { Rectangle, StructureSketch, WorldReader } from 'umwelt';
import { STRUCTURE_SHAPES_MAX, type StructureFrame, writeStructureFrame } from '../structure-frame.ts';

const CELL_NUMBERS = 5;
const LINE_NUMBERS = 4;
const COUNT_MAX = 0xffffffff;

/** Reads the structure of the world's detector in `window`, as the bytes of a frame. */
export function structureFrame(world: WorldReader, window: Rectangle): Uint8Array<ArrayBuffer> {
  return writeStructureFrame({
    tick: world.tickCount,
    detector: world.stats().detector,
    window,
    description: world.describe({ limit: 0 }),
    ...packed(world.sketch(window)),
  });
}

type PackedShapes = Pick<StructureFrame, 'cells' | 'counts' | 'lines' | 'isCutShort' | 'caption'>;

/** The shapes of a sketch in the form of a frame. */
export function packed(sketch: StructureSketch): PackedShapes {
  const { window, caption } = sketch;
  const surroundings = surroundingsOf(window);
  const cellsGiven = Math.floor(sketch.cells.length / CELL_NUMBERS);
  const linesGiven = Math.floor(sketch.lines.length / LINE_NUMBERS);
  const cellsTaken = Math.min(cellsGiven, STRUCTURE_SHAPES_MAX);
  const linesTaken = Math.min(linesGiven, STRUCTURE_SHAPES_MAX - cellsTaken);
  const isCutShort = sketch.isCutShort || cellsTaken < cellsGiven || linesTaken < linesGiven;
  const lines = packedLines(sketch.lines, linesTaken, window, surroundings);
  return { ...packedCells(sketch.cells, cellsTaken, window, surroundings), lines, isCutShort, caption };
}

function surroundingsOf({ minX, minY, maxX, maxY }: Rectangle): Rectangle {
  const width = maxX - minX;
  const height = maxY - minY;
  return { minX: minX - width, minY: minY - height, maxX: maxX + width, maxY: maxY + height };
}

function packedCells(
  given: readonly number[],
  cellCount: number,
  window: Rectangle,
  surroundings: Rectangle,
): Pick<StructureFrame, 'cells' | 'counts'> {
  const cells = new Float32Array(cellCount * 4);
  const counts = new Uint32Array(cellCount);
  let count = 0;
  for (let i = 0; i < cellCount * CELL_NUMBERS; i += CELL_NUMBERS) {
    const minX = Math.max(given[i] as number, surroundings.minX);
    const minY = Math.max(given[i + 1] as number, surroundings.minY);
    const maxX = Math.min(given[i + 2] as number, surroundings.maxX);
    const maxY = Math.min(given[i + 3] as number, surroundings.maxY);
    // Also false for a NaN.
    if (!(minX <= maxX && minY <= maxY)) continue;
    cells.set([minX - window.minX, minY - window.minY, maxX - window.minX, maxY - window.minY], count * 4);
    counts[count] = Math.min(COUNT_MAX, Math.max(0, Math.round(given[i + 4] as number) || 0));
    count++;
  }
  return { cells: cells.subarray(0, count * 4), counts: counts.subarray(0, count) };
}

function packedLines(
  given: readonly number[],
  lineCount: number,
  window: Rectangle,
  surroundings: Rectangle,
): Float32Array {
  const lines = new Float32Array(lineCount * 4);
  let count = 0;
  for (let i = 0; i < lineCount * LINE_NUMBERS; i += LINE_NUMBERS) {
    const line = lineWithin(surroundings, given.slice(i, i + LINE_NUMBERS) as Line);
    if (line === undefined) continue;
    const [x1, y1, x2, y2] = line;
    lines.set([x1 - window.minX, y1 - window.minY, x2 - window.minX, y2 - window.minY], count * 4);
    count++;
  }
  return lines.subarray(0, count * 4);
}

type Line = [x1: number, y1: number, x2: number, y2: number];

/** The part of a line inside a box, or undefined (Liang and Barsky, 1984). Undefined if an end is not finite. */
function lineWithin({ minX, minY, maxX, maxY }: Rectangle, [x1, y1, x2, y2]: Line): Line | undefined {
  const dx = x2 - x1;
  const dy = y2 - y1;
  if (!Number.isFinite(x1 + y1 + dx + dy)) return undefined;
  let from = 0;
  let to = 1;
  for (const [step, room] of [
    [-dx, x1 - minX],
    [dx, maxX - x1],
    [-dy, y1 - minY],
    [dy, maxY - y1],
  ] as const) {
    if (step === 0 && room < 0) return undefined;
    if (step < 0) from = Math.max(from, room / step);
    if (step > 0) to = Math.min(to, room / step);
  }
  if (from > to) return undefined;
  // For a line from very far away the rounding error may be larger than the box.
  const inX = (x: number) => Math.min(maxX, Math.max(minX, x));
  const inY = (y: number) => Math.min(maxY, Math.max(minY, y));
  return [inX(x1 + dx * from), inY(y1 + dy * from), inX(x1 + dx * to), inY(y1 + dy * to)];
}
