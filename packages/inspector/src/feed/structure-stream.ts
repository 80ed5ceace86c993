/**
 * One page's stream of structure frames: none while it has not asked, then one whenever the structure may have
 * changed, a few times a second at most.
 *
 * A frame goes out only when the page has taken in the one before, and no sooner than `FRAME_MS` after it, or than
 * `COST_FACTOR` times what that took to make: looking at the structure of a large world takes a twentieth of the
 * process's time. While somebody moves about in it, and waits for what comes into sight, it may be a fifth. Between two
 * ticks, and in a world that stands still, a timer sees to what is due.
 */
import type { Rectangle } from 'umwelt';
import { startTimer, type Timer } from './timer.ts';

/** Five a second: a structure is looked at, not played. */
const FRAME_MS = 200;
const COST_FACTOR = 20;
const COST_FACTOR_ASKED = 5;

export interface StructureStreamOptions {
  /** The frame for a window, as things are. */
  frameOf(window: Rectangle): Uint8Array<ArrayBuffer>;
  /** False when the connection is not to be burdened now. */
  send(frame: Uint8Array<ArrayBuffer>): boolean;
}

export class StructureStream {
  readonly #options: StructureStreamOptions;
  #window: Rectangle | undefined;
  #isDue = false;
  /** Whether what is due is a window that has not been seen yet. */
  #isAsked = false;
  #sentCount = 0;
  #takenCount = 0;
  /** When the last frame went out, by `performance.now()`, and what it took to make. */
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

  /** Another detector: what the page has of the old one is wrong, so the wait is over. */
  replace(): void {
    this.#sentMs = Number.NEGATIVE_INFINITY;
    this.renew();
  }

  /** The page has taken in so many frames since it connected. */
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
    if (!this.#options.send(frame)) return;
    this.#isDue = false;
    this.#isAsked = false;
    this.#sentCount++;
  }
}
