/**
 * What a user's script does with the packed gateway and client: a player joins over a socket, receives what it perceives,
 * steers, and both sides end.
 */
import { UmweltClient } from '@umwelt/client';
import { Gateway, WebSocketTransport } from '@umwelt/gateway';
import { World } from 'umwelt';

const world = new World();
for (let index = 0; index < 100; index++) world.add({ x: index, y: 0 });
const steered: string[] = [];
const gateway = new Gateway(world, {
  tickMs: 50,
  appearance: { positionStep: 0.01, fields: { name: { type: 'string', max: 32 } } },
  authenticate: ({ credential }) => {
    if (credential !== 'ticket') return undefined;
    const watcher = world.add({ x: 49.5, y: 0, range: 10 });
    gateway.set(watcher, { name: 'player' });
    return { watcher, data: credential };
  },
  onInput: (_, payload) => steered.push(new TextDecoder().decode(payload)),
});
const transport = new WebSocketTransport({ port: 0, host: '127.0.0.1' });
await gateway.listen(transport);
const ticking = setInterval(() => gateway.publish(world.tick()), 10);

const client = new UmweltClient({ url: `ws://127.0.0.1:${transport.port}/`, credential: () => 'ticket' });
client.connect();
await until(() => client.entities.size === 21);
client.sendInput(new TextEncoder().encode('north'));
await until(() => steered.length > 0);
console.log(JSON.stringify({ seen: client.entities.size, own: client.own?.fields, steered }));
client.close();
await gateway.drain();
clearInterval(ticking);

async function until(holds: () => boolean): Promise<void> {
  for (let looks = 0; !holds(); looks++) {
    if (looks > 1000) throw new Error('it did not come about in a thousand looks');
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
