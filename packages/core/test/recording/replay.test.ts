/** What a recording holds is what was done: replayed with any exact detector, each tick reports the same. */
import { describe, expect, test, vi } from 'vitest';
import type { Operation } from '../../src/conformance/operations.ts';
import type { PlainInterest } from '../../src/conformance/plain-interest.ts';
import { Random } from '../../src/conformance/random.ts';
import { createScript } from '../../src/conformance/script.ts';
import {
  type DetectorName,
  detectorNames,
  type Interest,
  RecordedWorld,
  type RecordOptions,
  Replay,
  UmweltError,
  World,
} from '../../src/index.ts';
import { blindDetector } from './blind-detector.ts';
import { ScriptPlay } from './script-play.ts';

interface Recording {
  readonly bytes: Uint8Array;
  readonly interests: Record<string, Interest>;
  /** By tick, from the first recorded one on. */
  readonly hashes: string[];
  readonly firstTick: number;
  /** As the recorded world was at its end. */
  readonly snapshot: Uint8Array;
}

function joined(pieces: readonly Uint8Array[]): Uint8Array {
  const bytes = new Uint8Array(pieces.reduce((sum, { length }) => sum + length, 0));
  let end = 0;
  for (const piece of pieces) {
    bytes.set(piece, end);
    end += piece.length;
  }
  return bytes;
}

/** Records the script of a seed from some moment on; without functions of its rules, which are not recorded. */
function recordScript(seed: number, options: RecordOptions = {}): Recording {
  const random = new Random(seed ^ 0x7ec);
  const entities = random.pick([5, 14, 40]);
  const [interests, attachments] = [seed % 3 !== 0, seed % 2 === 0];
  const script = createScript(seed, { operations: 140, entities, interests, attachments });
  const operations = script.operations.flatMap((operation): Operation[] => {
    if (operation.kind === 'ban' || operation.kind === 'failingTick') return [];
    if (operation.kind !== 'setInterest') return [operation];
    return [{ ...operation, interest: withoutFunctions(operation.interest) }];
  });
  const given = Object.entries(script.options.interests ?? {});
  const named = Object.fromEntries(given.map(([name, interest]) => [name, withoutFunctions(interest)]));
  const played = new ScriptPlay({ ...script, options: { ...script.options, interests: named } }, (world) => [
    new RecordedWorld(world),
  ]);
  const world = played.worlds[0] as RecordedWorld;
  const start = random.below(operations.length / 2);
  const pieces: Uint8Array[] = [];
  const hashes: string[] = [];
  let firstTick = 0;
  operations.forEach((operation, at) => {
    if (at === start) {
      firstTick = world.tickCount;
      world.record((bytes) => pieces.push(bytes), options);
    }
    const before = world.tickCount;
    const difference = played.step(operation);
    if (difference !== undefined) throw new Error(difference);
    if (at >= start && world.tickCount === before + 1) hashes[world.tickCount] = world.lastChanges.hash();
  });
  const snapshot = world.snapshot();
  world.stopRecording();
  return { bytes: joined(pieces), interests: played.interests, hashes, firstTick, snapshot };
}

function withoutFunctions({ admit: _, rank: __, ...interest }: PlainInterest): PlainInterest {
  return interest;
}

function playAll(replay: Replay): void {
  while (replay.step() !== undefined);
}

function codeOf(run: () => void): string {
  try {
    run();
    return 'done';
  } catch (error) {
    if (error instanceof UmweltError) return error.code;
    throw error;
  }
}

describe('a recording', () => {
  test.each(detectorNames)(
    'replays to the same hashes and the same world with %s',
    (detector: DetectorName) => {
      for (let seed = 1; seed <= 25; seed++) {
        const { bytes, interests, hashes, firstTick, snapshot } = recordScript(seed);
        const replay = new Replay(bytes, { interests, detector });
        expect([replay.firstTick, replay.tick, replay.isComplete]).toEqual([firstTick, firstTick, true]);
        for (let played = replay.step(); played !== undefined; played = replay.step()) {
          const { tick, recorded, found } = played;
          expect(found, `seed ${seed} tick ${tick}`).toBe(recorded);
          // Ticks of a churn come several at a time.
          if (hashes[tick] !== undefined) expect(recorded).toBe(hashes[tick]);
        }
        expect(replay.difference).toBeUndefined();
        expect(replay.tick).toBe(replay.lastTick);
        const original = World.restore(snapshot, { interests, detector });
        for (const world of [replay.world, original]) for (const id of world.ids()) world.touch(id);
        expect(replay.world.tick().hash()).toBe(original.tick().hash());
        expect(replay.world.ids()).toEqual(original.ids());
        const position = { x: 0, y: 0, z: 0 };
        expect(replay.world.add(position)).toBe(original.add(position));
      }
    },
  );

  test('is sought through, forward and back, by its snapshots', () => {
    const random = new Random(5);
    const world = new RecordedWorld();
    const pieces: Uint8Array[] = [];
    const ids = world.addMany({
      range: 20,
      x: Float32Array.from({ length: 800 }, () => random.below(400)),
      y: Float32Array.from({ length: 800 }, () => random.below(400)),
    });
    world.record((bytes) => pieces.push(bytes), { snapshotBytes: 1 });
    const hashes = [''];
    for (let tick = 1; tick <= 120; tick++) {
      const x = Float32Array.from(ids, () => random.below(400));
      const y = Float32Array.from(ids, () => random.below(400));
      world.moveMany(ids, x, y);
      hashes.push(world.tick().hash());
    }
    world.stopRecording();
    const bytes = joined(pieces);
    const snapshots = pieces.filter((piece) => String.fromCharCode(...piece.subarray(0, 4)) === 'SNAP');
    expect(snapshots.length).toBeGreaterThan(3);
    const replay = new Replay(bytes);
    for (const tick of [120, 1, 60, 61, 59, 0, 120, 119, 30, 31, 32, 90, 90]) {
      replay.seek(tick);
      expect(replay.tick).toBe(tick);
      if (tick > 0) expect(replay.world.lastChanges.hash()).toBe(hashes[tick]);
    }
    expect(() => replay.seek(121)).toThrow('a whole number from 0 to 120');
    expect(replay.difference).toBeUndefined();
  });

  test('is sought to its last tick without what came after it, also when that was replayed', () => {
    const world = new RecordedWorld();
    const pieces: Uint8Array[] = [];
    world.record((bytes) => pieces.push(bytes));
    const id = world.add({ x: 1, y: 0 });
    world.tick();
    world.move(id, 2, 0);
    world.tick();
    world.move(id, 3, 0);
    world.stopRecording();
    const replay = new Replay(joined(pieces));
    const x = () => replay.world.position(id)[0];
    replay.seek(2);
    expect([replay.tick, x()]).toEqual([2, 2]);
    expect(replay.step()).toBeUndefined();
    expect([replay.tick, x()]).toEqual([2, 3]);
    replay.seek(2);
    expect([replay.tick, x(), replay.world.lastChanges.tick]).toEqual([2, 2, 2]);
    replay.step();
    replay.seek(1);
    expect([replay.tick, x()]).toEqual([1, 1]);
  });

  test('has what listeners did after the tick in which they did it', () => {
    const world = new RecordedWorld();
    const pieces: Uint8Array[] = [];
    world.record((bytes) => pieces.push(bytes));
    world.on('enter', (watcher, marker) => world.move(marker, 1000 + (watcher >>> 10), 0));
    world.add({ x: 0, y: 0, range: 5 });
    world.add({ x: 1, y: 0 });
    for (let i = 0; i < 3; i++) world.tick();
    world.stopRecording();
    const replay = new Replay(joined(pieces));
    playAll(replay);
    expect(replay.difference).toBeUndefined();
    expect(replay.world.position(1025)[0]).toBe(1000);
  });

  test('has no call that failed, and goes on after it', () => {
    const world = new RecordedWorld();
    const pieces: Uint8Array[] = [];
    world.record((bytes) => pieces.push(bytes));
    const id = world.add({ x: 0, y: 0, range: 1 });
    expect(() => world.move(id, Number.NaN, 0)).toThrow();
    expect(() => world.update(id, { range: -1 })).toThrow();
    expect(() => world.remove(7)).toThrow();
    world.update(id, { range: { sight: 1e-6 }, cap: Number.POSITIVE_INFINITY, group: 3, always: true });
    world.tick();
    world.stopRecording();
    const replay = new Replay(joined(pieces));
    playAll(replay);
    expect(replay.world.snapshot()).toEqual(world.snapshot());
  });

  test('that was cut short is good up to its last whole chunk', () => {
    const { bytes, interests } = recordScript(4, { snapshotBytes: 1 });
    let good = 0;
    for (let length = 0; length < bytes.length; length += 7) {
      const cut = bytes.subarray(0, length);
      const code = codeOf(() => {
        const replay = new Replay(cut, { interests });
        expect(replay.isComplete).toBe(false);
        playAll(replay);
        expect(replay.difference).toBeUndefined();
        good++;
      });
      expect(['done', 'BAD_TRACE']).toContain(code);
    }
    expect(good).toBeGreaterThan(0);
  });

  test('with any byte altered is BAD_TRACE, or taken for one that was cut short', () => {
    const { bytes, interests } = recordScript(4);
    for (let at = 0; at < bytes.length; at += 3) {
      const altered = bytes.slice();
      altered[at] ^= 1 << (at & 7);
      const code = codeOf(() => {
        const replay = new Replay(altered, { interests });
        playAll(replay);
        expect(replay.isComplete && at < bytes.length - 24, `byte ${at}`).toBe(false);
      });
      expect(['done', 'BAD_TRACE']).toContain(code);
    }
  });

  test('of another version is BAD_TRACE, and says so', () => {
    const { bytes, interests } = recordScript(4);
    bytes[4] = 5;
    expect(() => new Replay(bytes, { interests })).toThrow('version 5, expected 4');
  });

  test('tells the first tick that reports something else', () => {
    const world = new RecordedWorld();
    const pieces: Uint8Array[] = [];
    world.record((bytes) => pieces.push(bytes));
    const id = world.add({ x: 0, y: 0, range: 5 });
    world.add({ x: 1, y: 0 });
    for (let tick = 1; tick <= 4; tick++) {
      world.move(id, tick % 2 === 0 ? 0 : 100, 0);
      world.tick();
    }
    world.stopRecording();
    // A detector that finds nothing from the second tick on.
    const replay = new Replay(joined(pieces), { detector: blindDetector });
    playAll(replay);
    expect(replay.difference?.tick).toBe(2);
    expect(replay.difference?.found).toBe('0000000000000000');
  });

  test('needs the functions of interests, and a detector of the user’s own', () => {
    const interests = { default: { cap: 1, rank: () => 0 } };
    const world = new RecordedWorld({ interests, detector: blindDetector });
    const pieces: Uint8Array[] = [];
    world.record((bytes) => pieces.push(bytes));
    world.stopRecording();
    const bytes = joined(pieces);
    expect(codeOf(() => new Replay(bytes))).toBe('UNKNOWN_INTEREST');
    expect(codeOf(() => new Replay(bytes, { interests }))).toBe('UNKNOWN_DETECTOR');
    expect(codeOf(() => new Replay(bytes, { interests, detector: 'sweep' }))).toBe('done');
  });

  test('is replayed by another replay with the same functions, unless it is given others', () => {
    const ranks: string[] = [];
    const ranked = (name: string) => ({ default: { cap: 1, rank: () => Number(!ranks.push(name)) } });
    const world = new RecordedWorld({ interests: ranked('world') });
    const pieces: Uint8Array[] = [];
    world.record((bytes) => pieces.push(bytes));
    world.addMany({ x: [0, 1, 2], y: [0, 0, 0], range: 10 });
    world.tick();
    world.stopRecording();
    const used = (replay: Replay) => {
      ranks.length = 0;
      playAll(replay);
      return [...new Set(ranks)].join();
    };
    const first = new Replay(joined(pieces), { interests: ranked('first') });
    expect(used(new Replay(first))).toBe('first');
    expect(used(new Replay(first, { detector: 'quadtree' }))).toBe('first');
    expect(used(new Replay(first, { interests: ranked('second') }))).toBe('second');
  });
});

describe('a replay', () => {
  test.each([
    [null],
    [5],
    [[]],
    [new Map()],
    [{ checkpointBytes: -1 }],
    [{ checkpointbytes: 9 }],
    [{ interests: [] }],
    [{ detector: 5 }],
  ])('of options %o is a BAD_OPTION', (options) => {
    const pieces: Uint8Array[] = [];
    const world = new RecordedWorld();
    world.record((bytes) => pieces.push(bytes));
    world.stopRecording();
    expect(codeOf(() => new Replay(joined(pieces), options as never))).toBe('BAD_OPTION');
    expect(codeOf(() => new Replay(joined(pieces)))).toBe('done');
  });
});

describe('a world that is recorded', () => {
  test('goes on being recorded when a rule wants to dispose of it', () => {
    const pieces: Uint8Array[] = [];
    let isFatal = true;
    const rank = () => {
      if (isFatal) void world.dispose();
      return 0;
    };
    const world: RecordedWorld = new RecordedWorld({ interests: { default: { cap: 1, rank } } });
    world.record((bytes) => pieces.push(bytes));
    world.addMany({ x: [0, 1, 2], y: [0, 0, 0], range: 5 });
    expect(() => world.tick()).toThrow(expect.objectContaining({ code: 'REENTRANT_TICK' }));
    isFatal = false;
    world.tick();
    void world.dispose();
    const replay = new Replay(new Uint8Array(Buffer.concat(pieces)), {
      interests: { default: { cap: 1, rank } },
    });
    while (replay.step() !== undefined);
    expect(replay).toMatchObject({ tick: 1, difference: undefined, isComplete: true });
  });

  /** Methods of `World` that change nothing of what a replay repeats, besides those of `WorldReader`. */
  const QUESTIONS = ['constructor', 'on', 'snapshot', 'validate'];

  test('records every method of World that is no question', () => {
    const own = Object.getOwnPropertyNames(RecordedWorld.prototype);
    const missed = Object.getOwnPropertyNames(World.prototype).filter(
      (name) => !QUESTIONS.includes(name) && !own.includes(name),
    );
    expect(missed).toEqual([]);
  });

  test('is restored as one, and recorded once at a time', () => {
    const world = RecordedWorld.restore(new World().snapshot());
    world.record(() => {});
    expect(codeOf(() => world.record(() => {}))).toBe('BAD_OPTION');
    world.stopRecording();
    world.record(() => {});
  });

  test.each([
    [null],
    [5],
    [[]],
    [new Map()],
    [{ snapshotBytes: 0 }],
    [{ snapshotBytes: '5' }],
    [{ snapshotbytes: 9 }],
  ])('with options %o is not recorded: BAD_OPTION', (options) => {
    const world = new RecordedWorld();
    const sink = vi.fn();
    expect(codeOf(() => world.record(sink, options as never))).toBe('BAD_OPTION');
    expect(sink).not.toHaveBeenCalled();
    world.record(sink);
  });

  test('writes nothing where it cannot be stored', async () => {
    const sink = vi.fn();
    const codes: (string | undefined)[] = [];
    const rank = () => codes.push(codeOf(() => world.record(sink)));
    const world: RecordedWorld = new RecordedWorld({ interests: { default: { cap: 1, rank } } });
    world.addMany({ x: [0, 1, 2], y: [0, 0, 0], range: 5 });
    world.tick();
    expect(new Set(codes)).toEqual(new Set(['REENTRANT_TICK']));
    await world.dispose();
    expect(codeOf(() => world.record(sink))).toBe('DISPOSED');
    expect(sink).not.toHaveBeenCalled();
  });

  test('goes on being recorded when a rule wants to end that, or to note something', async () => {
    const pieces: Uint8Array[] = [];
    const codes: (string | undefined)[] = [];
    const rank = () => {
      codes.push(
        codeOf(() => world.stopRecording()),
        codeOf(() => world.note('n', Uint8Array.of(1))),
      );
      return 0;
    };
    const world: RecordedWorld = new RecordedWorld({ interests: { default: { cap: 1, rank } } });
    world.record((bytes) => pieces.push(bytes));
    world.addMany({ x: [0, 1, 2], y: [0, 0, 0], range: 5 });
    world.tick();
    expect(new Set(codes)).toEqual(new Set(['REENTRANT_TICK']));
    await world.dispose();
    expect(codeOf(() => world.note('n', Uint8Array.of(1)))).toBe('DISPOSED');
    expect(codeOf(() => world.stopRecording())).toBe('done');
    const replay = new Replay(joined(pieces), { interests: { default: { cap: 1, rank: () => 0 } } });
    expect(replay).toMatchObject({ lastTick: 1, isComplete: true });
    expect(replay.notes('n')).toEqual([]);
  });

  test('writes its end when it is disposed of', async () => {
    const world = new RecordedWorld();
    const pieces: Uint8Array[] = [];
    world.record((bytes) => pieces.push(bytes));
    await world.dispose();
    expect(new Replay(joined(pieces)).isComplete).toBe(true);
  });
});
