/** What `perceive` reports of a room that does not speak its messages; with a real Colyseus server and a client of its SDK. */
import { Client } from '@colyseus/sdk';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { perceive } from '../src/client.ts';
import { openStage, type Stage } from './room-stage.ts';

const NO_FRAMES =
  "the room closed the connection with an error before it answered this client's first message; expected a room with a RoomInterest in mode 'frames'";

let stage: Stage;
let sdk: Client;

beforeAll(async () => {
  stage = await openStage();
  sdk = new Client(`http://127.0.0.1:${stage.port}`);
  for (const name of ['info', 'warn', 'error'] as const) vi.spyOn(console, name).mockImplementation(() => {});
});

afterAll(async () => {
  await stage.close();
  vi.restoreAllMocks();
});

test("a client of a room in mode 'view' is told that the room needs mode 'frames'", async () => {
  const onError = vi.fn();
  const client = perceive(await sdk.create('view', { lurk: true }), { onError });
  client.connect();
  await vi.waitFor(() => expect(onError).toHaveBeenCalledTimes(1));
  expect(onError).toHaveBeenCalledWith(new Error(NO_FRAMES));
  expect(client.state).toBe('closed');
});

test("a client that must leave a room in mode 'frames' is not told so", async () => {
  const onError = vi.fn();
  const room = await sdk.create('frames');
  const client = perceive(room, { onError });
  client.connect();
  await vi.waitFor(() => expect(client.state).toBe('open'));
  room.send('no such message');
  await vi.waitFor(() => expect(client.state).toBe('closed'));
  expect(onError).not.toHaveBeenCalled();
});
