/**
 * What has come and gone in the view of the selected entity, frame by frame put together.
 *
 * The newest `EVENTS_KEPT` are listed. The totals count all since the selection, so that it can be said how many are
 * not: those that gave way here, those that the feed could not keep, and ticks that it was not told of.
 */
import type { FocusEvents } from '../focus-frame.ts';

export const EVENTS_KEPT = 1000;

/** Something that befell the selected entity. */
export interface LatelyEvent {
  readonly tick: number;
  readonly isEnter: boolean;
  readonly id: number;
}

export interface Lately {
  /** What happened after this tick is known. */
  readonly sinceTick: number;
  readonly unknownTicks: number;
  readonly enteredTotal: number;
  readonly leftTotal: number;
  /** Events that came, of the totals; the others were missed. */
  readonly heardTotal: number;
  /** Newest first. */
  readonly kept: readonly LatelyEvent[];
}

/** `lately`, and what a frame adds to it. A frame that knows from another tick on begins anew. */
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
