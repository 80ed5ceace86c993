/** What a recording tells of itself beside the calls, and what is made of one that tells nothing, or nonsense. */
import { RecordedWorld, Replay } from 'umwelt';
import { describe, expect, it } from 'vitest';
import { boundsNow, readKinds, readScene, type Scene, SceneWriter } from '../src/replay/recorded-scene.ts';

const scene: Scene = {
  title: 'A stage',
  kinds: ['boss', 'raider'],
  tickSeconds: 0.05,
  bounds: { minX: -1, minY: -2, maxX: 3, maxY: 4, minZ: 0, maxZ: 1 },
};

function recordingOf(play: (world: RecordedWorld) => void): Replay {
  const world = new RecordedWorld();
  const pieces: Uint8Array[] = [];
  world.record((piece) => pieces.push(piece));
  play(world);
  world.stopRecording();
  return new Replay(Buffer.concat(pieces));
}

describe('a scene', () => {
  it('is read as it was written, with the kinds of all who ever came', () => {
    const kindOf = (id: number) => (id >>> 10) % 2;
    const ids: number[] = [];
    const replay = recordingOf((world) => {
      // Of more than a scene, no more than a scene is noted.
      const writer = new SceneWriter(world, { ...scene, secret: 1 } as Scene);
      ids.push(...world.addMany({ x: [0, 1, 2], y: [0, 0, 0] }));
      writer.noteKinds(kindOf);
      world.tick();
      world.remove(ids[0] as number);
      ids.push(world.add({ x: 5, y: 5 }));
      writer.noteKinds(kindOf);
      writer.noteKinds(kindOf);
    });
    expect(readScene(replay)).toEqual(scene);
    expect([...readKinds(replay)]).toEqual(ids.map((id) => [id, kindOf(id)]));
    expect(replay.notes('kinds').length).toBe(2);
  });

  it('is none where none was noted', () => {
    const replay = recordingOf((world) => void world.add({ x: 0, y: 0 }));
    expect(readScene(replay)).toBeUndefined();
    expect(readKinds(replay).size).toBe(0);
  });

  it.each([
    ['not JSON', '{'],
    ['null', 'null'],
    ['without a title', JSON.stringify({ ...scene, title: undefined })],
    ['a title without end', JSON.stringify({ ...scene, title: 'x'.repeat(201) })],
    ['kinds that are no names', JSON.stringify({ ...scene, kinds: [1] })],
    ['more kinds than there may be', JSON.stringify({ ...scene, kinds: new Array(257).fill('x') })],
    ['a clock that stands', JSON.stringify({ ...scene, tickSeconds: 0 })],
    ['a clock that runs wild', JSON.stringify({ ...scene, tickSeconds: 1e300 })],
    ['bounds the wrong way round', JSON.stringify({ ...scene, bounds: { ...scene.bounds, maxX: -9 } })],
    ['bounds without end', JSON.stringify({ ...scene, bounds: { ...scene.bounds, maxX: 1e300 } })],
    ['half a height', JSON.stringify({ ...scene, bounds: { ...scene.bounds, maxZ: undefined } })],
  ])('is none when it is nonsense: %s', (_, text) => {
    const replay = recordingOf((world) => world.note('scene', new TextEncoder().encode(text)));
    expect(readScene(replay)).toBeUndefined();
  });

  it('has no kinds from notes that are not whole', () => {
    const replay = recordingOf((world) => {
      for (const bytes of [
        [],
        [1, 0],
        [1, 0, 0, 0],
        [255, 255, 255, 255, 0],
        [1, 0, 0, 0, 1, 0, 0, 0, 0, 9],
      ]) {
        world.note('kinds', Uint8Array.from(bytes));
      }
    });
    expect(readKinds(replay).size).toBe(0);
  });
});

describe('the bounds of a recording that tells none', () => {
  it('are those of whoever is there, with room around', () => {
    const replay = recordingOf((world) => {
      world.addMany({ x: [0, 100], y: [10, 60] });
      world.tick();
    });
    replay.seek(1);
    expect(boundsNow(replay)).toEqual({ minX: -8, minY: 2, maxX: 108, maxY: 68 });
  });

  it('are there for an empty world too', () => {
    const { minX, maxX, minY, maxY } = boundsNow(recordingOf((world) => void world.tick()));
    expect(minX).toBeLessThan(maxX);
    expect(minY).toBeLessThan(maxY);
    expect(Number.isFinite(minX + maxX + minY + maxY)).toBe(true);
  });
});
