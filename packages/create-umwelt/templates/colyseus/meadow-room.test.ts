/** `npm test`: the room on a real server, with players that use Colyseus's SDK. */
import assert from 'node:assert/strict';
import type { AddressInfo } from 'node:net';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { matchMaker, Server } from '@colyseus/core';
import { Client, type Room } from '@colyseus/sdk';
import { WebSocketTransport } from '@colyseus/ws-transport';
import type { UmweltClient } from '@umwelt/client';
import { perceive } from '@umwelt/colyseus/client';
import { appearance } from './appearance.ts';
import { MeadowRoom } from './meadow-room.ts';

interface Player {
  readonly room: Room;
  readonly client: UmweltClient<typeof appearance>;
}

const transport = new WebSocketTransport();
const server = new Server({ transport, greet: false, gracefullyShutdown: false });
let rooms: Client;
let meadow: MeadowRoom | undefined;

before(async () => {
  server.define('meadow', MeadowRoom, {
    opened: (room: MeadowRoom) => {
      meadow = room;
    },
  });
  await server.listen(0, '127.0.0.1');
  const { port } = transport.server!.address() as AddressInfo;
  rooms = new Client(`http://127.0.0.1:${port}`);
});

after(() => server.gracefullyShutdown(false));

async function join(name: unknown): Promise<Player> {
  const room = await rooms.joinOrCreate('meadow', { name });
  const client = perceive(room, { appearance });
  client.connect();
  return { room, client };
}

/** The keys that players hold down. They are sent again and again, as the page does. */
const held = new Map<Player, Uint8Array>();

async function until(isSo: () => boolean): Promise<void> {
  const endMs = Date.now() + 30_000;
  while (!isSo()) {
    assert.ok(Date.now() < endMs, 'the condition did not become true in time');
    for (const [{ client }, keys] of held) client.sendInput(keys);
    await sleep(20);
  }
}

const sees = ({ client }: Player, name: string): boolean =>
  [...client.entities.values()].some(({ fields }) => fields.name === name);

test('players meet, hide, part, and are gone when they leave', async () => {
  const [ada, lin] = [await join('Ada'), await join('Lin')];
  await until(() => sees(ada, 'Lin') && sees(lin, 'Ada'));
  const [one, other] = [ada.client.own!, lin.client.own!];
  assert.notDeepEqual([one.x, one.y], [other.x, other.y]);

  // Ada walks off and hides. Lin no longer sees her at a tenth of the range; she still sees Lin.
  held.set(ada, Uint8Array.of(1, 0, 1));
  await until(() => !sees(lin, 'Ada'));
  assert.ok(sees(ada, 'Lin'));

  held.set(ada, Uint8Array.of(1, 0, 0));
  await until(() => sees(lin, 'Ada'));
  await until(() => !sees(lin, 'Ada') && !sees(ada, 'Lin'));

  held.set(ada, Uint8Array.of(-1, 0, 0));
  await until(() => sees(lin, 'Ada'));
  held.delete(ada);
  await ada.room.leave();
  await until(() => !sees(lin, 'Ada'));
  await lin.room.leave();
});

test('a player of whom nothing is heard stops', async () => {
  const eve = await join('Eve');
  const { client } = eve;
  await until(() => client.own !== undefined);
  const startX = client.own!.x;
  held.set(eve, Uint8Array.of(1, 0, 0));
  await until(() => client.own!.x > startX + 3);

  // The connection breaks: the key is still down, and the server hears nothing.
  held.delete(eve);
  let [lastX, stillLooks] = [startX, 0];
  await until(() => {
    stillLooks = client.own!.x === lastX ? stillLooks + 1 : 0;
    lastX = client.own!.x;
    return stillLooks === 30;
  });
  assert.ok(lastX < startX + 30, 'it walked on');
  await eve.room.leave();
});

test('a name that is no text leaves nobody behind', async () => {
  const nobody = await join({ toString: 1 });
  await until(() => nobody.client.own?.fields.name === 'somebody');
  await nobody.room.leave();
  await until(() => meadow!.world.size === 300);
});

test('the meadow stays when the last player has left', async () => {
  const ada = await join('Ada');
  const { roomId } = ada.room;
  await ada.room.leave();
  await sleep(500);
  const rooms = await matchMaker.query({ name: 'meadow' });
  assert.deepEqual(
    rooms.map((room) => room.roomId),
    [roomId],
  );
});
