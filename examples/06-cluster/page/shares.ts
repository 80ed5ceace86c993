/** How many entities each node owned over the last minute, as stacked bands; grey is what stood still. */
import type { Picture } from '../overview.ts';
import { colourOf, STILL } from './colours.ts';

const SAMPLE_MS = 250;
const SAMPLES = 240;

interface Band {
  readonly colour: string;
  readonly count: number;
}

export class Shares {
  readonly #canvas: HTMLCanvasElement;
  readonly #samples: Band[][] = [];
  #takenMs = 0;

  constructor(canvas: HTMLCanvasElement) {
    this.#canvas = canvas;
  }

  take({ members, entities }: Picture, nowMs: number): void {
    if (nowMs - this.#takenMs < SAMPLE_MS) return;
    this.#takenMs = nowMs;
    const active = members
      .filter(({ isQuiet }) => !isQuiet)
      .map(({ name, owned }) => ({ colour: colourOf(name), count: owned }));
    const total = entities.length / 6;
    const still = total - active.reduce((sum, { count }) => sum + count, 0);
    this.#samples.push([...active, { colour: STILL, count: still }]);
    if (this.#samples.length > SAMPLES) this.#samples.shift();
    this.#draw();
  }

  #draw(): void {
    const canvas = this.#canvas;
    const ratio = window.devicePixelRatio;
    const width = Math.round(canvas.clientWidth * ratio);
    const height = Math.round(canvas.clientHeight * ratio);
    canvas.width = width;
    canvas.height = height;
    const context = canvas.getContext('2d') as CanvasRenderingContext2D;
    context.fillStyle = '#0c1016';
    context.fillRect(0, 0, width, height);
    const most = Math.max(
      1,
      ...this.#samples.map((bands) => bands.reduce((sum, { count }) => sum + count, 0)),
    );
    const step = width / SAMPLES;
    const first = SAMPLES - this.#samples.length;
    for (const [index, bands] of this.#samples.entries()) {
      let bottom = height;
      for (const { colour, count } of bands) {
        const part = (count / most) * height;
        context.fillStyle = colour;
        context.fillRect((first + index) * step, bottom - part, step + 1, part);
        bottom -= part;
      }
    }
  }
}
