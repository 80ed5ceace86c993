/**
 * What becomes of clients, entities and instances in both modes: who is kept, who is released, what is refused; with a real Colyseus
 * server and clients of its SDK.
 */
import { StateView } from '@colyseus/schema';
import { Client } from '@colyseus/sdk';
import { Random } from '@umwelt/scenarios';
import { UmweltError, type UmweltErrorCode } from 'umwelt';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { RoomInterest } from '../src/index.ts';
import {
  expectEqual,
  firstIn,
  heard,
  type Mode,
  nextIn,
  type Player,
  reach,
  type ServerRoom,
  times,
} from './room-players.ts';
import { cut, GRACE_MS, openStage, type Stage, Unit } from './room-stage.ts';

let stage: Stage;
let sdk: Client;

beforeAll(async () => {
  stage = await openStage();
  sdk = new Client(`http://127.0.0.1:${stage.port}`);
  vi.spyOn(console, 'info').mockImplementation(() => {});
});

afterEach(() => {
  vi.restoreAllMocks();
  vi.spyOn(console, 'info').mockImplementation(() => {});
});

afterAll(async () => {
  await stage.close();
});

function codeOf(action: () => void): UmweltErrorCode | undefined {
  try {
    action();
    return undefined;
  } catch (error) {
    if (error instanceof UmweltError) return error.code;
    throw error;
  }
}

function clientOf(server: ServerRoom, { room }: Player) {
  const client = server.clients.get(room.sessionId);
  if (client === undefined) throw new Error('the client is not in the room');
  return client;
}

function idOf(server: ServerRoom, { room }: Player): number {
  return server.players.get(room.sessionId)!;
}

async function drop(server: ServerRoom, player: Player): Promise<void> {
  const before = times(server, 'drop');
  cut(server, player.room.sessionId);
  await vi.waitFor(() => expect(times(server, 'drop')).toBe(before + 1), { interval: 1 });
}

describe.each<Mode>(['frames', 'view'])("in mode '%s'", (mode) => {
  test('who dropped is still seen, and who left is not', async () => {
    const { server, player } = await firstIn(stage, sdk, mode);
    const other = await nextIn(sdk, server);
    await reach(server, [player, other]);
    const id = idOf(server, other);
    other.room.reconnection.enabled = false;
    await drop(server, other);
    server.step();
    await heard(server, [player]);
    expect(player.has(id)).toBe(true);
    const third = await nextIn(sdk, server);
    await reach(server, [player, third]);
    const thirdId = idOf(server, third);
    expect(player.has(thirdId)).toBe(true);
    await third.room.leave();
    await vi.waitFor(() => expect(server.events).toContain('leave'));
    server.step();
    await heard(server, [player]);
    expect(player.has(thirdId)).toBe(false);
    expectEqual(server, player);
  });

  test('a client that is back after its grace time is told everything anew', async () => {
    const { server, player } = await firstIn(stage, sdk, mode);
    for (let i = 0; i < 20; i++) server.put({ x: i, y: 5 });
    await reach(server, [player]);
    await drop(server, player);
    server.step();
    server.nowMs += GRACE_MS;
    server.step();
    for (let i = 0; i < 20; i++) server.put({ x: i, y: 6 });
    await vi.waitFor(() => expect(server.events).toContain('reconnect'));
    await reach(server, [player]);
    expect(player.had().split('\n').length).toBe(41);
    expectEqual(server, player);
  });

  test('a client may follow another watcher, and later than it joined', async () => {
    const { server, player } = await firstIn(stage, sdk, mode, { lurk: true });
    const near = server.put({ x: 0, y: 0, range: 10 });
    const far = server.put({ x: 500, y: 0, range: 10 });
    server.put({ x: 1, y: 0 });
    server.put({ x: 501, y: 0 });
    server.step();
    server.players.set(player.room.sessionId, near);
    server.interest.follow(clientOf(server, player), near);
    await reach(server, [player]);
    expectEqual(server, player);
    expect(player.had().split('\n')).toHaveLength(2);
    server.players.set(player.room.sessionId, far);
    server.interest.follow(clientOf(server, player), far);
    server.step();
    await heard(server, [player]);
    expectEqual(server, player);
    expect(player.has(near)).toBe(false);
  });

  test('a watcher that is followed by another client is lost to the first', async () => {
    const { server, player } = await firstIn(stage, sdk, mode);
    const other = await nextIn(sdk, server, { lurk: true });
    await reach(server, [player]);
    const id = idOf(server, player);
    server.interest.follow(clientOf(server, other), id);
    await reach(server, [other]);
    server.players.set(other.room.sessionId, id);
    expectEqual(server, other);
    server.step();
    await heard(server, [other]);
    if (mode === 'view') expect(player.had()).toBe('');
    else expect(player.tick()).toBeLessThan(server.world.tickCount);
  });

  test('a watcher that a client followed before may be another one, and released: the client sees what it follows now', async () => {
    const { server, player } = await firstIn(stage, sdk, mode);
    const other = await nextIn(sdk, server, { lurk: true });
    await reach(server, [player]);
    const former = idOf(server, player);
    const now = server.put({ x: 90, y: 0, range: 10 });
    server.players.set(player.room.sessionId, now);
    server.interest.follow(clientOf(server, player), now);
    server.players.set(other.room.sessionId, former);
    server.interest.follow(clientOf(server, other), former);
    await reach(server, [player, other]);
    for (const one of [player, other]) expectEqual(server, one);
    server.interest.release(former);
    server.move(now, 91, 0);
    server.step();
    await heard(server, [player]);
    expectEqual(server, player);
    expect(player.has(now)).toBe(true);
  });

  test('one whose watcher was removed sees nobody, until it is given another', async () => {
    const { server, player } = await firstIn(stage, sdk, mode);
    server.put({ x: 1, y: 1 });
    await reach(server, [player]);
    server.take(idOf(server, player));
    server.step();
    await heard(server, [player]);
    expect(player.had()).toBe('');
    const id = server.put({ x: 2, y: 2, range: 10 });
    server.players.set(player.room.sessionId, id);
    server.interest.follow(clientOf(server, player), id);
    server.step();
    await heard(server, [player]);
    expectEqual(server, player);
    expect(player.had().split('\n')).toHaveLength(2);
  });

  test('who is released is followed no more, and can be followed again', async () => {
    const { server, player } = await firstIn(stage, sdk, mode);
    const id = idOf(server, player);
    await reach(server, [player]);
    server.interest.release(id);
    server.interest.release(id);
    server.step();
    if (mode === 'view') {
      await heard(server, [player]);
      expect(player.had()).toBe('');
    } else {
      await vi.waitFor(() => expect(player.client?.state).not.toBe('open'));
    }
    server.take(id);
    server.players.set(player.room.sessionId, server.put({ x: 0, y: 0, range: 20 }));
    server.interest.follow(clientOf(server, player), idOf(server, player));
    await reach(server, [player]);
    expectEqual(server, player);
  });

  test('a tick that was left out is made up for', async () => {
    const { server, player } = await firstIn(stage, sdk, mode);
    const doomed = server.put({ x: 3, y: 3 });
    await reach(server, [player]);
    for (let i = 0; i < 5; i++) server.put({ x: i, y: 1 });
    server.take(doomed);
    server.world.tick();
    server.step();
    await heard(server, [player]);
    expect(player.had().split('\n')).toHaveLength(6);
    expectEqual(server, player);
  });

  test('bad use is refused, and changes nothing', async () => {
    const { server, player } = await firstIn(stage, sdk, mode);
    const lurker = await nextIn(sdk, server, { lurk: true });
    await reach(server, [player]);
    const client = clientOf(server, lurker);
    const { interest, world } = server;
    const gone = world.add({ x: 0, y: 0 });
    world.remove(gone);
    const here = world.add({ x: 0, y: 0 });
    expect(codeOf(() => interest.follow(client, gone))).toBe('STALE_ID');
    expect(codeOf(() => interest.follow(client, 77))).toBe('BAD_ID');
    expect(codeOf(() => interest.follow({ sessionId: 'nobody' } as never, here))).toBe('BAD_OPTION');
    expect(codeOf(() => interest.follow(client, here, {} as never))).toBe('BAD_OPTION');
    expect(codeOf(() => interest.track(here, {} as never))).toBe(
      mode === 'view' ? 'BAD_OPTION' : 'UNSUPPORTED',
    );
    expect(codeOf(() => interest.publish(world.lastChanges))).toBe('BAD_OPTION');
    for (const options of [{ mode: 'magic' }, { mode, graceMs: -1 }, { mode, graceMs: Number.NaN }]) {
      expect(codeOf(() => new RoomInterest(server, world, options as never))).toBe('BAD_OPTION');
    }
    world.remove(here);
    server.step();
    await heard(server, [player]);
    expectEqual(server, player);
  });

  test('when it is disposed of clients see nothing more, and nothing else is done', async () => {
    const { server, player } = await firstIn(stage, sdk, mode);
    server.put({ x: 1, y: 1 });
    await reach(server, [player]);
    await server.interest.dispose();
    await server.interest.dispose();
    server.broadcastPatch();
    if (mode === 'view') await vi.waitFor(() => expect(player.had()).toBe(''));
    else await vi.waitFor(() => expect(player.client?.state).toBe('closed'));
    expect(codeOf(() => server.step())).toBe('DISPOSED');
    expect(codeOf(() => server.interest.release(1))).toBe('DISPOSED');
    expect(clientOf(server, player)).toBeDefined();
  });
});

describe("in mode 'frames'", () => {
  test('fields, messages and inputs go through the room', async () => {
    const { server, player } = await firstIn(stage, sdk, 'frames');
    const other = server.put({ x: 1, y: 1 });
    await reach(server, [player]);
    const told: string[] = [];
    player.client?.on('message', ({ id }, bytes) => told.push(`${id} ${[...bytes]}`));
    server.interest.gateway.set(other, { name: 'Zoë' });
    server.interest.gateway.broadcast(other, Uint8Array.of(1, 2, 3));
    server.step();
    await heard(server, [player]);
    expect(player.client?.entities.get(other)?.fields.name).toBe('Zoë');
    expect(told).toEqual([`${other} 1,2,3`]);
    player.client?.sendInput(Uint8Array.of(9, 8));
    await vi.waitFor(() => expect(server.heard).toEqual([`${player.room.sessionId} 9,8`]));
  });

  test('who comes back in time is told the difference, not everything', async () => {
    const { server, player } = await firstIn(stage, sdk, 'frames');
    for (let i = 0; i < 50; i++) server.put({ x: i / 5, y: 1 });
    await reach(server, [player]);
    const entered: number[] = [];
    player.client?.on('enter', ({ id }) => entered.push(id));
    await drop(server, player);
    const late = server.put({ x: 0, y: 2 });
    server.step();
    const [session] = server.interest.gateway.sessions;
    expect(session?.isConnected).toBe(false);
    await reach(server, [player]);
    expect(entered).toEqual([late]);
    expect(player.client?.welcome?.resumed).toBe(true);
    expectEqual(server, player);
  });

  test('a client that closes its line gets no frames, and may come again', async () => {
    const { server, player } = await firstIn(stage, sdk, 'frames');
    await reach(server, [player]);
    player.client?.close();
    await vi.waitFor(async () => expect(await server.interest.gateway.metrics()).toContain('connections 0'));
    server.step();
    player.client?.connect();
    await reach(server, [player]);
    expectEqual(server, player);
  });

  test('nothing is kept of a client that left', async () => {
    const { server, player } = await firstIn(stage, sdk, 'frames');
    const other = await nextIn(sdk, server);
    await reach(server, [player, other]);
    expect(server.interest.gateway.status().clients).toBe(2);
    await other.room.leave();
    await vi.waitFor(() => expect(server.events).toContain('leave'));
    server.step();
    expect(server.interest.gateway.status().clients).toBe(1);
  });

  test('a room has one interest in this mode', async () => {
    const { server } = await firstIn(stage, sdk, 'frames');
    const options = { mode: 'frames', tickMs: 20, appearance: { positionStep: 1 } } as const;
    expect(codeOf(() => new RoomInterest(server, server.world, options))).toBe('BAD_OPTION');
  });

  test('a client of a room that it left is closed', async () => {
    const { server, player } = await firstIn(stage, sdk, 'frames');
    await reach(server, [player]);
    await player.room.leave();
    expect(player.client?.state).toBe('closed');
    player.client?.connect();
    await vi.waitFor(() => expect(player.client?.state).toBe('closed'));
  });

  test.each([
    ['no message of the format', Uint8Array.of(200, 1, 2)],
    ['no bytes at all', { an: 'object' }],
    ['a message beyond what is allowed', new Uint8Array(501).fill(2)],
  ])('who sends %s has to leave the room', async (_what, payload) => {
    const { server, player } = await firstIn(stage, sdk, 'frames');
    const other = await nextIn(sdk, server);
    await reach(server, [player, other]);
    const left = new Promise<number>((resolve) => player.room.onLeave(resolve));
    player.room.send('umwelt', payload);
    expect(await left).toBe(4002);
    server.step();
    await heard(server, [other]);
    expectEqual(server, other);
  });

  test('whatever a client sends, the others see their view', async () => {
    const { server, player } = await firstIn(stage, sdk, 'frames');
    await reach(server, [player]);
    const random = new Random(3);
    const bytes = (): Uint8Array => Uint8Array.from({ length: random.below(30) }, () => random.below(256));
    const payloads = [bytes, () => undefined, () => null, () => random.next(), () => 'x', () => [[{}]]];
    for (let round = 0; round < 15; round++) {
      const { room } = await nextIn(sdk, server, { lurk: round % 2 === 0 });
      for (let count = 0; count < 20; count++) {
        const type = ['umwelt', 'umwelt:open', 'umwelt:close'][random.below(3)]!;
        const payload = payloads[random.below(payloads.length)]!();
        if (room.connection.isOpen) room.send(type, payload);
      }
      server.step();
    }
    await reach(server, [player]);
    expectEqual(server, player);
  });

  test('what comes on a line that is not open is left unread', async () => {
    const { server, player } = await firstIn(stage, sdk, 'frames', { lurk: true });
    player.room.send('umwelt', Uint8Array.of(200));
    player.room.send('umwelt:close', 'nonsense');
    player.room.send('umwelt:open', { more: 'nonsense' });
    player.room.send('umwelt', Uint8Array.of(200));
    const id = server.put({ x: 0, y: 0, range: 5 });
    server.players.set(player.room.sessionId, id);
    await new Promise<number>((resolve) => player.room.ping(resolve));
    server.interest.follow(clientOf(server, player), id);
    await reach(server, [player]);
    expectEqual(server, player);
  });

  test('there is a gateway, and in the other mode there is none', async () => {
    const { server } = await firstIn(stage, sdk, 'view');
    expect(codeOf(() => server.interest.gateway)).toBe('UNSUPPORTED');
  });
});

describe("in mode 'view'", () => {
  test('an instance that is taken out of state and world in one tick is removed from the views', async () => {
    const { server, player } = await firstIn(stage, sdk, 'view');
    const id = server.put({ x: 1, y: 1 });
    await reach(server, [player]);
    const unit = server.units.get(id)!;
    const { view } = clientOf(server, player);
    expect(view?.has(unit)).toBe(true);
    const remove = vi.spyOn(StateView.prototype, 'remove');
    server.take(id);
    server.step();
    expect(remove).toHaveBeenCalledExactlyOnceWith(unit);
    expect(view?.has(unit)).toBe(false);
    await heard(server, [player]);
    expectEqual(server, player);
  });

  test('who joins has its own instance in the first state, before any tick', async () => {
    const room = await sdk.create('view');
    const state = await new Promise<{ units: Map<string, unknown> }>((resolve) =>
      room.onStateChange((next) => resolve(next as never)),
    );
    const server = stage.view(room.roomId);
    expect(server.world.tickCount).toBe(0);
    expect([...state.units.keys()]).toEqual([String(server.players.get(room.sessionId))]);
  });

  test('an instance with two reasons to be seen is seen while there is one', async () => {
    const { server, player } = await firstIn(stage, sdk, 'view', { lurk: true });
    const hero = server.put({ x: 0, y: 0 });
    const camera = server.world.add({ x: 0, y: 0, range: 10, marker: false });
    server.interest.follow(clientOf(server, player), camera, server.units.get(hero)!);
    await reach(server, [player]);
    expect(player.has(hero)).toBe(true);
    server.world.move(camera, 100, 0);
    server.step();
    await heard(server, [player]);
    expect(player.has(hero)).toBe(true);
    server.interest.follow(clientOf(server, player), camera);
    server.step();
    await heard(server, [player]);
    expect(player.had()).toBe('');
  });

  test('an instance that is not in the state yet is an error, after all else, and shown when it is there', async () => {
    const { server, player } = await firstIn(stage, sdk, 'view');
    await reach(server, [player]);
    const early = server.world.add({ x: 1, y: 1 });
    const unit = new Unit().assign({ id: early, x: 1, y: 1 });
    server.interest.track(early, unit);
    const other = server.put({ x: 2, y: 2 });
    expect(codeOf(() => server.step())).toBe('BAD_OPTION');
    server.broadcastPatch();
    await vi.waitFor(() => expect(player.has(other)).toBe(true));
    expect(player.has(early)).toBe(false);
    server.state.units.set(String(early), unit);
    server.step();
    await heard(server, [player]);
    expectEqual(server, player);
  });

  test('an instance is tracked for one entity, and an entity for its newest instance', async () => {
    const { server, player } = await firstIn(stage, sdk, 'view');
    const one = server.put({ x: 1, y: 1 });
    const two = server.put({ x: 2, y: 2 });
    await reach(server, [player]);
    const [first, second] = [server.units.get(one)!, server.units.get(two)!];
    expect(codeOf(() => server.interest.track(one, second))).toBe('BAD_OPTION');
    server.interest.track(one, first);
    server.interest.release(two);
    server.interest.track(one, second);
    server.step();
    const { view } = clientOf(server, player);
    expect([view?.has(first), view?.has(second)]).toEqual([false, true]);
  });

  test('a view of the game own is used, and what the game put there stays', async () => {
    const { server, player } = await firstIn(stage, sdk, 'view', { lurk: true });
    const client = clientOf(server, player);
    client.view = new StateView();
    const secret = server.put({ x: 900, y: 900 });
    client.view.add(server.units.get(secret)!);
    const id = server.put({ x: 0, y: 0, range: 5 });
    server.interest.follow(client, id);
    await reach(server, [player]);
    expect(player.has(secret)).toBe(true);
    expect(player.has(id)).toBe(true);
    client.view = new StateView();
    server.step();
    await heard(server, [player]);
    expect(client.view.has(server.units.get(id)!)).toBe(true);
  });
});
