/** A room that goes on with another world: the interest of the former one is disposed of, and its clients connect again. */
import { Client } from '@colyseus/sdk';
import { World } from 'umwelt';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { RoomInterest } from '../src/index.ts';
import { firstIn, reach } from './room-players.ts';
import { openStage, type Stage } from './room-stage.ts';

let stage: Stage;
let sdk: Client;

beforeAll(async () => {
  stage = await openStage();
  sdk = new Client(`http://127.0.0.1:${stage.port}`);
});

afterAll(() => stage.close());

test('a room has one interest in mode frames at a time, and another one after that', async () => {
  const { server, player } = await firstIn(stage, sdk, 'frames');
  const { room } = player;
  const client = player.client!;
  await reach(server, [player]);
  const world = new World();
  const next = () =>
    new RoomInterest(server, world, { mode: 'frames', tickMs: 20, appearance: { positionStep: 0.25 } });
  expect(next).toThrow("the room has an interest in mode 'frames'; expected one without, or a disposed one");

  const left: string[] = [];
  client.on('leave', ({ id }, reason) => left.push(`${id} ${reason}`));
  await server.interest.dispose();
  await vi.waitFor(() => expect(client.state).toBe('closed'));
  const interest = next();
  const hero = world.add({ x: 7, y: 0, range: 10 });
  interest.follow(server.clients.get(room.sessionId)!, hero);
  client.connect();
  await vi.waitFor(() => {
    interest.publish(world.tick());
    expect(client.own?.x).toBe(7);
  });
  expect([...client.entities.keys()]).toEqual([hero]);
  expect(left).toEqual([`${server.players.get(room.sessionId)} unknown`]);
  await interest.dispose();
});
