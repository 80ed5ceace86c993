// Example of: UmweltClient, ClientOptions, ClientEvents, ClientState, MirrorEvents, LeaveReason, Entity, EntityChanges, Welcome
import { setTimeout } from 'node:timers/promises';
import {
  type ClientEvents,
  type ClientOptions,
  type ClientState,
  type Entity,
  type EntityChanges,
  type LeaveReason,
  type MirrorEvents,
  UmweltClient,
  type Welcome,
} from '@umwelt/client';
import { Gateway, InProcessTransport } from '@umwelt/gateway';
import { World } from 'umwelt';

// The server, in the same process for this example.
const world = new World();
const gateway = new Gateway(world, {
  tickMs: 50,
  appearance: { positionStep: 0.01, fields: { health: { type: 'uint' } } },
  authenticate: ({ credential }) => ({ watcher: world.add({ x: 0, y: 0, range: 30 }), data: credential }),
});
const transport = new InProcessTransport();
await gateway.listen(transport);

// In a page: new UmweltClient({ url: 'wss://play.example/', credential: () => ticket }).
const options: ClientOptions = { url: '/', credential: () => 'Ada', openSocket: transport.openSocket };
const client = new UmweltClient(options);
const log: string[] = [];
const events: Pick<ClientEvents, 'state'> & Pick<MirrorEvents, 'enter' | 'update' | 'leave'> = {
  state: (state: ClientState) => log.push(state),
  enter: (entity: Entity) => log.push(`enter at ${entity.x}`),
  update: (_entity: Entity, changes: EntityChanges) => log.push(`update ${changes.fields.join()}`),
  leave: (_entity: Entity, reason: LeaveReason) => log.push(`leave: ${reason}`),
};
client.on('state', events.state);
client.connect();
async function tick(): Promise<void> {
  gateway.publish(world.tick());
  for (let round = 0; round < 3; round++) {
    transport.deliver();
    await setTimeout(1);
  }
}
await tick();
await tick();
const welcome: Welcome | undefined = client.welcome;
console.log(welcome?.tickMs, welcome?.dimensions, client.own?.x); // 50 2 0

client.on('enter', events.enter);
client.on('update', events.update);
client.on('leave', events.leave);
const wolf = world.add({ x: 3, y: 4 });
await tick();
gateway.set(wolf, { health: 7 });
await tick();
world.move(wolf, 300, 0);
await tick();
console.log(log.join('; ')); // connecting; open; enter at 3; update health; leave: out of range

client.interpolate(); // sets `shown` of each entity: call it before drawing
client.close();
console.log(client.state); // closed
await gateway.drain();
