/**
 * npm run example -- 03-colyseus-room: Colyseus rooms whose clients are sent what they perceive, with a player in each
 *
 * A Colyseus server with two rooms, one for each mode. In each, a client of the SDK walks through a forest of deer, loses its
 * connection, and comes back. Read `view-room.ts` and `frames-room.ts`.
 */
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { Server } from '@colyseus/core';
import { Client } from '@colyseus/sdk';
import { WebSocketTransport } from '@colyseus/ws-transport';
import { FramesRoom } from './frames-room.ts';
import { lookByFrames, lookByState } from './player.ts';
import { ViewRoom } from './view-room.ts';

const LOOK_MS = 400;
const LOOKS = 3;
/** Hides the SDK's messages about its attempts to reconnect. */
console.info = () => {};

const transport = new WebSocketTransport();
const server = new Server({ transport, greet: false });
server.define('view', ViewRoom);
server.define('frames', FramesRoom);
await server.listen(0, '127.0.0.1');
const { port } = transport.server!.address() as AddressInfo;

for (const mode of ['view', 'frames'] as const) {
  const room = await new Client(`http://127.0.0.1:${port}`).joinOrCreate(mode);
  room.reconnection.minUptime = 0; // otherwise the SDK only reconnects connections that are 5 s old
  const sight = mode === 'view' ? lookByState(room) : lookByFrames(room);
  room.send('head', 0.2);
  for (let look = 1; look <= LOOKS; look++) await lookAround(mode, sight);
  const back = new Promise<void>((resolve) => room.onReconnect(() => resolve()));
  room.connection.close(4010); // as the SDK does when the network goes offline
  console.log(`${mode}: lost the connection`);
  await back;
  console.log(`${mode}: is back, and walks on`);
  room.send('head', 1.5);
  for (let look = 1; look <= LOOKS; look++) await lookAround(mode, sight);
  await room.leave();
}
await server.gracefullyShutdown(false);

async function lookAround(mode: string, sight: ReturnType<typeof lookByState>): Promise<void> {
  sight.came = 0;
  sight.went = 0;
  await sleep(LOOK_MS);
  console.log(`${mode}: ${sight.deer.size} deer in sight, ${sight.came} came and ${sight.went} went`);
}
