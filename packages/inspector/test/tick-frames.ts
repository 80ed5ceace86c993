/** Tick frames of tests that do not ask what all of their figures are. */
import type { TickFrame } from '../src/feed-frame.ts';

/** The first tick of nobody in the plane, at the pace of real time, but for what `patch` says. */
export function tickFrame(patch: Partial<TickFrame>): TickFrame {
  return {
    kind: 'tick',
    tick: 1,
    populationVersion: 1,
    paused: false,
    speed: 1,
    tickMs: 1,
    timeMs: 0,
    enteredTotal: 0,
    leftTotal: 0,
    updatedTotal: 0,
    sensedTotal: 0,
    relations: 0,
    lingering: 0,
    waiting: 0,
    leaps: 0,
    dimensions: 2,
    positions: new Float32Array(0),
    events: new Uint8Array(0),
    ...patch,
  };
}
