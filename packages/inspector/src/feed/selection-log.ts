/**
 * Collects what entered and left the view of a page's selected entity, until the page's next frame is sent.
 *
 * A page gets fewer frames than the world has ticks, so each tick's changes are noted when they are published. At most
 * `FOCUS_EVENTS_MAX` events wait; beyond that the oldest are dropped, and the totals tell how many there were.
 *
 * Memory: 9 bytes per waiting event. Cost of a tick: the events of the selected entity.
 */
import type { Changes, EntityId } from 'umwelt';
import { FOCUS_EVENTS_MAX, type FocusEvents } from '../focus-frame.ts';

interface TickEvents {
  readonly tick: number;
  readonly isEnter: boolean;
  readonly ids: Uint32Array;
}

const UNKNOWN_MAX = 0xffffffff;

export class SelectionLog {
  /** In a recording a gap in ticks is a jump: events are known only from there on. */
  readonly #isRecording: boolean;
  #id: EntityId = 0;
  #sinceTick = 0;
  #lastTick = 0;
  /** The changes taken last. Compared by identity: after seeking back, the same tick is another report. */
  #lastChanges: Changes | undefined;
  #unknownTicks = 0;
  #enteredTotal = 0;
  #leftTotal = 0;
  /** Oldest first. */
  #waiting: TickEvents[] = [];
  #waitingCount = 0;

  constructor(isRecording: boolean) {
    this.#isRecording = isRecording;
  }

  /** Another entity is selected after `tick`; 0 for none. */
  begin(id: EntityId, tick: number): void {
    this.#id = id;
    this.#sinceTick = tick;
    this.#lastTick = tick;
    this.#unknownTicks = 0;
    this.#enteredTotal = 0;
    this.#leftTotal = 0;
    this.#waiting = [];
    this.#waitingCount = 0;
  }

  /** Takes a tick's changes. The same changes again are ignored. */
  note(changes: Changes): void {
    const { tick } = changes;
    const isTaken = changes === (this.#lastChanges ?? changes) && tick === this.#lastTick;
    this.#lastChanges = changes;
    if (this.#id === 0 || isTaken) return;
    const skipped = tick - this.#lastTick - 1;
    // A recording may be sought to tick 0, which has no tick before it.
    if (skipped < 0 || (skipped > 0 && this.#isRecording)) this.begin(this.#id, Math.max(tick - 1, 0));
    else this.#unknownTicks = Math.min(UNKNOWN_MAX, this.#unknownTicks + skipped);
    this.#lastTick = tick;
    const view = changes.of(this.#id);
    if (view === undefined) return;
    this.#enteredTotal += view.entered.length;
    this.#leftTotal += view.left.length;
    this.#keep(tick, false, view.left);
    this.#keep(tick, true, view.entered);
  }

  /** Returns and removes all that waits. */
  take(): FocusEvents {
    const ticks = new Uint32Array(this.#waitingCount);
    const areEnters = new Uint8Array(this.#waitingCount);
    const ids = new Uint32Array(this.#waitingCount);
    let at = 0;
    for (const events of this.#waiting) {
      const end = at + events.ids.length;
      ticks.fill(events.tick, at, end);
      areEnters.fill(events.isEnter ? 1 : 0, at, end);
      ids.set(events.ids, at);
      at = end;
    }
    this.#waiting = [];
    this.#waitingCount = 0;
    return {
      sinceTick: this.#sinceTick,
      unknownTicks: this.#unknownTicks,
      enteredTotal: this.#enteredTotal,
      leftTotal: this.#leftTotal,
      ticks,
      areEnters,
      ids,
    };
  }

  #keep(tick: number, isEnter: boolean, ids: Uint32Array): void {
    if (ids.length === 0) return;
    // A copy: the next tick may overwrite its lists.
    this.#waiting.push({ tick, isEnter, ids: ids.slice(-FOCUS_EVENTS_MAX) });
    this.#waitingCount += Math.min(ids.length, FOCUS_EVENTS_MAX);
    while (this.#waitingCount > FOCUS_EVENTS_MAX) this.#dropOldest(this.#waitingCount - FOCUS_EVENTS_MAX);
  }

  #dropOldest(most: number): void {
    const oldest = this.#waiting[0] as TickEvents;
    const dropped = Math.min(most, oldest.ids.length);
    if (dropped === oldest.ids.length) this.#waiting.shift();
    else this.#waiting[0] = { ...oldest, ids: oldest.ids.subarray(dropped) };
    this.#waitingCount -= dropped;
  }
}
