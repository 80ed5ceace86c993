/**
 * Labels with the places of markers that the selected entity's cap leaves without a seat, on a canvas over the world's. The
 * best places are drawn first; a label that would overlap another is left out.
 */
import type { FocusFrame } from '../../focus-frame.ts';
import type { Camera } from '../camera.ts';
import type { Between, Crowd } from '../crowd.ts';
import { whole } from '../figures.ts';
import type { Palette } from '../palette.ts';

const LABELS_MAX = 60;
const FONT_PX = 11;
/** Distance from a hollow disc to its label. */
const AWAY_PX = 7;
/** Size reserved for a label. */
const WIDTH_PX = 24;
const HEIGHT_PX = 13;

export class FocusLabels {
  readonly #canvas: HTMLCanvasElement;
  readonly #context: CanvasRenderingContext2D | null;
  readonly #place = new Float64Array(3);
  #isBlank = true;

  constructor(canvas: HTMLCanvasElement) {
    this.#canvas = canvas;
    this.#context = canvas.getContext('2d');
  }

  /** `selected` undefined: none. `ratio`: canvas pixels per CSS pixel. */
  draw(
    selected: FocusFrame | undefined,
    crowd: Crowd,
    between: Between,
    camera: Camera,
    palette: Palette,
    ratio: number,
  ): void {
    const context = this.#context;
    const count = selected?.seats.outranked.length ?? 0;
    if (context === null || (count === 0 && this.#isBlank)) return;
    const [width, height] = [Math.round(camera.width * ratio), Math.round(camera.height * ratio)];
    if (this.#canvas.width !== width) this.#canvas.width = width;
    if (this.#canvas.height !== height) this.#canvas.height = height;
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.clearRect(0, 0, camera.width, camera.height);
    this.#isBlank = count === 0;
    if (selected === undefined) return;
    context.font = `600 ${FONT_PX}px system-ui, -apple-system, "Segoe UI", Roboto, Arial, sans-serif`;
    context.textBaseline = 'middle';
    context.lineWidth = 3;
    context.lineJoin = 'round';
    context.strokeStyle = palette.ground;
    context.fillStyle = palette.warning;
    this.#write(context, selected, crowd, between, camera);
  }

  #write(
    context: CanvasRenderingContext2D,
    { seats }: FocusFrame,
    crowd: Crowd,
    between: Between,
    camera: Camera,
  ): void {
    const written: { x: number; y: number }[] = [];
    for (const [i, id] of seats.outranked.entries()) {
      if (written.length === LABELS_MAX) return;
      const index = crowd.indexOf(id);
      if (index < 0) continue;
      crowd.placeInto(index, between, this.#place);
      const x = camera.screenX(this.#place[0] as number) + AWAY_PX;
      const y = camera.screenY(this.#place[1] as number);
      if (x < 0 || y < 0 || x > camera.width || y > camera.height) continue;
      const isTaken = written.some(
        (other) => Math.abs(other.x - x) < WIDTH_PX && Math.abs(other.y - y) < HEIGHT_PX,
      );
      if (isTaken) continue;
      written.push({ x, y });
      const text = whole(seats.places[i] as number);
      context.strokeText(text, x, y);
      context.fillText(text, x, y);
    }
  }
}
