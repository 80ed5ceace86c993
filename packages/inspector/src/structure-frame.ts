/**
 * The structure frame: a detector's cells with their counts, lines, and a caption that explains them. Writer and reader side by
 * side.
 *
 *   16 u32 cells   20 u32 lines   24 u32 flags   28 u32 bytes of the detector's name, 32 of the caption, 36 of the
 *   description   40 f64 window: minX, minY, maxX, maxY
 *   72 f32 cells: minX, minY, maxX, maxY each   f32 lines: x1, y1, x2, y2 each   u32 counts   UTF-8 texts
 *
 * Shapes are offsets from the window's lower left corner, so that float32 places them to a fraction of a pixel in a world of any
 * size. With the limits below a frame has at most some 420 KB.
 *
 * The reader never throws: for any bytes it returns a frame whose parts are consistent, or undefined.
 */
import type { Rectangle } from 'umwelt';
import { beginFrame, decodedText, encodedText, FRAME_KINDS, frameTick, padded } from './frame-header.ts';

/** Maximum number of cells and lines, together, in a frame. */
export const STRUCTURE_SHAPES_MAX = 20_000;

const DETECTOR_BYTES_MAX = 256;
const CAPTION_BYTES_MAX = 1024;
const DESCRIPTION_BYTES_MAX = 16_384;
const HEADER_BYTES = 72;
const FLAG_CUT_SHORT = 1;

/** A detector's structure in a window. */
export interface StructureFrame {
  readonly kind: 'structure';
  readonly tick: number;
  /** Name of the detector. */
  readonly detector: string;
  /** The requested part of the world, in world units. */
  readonly window: Rectangle;
  /** Four values per cell: minX, minY, maxX, maxY, in world units from the window's corner (minX, minY). */
  readonly cells: Float32Array;
  /** The count of each cell. */
  readonly counts: Uint32Array;
  /** Four values per line: x1, y1, x2, y2, from the same corner. */
  readonly lines: Float32Array;
  /** Whether shapes in the window were left out. */
  readonly isCutShort: boolean;
  /** Explains the shapes; empty if the detector draws nothing. */
  readonly caption: string;
  /** The detector's description of its structure, some lines. */
  readonly description: string;
}

/** Texts that are too long are cut. Takes at most `STRUCTURE_SHAPES_MAX` shapes. */
export function writeStructureFrame(frame: Omit<StructureFrame, 'kind'>): Uint8Array<ArrayBuffer> {
  const { cells, counts, lines, window } = frame;
  const texts = [
    encodedText(frame.detector, DETECTOR_BYTES_MAX),
    encodedText(frame.caption, CAPTION_BYTES_MAX),
    encodedText(frame.description, DESCRIPTION_BYTES_MAX),
  ];
  const textBytes = texts.reduce((sum, text) => sum + text.length, 0);
  const shapeBytes = (cells.length + lines.length + counts.length) * 4;
  const view = beginFrame(FRAME_KINDS.structure, HEADER_BYTES + shapeBytes + padded(textBytes), frame.tick);
  view.setUint32(16, counts.length, true);
  view.setUint32(20, lines.length / 4, true);
  view.setUint32(24, frame.isCutShort ? FLAG_CUT_SHORT : 0, true);
  for (const [i, text] of texts.entries()) view.setUint32(28 + i * 4, text.length, true);
  for (const [i, edge] of [window.minX, window.minY, window.maxX, window.maxY].entries()) {
    view.setFloat64(40 + i * 8, edge, true);
  }
  const shapes = new Float32Array(view.buffer, HEADER_BYTES, cells.length + lines.length);
  shapes.set(cells);
  shapes.set(lines, cells.length);
  new Uint32Array(view.buffer, HEADER_BYTES + shapes.byteLength, counts.length).set(counts);
  const bytes = new Uint8Array(view.buffer);
  let at = HEADER_BYTES + shapeBytes;
  for (const text of texts) {
    bytes.set(text, at);
    at += text.length;
  }
  return bytes;
}

/** `view`: a frame of kind `structure`, header included. The columns are views of the same bytes. */
export function readStructureFrame(view: DataView<ArrayBuffer>): StructureFrame | undefined {
  if (view.byteLength < HEADER_BYTES) return undefined;
  const [cellCount, lineCount, flags] = [16, 20, 24].map((at) => view.getUint32(at, true)) as Triple;
  const [nameBytes, captionBytes, textBytes] = [28, 32, 36].map((at) => view.getUint32(at, true)) as Triple;
  if (cellCount + lineCount > STRUCTURE_SHAPES_MAX || flags > FLAG_CUT_SHORT) return undefined;
  if (nameBytes > DETECTOR_BYTES_MAX || captionBytes > CAPTION_BYTES_MAX || textBytes > DESCRIPTION_BYTES_MAX)
    return undefined;
  const textsAt = HEADER_BYTES + cellCount * 20 + lineCount * 16;
  if (view.byteLength !== textsAt + padded(nameBytes + captionBytes + textBytes)) return undefined;
  const window = readWindow(view);
  const cellsAt = view.byteOffset + HEADER_BYTES;
  const cells = new Float32Array(view.buffer, cellsAt, cellCount * 4);
  const lines = new Float32Array(view.buffer, cellsAt + cells.byteLength, lineCount * 4);
  if (window === undefined || !areCells(cells) || !lines.every(Number.isFinite)) return undefined;
  return {
    kind: 'structure',
    tick: frameTick(view),
    detector: decodedText(view, textsAt, nameBytes),
    window,
    cells,
    counts: new Uint32Array(view.buffer, cellsAt + cells.byteLength + lines.byteLength, cellCount),
    lines,
    isCutShort: (flags & FLAG_CUT_SHORT) !== 0,
    caption: decodedText(view, textsAt + nameBytes, captionBytes),
    description: decodedText(view, textsAt + nameBytes + captionBytes, textBytes),
  };
}

type Triple = [number, number, number];

function readWindow(view: DataView): Rectangle | undefined {
  const [minX, minY, maxX, maxY] = [40, 48, 56, 64].map((at) => view.getFloat64(at, true)) as [
    number,
    number,
    number,
    number,
  ];
  const isOrdered = minX <= maxX && minY <= maxY && Number.isFinite(maxX - minX + (maxY - minY));
  return isOrdered ? { minX, minY, maxX, maxY } : undefined;
}

function areCells(cells: Float32Array): boolean {
  for (let i = 0; i < cells.length; i += 4) {
    const [minX, minY] = [cells[i] as number, cells[i + 1] as number];
    const [maxX, maxY] = [cells[i + 2] as number, cells[i + 3] as number];
    if (!(minX <= maxX && minY <= maxY && Number.isFinite(maxX - minX + (maxY - minY)))) return false;
  }
  return true;
}
