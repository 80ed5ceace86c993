/** `npm test`: the game over real sockets, step by step. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { UmweltClient } from '@umwelt/client';
import { InProcessTransport, WebSocketTransport } from '@umwelt/gateway';
import { appearance } from './appearance.ts';
import { Game, TICK_MS } from './game.ts';

type Player = UmweltClient<typeof appearance>;

const game = new Game();
const players: Player[] = [];
let server: Server;

before(async () => {
  server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  await game.gateway.listen(new WebSocketTransport({ server, path: '/play' }));
});

after(async () => {
  for (const player of players) player.close();
  await game.gateway.drain();
  server.close();
});

function join(name: string): Player {
  const { port } = server.address() as AddressInfo;
  const player = new UmweltClient({
    url: `ws://127.0.0.1:${port}/play`,
    credential: () => name,
    appearance,
  });
  players.push(player);
  player.connect();
  return player;
}

/** The keys that players hold down. They are sent with each step, as the page repeats them. */
const held = new Map<Player, Uint8Array>();

/**
 * Steps the game until the condition is true; fails after 600 steps. It steps no faster than the server does: clients acknowledge
 * frames on a timer, and the gateway stops sending to a client that is too many ticks behind.
 */
async function until(isSo: () => boolean): Promise<void> {
  for (let step = 0; !isSo(); step++) {
    assert.ok(step < 600, 'the condition did not become true in time');
    for (const [player, keys] of held) player.sendInput(keys);
    game.step();
    await sleep(TICK_MS);
  }
}

const sees = (player: Player, name: string): boolean =>
  [...player.entities.values()].some(({ fields }) => fields.name === name);

test('players meet, hide, part, and are gone when they leave', async () => {
  const [ada, lin] = [join('Ada'), join('Lin')];
  await until(() => sees(ada, 'Lin') && sees(lin, 'Ada'));
  assert.notDeepEqual([ada.own!.x, ada.own!.y], [lin.own!.x, lin.own!.y]);

  // Ada walks and hides. Lin no longer sees her, at more than a tenth of the range; she still sees Lin.
  held.set(ada, Uint8Array.of(1, 0, 1));
  await until(() => !sees(lin, 'Ada'));
  assert.ok(sees(ada, 'Lin'));

  held.set(ada, Uint8Array.of(1, 0, 0));
  await until(() => sees(lin, 'Ada'));
  await until(() => !sees(lin, 'Ada') && !sees(ada, 'Lin'));

  held.set(ada, Uint8Array.of(-1, 0, 0));
  await until(() => sees(lin, 'Ada'));
  held.delete(ada);
  ada.close();
  // Her entity stays for half a minute, in case she comes back; the test does not wait for that.
  const gone = () => [...game.gateway.sessions].find(({ isConnected }) => !isConnected);
  await until(() => gone() !== undefined);
  gone()?.release();
  await until(() => !sees(lin, 'Ada'));
});

test('a player of whom nothing is heard stops', async () => {
  const eve = join('Eve');
  await until(() => eve.own !== undefined);
  const startX = eve.own!.x;
  held.set(eve, Uint8Array.of(1, 0, 0));
  await until(() => eve.own!.x > startX + 3);

  // The connection breaks: the key is still down, and the server hears nothing.
  held.delete(eve);
  let [lastX, stillSteps] = [startX, 0];
  await until(() => {
    stillSteps = eve.own!.x === lastX ? stillSteps + 1 : 0;
    lastX = eve.own!.x;
    return stillSteps === 10;
  });
  assert.ok(lastX < startX + 30, 'it walked on');
});

test('a second game in the same process moves nothing of the first', async () => {
  const places = () => [...game.world.ids()].map((id) => [...game.world.position(id)]);
  const before = places();
  const second = new Game();
  assert.equal(second.world.size, 300);
  game.step();
  for (const [row, [x = 0, y = 0]] of places().entries())
    assert.ok(Math.hypot(x - before[row]![0]!, y - before[row]![1]!) < 1, 'an entity jumped');
  await second.gateway.drain();
});

test('a player that finds the game full is told to come again', async () => {
  const full = new Game();
  const transport = new InProcessTransport();
  await full.gateway.listen(transport);
  // Format 3, without a token, of tick 0, with the credential 'Ada'.
  const hello = Uint8Array.of(1, 3, 0, 0, 3, 65, 100, 97);
  const codes: number[] = [];
  for (let count = 0; count < 1001; count++) {
    const line = transport.open({
      opened: () => line.send(hello),
      received: () => {},
      closed: (code) => codes.push(code),
    });
  }
  transport.deliver();
  full.step();
  transport.deliver();
  assert.deepEqual(codes, [4003]);
  // With the sheep.
  assert.equal(full.world.size, 1300);
  await full.gateway.drain();
});
