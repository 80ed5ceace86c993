/** Sinks that use the world while they are given a piece of its recording, and sinks that throw. */
import { describe, expect, test } from 'vitest';
import { RecordedWorld, Replay } from '../../src/index.ts';

/** More calls than a chunk holds, so that the next tick gives calls and a snapshot to the sink. */
const MOVES = 6000;

class Recording {
  readonly world = new RecordedWorld();
  readonly pieces: Uint8Array[] = [];
  /** Called once, with the piece of that number, after it was kept. */
  act: (() => void) | undefined;
  at = -1;
  readonly #ids: Uint32Array;

  constructor() {
    this.#ids = this.world.addMany({ x: [0, 1, 2], y: [0, 0, 0], range: 5 });
  }

  record(): void {
    this.world.record(
      (piece) => {
        this.pieces.push(piece);
        if (this.pieces.length - 1 === this.at) this.act?.();
      },
      { snapshotBytes: 1 },
    );
  }

  moveAndTick(offset: number): void {
    const ids = Uint32Array.from({ length: MOVES }, (_, i) => this.#ids[i % 3]);
    const column = Float32Array.from(ids, (_, i) => offset + i);
    this.world.moveMany(ids, column, column);
    this.world.tick();
  }

  get tags(): string {
    return this.pieces.map((piece) => String.fromCharCode(...piece.subarray(0, 4))).join(' ');
  }

  replay(): Replay {
    return new Replay(new Uint8Array(Buffer.concat(this.pieces)));
  }
}

/** Whether every tick, by itself and in order, is as it was recorded. */
function expectGood(replay: Replay): void {
  while (replay.step() !== undefined);
  for (let tick = replay.lastTick; tick >= replay.firstTick; tick--) replay.seek(tick);
  expect(replay.difference).toBeUndefined();
}

describe('a sink', () => {
  test.each([
    [0, 'umwr SNAP ENDS'],
    [1, 'umwr SNAP ENDS'],
    [2, 'umwr SNAP CALL SNAP ENDS'],
    [3, 'umwr SNAP CALL SNAP ENDS'],
    [4, 'umwr SNAP CALL SNAP CALL SNAP ENDS'],
  ])('ends the recording with piece %i', (at, tags) => {
    const recording = new Recording();
    recording.at = at;
    recording.act = () => recording.world.stopRecording();
    recording.record();
    for (let tick = 0; tick < 3; tick++) recording.moveAndTick(tick);
    expect(recording.tags).toBe(tags);
    expect(recording.replay().isComplete).toBe(true);
    expectGood(recording.replay());
  });

  test('disposes of the world', () => {
    const recording = new Recording();
    recording.at = 2;
    recording.act = () => void recording.world.dispose();
    recording.record();
    recording.moveAndTick(0);
    expect(recording.tags).toBe('umwr SNAP CALL SNAP ENDS');
    expectGood(recording.replay());
  });

  test('gets the calls before a note at once, so that a crash loses only what follows it', () => {
    const recording = new Recording();
    recording.record();
    recording.world.tick();
    expect([recording.replay().lastTick, recording.tags]).toEqual([0, 'umwr SNAP']);
    recording.world.note('saved', new Uint8Array(0));
    expect([recording.replay().lastTick, recording.tags]).toEqual([1, 'umwr SNAP CALL NOTE']);
    recording.world.tick();
    expect(recording.replay().lastTick).toBe(1);
  });

  test.each([0, 1, 2, 3, 4, 5])('changes the world and adds a note with piece %i', (at) => {
    const recording = new Recording();
    const { world } = recording;
    recording.at = at;
    recording.act = () => {
      world.add({ x: 7, y: 7, range: 9 });
      world.note('there', Uint8Array.of(1, 2, 3));
    };
    recording.record();
    for (let tick = 0; tick < 3; tick++) recording.moveAndTick(tick);
    world.stopRecording();
    const replay = recording.replay();
    expect(replay.notes('there')).toEqual([Uint8Array.of(1, 2, 3)]);
    expectGood(replay);
    replay.seek(replay.lastTick);
    expect(replay.world.ids()).toEqual(world.ids());
  });

  test('that throws gets the piece again, and the recording has it once', () => {
    for (let at = 2; at < 7; at++) {
      const recording = new Recording();
      let isFull = true;
      recording.at = at;
      recording.act = () => {
        if (!isFull) return;
        isFull = false;
        recording.pieces.pop();
        throw new Error('the disk is full');
      };
      recording.record();
      const steps = [0, 1, 2].map((tick) => () => recording.moveAndTick(tick));
      let failures = 0;
      for (const step of [...steps, () => recording.world.note('n', new Uint8Array(1))]) {
        try {
          step();
        } catch {
          failures++;
        }
      }
      recording.world.stopRecording();
      expect(failures).toBe(1);
      expect(recording.tags).not.toMatch(/(SNAP|CALL|NOTE) \1/u);
      expect(recording.replay().isComplete).toBe(true);
      expectGood(recording.replay());
    }
  });

  test('that throws again and again ends the recording when too much waits for it', () => {
    let isFull = false;
    const pieces: Uint8Array[] = [];
    const world = new RecordedWorld();
    world.record((piece) => {
      if (isFull) throw new Error('the disk is full');
      pieces.push(piece);
    });
    isFull = true;
    const note = () => world.note('data', new Uint8Array(1 << 24));
    for (let i = 0; i < 3; i++) expect(note).toThrow('the disk is full');
    expect(note).toThrow(
      expect.objectContaining({
        code: 'CAPACITY',
        message: expect.stringMatching(/ended.*the disk is full/),
      }),
    );
    note();
    world.tick();
    isFull = false;
    world.stopRecording();
    expect(pieces).toHaveLength(2);
  });

  test('that throws at the end gets the rest when the recording is stopped again', () => {
    const recording = new Recording();
    const { world } = recording;
    let fails = 0;
    world.record((piece) => {
      if (fails-- > 0) throw new Error('the disk is full');
      recording.pieces.push(piece);
    });
    world.tick();
    fails = 2;
    for (let i = 0; i < 2; i++) expect(() => world.stopRecording()).toThrow('the disk is full');
    // Not recorded any more.
    world.tick();
    world.stopRecording();
    world.stopRecording();
    expect(recording.tags).toBe('umwr SNAP CALL ENDS');
    expect(recording.replay().isComplete).toBe(true);
    expectGood(recording.replay());
  });

  test('that throws at the first piece leaves the world unrecorded', () => {
    const world = new RecordedWorld();
    const fail = () => {
      throw new Error('no file');
    };
    expect(() => world.record(fail)).toThrow('no file');
    const pieces: Uint8Array[] = [];
    world.record((piece) => pieces.push(piece));
    world.stopRecording();
    expect(pieces).toHaveLength(3);
  });
});
