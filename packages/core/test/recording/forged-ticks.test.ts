/** Recordings whose chunks claim ticks that their calls do not make: with the right checksums, as a forger writes them. */
import { expect, test } from 'vitest';
import { RecordedWorld, Replay } from '../../src/index.ts';
import { type Chunk, chunkBytes, readChunks, recordingHeader } from '../../src/recording/chunk.ts';

/** SNAP 0, CALL 2, SNAP 2, CALL 3, ENDS 3. */
function chunksOf(): Chunk[] {
  const world = new RecordedWorld();
  const pieces: Uint8Array[] = [];
  world.record((piece) => pieces.push(piece), { snapshotBytes: 1 });
  const id = world.add({ x: 0, y: 0, range: 5 });
  world.tick();
  world.moveMany(new Uint32Array(6000).fill(id), new Float32Array(6000), new Float32Array(6000));
  world.tick();
  world.tick();
  world.stopRecording();
  return readChunks(new Uint8Array(Buffer.concat(pieces)));
}

/** The recording with other ticks of its chunks from that one on. */
function forged(from: number, more: number): Uint8Array {
  const chunks = chunksOf().map((chunk, i) => (i < from ? chunk : { ...chunk, tick: chunk.tick + more }));
  return new Uint8Array(Buffer.concat([recordingHeader(), ...chunks.map(chunkBytes)]));
}

const badTrace = expect.objectContaining({ code: 'BAD_TRACE' });

test('the recording as it is', () => {
  expect(
    chunksOf()
      .map(({ tag, tick }) => `${tag} ${tick}`)
      .join(),
  ).toBe('SNAP 0,CALL 2,SNAP 2,CALL 3,ENDS 3');
  const replay = new Replay(forged(0, 0));
  while (replay.step() !== undefined);
  for (const tick of [3, 2, 1, 0, 3]) replay.seek(tick);
  expect(replay).toMatchObject({ tick: 3, lastTick: 3, difference: undefined });
});

test.each([
  [4, 1],
  [4, 2 ** 50],
  [3, 5],
  [2, 1],
  [1, 1],
])('ticks of chunks from %i on that are %i too high end a replay with an error', (from, more) => {
  const played = new Replay(forged(from, more));
  const playAll = () => {
    while (played.step() !== undefined);
  };
  expect(playAll).toThrow(badTrace);
  const sought = new Replay(forged(from, more));
  expect(() => sought.seek(sought.lastTick)).toThrow(badTrace);
  expect(() => sought.seek(sought.lastTick)).toThrow(badTrace);
});

test('a first snapshot of another tick is no recording', () => {
  expect(() => new Replay(forged(0, 7))).toThrow(badTrace);
});
