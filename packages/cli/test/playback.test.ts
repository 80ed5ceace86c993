/** The loop's pacing, on a clock turned by hand: 20 ticks a second unless said otherwise. */
import { beforeEach, describe, expect, it } from 'vitest';
import { MAX_SPEED, MIN_SPEED, Playback } from '../src/playback.ts';
import { FakeClock } from './fake-clock.ts';

const PERIOD_MS = 50;

let clock: FakeClock;
let tickTimes: number[];
/** What a tick takes. */
let costMs: number;

beforeEach(() => {
  clock = new FakeClock();
  tickTimes = [];
  costMs = 0;
});

function playbackOf({ speed = 1, lastTick = Number.POSITIVE_INFINITY } = {}): Playback {
  return new Playback({
    clock,
    periodMs: PERIOD_MS,
    speed,
    tick: () => {
      tickTimes.push(clock.now());
      clock.spend(costMs);
      return tickTimes.length < lastTick;
    },
  });
}

describe('pacing', () => {
  it('ticks at once and then every period', () => {
    playbackOf().run();
    clock.advance(1000);
    expect(tickTimes.map((time) => time - 1000)).toEqual(Array.from({ length: 21 }, (_, i) => i * PERIOD_MS));
  });

  it('does not drift when each tick takes a part of its period', () => {
    costMs = 7;
    const playback = playbackOf();
    playback.run();
    clock.advance(60_000);
    // The first tick's own 7 ms do not count: the reckoning starts after it.
    expect(tickTimes.slice(1).map((time) => time - 1007)).toEqual(
      Array.from({ length: tickTimes.length - 1 }, (_, i) => (i + 1) * PERIOD_MS),
    );
    expect(playback.ticksBehind).toBe(0);
  });

  it('makes up for one slow tick', () => {
    const playback = playbackOf();
    playback.run();
    clock.advance(500);
    costMs = 180;
    clock.advance(PERIOD_MS);
    costMs = 1;
    clock.advance(2000 - clock.now());
    expect(tickTimes).toHaveLength(21);
    expect(tickTimes.at(-1)).toBe(2000);
    expect(playback.ticksBehind).toBe(0);
  });

  it('slows down instead of spiralling when every tick takes twice its period, and says by how much', () => {
    costMs = 2 * PERIOD_MS;
    const playback = playbackOf();
    playback.run();
    clock.advance(60_000);
    expect(tickTimes).toHaveLength(600);
    const owed = 60_000 / PERIOD_MS - 600;
    expect(playback.ticksBehind).toBeGreaterThan(owed - 10);
    expect(playback.ticksBehind).toBeLessThanOrEqual(owed);
  });

  it('is back at its pace, without a burst, after a long hitch', () => {
    const playback = playbackOf();
    playback.run();
    clock.advance(1000);
    costMs = 30_000;
    clock.advance(PERIOD_MS);
    costMs = 0;
    tickTimes = [];
    clock.advance(1000);
    // A quarter of a second is made up: five ticks; the rest is given up.
    expect(tickTimes.length).toBeLessThanOrEqual(20 + 6);
    expect(playback.ticksBehind).toBeGreaterThan(590);
    tickTimes = [];
    clock.advance(1000);
    expect(tickTimes).toHaveLength(20);
  });

  it('does not count a slow first tick as behind', () => {
    costMs = 3000;
    const playback = playbackOf();
    playback.run();
    clock.advance(0);
    costMs = 0;
    clock.advance(1000);
    expect(tickTimes).toHaveLength(21);
    expect(playback.ticksBehind).toBe(0);
  });

  it('keeps whole ticks apart by turns of the event loop even when late', () => {
    costMs = PERIOD_MS;
    playbackOf().run();
    clock.advance(10 * PERIOD_MS);
    expect(clock.pendingCount).toBe(1);
  });
});

describe('commands', () => {
  it('stands still while paused and goes on without making up for it', () => {
    const playback = playbackOf();
    playback.run();
    clock.advance(100);
    playback.pause();
    const before = tickTimes.length;
    clock.advance(10_000);
    expect(tickTimes).toHaveLength(before);
    playback.play();
    clock.advance(100);
    expect(tickTimes).toHaveLength(before + 3);
    expect(playback.ticksBehind).toBe(0);
  });

  it('does exactly one tick on a step, and pauses if it was playing', () => {
    const playback = playbackOf();
    playback.run();
    clock.advance(100);
    const before = tickTimes.length;
    playback.step();
    expect(playback.paused).toBe(true);
    clock.advance(1000);
    expect(tickTimes).toHaveLength(before + 1);
    playback.step();
    expect(tickTimes).toHaveLength(before + 2);
  });

  it('ticks more often at a higher speed and less often at a lower one', () => {
    const playback = playbackOf({ speed: 2 });
    playback.run();
    clock.advance(1000);
    expect(tickTimes).toHaveLength(41);
    playback.setSpeed(0.5);
    tickTimes = [];
    clock.advance(1000);
    expect(tickTimes.length).toBeGreaterThanOrEqual(10);
    expect(tickTimes.length).toBeLessThanOrEqual(11);
  });

  it('neither starves nor floods under a stream of speed changes', () => {
    const playback = playbackOf();
    playback.run();
    clock.advance(0);
    for (let i = 0; i < 1000; i++) {
      playback.setSpeed(i % 2 === 0 ? 0.9 : 1.1);
      clock.advance(1);
    }
    expect(tickTimes.length).toBeGreaterThan(15);
    expect(tickTimes.length).toBeLessThan(25);
  });

  it('keeps speeds within its bounds and ignores what is no number', () => {
    const playback = playbackOf();
    playback.setSpeed(1e9);
    expect(playback.speed).toBe(MAX_SPEED);
    playback.setSpeed(-1);
    expect(playback.speed).toBe(MIN_SPEED);
    playback.setSpeed(Number.NaN);
    expect(playback.speed).toBe(MIN_SPEED);
  });

  it('does not begin on its own when it was paused before', () => {
    const playback = playbackOf();
    playback.pause();
    playback.run();
    clock.advance(1000);
    expect(tickTimes).toHaveLength(0);
  });

  it('starts a speed change while paused only when it plays again', () => {
    const playback = playbackOf();
    playback.run();
    clock.advance(100);
    playback.pause();
    const before = tickTimes.length;
    playback.setSpeed(4);
    clock.advance(1000);
    expect(tickTimes).toHaveLength(before);
  });
});

describe('the end', () => {
  it('comes when a tick says that there is no more', async () => {
    const playback = playbackOf({ lastTick: 3 });
    const run = playback.run();
    clock.advance(10_000);
    await run;
    expect(tickTimes).toHaveLength(3);
    expect(clock.pendingCount).toBe(0);
  });

  it('comes on stop, also while paused, and nothing ticks after it', async () => {
    const playback = playbackOf();
    const run = playback.run();
    clock.advance(100);
    playback.pause();
    playback.stop();
    await run;
    const before = tickTimes.length;
    playback.play();
    playback.step();
    playback.setSpeed(2);
    clock.advance(1000);
    expect(tickTimes).toHaveLength(before);
  });

  it('comes at once when stopped before it ran', async () => {
    const playback = playbackOf();
    playback.stop();
    await playback.run();
    clock.advance(1000);
    expect(tickTimes).toHaveLength(0);
  });

  it('hands on what a tick throws', async () => {
    const fault = new Error('broken');
    const playback = new Playback({
      clock,
      periodMs: PERIOD_MS,
      speed: 1,
      tick: () => {
        throw fault;
      },
    });
    const run = playback.run();
    clock.advance(0);
    await expect(run).rejects.toBe(fault);
    expect(clock.pendingCount).toBe(0);
  });
});
