/**
 * Which part of the world the page asks the structure of: what is in sight, and some way around it, so that a drag or
 * a glide does not show an edge before the next frame comes.
 *
 * It is asked anew when sight leaves what was asked for, or has become so small a part of it that most of what comes
 * is never seen; the smaller when the frame was cut short, for then asking for less shows more.
 */
import type { Rectangle } from 'umwelt';
import { WINDOW_EDGE_MAX } from '../feed-message.ts';
import type { Camera } from './camera.ts';

/** Around what is in sight, as a part of it, on each side. */
const MARGIN = 0.25;
/** How much wider than what is in sight the window may be. */
const WASTE_MAX = 3;
const WASTE_MAX_CUT_SHORT = 1.6;
/** At most so often. */
const ASK_MS = 120;

export class StructureWindow {
  #asked: Rectangle | undefined;
  #askedMs = Number.NEGATIVE_INFINITY;

  /** Forgets what was asked for: the next one is to be asked at once. */
  clear(): void {
    this.#asked = undefined;
    this.#askedMs = Number.NEGATIVE_INFINITY;
  }

  /** Whether what was asked for does for what is in sight. */
  serves(camera: Camera, isCutShort: boolean): boolean {
    if (this.#asked === undefined) return false;
    const { minX, minY, maxX, maxY } = this.#asked;
    const sight = sightOf(camera, 0);
    if (sight.minX < minX || sight.minY < minY || sight.maxX > maxX || sight.maxY > maxY) return false;
    const waste = (maxX - minX) / Math.max(sight.maxX - sight.minX, Number.MIN_VALUE);
    return waste <= (isCutShort ? WASTE_MAX_CUT_SHORT : WASTE_MAX);
  }

  /** The window to ask for now; undefined when that is not needed, or too soon. */
  next(camera: Camera, isCutShort: boolean, nowMs: number): Rectangle | undefined {
    if (nowMs - this.#askedMs < ASK_MS || this.serves(camera, isCutShort)) return undefined;
    this.#asked = sightOf(camera, MARGIN);
    this.#askedMs = nowMs;
    return this.#asked;
  }
}

/** What the canvas shows, and so much more on each side. */
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
