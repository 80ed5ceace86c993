/**
 * Controls for the time of a recording: go to a tick, step forwards and back, drag.
 *
 * A drag requests many ticks, and each may take the server a while. So the next tick is requested when the previous one has
 * arrived: the picture follows the handle as fast as possible. If a tick takes longer than `OVERTAKE_MS`, the latest wanted tick
 * is requested instead. In a live world none of this applies.
 */
import type { ChurnFrame } from '../churn-frame.ts';
import type { PageMessage, RecordingSpan, SeekNews } from '../feed-message.ts';
import type { Store } from './store.ts';

const OVERTAKE_MS = 250;

export class TimeLine {
  readonly #store: Store;
  readonly #send: (message: PageMessage) => void;
  /** The newest tick that has arrived. */
  #tick = 0;
  /** The tick requested last, while it has not arrived. */
  #asked: number | undefined;
  /** Earlier requests that were replaced by later ones. */
  readonly #overtaken = new Set<number>();
  #overtaking: ReturnType<typeof setTimeout> | undefined;
  /** Whether the requested tick has taken so long that a later request may replace it. */
  #isLate = false;
  /** Whether to continue playing when the handle is released. */
  #playsAfterDrag = false;

  constructor(store: Store, send: (message: PageMessage) => void) {
    this.#store = store;
    this.#send = send;
  }

  /** Undefined in a live world. */
  get span(): RecordingSpan | undefined {
    return this.#store.state.greeting?.recording;
  }

  /** The tick that is shown, or the requested tick. */
  get tick(): number {
    return this.#store.state.seek?.tick ?? this.#tick;
  }

  /** Another feed, or a reconnect. */
  begin(): void {
    this.#forgetAsked();
    this.#playsAfterDrag = false;
    this.#store.set({ seek: undefined, strip: undefined });
  }

  arrive(tick: number): void {
    this.#tick = tick;
  }

  takeStrip(strip: ChurnFrame): void {
    if (this.span !== undefined) this.#store.set({ strip });
  }

  takeNews({ tick, progress }: SeekNews): void {
    const isThere = progress === 1;
    if (this.#asked !== undefined && tick !== this.#asked) {
      // Ignore progress of requests that this page has replaced itself; another page's request counts.
      if (!isThere || this.#overtaken.has(tick)) return;
      this.#asked = undefined;
    } else if (this.#asked === tick) {
      const wanted = this.#store.state.seek?.tick;
      if (isThere) this.#forgetAsked();
      if (wanted !== undefined && wanted !== tick) {
        if (isThere) this.#ask(wanted);
        return;
      }
    }
    if (isThere) this.#tick = tick;
    // The frame itself may still wait until this page has drawn earlier ones.
    this.#store.set(isThere ? { seek: undefined, tick } : { seek: { tick, progress } });
  }

  /** Goes to the nearest available tick; does nothing in a live world. */
  seek(tick: number): void {
    const { span } = this;
    if (span === undefined) return;
    const wanted = Math.min(span.lastTick, Math.max(span.firstTick, Math.round(tick)));
    if (wanted === this.tick) return;
    this.#store.set({ seek: { tick: wanted, progress: 0 } });
    if (this.#asked === undefined || this.#isLate) this.#ask(wanted);
  }

  /** Steps forwards or back, from the present or the requested tick. */
  step(direction: 1 | -1): void {
    this.seek(this.tick + direction);
  }

  toEnd(direction: 1 | -1): void {
    if (this.span !== undefined) this.seek(direction > 0 ? this.span.lastTick : this.span.firstTick);
  }

  /** The handle is taken: playing stops until it is released. */
  beginDrag(): void {
    this.#playsAfterDrag = !this.#store.state.paused;
    if (this.#playsAfterDrag) this.#send({ type: 'pause' });
  }

  endDrag(): void {
    if (this.#playsAfterDrag) this.#send({ type: 'play' });
    this.#playsAfterDrag = false;
  }

  #forgetAsked(): void {
    clearTimeout(this.#overtaking);
    this.#overtaken.clear();
    this.#asked = undefined;
  }

  #ask(tick: number): void {
    clearTimeout(this.#overtaking);
    if (this.#asked !== undefined) this.#overtaken.add(this.#asked);
    this.#overtaken.delete(tick);
    this.#asked = tick;
    this.#isLate = false;
    this.#send({ type: 'seek', tick });
    this.#overtaking = setTimeout(() => {
      const wanted = this.#store.state.seek?.tick;
      if (this.#asked !== tick) return;
      this.#isLate = true;
      if (wanted !== undefined && wanted !== tick) this.#ask(wanted);
    }, OVERTAKE_MS);
  }
}
