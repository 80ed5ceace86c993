/** A replay that keeps checkpoints comes to the same ticks with less to play, and holds no more bytes than it may. */
import { describe, expect, test } from 'vitest';
import { Random } from '../../src/conformance/random.ts';
import { RecordedWorld, Replay, type ReplayOptions, UmweltError } from '../../src/index.ts';

const TICKS = 200;

interface Recording {
  readonly bytes: Uint8Array;
  /** By tick. */
  readonly hashes: readonly string[];
  /** Bytes of a snapshot at the end. */
  readonly snapshotBytes: number;
}

/** Two hundred ticks of a capped crowd, with a snapshot at its beginning alone, and listeners that change the world. */
function recorded(): Recording {
  const random = new Random(11);
  const world = new RecordedWorld({ interests: { default: { cap: 3, minDwellTicks: 4, memoryTicks: 9 } } });
  const pieces: Uint8Array[] = [];
  world.record((bytes) => pieces.push(bytes));
  const place = () => Float32Array.from({ length: 60 }, () => random.below(200));
  let ids = world.addMany({ range: 40, x: place(), y: place() });
  world.on('leave', (watcher) => void (world.has(watcher) && world.touch(watcher)));
  const hashes = [''];
  for (let tick = 1; tick <= TICKS; tick++) {
    world.moveMany(ids, place().subarray(0, ids.length), place().subarray(0, ids.length));
    if (tick % 20 === 0) {
      world.remove(ids[0]);
      ids = Uint32Array.from([...ids.slice(1), world.add({ x: 100, y: 100, range: 30 })]);
    }
    hashes.push(world.tick().hash());
  }
  const snapshotBytes = world.snapshot().length;
  world.stopRecording();
  return { bytes: Buffer.concat(pieces), hashes, snapshotBytes };
}

const { bytes, hashes, snapshotBytes } = recorded();

function replayWith(options: ReplayOptions): Replay {
  return new Replay(bytes, options);
}

describe('a checkpoint', () => {
  test('is gone on from, to the same reports', () => {
    const random = new Random(3);
    const replay = replayWith({ checkpointBytes: 1 << 30 });
    for (let i = 0; i < 60; i++) {
      const tick = 1 + random.below(TICKS);
      replay.seek(tick);
      expect(replay.tick).toBe(tick);
      expect(replay.world.lastChanges.hash()).toBe(hashes[tick]);
      replay.keep();
    }
    expect(replay.difference).toBeUndefined();
  });

  test('spares the ticks before it', () => {
    const replay = replayWith({ checkpointBytes: 1 << 30 });
    replay.seek(150);
    expect(replay.ticksToRedo).toBe(150);
    replay.keep();
    replay.approach(160);
    replay.step();
    expect(replay.ticksToRedo).toBe(1);
    replay.approach(3);
    expect([replay.tick, replay.ticksToRedo]).toEqual([0, 0]);
    replay.approach(199);
    expect(replay.tick).toBe(150);
    replay.approach(150);
    expect(replay.tick).toBe(0);
  });

  test('is none without room for it', () => {
    for (const checkpointBytes of [0, snapshotBytes >> 1]) {
      const replay = replayWith({ checkpointBytes });
      replay.seek(100);
      replay.keep();
      replay.seek(101);
      expect(replay.ticksToRedo).toBe(101);
    }
  });

  test('goes when there are too many, those near the present last', () => {
    const replay = replayWith({ checkpointBytes: 10 * snapshotBytes });
    for (let tick = 1; tick <= TICKS; tick++) {
      replay.step();
      replay.keep();
    }
    replay.seek(0);
    const kept: number[] = [];
    for (let tick = TICKS; tick > 1; tick--) {
      replay.approach(tick);
      if (replay.tick === tick - 1) kept.push(replay.tick);
    }
    expect(kept.length).toBeGreaterThanOrEqual(8);
    expect(kept.length).toBeLessThanOrEqual(12);
    // The nearer to the end, where it was last, the closer they lie.
    expect(kept[0]).toBeGreaterThan(TICKS - 8);
    const gaps = kept.slice(1).map((tick, i) => (kept[i] as number) - tick);
    const half = gaps.length >> 1;
    const sum = (values: number[]) => values.reduce((total, value) => total + value, 0);
    expect(sum(gaps.slice(0, half))).toBeLessThan(sum(gaps.slice(half)));
  });

  test('of one replay serves another of the same recording', () => {
    const first = replayWith({ checkpointBytes: 1 << 30 });
    const second = new Replay(first);
    second.seek(120);
    second.keep();
    expect(first.tick).toBe(0);
    first.approach(130);
    expect(first.tick).toBe(120);
    first.seek(130);
    expect(first.world.lastChanges.hash()).toBe(hashes[130]);
  });
});

describe('an approach', () => {
  test('that another tick overtakes comes to a report all the same', () => {
    const replay = replayWith({ checkpointBytes: 1 << 30 });
    replay.seek(90);
    replay.keep();
    replay.seek(10);
    replay.approach(95);
    expect(replay.tick).toBe(90);
    // The state is that of tick 90, but nothing was reported yet.
    replay.seek(90);
    expect(replay.world.lastChanges.hash()).toBe(hashes[90]);
  });

  test('outside the recording is BAD_OPTION', () => {
    const replay = replayWith({});
    for (const tick of [-1, TICKS + 1, 1.5, Number.NaN])
      expect(() => replay.approach(tick)).toThrow(UmweltError);
    expect(() => replayWith({ checkpointBytes: -1 })).toThrow('checkpointBytes');
  });
});

test('a replay plays on with another detector, wherever it goes', () => {
  const replay = replayWith({});
  replay.seek(40);
  replay.setDetector('quadtree');
  for (const tick of [41, 12, 180]) {
    replay.seek(tick);
    expect(replay.world.stats().detector).toBe('quadtree');
    expect(replay.world.lastChanges.hash()).toBe(hashes[tick]);
  }
});

test('a replay tells the ranges of its entities, and what kind of world it is', () => {
  const world = new RecordedWorld({ senses: ['sight', 'smell'], rangeShape: 'box', rangeRatio: [1, 0.5] });
  const pieces: Uint8Array[] = [];
  world.record((piece) => pieces.push(piece));
  const id = world.add({ x: 0, y: 0, range: { smell: 7 } });
  world.tick();
  world.stopRecording();
  const replay = new Replay(Buffer.concat(pieces));
  replay.seek(1);
  expect(replay.rangesOf(id)).toEqual([0, 7]);
  expect(replay.worldOptions).toMatchObject({ dimensions: 2, senses: ['sight', 'smell'], rangeShape: 'box' });
  expect(() => replay.rangesOf(5)).toThrow(UmweltError);
});

describe('a note', () => {
  test('in every tick leaves the recording as many snapshots as one without notes', () => {
    const snapshotsWith = (isNoted: boolean): number => {
      const random = new Random(7);
      const world = new RecordedWorld();
      const place = () => Float32Array.from({ length: 800 }, () => random.below(9000));
      const ids = world.addMany({ range: 20, x: place(), y: place() });
      const pieces: Uint8Array[] = [];
      world.record((piece) => pieces.push(piece), { snapshotBytes: 1 });
      for (let tick = 0; tick < 72; tick++) {
        world.moveMany(ids, place(), place());
        if (isNoted) world.note('doors', Uint8Array.of(tick));
        world.tick();
      }
      world.stopRecording();
      return pieces.filter((piece) => String.fromCharCode(...piece.subarray(0, 4)) === 'SNAP').length;
    };
    // 9,616 bytes of calls a tick: chunks of seven ticks each without notes.
    expect(snapshotsWith(false)).toBe(11);
    expect(snapshotsWith(true)).toBeGreaterThanOrEqual(11);
  });

  const noted = (...names: string[]): Uint8Array => {
    const world = new RecordedWorld();
    const pieces: Uint8Array[] = [];
    world.note('before', Uint8Array.of(1));
    world.record((piece) => pieces.push(piece));
    for (const name of names) {
      world.add({ x: 0, y: 0 });
      world.note(name, Uint8Array.of(name.length, 7));
      world.tick();
    }
    world.stopRecording();
    return Buffer.concat(pieces);
  };

  test('is found again by its name, and changes no tick', () => {
    const replay = new Replay(noted('title', 'kinds', 'title'));
    expect(replay.notes('title').map((found) => [...found])).toEqual([
      [5, 7],
      [5, 7],
    ]);
    expect(replay.notes('kinds').map((found) => [...found])).toEqual([[5, 7]]);
    expect(replay.notes('before')).toEqual([]);
    while (replay.step() !== undefined);
    expect([replay.tick, replay.difference]).toEqual([3, undefined]);
  });

  test('that could not be read again is BAD_OPTION', () => {
    const world = new RecordedWorld();
    world.record(() => {});
    expect(() => world.note('', new Uint8Array(1))).toThrow('name');
    expect(() => world.note('n'.repeat(65), new Uint8Array(1))).toThrow('name');
    expect(() => world.note('n', 'text' as never)).toThrow('bytes');
  });
});
