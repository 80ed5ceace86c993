/**
 * Both modes against the real thing: a Colyseus server, and clients of its SDK over the loopback.
 *
 * What the clients have must be what the world says their watchers relate to, at every sampled tick: while many come and go,
 * are removed, drop, and come back.
 */
import { Client } from '@colyseus/sdk';
import { Random } from '@umwelt/scenarios';
import type { EntityId } from 'umwelt';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import {
  expectEqual,
  firstIn,
  heard,
  type Mode,
  nextIn,
  reach,
  type ServerRoom,
  times,
} from './room-players.ts';
import { cut, openStage, type Stage } from './room-stage.ts';

let stage: Stage;
let sdk: Client;
/** What the SDK and the schema decoder had to say; they complain by the console. */
const complaints: string[] = [];

beforeAll(async () => {
  stage = await openStage();
  sdk = new Client(`http://127.0.0.1:${stage.port}`);
  vi.spyOn(console, 'info').mockImplementation(() => {});
  vi.spyOn(console, 'warn').mockImplementation((...words) => void complaints.push(words.join(' ')));
});

afterAll(async () => {
  await stage.close();
  vi.restoreAllMocks();
});

/** Moves everyone, a few of them far; some come, some are removed. */
function stir(server: ServerRoom, random: Random): void {
  for (const id of [...server.crowd, ...server.players.values()]) {
    const [x = 0, y = 0] = server.world.position(id);
    const isFar = random.below(40) === 0;
    const step = isFar ? 120 : 4;
    const to = (at: number): number => Math.max(-60, Math.min(100, at + (random.unit() - 0.5) * step));
    server.move(id, to(x), to(y));
  }
  for (let count = random.below(4); count > 0; count--) {
    server.crowd.push(server.put({ x: random.unit() * 160 - 60, y: random.unit() * 160 - 60 }));
  }
  for (let count = random.below(4); count > 0 && server.crowd.length > 100; count--) {
    const [id] = server.crowd.splice(random.below(server.crowd.length), 1);
    server.take(id as EntityId);
  }
}

describe.each<Mode>(['frames', 'view'])("in mode '%s'", (mode) => {
  test('every mirror is the view, at every tick, while many come, go, drop and come back', async () => {
    const random = new Random(7);
    const { server, player } = await firstIn(stage, sdk, mode);
    const players = [player, await nextIn(sdk, server), await nextIn(sdk, server)];
    for (let i = 0; i < 120; i++) stir(server, random);
    await reach(server, players);
    let largest = 0;
    for (let round = 0; round < 12; round++) {
      for (let tick = 0; tick < 5; tick++) {
        stir(server, random);
        server.step();
        await heard(server, players);
        for (const one of players) expectEqual(server, one);
        largest = Math.max(largest, players[0]!.had().split('\n').length);
      }
      const dropped = players[round % 3]!;
      cut(server, dropped.room.sessionId);
      await vi.waitFor(() => expect(times(server, 'drop')).toBe(round + 1), { interval: 1 });
      for (let tick = 0; tick < 3; tick++) {
        stir(server, random);
        server.step();
      }
      expect(times(server, 'reconnect')).toBe(round);
      await reach(server, players);
      for (const one of players) expectEqual(server, one);
    }
    expect(largest).toBeGreaterThan(10);
    expect(times(server, 'reconnect')).toBe(12);
    expect(complaints).toEqual([]);
    for (const { room } of players) await room.leave();
  });
});
