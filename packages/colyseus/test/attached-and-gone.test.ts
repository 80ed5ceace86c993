/** Attachments, and why those left that did, in a real Colyseus room of either mode. */
import { Client } from '@colyseus/sdk';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { expectEqual, firstIn, heard, nextIn, reach } from './room-players.ts';
import { openStage, type Stage, type ViewRoom } from './room-stage.ts';

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

test("in mode 'frames' a client knows from whom each hangs, and who of those that left is gone", async () => {
  const { server, player } = await firstIn(stage, sdk, 'frames');
  // The child has the lower slot.
  const [rider, horse, hare] = [1, 2, 3].map((x) => server.put({ x, y: 0 }));
  server.world.attach(rider!, horse!);
  const entered: number[] = [];
  const left: string[] = [];
  player.client?.on('enter', ({ id }) => entered.push(id));
  player.client?.on('leave', ({ id }, reason) => left.push(`${id} ${reason}`));
  await reach(server, [player]);
  expect(entered.filter((id) => id === rider || id === horse)).toEqual([horse, rider]);
  expect(player.client?.entities.get(rider!)?.parent?.id).toBe(horse);
  server.take(horse!);
  server.move(hare!, 500, 0);
  server.step();
  await heard(server, [player]);
  expect(left).toEqual([`${hare} out of range`, `${horse} gone`]);
  expect(player.client?.entities.get(rider!)?.parent).toBeUndefined();
  await player.room.leave();
});

test("in mode 'frames' a client hears of places that it perceives, and is told a band's fields of those within it", async () => {
  const { server, player } = await firstIn(stage, sdk, 'frames');
  const watcher = server.players.get(player.room.sessionId)!;
  const [x = 0] = server.world.position(watcher);
  const [near, far] = [5, 25].map((away) => server.put({ x: x + away, y: 0 })) as [number, number];
  for (const id of [near, far]) server.interest.gateway.set(id, { name: 'hare', mood: 3 });
  const places: string[] = [];
  player.client?.on('messageAt', (place, bytes) => places.push(`${place.x - x} ${[...bytes]}`));
  await reach(server, [player]);
  server.interest.broadcastAt({ x: x + 8, y: 0 }, Uint8Array.of(7));
  server.interest.broadcastAt({ x: x + 900, y: 0 }, Uint8Array.of(8));
  server.step();
  await heard(server, [player]);
  expect(places).toEqual(['8 7']);
  const moodOf = (id: number) => player.client?.entities.get(id)?.fields;
  expect([moodOf(near), moodOf(far)]).toEqual([{ name: 'hare', mood: 3 }, { name: 'hare' }]);
  await player.room.leave();
});

test("in mode 'view' a child is in the view whenever its parent is, and goes where that goes", async () => {
  const { server, player } = await firstIn(stage, sdk, 'view');
  const [rider, horse] = [5, 10].map((x) => server.put({ x, y: 0 }));
  server.world.attach(rider!, horse!);
  await reach(server, [player]);
  expect([player.has(rider!), player.has(horse!)]).toEqual([true, true]);
  // The child alone would be within range.
  server.world.attach(rider!, horse!, { x: -200 });
  server.move(horse!, 200, 0);
  server.step();
  await heard(server, [player]);
  expect([player.has(rider!), player.has(horse!)]).toEqual([false, false]);
  await player.room.leave();
});

test("in mode 'view' the game is told whom a client ceases to see, and whether that is gone", async () => {
  const { server, player } = await firstIn(stage, sdk, 'view');
  const other = await nextIn(sdk, server, { x: 300 });
  const [wolf, hare] = [1, 2].map((x) => server.put({ x, y: 0 }));
  await reach(server, [player, other]);
  server.hidden.length = 0;
  server.take(wolf!);
  server.move(hare!, 290, 0);
  server.step();
  await heard(server, [player, other]);
  const { sessionId } = player.room;
  expect(server.hidden).toEqual([`${sessionId} ${wolf} gone`, `${sessionId} ${hare} out of range`]);
  expectEqual(server, player);
  // Of a tick that was left out, too; and one that the game releases is no news to it.
  server.hidden.length = 0;
  server.take(hare!);
  server.world.tick();
  server.step();
  expect(server.hidden).toEqual([`${other.room.sessionId} ${hare} gone`]);
  const again = server.put({ x: 1, y: 0 });
  server.step();
  server.hidden.length = 0;
  server.interest.release(again);
  server.step();
  expect(server.hidden).toEqual([]);
  for (const { room } of [player, other]) await room.leave();
});

test("in mode 'view' the game is told what a client ceases to see because its watcher was removed", async () => {
  const { server, player } = await firstIn(stage, sdk, 'view');
  const body = server.players.get(player.room.sessionId)!;
  const [wolf, hare] = [1, 2].map((x) => server.put({ x, y: 0 }));
  await reach(server, [player]);
  server.hidden.length = 0;
  for (const id of [body, hare!]) server.take(id);
  server.step();
  await heard(server, [player]);
  const { sessionId } = player.room;
  const expected = [
    `${sessionId} ${body} gone`,
    `${sessionId} ${wolf} out of range`,
    `${sessionId} ${hare} gone`,
  ];
  expect(server.hidden.toSorted()).toEqual(expected.toSorted());
  expect([player.has(body), player.has(wolf!), player.has(hare!)]).toEqual([false, false, false]);
  await player.room.leave();
});

test("in mode 'view' what teleports within sight stays, and no one is told that it is hidden", async () => {
  const { server, player } = await firstIn(stage, sdk, 'view');
  const watcher = server.players.get(player.room.sessionId)!;
  const [x = 0, y = 0] = server.world.position(watcher);
  const [wizard, wolf] = [1, 2].map((away) => server.put({ x: x + away, y }));
  await reach(server, [player]);
  server.hidden.length = 0;
  server.world.move(wizard!, x + 5, y, 0, { teleport: true });
  server.world.move(wolf!, x + 500, y, 0, { teleport: true });
  server.step();
  expect(server.world.lastChanges.of(watcher)?.left).toContain(wizard);
  await heard(server, [player]);
  expect(server.hidden).toEqual([`${player.room.sessionId} ${wolf} out of range`]);
  expect([player.has(wizard!), player.has(wolf!)]).toEqual([true, false]);
  await player.room.leave();
});

test("what onHide throws in mode 'view', publish throws when all are told", async () => {
  const { server, player } = await firstIn(stage, sdk, 'view');
  const room = server as ViewRoom;
  const ids = [1, 2].map((x) => server.put({ x, y: 0 }));
  await reach(server, [player]);
  vi.spyOn(room.hidden, 'push').mockImplementationOnce(() => {
    throw new Error('of the game');
  });
  for (const id of ids) server.take(id);
  expect(() => server.step()).toThrow('of the game');
  expect(room.hidden).toEqual([`${player.room.sessionId} ${ids[1]} gone`]);
  server.step();
  await heard(server, [player]);
  expectEqual(server, player);
  await player.room.leave();
});
