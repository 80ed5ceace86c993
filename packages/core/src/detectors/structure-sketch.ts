/**
 * A detector's structure as plain shapes, for an inspector to draw: cells with counts, and lines between related
 * items. Seen from above; z is left out.
 *
 * Bounded: shapes outside the window are left out, and beyond the maximum number of shapes the sketch is marked as
 * cut short.
 */
import { badOption, isRecord } from '../errors.ts';
import type { Rectangle } from './bounds.ts';

const MAX_SHAPES = 20_000;

/** A detector's structure within a window, as plain shapes for an inspector to draw. */
export class StructureSketch {
  /** The visible part of the world. */
  readonly window: Rectangle;
  /** minX, minY, maxX, maxY in world units, then a count: five numbers a cell. */
  readonly cells: number[] = [];
  /** x1, y1, x2, y2 in world units: four numbers a line. */
  readonly lines: number[] = [];
  /** Meaning of the cells, counts and lines, in one sentence. */
  caption = '';
  /** Whether shapes were left out because of the maximum. */
  isCutShort = false;

  /** Throws `BAD_OPTION` unless the window has its four edges. */
  constructor(window: Rectangle) {
    if (!isRecord(window)) throw badOption('window', window, 'minX, minY, maxX and maxY');
    for (const edge of ['minX', 'minY', 'maxX', 'maxY'] as const) {
      const value: unknown = window[edge];
      if (typeof value !== 'number' || Number.isNaN(value))
        throw badOption(`window.${edge}`, value, 'world units');
    }
    this.window = window;
  }

  /** Adds a box with a count. The drawing code clips edges beyond the window. */
  cell(minX: number, minY: number, maxX: number, maxY: number, count: number): void {
    if (!this.#isInView(minX, minY, maxX, maxY) || this.#isFull()) return;
    this.cells.push(minX, minY, maxX, maxY, count);
  }

  /** Adds a line; world units. */
  line(x1: number, y1: number, x2: number, y2: number): void {
    const isInView = this.#isInView(Math.min(x1, x2), Math.min(y1, y2), Math.max(x1, x2), Math.max(y1, y2));
    if (!isInView || this.#isFull()) return;
    this.lines.push(x1, y1, x2, y2);
  }

  #isInView(minX: number, minY: number, maxX: number, maxY: number): boolean {
    const { window } = this;
    return minX <= window.maxX && maxX >= window.minX && minY <= window.maxY && maxY >= window.minY;
  }

  #isFull(): boolean {
    if (this.cells.length / 5 + this.lines.length / 4 < MAX_SHAPES) return false;
    this.isCutShort = true;
    return true;
  }
}
