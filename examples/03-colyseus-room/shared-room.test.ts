/** Colyseus rooms on two nodes of one world: players in either room perceive those in the other, and can continue there. */
import type { AddressInfo } from 'node:net';
import { Server } from '@colyseus/core';
import { Client } from '@colyseus/sdk';
import { WebSocketTransport } from '@colyseus/ws-transport';
import type { UmweltClient } from '@umwelt/client';
import { type ClusterNode, joinWorld, type Log, memoryLog } from '@umwelt/cluster';
import { RoomInterest } from '@umwelt/colyseus';
import { perceive } from '@umwelt/colyseus/client';
import { afterAll, expect, test, vi } from 'vitest';
import { SharedRoom } from './shared-room.ts';

const ends: (() => unknown)[] = [];
afterAll(async () => {
  for (const end of ends.reverse()) await end();
});

/** A node with the game of the rooms: a player's input is the new position of its hero. */
async function nodeOn(log: Log, name: string): Promise<ClusterNode> {
  const node = await joinWorld({ log, name, tickMs: 20, silenceTicks: 30 });
  node.on('message', (hero, [x = 0, y = 0]) => {
    if (node.owned.has(hero)) node.move(hero, x, y);
  });
  ends.push(() => node.halt());
  return node;
}

const seenBy = (client: UmweltClient) =>
  [...client.entities.values()].map(({ fields, x, y }) => `${fields.name} ${x} ${y}`).sort();

/**
 * Rooms 'first' and 'second' of two nodes. All nodes are in one process with one match maker, so each room has its own name;
 * separate processes would share a name.
 */
async function serve(first: ClusterNode, second: ClusterNode) {
  const transport = new WebSocketTransport();
  const server = new Server({ transport, greet: false, gracefullyShutdown: false });
  server.define('first', SharedRoom, { node: first });
  server.define('second', SharedRoom, { node: second });
  await server.listen(0, '127.0.0.1');
  ends.push(() => server.gracefullyShutdown(false));
  const { port } = transport.server!.address() as AddressInfo;
  const play = async (room: string, name: string) => {
    const joined = await new Client(`http://127.0.0.1:${port}`).joinOrCreate(room, { name });
    joined.reconnection.enabled = false;
    const client = perceive(joined);
    client.connect();
    return { client, joined };
  };
  /** The connection of a player whose client does nothing else. */
  const knock = async (room: string, name: string) => {
    const seat = await fetch(`http://127.0.0.1:${port}/matchmake/joinOrCreate/${room}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ name }),
    });
    const { processId, roomId, sessionId } = (await seat.json()) as Record<string, string>;
    return new WebSocket(`ws://127.0.0.1:${port}/${processId}/${roomId}?sessionId=${sessionId}`);
  };
  return { knock, play };
}

test('players in rooms of two nodes perceive each other, and one whose node died goes on in the other room', async () => {
  const log = memoryLog();
  const [first, second] = [await nodeOn(log, 'first'), await nodeOn(log, 'second')];
  const { play } = await serve(first, second);

  const ada = await play('first', 'Ada');
  const ben = await play('second', 'Ben');
  const both = ['Ada 0 0', 'Ben 0 0'];
  await expect.poll(() => [seenBy(ada.client), seenBy(ben.client)]).toEqual([both, both]);
  const hero = ada.client.own?.id;
  ada.client.sendInput(Uint8Array.of(3, 4));
  await expect.poll(() => seenBy(ben.client)).toEqual(['Ada 3 4', 'Ben 0 0']);
  expect(first.showerOf(hero!)?.name).toBe('first');

  // The same player in the other room: that room's node now shows the hero, and the first room releases the client.
  let hasLeft = false;
  ada.joined.onLeave(() => {
    hasLeft = true;
  });
  const again = await play('second', 'Ada');
  await expect.poll(() => seenBy(again.client)).toEqual(['Ada 3 4', 'Ben 0 0']);
  await expect.poll(() => hasLeft).toBe(true);
  expect(again.client.own?.id).toBe(hero);
  expect(second.self?.refused).toBe(0);

  // The same player in the same room, as with a second tab: the first one leaves, and takes nothing from the second.
  const left = new Promise((resolve) => again.joined.onLeave(resolve));
  const tab = await play('second', 'Ada');
  await left;
  await expect.poll(() => seenBy(tab.client)).toEqual(['Ada 3 4', 'Ben 0 0']);
  const from = tab.client.tick;
  await expect.poll(() => tab.client.tick).toBeGreaterThan(from + 10);
  expect([tab.client.state, second.showerOf(hero!)?.name]).toEqual(['open', 'second']);

  first.halt();
  await expect.poll(() => second.owned.has(hero!)).toBe(true);
  tab.client.sendInput(Uint8Array.of(5, 6));
  await expect.poll(() => seenBy(ben.client)).toEqual(['Ada 5 6', 'Ben 0 0']);
});

test('a player who gave up a room whose node was cut off stays in the other room when that node is back', async () => {
  const log = memoryLog();
  let mend = () => {};
  let mended: Promise<void> | undefined;
  const far: Log = {
    append: async (bytes) => {
      const copy = bytes.slice();
      await mended;
      return log.append(copy);
    },
    follow: (from, take, lost) => log.follow(from, take, lost),
    read: (position) => log.read(position),
    ask: (bytes) => log.ask(bytes),
    answer: (how) => log.answer(how),
  };
  // Longer than the cut: the others do not take it for gone.
  const first = await joinWorld({ log: far, name: 'first', tickMs: 20, silenceTicks: 1000 });
  ends.push(() => first.halt());
  const second = await nodeOn(log, 'second');
  const { knock, play } = await serve(first, second);
  const hero = await second.add({ x: 0, y: 0, range: 40, key: 'Eve', fields: { name: 'Eve' } });
  await expect.poll(() => first.world.has(hero)).toBe(true);
  mended = new Promise((resolve) => {
    mend = resolve;
  });
  // One of its records is on its way, so that what is called from now on waits.
  const from = first.world.tickCount;
  await expect.poll(() => first.world.tickCount).toBeGreaterThan(from + 2);
  const asked = vi.spyOn(first, 'show');
  const socket = await knock('first', 'Eve');
  await expect.poll(() => asked.mock.calls.length).toBe(1);
  socket.close();
  const { client, joined } = await play('second', 'Eve');
  await expect.poll(() => client.own?.id).toBe(hero);
  let hasLeft = false;
  joined.onLeave(() => {
    hasLeft = true;
  });
  mend();
  const back = first.world.tickCount;
  await expect.poll(() => first.world.tickCount).toBeGreaterThan(back + 10);
  expect([second.showerOf(hero)?.name, hasLeft]).toEqual(['second', false]);
});

test('a player who gave up a room while the hero was added stays in the other room', async () => {
  const log = memoryLog();
  const [first, second] = [await nodeOn(log, 'first'), await nodeOn(log, 'second')];
  const { knock, play } = await serve(first, second);
  const hero = await second.add({ x: 0, y: 0, range: 40, key: 'Fay', fields: { name: 'Fay' } });
  await expect.poll(() => first.world.has(hero)).toBe(true);
  // As if its own add were in the log, and it heard so only later.
  vi.spyOn(first, 'find').mockReturnValue(undefined);
  const { promise, resolve } = Promise.withResolvers<typeof hero>();
  const added = vi.spyOn(first, 'add').mockReturnValue(promise);
  const asked = vi.spyOn(first, 'show');
  const socket = await knock('first', 'Fay');
  await expect.poll(() => added.mock.calls.length).toBe(1);
  socket.close();
  const { client } = await play('second', 'Fay');
  await expect.poll(() => client.own?.id).toBe(hero);
  resolve(hero);
  await expect.poll(() => asked.mock.calls.length).toBe(1);
  await expect(asked.mock.results[0]?.value).rejects.toThrow(expect.objectContaining({ code: 'NOT_SHOWN' }));
  expect(second.showerOf(hero)?.name).toBe('second');
});

test('a room with a state is of a world of one process', async () => {
  const node = await nodeOn(memoryLog(), 'alone');
  const room = { clients: [], onMessage: () => {}, hasReservedSeat: () => false };
  expect(() => new RoomInterest(room as never, node.world, { mode: 'view' })).toThrow(
    expect.objectContaining({ code: 'UNSUPPORTED' }),
  );
});

test('a log that stands still closes no connection, however many inputs are lost', async () => {
  const log = memoryLog();
  const node = await nodeOn(log, 'first');
  const { client } = await (await serve(node, node)).play('first', 'Ada');
  await expect.poll(() => seenBy(client)).toEqual(['Ada 0 0']);
  const states: string[] = [];
  client.on('state', (state) => states.push(state));
  const append = log.append.bind(log);
  const held: Uint8Array[] = [];
  log.append = (bytes) => {
    held.push(bytes);
    return new Promise(() => {});
  };
  for (const bytes of [60_000, 2]) {
    const fill = () => {
      for (;;) node.send(client.own?.id ?? 0, new Uint8Array(bytes));
    };
    expect(fill).toThrow(expect.objectContaining({ code: 'TOO_MUCH' }));
  }
  const taken = client.inputTaken;
  client.sendInput(Uint8Array.of(3, 4));
  await new Promise((resolve) => setTimeout(resolve, 200));
  log.append = append;
  for (const bytes of held) void append(bytes);
  await expect.poll(() => client.inputTaken).toBeGreaterThan(taken);
  client.sendInput(Uint8Array.of(5, 6));
  await expect.poll(() => seenBy(client)).toEqual(['Ada 5 6']);
  expect(states).toEqual([]);
});
