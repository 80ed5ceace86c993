/**
 * What a person can do with the time of a recording: go to a tick, one on, one back, and drag through all of them.
 *
 * A drag asks for many ticks, and each may take the server a while. So the next is asked for when the one before is there:
 * then what is shown follows the handle as fast as can be. One that takes longer than `OVERTAKE_MS` is not waited for: the
 * last one wanted takes its place. In a living world nothing of this is there.
 */
import type { ChurnFrame } from '../churn-frame.ts';
import type { PageMessage, RecordingSpan, SeekNews } from '../feed-message.ts';
import type { Store } from './store.ts';

const OVERTAKE_MS = 250;

export class TimeLine {
  readonly #store: Store;
  readonly #send: (message: PageMessage) => void;
  /** The newest that has come. */
  #tick = 0;
  /** The tick that the server was asked for last, while it has not come. */
  #asked: number | undefined;
  /** Ticks that were asked for before, and were not waited for. */
  readonly #overtaken = new Set<number>();
  #overtaking: ReturnType<typeof setTimeout> | undefined;
  /** Whether the one asked for has taken so long that it is not waited for. */
  #isLate = false;
  /** Whether it is to play on when the handle is let go. */
  #playsAfterDrag = false;

  constructor(store: Store, send: (message: PageMessage) => void) {
    this.#store = store;
    this.#send = send;
  }

  /** Undefined in a living world. */
  get span(): RecordingSpan | undefined {
    return this.#store.state.greeting?.recording;
  }

  /** The tick that is shown, or that was asked for and is to be shown. */
  get tick(): number {
    return this.#store.state.seek?.tick ?? this.#tick;
  }

  /** Another feed, or the same after a break. */
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
      // Of what this page has overtaken itself nothing is to be seen; what another page asks for overtakes.
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
    // The frame itself may still wait until this page has drawn the ones before.
    this.#store.set(isThere ? { seek: undefined, tick } : { seek: { tick, progress } });
  }

  /** The nearest tick that there is; does nothing in a living world. */
  seek(tick: number): void {
    const { span } = this;
    if (span === undefined) return;
    const wanted = Math.min(span.lastTick, Math.max(span.firstTick, Math.round(tick)));
    if (wanted === this.tick) return;
    this.#store.set({ seek: { tick: wanted, progress: 0 } });
    if (this.#asked === undefined || this.#isLate) this.#ask(wanted);
  }

  /** One on or back, from where it is or is about to be. */
  step(direction: 1 | -1): void {
    this.seek(this.tick + direction);
  }

  toEnd(direction: 1 | -1): void {
    if (this.span !== undefined) this.seek(direction > 0 ? this.span.lastTick : this.span.firstTick);
  }

  /** The handle is taken: what plays stands still until it is let go. */
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
