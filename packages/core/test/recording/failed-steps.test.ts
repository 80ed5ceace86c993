/** What a replay does after a call that it could not repeat: it does not go on from the middle of it. */
import { expect, test } from 'vitest';
import { type Interest, RecordedWorld, Replay } from '../../src/index.ts';

/** Two ticks, an interest with a function, and two more ticks whose reports depend on it. */
function recorded(interest: Interest): Uint8Array {
  const world = new RecordedWorld();
  const pieces: Uint8Array[] = [];
  world.record((piece) => pieces.push(piece));
  world.tick();
  world.tick();
  world.setInterest('few', interest);
  world.addMany({ x: [0, 1, 2], y: [0, 1, 2], range: 5, interest: 'few' });
  world.tick();
  world.move(1025, 1, 1);
  world.tick();
  world.stopRecording();
  return new Uint8Array(Buffer.concat(pieces));
}

test('a call for which a function is missing fails again, and earlier ticks can be sought', () => {
  const replay = new Replay(recorded({ cap: 1, rank: () => 0 }));
  replay.seek(2);
  const missing = expect.objectContaining({ code: 'UNKNOWN_INTEREST' });
  for (let i = 0; i < 3; i++) expect(() => replay.step()).toThrow(missing);
  expect(replay.leadsTo(3)).toBe(false);
  expect(replay).toMatchObject({ tick: 2, difference: undefined });
  for (let i = 0; i < 2; i++) expect(() => replay.seek(4)).toThrow(missing);
  replay.seek(2);
  expect(replay).toMatchObject({ tick: 2, difference: undefined });
});

test('a rule that throws once in a tick ends the replay there, until another seek', () => {
  let isFaulty = false;
  const rank = () => {
    if (isFaulty) throw new Error('a rule that fails');
    return 0;
  };
  const replay = new Replay(recorded({ cap: 1, rank }), {
    interests: { few: { rank } },
    checkpointBytes: 1 << 20,
  });
  replay.seek(2);
  replay.keep();
  isFaulty = true;
  expect(() => replay.step()).toThrow('a rule that fails');
  isFaulty = false;
  expect(() => replay.step()).toThrow('a rule that fails');
  expect(replay.keep()).toBe(false);
  for (const tick of [4, 2, 3, 4]) {
    replay.seek(tick);
    expect(replay).toMatchObject({ tick, difference: undefined });
  }
});
