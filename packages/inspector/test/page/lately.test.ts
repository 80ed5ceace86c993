/**
 * What the page keeps of what came and went, frame by frame.
 */
import { describe, expect, it } from 'vitest';
import type { FocusEvents } from '../../src/focus-frame.ts';
import { EVENTS_KEPT, withEvents } from '../../src/page/lately.ts';

/** Enters of the ids `from` to `to`, each in the tick of its number. */
function enters(from: number, to: number, patch: Partial<FocusEvents> = {}): FocusEvents {
  const ids = Uint32Array.from({ length: to - from + 1 }, (_, i) => from + i);
  return {
    ...{ sinceTick: 0, unknownTicks: 0, enteredTotal: to, leftTotal: 0 },
    ...{ ticks: ids, areEnters: new Uint8Array(ids.length).fill(1), ids },
    ...patch,
  };
}

describe('lately', () => {
  it('has the events of all frames, newest first', () => {
    const lately = withEvents(withEvents(undefined, enters(1, 3)), enters(4, 5));
    expect(lately.kept.map(({ id }) => id)).toEqual([5, 4, 3, 2, 1]);
    expect(lately.heardTotal).toBe(5);
    expect(lately.kept[0]).toEqual({ tick: 5, isEnter: true, id: 5 });
  });

  it('begins anew with a frame that knows from another tick on', () => {
    const lately = withEvents(withEvents(undefined, enters(1, 3)), enters(8, 8, { sinceTick: 7 }));
    expect(lately.kept.map(({ id }) => id)).toEqual([8]);
    expect(lately.heardTotal).toBe(1);
  });

  it('keeps the newest of too many, and knows how many there were', () => {
    let lately = withEvents(undefined, enters(1, EVENTS_KEPT + 10));
    expect(lately.kept.length).toBe(EVENTS_KEPT);
    expect(lately.kept[0]?.id).toBe(EVENTS_KEPT + 10);
    lately = withEvents(lately, enters(EVENTS_KEPT + 11, EVENTS_KEPT + 12));
    expect(lately.kept.length).toBe(EVENTS_KEPT);
    expect(lately.kept.slice(0, 3).map(({ id }) => id - EVENTS_KEPT)).toEqual([12, 11, 10]);
    expect(lately.heardTotal).toBe(EVENTS_KEPT + 12);
  });
});
