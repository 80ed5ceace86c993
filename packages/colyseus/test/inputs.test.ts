/**
 * What a client of a room in mode 'frames' may say: so many inputs a second for its session, however often it comes anew. What is
 * beyond is dropped and counted; only far beyond does it have to leave.
 */
import { Client } from '@colyseus/sdk';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { firstIn, heard, nextIn, type Player, reach, type ServerRoom, times } from './room-players.ts';
import { cut, type FramesRoom, openStage, type Stage } from './room-stage.ts';

/** The gateway's own, untouched here: inputs a second, and how many seconds save up at once. */
const PER_SECOND = 160;
const SAVED = 6 * PER_SECOND;

let stage: Stage;
let sdk: Client;

beforeAll(async () => {
  stage = await openStage();
  sdk = new Client(`http://127.0.0.1:${stage.port}`);
  vi.spyOn(console, 'info').mockImplementation(() => {});
});

afterAll(async () => {
  await stage.close();
  vi.restoreAllMocks();
});

/** As no honest client does it: past `sendInput`, which paces itself. */
async function say(server: FramesRoom, { room }: Player, count: number): Promise<void> {
  for (let i = 0; i < count; i++) room.send('umwelt', Uint8Array.of(2, 1, 9));
  let isThrough = false;
  server.onMessage('through', () => {
    isThrough = true;
  });
  room.send('through');
  await vi.waitFor(() => expect(isThrough).toBe(true), { interval: 5 });
}

async function comeAnew(server: ServerRoom, player: Player): Promise<void> {
  const before = times(server, 'drop');
  cut(server, player.room.sessionId);
  await vi.waitFor(() => expect(times(server, 'drop')).toBe(before + 1), { interval: 1 });
}

test('a session that comes anew again and again gets in no more inputs than one that stays', async () => {
  const { server, player } = await firstIn(stage, sdk, 'frames');
  await reach(server, [player]);
  for (let round = 0; round < 4; round++) {
    await say(server, player, 1500);
    await comeAnew(server, player);
    await reach(server, [player]);
  }
  expect(server.heard).toHaveLength(SAVED);
  const metrics = await server.interest.gateway.metrics();
  expect(metrics).toContain(`umwelt_gateway_inputs_dropped_total ${4 * 1500 - SAVED}`);
});

test('nor does one that stays away for longer than the grace time', async () => {
  const { server, player } = await firstIn(stage, sdk, 'frames');
  await reach(server, [player]);
  const rounds = 4;
  const awayMs = 1500;
  for (let round = 0; round < rounds; round++) {
    await say(server, player, 1500);
    await comeAnew(server, player);
    server.step();
    server.nowMs += awayMs;
    server.step();
    await reach(server, [player]);
  }
  const seconds = (rounds - 1) * (awayMs / 1000);
  expect(server.heard.length).toBeLessThanOrEqual(SAVED + seconds * PER_SECOND);
});

test('only far beyond has a client to leave, and the others stay', async () => {
  const { server, player } = await firstIn(stage, sdk, 'frames');
  const other = await nextIn(sdk, server);
  await reach(server, [player, other]);
  const left = new Promise<number>((resolve) => player.room.onLeave(resolve));
  for (let i = 0; i < 13_000; i++) player.room.send('umwelt', Uint8Array.of(2, 1, 9));
  expect(await left).toBe(4002);
  expect(server.heard).toHaveLength(SAVED);
  server.step();
  await heard(server, [other]);
});

test('a client that opens lines without end has to leave, and the others stay', async () => {
  const { server, player } = await firstIn(stage, sdk, 'frames');
  const other = await nextIn(sdk, server);
  await reach(server, [player, other]);
  const left = new Promise<number>((resolve) => player.room.onLeave(resolve));
  let answers = 0;
  player.room.onMessage('umwelt:open', () => answers++);
  for (let i = 0; i < 5000; i++) player.room.send('umwelt:open');
  expect(await left).toBe(4002);
  // It had opened one before.
  expect(answers).toBe(99);
  server.step();
  await heard(server, [other]);
});
