/**
 * The part of the world whose structure the page requests: the view and a margin around it, so that a drag or a glide does not
 * show an edge before the next frame comes.
 *
 * A new window is requested when the view leaves it, or has become so small a part of it that most shapes are never seen. That
 * limit is lower if the frame was cut short, since a smaller window then shows more.
 */
import type { Rectangle } from 'umwelt';
import { WINDOW_EDGE_MAX } from '../feed-message.ts';
import type { Camera } from './camera.ts';

/** Margin on each side, as a fraction of the view. */
const MARGIN = 0.25;
/** Maximum ratio of the window's size to the view's. */
const WASTE_MAX = 3;
const WASTE_MAX_CUT_SHORT = 1.6;
/** Minimum time between two requests. */
const ASK_MS = 120;

export class StructureWindow {
  #asked: Rectangle | undefined;
  #askedMs = Number.NEGATIVE_INFINITY;

  /** Drops the window: the next one is requested at once. */
  clear(): void {
    this.#asked = undefined;
    this.#askedMs = Number.NEGATIVE_INFINITY;
  }

  /** Whether the requested window suits the present view. */
  serves(camera: Camera, isCutShort: boolean): boolean {
    if (this.#asked === undefined) return false;
    const { minX, minY, maxX, maxY } = this.#asked;
    const sight = sightOf(camera, 0);
    if (sight.minX < minX || sight.minY < minY || sight.maxX > maxX || sight.maxY > maxY) return false;
    const waste = (maxX - minX) / Math.max(sight.maxX - sight.minX, Number.MIN_VALUE);
    return waste <= (isCutShort ? WASTE_MAX_CUT_SHORT : WASTE_MAX);
  }

  /** The window to request now; undefined if none is needed, or it is too early. */
  next(camera: Camera, isCutShort: boolean, nowMs: number): Rectangle | undefined {
    if (nowMs - this.#askedMs < ASK_MS || this.serves(camera, isCutShort)) return undefined;
    this.#asked = sightOf(camera, MARGIN);
    this.#askedMs = nowMs;
    return this.#asked;
  }
}

/** The view, with a margin on each side. */
function sightOf(camera: Camera, margin: number): Rectangle {
  const marginX = (camera.width / camera.scale) * margin;
  const marginY = (camera.height / camera.scale) * margin;
  return {
    minX: Math.max(-WINDOW_EDGE_MAX, camera.worldX(0) - marginX),
    minY: Math.max(-WINDOW_EDGE_MAX, camera.worldY(camera.height) - marginY),
    maxX: Math.min(WINDOW_EDGE_MAX, camera.worldX(camera.width) + marginX),
    maxY: Math.min(WINDOW_EDGE_MAX, camera.worldY(0) + marginY),
  };
}
