/** A recording that is looked at: where a seek goes, what is shown on its way, and what overtakes it. */
import { type Changes, RecordedWorld, Replay } from 'umwelt';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { ChurnSurvey } from '../src/replay/churn-survey.ts';
import { type PlayerListener, ReplayPlayer } from '../src/replay/replay-player.ts';
import { FakeClock } from './fake-clock.ts';

const TICKS = 120;
/** What a tick takes, on the fake clock. */
const TICK_MS = 5;

let clock: FakeClock;
const hashes: string[] = [''];
const bytes = recorded();

/** A walker that goes up by a unit a tick, and a watcher that loses it. */
function recorded(): Uint8Array {
  const world = new RecordedWorld();
  const pieces: Uint8Array[] = [];
  world.record((piece) => pieces.push(piece));
  world.add({ x: 0, y: 0, range: 30.5 });
  const walker = world.add({ x: 0, y: 0 });
  for (let tick = 1; tick <= TICKS; tick++) {
    world.move(walker, tick, 0);
    hashes.push(world.tick().hash());
  }
  world.stopRecording();
  return Buffer.concat(pieces);
}

/** A player, and all that it tells: `show 7`, `seek 7 1`. */
function createPlayer(patch: Partial<PlayerListener> = {}) {
  const told: string[] = [];
  const played = new Set<number>();
  const player: ReplayPlayer = new ReplayPlayer(
    new Replay(bytes, { checkpointBytes: 1 << 20 }),
    undefined,
    clock,
    {
      onTick: (tick) => void played.add(tick),
      onShow: () => void told.push(`show ${player.world.tickCount}`),
      onSeek: (tick, progress) =>
        void told.push(`seek ${tick} ${progress === 1 ? 'there' : progress.toFixed(1)}`),
      onDifference: ({ tick }) => void told.push(`difference ${tick}`),
      onFault: (error) => void told.push(`fault ${error}`),
      ...patch,
    },
  );
  return { player, told, played };
}

const isShown = (player: ReplayPlayer, tick: number) => {
  expect(player.world.tickCount).toBe(tick);
  if (tick > 0) expect(player.world.lastChanges.hash()).toBe(hashes[tick]);
};

beforeEach(() => {
  clock = new FakeClock();
  const step = Replay.prototype.step;
  vi.spyOn(Replay.prototype, 'step').mockImplementation(function (this: Replay) {
    clock.spend(TICK_MS);
    return step.call(this);
  });
});
afterEach(() => void vi.restoreAllMocks());

describe('a player', () => {
  it('steps to the end, shows each tick, and stays there', () => {
    const { player, told, played } = createPlayer();
    while (player.step());
    isShown(player, TICKS);
    expect([player.isAtEnd, player.step()]).toEqual([true, false]);
    expect(told).toEqual(Array.from({ length: TICKS }, (_, i) => `show ${i + 1}`));
    expect(played.size).toBe(TICKS);
  });

  it('seeks in slices, and shows what lies ahead on its way', () => {
    const { player, told } = createPlayer();
    player.seek(60);
    expect([player.isSeeking, player.step(), player.world.tickCount]).toEqual([true, false, 0]);
    clock.advance(0);
    // Three ticks of five milliseconds are more than a slice.
    expect([player.world.tickCount, told]).toEqual([3, ['show 3']]);
    clock.advance(TICKS * TICK_MS);
    isShown(player, 60);
    expect(player.isSeeking).toBe(false);
    expect(told.slice(-2)).toEqual(['show 60', 'seek 60 there']);
    const progress = told.filter((line) => /^seek 60 0\.\d$/.test(line));
    expect(progress.length).toBeGreaterThan(1);
    expect(progress).toEqual([...progress].sort());
  });

  it('seeks back behind the scenes: what is shown stays whole until it is there', () => {
    const { player, told } = createPlayer();
    for (let i = 0; i < 100; i++) player.step();
    told.length = 0;
    const before = player.world;
    player.seek(20);
    clock.advance(0);
    expect(player.isSeeking).toBe(true);
    expect(player.world).toBe(before);
    isShown(player, 100);
    clock.advance(TICKS * TICK_MS);
    isShown(player, 20);
    expect(told.filter((line) => line.startsWith('show'))).toEqual(['show 20']);
    player.seek(100);
    clock.advance(TICKS * TICK_MS);
    isShown(player, 100);
  });

  it('gives up one seek for another, wherever that leads', () => {
    const { player, told } = createPlayer();
    for (const [tick, overtaken] of [
      [110, false],
      [90, true],
      [20, true],
      [5, true],
      [31, true],
    ] as const) {
      player.seek(tick);
      clock.advance(0);
      if (overtaken) expect(told.filter((line) => line.endsWith('there'))).toEqual([]);
    }
    clock.advance(TICKS * TICK_MS);
    isShown(player, 31);
    expect(told.filter((line) => line.endsWith('there'))).toEqual(['seek 31 there']);
  });

  it('is at once where it is, and goes back one by one', () => {
    const { player } = createPlayer();
    player.seek(50);
    clock.advance(TICKS * TICK_MS);
    for (const tick of [50, 49, 48, 48, 47, 1, 0, 1]) {
      player.seek(tick);
      clock.advance(TICKS * TICK_MS);
      isShown(player, tick);
    }
  });

  it('keeps checkpoints where ticks are dear, so that the second way back is short', () => {
    const { player } = createPlayer();
    const stepsTo = (tick: number): number => {
      const count = vi.mocked(Replay.prototype.step).mock.calls.length;
      player.seek(tick);
      clock.advance(TICKS * TICK_MS);
      isShown(player, tick);
      return vi.mocked(Replay.prototype.step).mock.calls.length - count;
    };
    expect(stepsTo(110)).toBe(110);
    // Sixty milliseconds are twelve ticks; the mean of what a tick takes has to rise first.
    for (const tick of [109, 50, 108, 49, 80]) expect(stepsTo(tick)).toBeLessThan(40);
    expect(stepsTo(107)).toBeLessThan(16);
  });

  it('keeps a detector that was chosen, wherever it goes', () => {
    const { player } = createPlayer();
    for (let i = 0; i < 30; i++) player.step();
    player.setDetector('quadtree');
    for (const tick of [10, 40, 5]) {
      player.seek(tick);
      clock.advance(TICKS * TICK_MS);
      isShown(player, tick);
      expect(player.world.stats().detector).toBe('quadtree');
    }
  });

  it('tells what cannot be played, and seeks no more', () => {
    const { player, told } = createPlayer();
    vi.spyOn(Replay.prototype, 'approach').mockImplementation(() => {
      throw new Error('torn');
    });
    for (let i = 0; i < 30; i++) player.step();
    player.seek(3);
    clock.advance(1000);
    expect([told.at(-1), player.isSeeking]).toEqual(['fault Error: torn', false]);
  });

  it('leaves no timer behind when it is stopped', () => {
    const { player } = createPlayer();
    player.seek(100);
    clock.advance(0);
    player.stop();
    expect([clock.pendingCount, player.isSeeking]).toEqual([0, false]);
  });
});

describe('a survey', () => {
  const survey = (occasion: () => { resting: boolean; near: number } | undefined) => {
    const known = new Map<number, number>();
    const surveyed = new ChurnSurvey(new Replay(bytes), {
      clock,
      occasion,
      onTick: (tick: number, changes: Changes) =>
        void known.set(tick, changes.enteredCount + changes.leftCount),
    });
    return { known, surveyed };
  };

  it('comes to know every tick, and rests as long as it works', () => {
    const { known, surveyed } = survey(() => ({ resting: true, near: 0 }));
    clock.advance(2 * TICKS * TICK_MS - 100);
    expect(surveyed.isDone).toBe(false);
    clock.advance(1000);
    expect(surveyed.isDone).toBe(true);
    expect(known.size).toBe(TICKS);
    expect([...known].filter(([, pairs]) => pairs > 0)).toEqual([
      [1, 1],
      [31, 1],
    ]);
    expect(clock.pendingCount).toBe(0);
  });

  it('waits while it is no time for it', () => {
    let isTime = false;
    const { known, surveyed } = survey(() => (isTime ? { resting: false, near: 0 } : undefined));
    clock.advance(10_000);
    expect(known.size).toBe(0);
    isTime = true;
    clock.advance(10_000);
    expect(surveyed.isDone).toBe(true);
  });

  it('ends when it is stopped', () => {
    const { surveyed } = survey(() => ({ resting: true, near: 0 }));
    clock.advance(250);
    surveyed.stop();
    expect([surveyed.isDone, clock.pendingCount]).toEqual([true, 0]);
  });
});
