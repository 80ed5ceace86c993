/**
 * Events of the selected entity's view, accumulated over frames.
 *
 * The newest `EVENTS_KEPT` are listed. The totals count all since the selection, so that the page can tell how many are not
 * listed: those dropped here, those that the feed could not keep, and those of ticks that were not published.
 */
import type { FocusEvents } from '../focus-frame.ts';

export const EVENTS_KEPT = 1000;

/** One event of the selected entity's view. */
export interface LatelyEvent {
  readonly tick: number;
  readonly isEnter: boolean;
  readonly id: number;
}

export interface Lately {
  /** Events after this tick are known. */
  readonly sinceTick: number;
  readonly unknownTicks: number;
  readonly enteredTotal: number;
  readonly leftTotal: number;
  /** Events of the totals that have arrived; the others were missed. */
  readonly heardTotal: number;
  /** Newest first. */
  readonly kept: readonly LatelyEvent[];
}

/** `lately` with a frame's events added. If the frame counts from another tick, it starts anew. */
export function withEvents(lately: Lately | undefined, events: FocusEvents): Lately {
  const { sinceTick, unknownTicks, enteredTotal, leftTotal, ticks, areEnters, ids } = events;
  const before = lately?.sinceTick === sinceTick ? lately : undefined;
  const fresh: LatelyEvent[] = [];
  for (let i = ids.length - 1; i >= 0 && fresh.length < EVENTS_KEPT; i--)
    fresh.push({ tick: ticks[i] as number, isEnter: areEnters[i] === 1, id: ids[i] as number });
  const old = before?.kept ?? [];
  return {
    sinceTick,
    unknownTicks,
    enteredTotal,
    leftTotal,
    heardTotal: (before?.heardTotal ?? 0) + ids.length,
    kept: fresh.length === 0 ? old : [...fresh, ...old].slice(0, EVENTS_KEPT),
  };
}
