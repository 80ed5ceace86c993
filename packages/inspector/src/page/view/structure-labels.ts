/**
 * The counts of a structure's cells, written into cells that are large enough on the screen: on a canvas over the world's,
 * since a 2-D canvas draws text best.
 *
 * A label is in the upper left corner of the visible part of its cell. At most `LABELS_MAX`; where cells overlap, the first
 * written label stays and the others are left out. Nothing is done while neither structure nor camera has changed.
 */
import type { StructureFrame } from '../../structure-frame.ts';
import type { Camera } from '../camera.ts';
import { compact } from '../figures.ts';
import type { Palette } from '../palette.ts';

const LABELS_MAX = 1200;
const FONT_PX = 10;
/** Minimum size of a cell for a label: in smaller cells numbers and entities would overlap. */
const WIDTH_MIN_PX = 38;
const HEIGHT_MIN_PX = 22;
const PADDING_PX = 4;
/** Approximate width of a digit, before anything is measured. */
const DIGIT_PX = 6;

export class StructureLabels {
  readonly #canvas: HTMLCanvasElement;
  readonly #context: CanvasRenderingContext2D | null;
  #drawn = '';
  #frame: StructureFrame | undefined;

  constructor(canvas: HTMLCanvasElement) {
    this.#canvas = canvas;
    this.#context = canvas.getContext('2d');
  }

  /** `frame` undefined: no labels. `ratio`: canvas pixels per CSS pixel. */
  draw(frame: StructureFrame | undefined, camera: Camera, palette: Palette, ratio: number): void {
    const { x, y, scale, width, height, originX, originY } = camera;
    const key =
      frame === undefined ? '' : [x, y, scale, width, height, originX, originY, ratio, palette.ink].join();
    if (key === this.#drawn && frame === this.#frame) return;
    this.#drawn = key;
    this.#frame = frame;
    const context = this.#context;
    if (context === null) return;
    this.#fitCanvas(width * ratio, height * ratio);
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.clearRect(0, 0, width, height);
    if (frame === undefined) return;
    context.font = `500 ${FONT_PX}px system-ui, -apple-system, "Segoe UI", Roboto, Arial, sans-serif`;
    context.textBaseline = 'top';
    context.fillStyle = palette.structureInk;
    this.#write(context, frame, camera);
  }

  #write(context: CanvasRenderingContext2D, { cells, counts, window }: StructureFrame, camera: Camera): void {
    // Through the camera once, in float64; the cells' offsets are small numbers from there.
    const cornerX = camera.screenX(window.minX);
    const cornerY = camera.screenY(window.minY);
    const { insets } = camera;
    const taken = new Set<number>();
    for (let i = 0; i < counts.length && taken.size < LABELS_MAX; i++) {
      const count = counts[i] as number;
      if (count === 0) continue;
      const left = Math.max(insets.left, cornerX + (cells[i * 4] as number) * camera.scale);
      const right = Math.min(camera.width, cornerX + (cells[i * 4 + 2] as number) * camera.scale);
      const top = Math.max(insets.top, cornerY - (cells[i * 4 + 3] as number) * camera.scale);
      const bottom = Math.min(camera.height, cornerY - (cells[i * 4 + 1] as number) * camera.scale);
      if (bottom - top < HEIGHT_MIN_PX || right - left < WIDTH_MIN_PX) continue;
      const text = compact(count);
      if (text.length * DIGIT_PX + 2 * PADDING_PX > right - left) continue;
      const place = placeOf(left, top);
      if (taken.has(place)) continue;
      taken.add(place);
      context.fillText(text, Math.round(left) + PADDING_PX, Math.round(top) + PADDING_PX);
    }
  }

  #fitCanvas(width: number, height: number): void {
    const canvas = this.#canvas;
    if (canvas.width !== Math.round(width)) canvas.width = Math.round(width);
    if (canvas.height !== Math.round(height)) canvas.height = Math.round(height);
  }
}

/** Labels in the same raster position overlap. */
function placeOf(left: number, top: number): number {
  return Math.round(left / 20) * 100_003 + Math.round(top / 10);
}
