/**
 * Players that drop and come back while others join and bodies are removed: what each then has is what its own model says, never
 * what the view of somebody else holds; with a real Colyseus server and clients of its SDK.
 */
import { Client } from '@colyseus/sdk';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { expectEqual, firstIn, heard, type Mode, nextIn, type Player, reach, times } from './room-players.ts';
import { cut, openStage, type Stage } from './room-stage.ts';

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

const SLOW_MS = 400;

function comesBackLate(player: Player): void {
  player.room.reconnection.minDelay = SLOW_MS;
  player.room.reconnection.delay = SLOW_MS;
}

describe.each<Mode>(['frames', 'view'])("in mode '%s'", (mode) => {
  test('one whose body was removed while it was away does not see what a newcomer sees', async () => {
    const { server, player: stayer } = await firstIn(stage, sdk, mode);
    const returner = await nextIn(sdk, server);
    const returnerId = server.players.get(returner.room.sessionId)!;
    await reach(server, [stayer, returner]);
    comesBackLate(returner);
    cut(server, returner.room.sessionId);
    await vi.waitFor(() => expect(times(server, 'drop')).toBe(1), { interval: 1 });
    server.players.delete(returner.room.sessionId);
    server.take(returnerId);
    server.step();
    const newcomer = await nextIn(sdk, server, { x: 500 });
    for (let i = 0; i < 20; i++) server.put({ x: 500 + i, y: 3 });
    await reach(server, [stayer, newcomer]);
    expect(newcomer.had().split('\n')).toHaveLength(21);
    await vi.waitFor(() => expect(times(server, 'reconnect')).toBe(1));
    await reach(server, [stayer, newcomer]);
    server.put({ x: 501, y: 1 });
    await reach(server, [stayer, newcomer]);
    await heard(server, [returner]);
    expect(returner.had()).toBe('');

    const body = server.put({ x: 3, y: 0, range: 5 });
    server.players.set(returner.room.sessionId, body);
    server.interest.follow(server.clients.get(returner.room.sessionId)!, body);
    await reach(server, [stayer, newcomer, returner]);
    for (const one of [stayer, newcomer, returner]) expectEqual(server, one);
  });

  test('one whose body died while it was away may be given another before it is back', async () => {
    const { server, player: stayer } = await firstIn(stage, sdk, mode);
    const returner = await nextIn(sdk, server);
    const { sessionId } = returner.room;
    await reach(server, [stayer, returner]);
    // As a game has it, from when the player joined.
    const client = server.clients.get(sessionId)!;
    for (let drops = 1; drops <= 3; drops++) {
      comesBackLate(returner);
      cut(server, sessionId);
      await vi.waitFor(() => expect(times(server, 'drop')).toBe(drops), { interval: 1 });
      server.take(server.players.get(sessionId)!);
      server.step();
      const body = server.put({ x: 1000 * drops, y: 0, range: 10 });
      server.put({ x: 1000 * drops + 5, y: 0 });
      server.players.set(sessionId, body);
      server.interest.follow(client, body);
      server.step();
      expect(times(server, 'reconnect')).toBe(drops - 1);
      await vi.waitFor(() => expect(times(server, 'reconnect')).toBe(drops));
      await reach(server, [stayer, returner]);
      expect(returner.had().split('\n')).toHaveLength(2);
      for (const one of [stayer, returner]) expectEqual(server, one);
    }
  });

  test('one that has left may not follow anything', async () => {
    const { server, player } = await firstIn(stage, sdk, mode);
    const leaver = await nextIn(sdk, server);
    await reach(server, [player, leaver]);
    const client = server.clients.get(leaver.room.sessionId)!;
    await leaver.room.leave();
    await vi.waitFor(() => expect(times(server, 'leave')).toBe(1));
    const body = server.put({ x: 0, y: 0, range: 10 });
    expect(() => server.interest.follow(client, body)).toThrow('allowed to come back');
    server.step();
    expect(() => server.interest.follow(client, body)).toThrow('allowed to come back');
  });
});

describe("in mode 'view'", () => {
  test('what the game put into a view is there when the player is back, its body removed or not', async () => {
    const { server, player } = await firstIn(stage, sdk, 'view');
    const { sessionId } = player.room;
    await reach(server, [player]);
    const flag = server.put({ x: 900, y: 900 });
    server.clients.get(sessionId)!.view!.add(server.units.get(flag)!);
    await reach(server, [player]);
    comesBackLate(player);
    cut(server, sessionId);
    await vi.waitFor(() => expect(times(server, 'drop')).toBe(1), { interval: 1 });
    server.take(server.players.get(sessionId)!);
    server.step();
    await vi.waitFor(() => expect(times(server, 'reconnect')).toBe(1));
    await reach(server, [player]);
    expect(player.had()).toMatch(new RegExp(`^${flag} \\S+ \\S+$`));
  });
});

describe("in mode 'frames'", () => {
  test('one whose hero died while it was away for long is shown what its camera sees, and not the camera', async () => {
    const { server, player } = await firstIn(stage, sdk, 'frames');
    const { sessionId } = player.room;
    const camera = server.put({ x: 500, y: 0, range: 10 });
    const hero = server.put({ x: 500, y: 5 });
    const tree = server.put({ x: 500, y: 9 });
    server.interest.follow(server.clients.get(sessionId)!, camera, hero);
    await reach(server, [player]);
    expect(player.client!.own?.id).toBe(hero);
    comesBackLate(player);
    cut(server, sessionId);
    await vi.waitFor(() => expect(times(server, 'drop')).toBe(1), { interval: 1 });
    server.take(hero);
    server.step();
    server.nowMs += 60_000;
    server.step();
    await vi.waitFor(() => expect(times(server, 'reconnect')).toBe(1));
    await reach(server, [player]);
    expect([...player.client!.entities.keys()]).toEqual([tree]);
    expect(player.client!.own).toBeUndefined();
  });
});
