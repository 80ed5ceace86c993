/**
 * What comes over the feed is taken up tick by tick: never half of it.
 */
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { TickFrame } from '../../src/feed-frame.ts';
import type { FocusFrame } from '../../src/focus-frame.ts';
import { Camera } from '../../src/page/camera.ts';
import { Intake } from '../../src/page/intake.ts';
import { type PageState, Store } from '../../src/page/store.ts';
import type { PopulationFrame } from '../../src/population-frame.ts';
import { tickFrame } from '../tick-frames.ts';

const SELECTED = 1025;

const population = (version: number, ...ids: number[]): PopulationFrame => ({
  ...{ kind: 'population', tick: version, populationVersion: version, ids: Uint32Array.from(ids) },
  ...{ kinds: new Uint8Array(ids.length), watchers: new Uint8Array(ids.length).fill(1) },
});

const tick = (number: number, version: number, ...x: number[]): TickFrame =>
  tickFrame({
    ...{ tick: number, populationVersion: version, timeMs: number * 50 },
    ...{ positions: Float32Array.from(x.flatMap((place) => [place, 0])), events: new Uint8Array(x.length) },
  });

const none = { total: 0, ids: new Uint32Array(0) };
const nobody = { ...none, senses: new Uint8Array(0), holds: new Uint8Array(0) };
const noSeats = {
  ...{ seats: undefined, seated: 0, outrankedTotal: 0 },
  ...{ outranked: new Uint32Array(0), places: new Uint32Array(0) },
};

/** Of the selected, with one event in its tick. */
const focus = (number: number, isAhead: boolean): FocusFrame => ({
  ...{ kind: 'focus', tick: number, id: SELECTED, role: 'selected', present: true, isAhead },
  ...{
    x: 0,
    y: 0,
    z: 0,
    range: 5,
    margin: 0,
    ranges: [],
    perceives: nobody,
    perceivedBy: none,
    seats: noSeats,
  },
  events: {
    ...{ sinceTick: 0, unknownTicks: 0, enteredTotal: number, leftTotal: 0 },
    ...{ ticks: Uint32Array.of(number), areEnters: Uint8Array.of(1), ids: Uint32Array.of(7) },
  },
});

describe('the intake', () => {
  let store: Store;
  let intake: Intake;
  const take = (frame: FocusFrame | PopulationFrame | TickFrame) => intake.take(frame, 0, () => true);
  /** Where everybody is drawn, by id. */
  const places = () => {
    const { crowd } = intake;
    const place = new Float64Array(3);
    return Object.fromEntries(
      [...crowd.ids].map((id, i) => {
        crowd.placeInto(i, crowd.between(Number.POSITIVE_INFINITY), place);
        return [id, place[0]];
      }),
    );
  };

  afterEach(() => {
    vi.useRealTimers();
  });

  beforeEach(() => {
    vi.useFakeTimers();
    store = new Store({ kindCounts: [] } as unknown as PageState);
    intake = new Intake(store, new Camera());
    take(population(1, SELECTED, 2049));
    take(tick(1, 1, 10, 20));
  });

  it('shows the figures of the last of several quick ticks, though none follows', () => {
    intake.take(tick(2, 1, 11, 20), 1000, () => true);
    intake.take(tick(3, 1, 12, 20), 1010, () => true);
    intake.take(tick(4, 1, 13, 20), 1020, () => true);
    expect(store.state.tick).toBe(2);
    vi.advanceTimersByTime(1000);
    expect(store.state.tick).toBe(4);
  });

  it('has nobody in the place of another between a population and its tick', () => {
    take(population(2, 2049, 3073));
    expect(places()).toEqual({ [SELECTED]: 10, 2049: 20 });
    take(tick(2, 2, 21, 30));
    expect(places()).toEqual({ 2049: 21, 3073: 30 });
  });

  it('takes up what is known of the selected with the positions of the same tick', () => {
    take(focus(2, true));
    expect(store.state.selected).toBeUndefined();
    take(tick(2, 1, 11, 21));
    expect(store.state.selected?.tick).toBe(2);
    expect(store.state.lately?.kept.map((event) => event.tick)).toEqual([2]);
  });

  it('takes up at once what no tick comes after', () => {
    take(focus(1, false));
    expect(store.state.selected?.tick).toBe(1);
  });

  it('forgets what waited for a tick of a feed that is over', () => {
    take(focus(2, true));
    take(population(2, 2049));
    intake.begin({ bounds: { minX: 0, minY: 0, maxX: 1, maxY: 1 }, tickSeconds: 0.05 } as never);
    take(population(1, 4097));
    take(tick(1, 1, 40));
    expect(places()).toEqual({ 4097: 40 });
    expect(store.state.selected).toBeUndefined();
  });
});
