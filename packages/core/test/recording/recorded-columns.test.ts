/** A recording holds what calls used of their columns, which may be longer than that. */
import { expect, test } from 'vitest';
import { RecordedWorld, Replay } from '../../src/index.ts';

test.each([
  ['all ids', 3, undefined],
  ['some ids', 2, undefined],
  ['no ids', 0, undefined],
  ['some places of a list', 2, [2, 0, 1]],
] as const)('a count of %s, with columns that are longer', (_, count, at) => {
  const world = new RecordedWorld();
  const pieces: Uint8Array[] = [];
  world.record((piece) => pieces.push(piece));
  const ids = world.addMany({ x: [0, 1, 2], y: [0, 0, 0], range: 50 });
  const x = Float32Array.of(10, 11, 12, 13, 14);
  const y = [20, 21, 22, 23, 24];
  world.moveMany(ids, x, y, undefined, at, { count });
  world.moveMany(ids, y, x, undefined, at, { count, teleport: true });
  world.tick();
  world.stopRecording();

  const replay = new Replay(new Uint8Array(Buffer.concat(pieces)));
  while (replay.step() !== undefined);
  expect(replay).toMatchObject({ tick: 1, difference: undefined });
  for (const id of ids) expect(replay.world.position(id)).toEqual(world.position(id));
});
