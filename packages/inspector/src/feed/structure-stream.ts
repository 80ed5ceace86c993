/**
 * One page's stream of structure frames: none until the page requests them, then one whenever the structure may have changed,
 * a few times per second at most.
 *
 * A frame is sent only after the page has processed the previous one, and not before `FRAME_MS`, or `COST_FACTOR` times the
 * time that the previous frame took to build: so structure frames of a large world take at most a twentieth of the process's
 * time. While the user moves the view and waits for what comes into sight, they may take a fifth. Between ticks, and in a
 * paused world, a timer sends what is due.
 */
import type { Rectangle } from 'umwelt';
import { startTimer, type Timer } from './timer.ts';

/** Five per second: a structure is looked at, not played. */
const FRAME_MS = 200;
const COST_FACTOR = 20;
const COST_FACTOR_ASKED = 5;

export interface StructureStreamOptions {
  /** The present frame for a window; undefined if the connection ends for lack of one. */
  frameOf(window: Rectangle): Uint8Array<ArrayBuffer> | undefined;
  /** Returns false while the connection is busy. */
  send(frame: Uint8Array<ArrayBuffer>): boolean;
}

export class StructureStream {
  readonly #options: StructureStreamOptions;
  #window: Rectangle | undefined;
  #isDue = false;
  /** Whether the frame that is due is for a window that was not sent yet. */
  #isAsked = false;
  #sentCount = 0;
  #takenCount = 0;
  /** When the last frame was sent, by `performance.now()`, and how long building it took. */
  #sentMs = Number.NEGATIVE_INFINITY;
  #costMs = 0;
  #timer: Timer | undefined;

  constructor(options: StructureStreamOptions) {
    this.#options = options;
  }

  /** The page wants this window from now on; undefined: none. */
  ask(window: Rectangle | undefined): void {
    this.#window = window;
    this.#isAsked = true;
    this.renew();
  }

  /** The structure may have changed. */
  renew(): void {
    this.#isDue = this.#window !== undefined;
    this.#sendIfReady();
  }

  /** The detector changed: what the page has is wrong, so the next frame is due at once. */
  replace(): void {
    this.#sentMs = Number.NEGATIVE_INFINITY;
    this.renew();
  }

  /** How many structure frames the page has processed since it connected. */
  taken(frameCount: number): void {
    this.#takenCount = Math.max(this.#takenCount, Math.min(frameCount, this.#sentCount));
    this.#sendIfReady();
  }

  close(): void {
    this.#window = undefined;
    this.#isDue = false;
    clearTimeout(this.#timer);
  }

  #sendIfReady(): void {
    const window = this.#window;
    if (!this.#isDue || window === undefined || this.#takenCount < this.#sentCount) return;
    const startMs = performance.now();
    clearTimeout(this.#timer);
    const factor = this.#isAsked ? COST_FACTOR_ASKED : COST_FACTOR;
    const waitMs = this.#sentMs + Math.max(FRAME_MS, factor * this.#costMs) - startMs;
    if (waitMs > 0) {
      this.#timer = startTimer(() => this.#sendIfReady(), Math.ceil(waitMs));
      return;
    }
    const frame = this.#options.frameOf(window);
    this.#sentMs = startMs;
    this.#costMs = performance.now() - startMs;
    if (frame === undefined || !this.#options.send(frame)) return;
    this.#isDue = false;
    this.#isAsked = false;
    this.#sentCount++;
  }
}
