/** What the page asks for while a handle is dragged: the last place at last, and no more than the server can follow. */
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { PageMessage } from '../../src/feed-message.ts';
import type { PageState, Store } from '../../src/page/store.ts';
import { TimeLine } from '../../src/page/time-line.ts';

function createTimeLine() {
  let state = { paused: true, greeting: { recording: SPAN }, seek: undefined } as unknown as PageState;
  const store = {
    get state() {
      return state;
    },
    set: (patch: Partial<PageState>) => {
      state = { ...state, ...patch };
    },
  } as unknown as Store;
  const said: PageMessage[] = [];
  const timeLine = new TimeLine(store, (message) => said.push(message));
  timeLine.arrive(50);
  return {
    timeLine,
    store,
    said,
    asked: () => said.flatMap((one) => (one.type === 'seek' ? [one.tick] : [])),
  };
}

const SPAN = { firstTick: 10, lastTick: 100, isComplete: true };
const there = (tick: number) => ({ type: 'seek' as const, tick, progress: 1 });

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

describe('the time line', () => {
  it('asks for a tick, and shows it until it is there', () => {
    const { timeLine, store, asked } = createTimeLine();
    timeLine.seek(70);
    expect(asked()).toEqual([70]);
    expect(timeLine.tick).toBe(70);
    timeLine.takeNews({ type: 'seek', tick: 70, progress: 0.4 });
    expect(store.state.seek).toEqual({ tick: 70, progress: 0.4 });
    timeLine.takeNews(there(70));
    expect(store.state.seek).toBeUndefined();
    expect(timeLine.tick).toBe(70);
  });

  it('waits for one before it asks for the next, and then for the last', () => {
    const { timeLine, store, asked } = createTimeLine();
    for (const tick of [60, 61, 62, 63]) timeLine.seek(tick);
    expect(asked()).toEqual([60]);
    timeLine.takeNews(there(60));
    expect(asked()).toEqual([60, 63]);
    expect(store.state.seek?.tick).toBe(63);
    timeLine.takeNews(there(63));
    expect(store.state.seek).toBeUndefined();
  });

  it('does not wait for one that has taken long before another is wanted', () => {
    const { timeLine, asked } = createTimeLine();
    timeLine.seek(60);
    vi.advanceTimersByTime(1000);
    expect(asked()).toEqual([60]);
    for (const tick of [80, 85, 90]) timeLine.seek(tick);
    expect(asked()).toEqual([60, 80]);
    vi.advanceTimersByTime(1000);
    expect(asked()).toEqual([60, 80, 90]);
  });

  it('does not wait for one that takes long', () => {
    const { timeLine, store, asked } = createTimeLine();
    timeLine.seek(60);
    timeLine.seek(90);
    timeLine.seek(95);
    vi.advanceTimersByTime(1000);
    expect(asked()).toEqual([60, 95]);
    // News of the one that was given up says nothing any more, not even that it is there.
    timeLine.takeNews({ type: 'seek', tick: 60, progress: 0.5 });
    timeLine.seek(96);
    timeLine.takeNews(there(60));
    expect(store.state.seek?.tick).toBe(96);
    timeLine.takeNews(there(95));
    timeLine.takeNews(there(96));
    expect([asked(), store.state.seek]).toEqual([[60, 95, 96], undefined]);
  });

  it('steps from where it is about to be, and not beyond its ends', () => {
    const { timeLine, asked } = createTimeLine();
    timeLine.step(-1);
    timeLine.step(-1);
    timeLine.step(-1);
    timeLine.takeNews(there(49));
    expect(asked()).toEqual([49, 47]);
    timeLine.takeNews(there(47));
    timeLine.seek(1e9);
    timeLine.takeNews(there(100));
    timeLine.step(1);
    timeLine.toEnd(-1);
    expect(asked()).toEqual([49, 47, 100, 10]);
  });

  it('stands still while the handle is held, and plays on when it played', () => {
    const { timeLine, store, said } = createTimeLine();
    timeLine.beginDrag();
    timeLine.endDrag();
    expect(said).toEqual([]);
    store.set({ paused: false });
    timeLine.beginDrag();
    store.set({ paused: true });
    timeLine.endDrag();
    expect(said).toEqual([{ type: 'pause' }, { type: 'play' }]);
  });

  it('goes where another page goes', () => {
    const { timeLine, store, asked } = createTimeLine();
    timeLine.takeNews({ type: 'seek', tick: 20, progress: 0.1 });
    expect(store.state.seek).toEqual({ tick: 20, progress: 0.1 });
    timeLine.takeNews({ type: 'seek', tick: 30, progress: 0.1 });
    timeLine.takeNews(there(30));
    expect([store.state.seek, asked()]).toEqual([undefined, []]);
    // And is overtaken by it.
    timeLine.seek(80);
    timeLine.takeNews(there(40));
    expect(store.state.seek).toBeUndefined();
    timeLine.seek(81);
    expect(asked()).toEqual([80, 81]);
  });

  it('is not there in a living world', () => {
    const living = createTimeLine();
    living.store.set({ greeting: {} as never });
    living.timeLine.seek(60);
    living.timeLine.toEnd(1);
    living.timeLine.step(1);
    expect(living.said).toEqual([]);
  });
});
