/**
 * Controls for the world's time: play, pause, step, faster, slower.
 *
 * If the world's program allows no control, nothing is sent.
 */
import { type Pace, type PageMessage, SPEED_MAX, SPEED_MIN } from '../feed-message.ts';
import type { Store } from './store.ts';
import type { TimeLine } from './time-line.ts';

export class PaceControl {
  readonly #store: Store;
  readonly #timeLine: TimeLine;
  readonly #send: (message: PageMessage) => void;
  /** Requested and not yet answered: the next key press builds on it, not on what is still shown. */
  #wanted: { paused?: boolean; speed?: number } = {};

  constructor(store: Store, timeLine: TimeLine, send: (message: PageMessage) => void) {
    this.#store = store;
    this.#timeLine = timeLine;
    this.#send = send;
  }

  /** A new connection: its feed has no requests yet. */
  begin(): void {
    this.#wanted = {};
  }

  take({ paused, speed }: Pace): void {
    if (this.#wanted.paused === paused) delete this.#wanted.paused;
    if (this.#wanted.speed === speed) delete this.#wanted.speed;
  }

  togglePlay(): void {
    if (!this.#isDriven) return;
    const paused = !this.#isPaused;
    this.#wanted.paused = paused;
    this.#send({ type: paused ? 'pause' : 'play' });
    this.#store.set({ announcement: paused ? 'Paused.' : 'Playing.' });
  }

  /** Pauses first if necessary. */
  step(): void {
    if (!this.#isDriven) return;
    if (!this.#isPaused) this.togglePlay();
    // While a seek is under way, step from its target.
    if (this.#store.state.seek !== undefined) this.#timeLine.step(1);
    else this.#send({ type: 'step' });
  }

  /** Recordings only: pauses first if necessary. */
  stepBack(): void {
    if (this.#timeLine.span === undefined) return;
    if (!this.#isPaused) this.togglePlay();
    this.#timeLine.step(-1);
  }

  /** Doubles (1) or halves (-1) the speed. */
  changeSpeed(direction: 1 | -1): void {
    if (!this.#isDriven) return;
    const speed = (this.#wanted.speed ?? this.#store.state.speed) * 2 ** direction;
    const factor = Math.min(SPEED_MAX, Math.max(SPEED_MIN, speed));
    this.#wanted.speed = factor;
    this.#send({ type: 'speed', factor });
    this.#store.set({ announcement: `Speed ${factor}.` });
  }

  get #isDriven(): boolean {
    return this.#store.state.greeting?.isDriven ?? false;
  }

  get #isPaused(): boolean {
    return this.#wanted.paused ?? this.#store.state.paused;
  }
}
