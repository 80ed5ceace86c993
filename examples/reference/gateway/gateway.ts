// Example of: Gateway, GatewayOptions, Admission, JoinRequest, Session, LeaveReason, InProcessTransport
import { setTimeout } from 'node:timers/promises';
import { UmweltClient } from '@umwelt/client';
import {
  type Admission,
  Gateway,
  type GatewayOptions,
  InProcessTransport,
  type JoinRequest,
  type LeaveReason,
  type Session,
} from '@umwelt/gateway';
import { World } from 'umwelt';

const world = new World();
const log: string[] = [];
const options: GatewayOptions = {
  tickMs: 50,
  appearance: { positionStep: 0.01, fields: { name: { type: 'string', max: 32 } } },
  authenticate({ credential }: JoinRequest): Admission | undefined {
    if (credential !== 'a ticket') return undefined; // refused
    return { watcher: world.add({ x: 0, y: 0, range: 30 }), data: 'Ada' };
  },
  onJoin: (session: Session) => log.push(`${session.data} joins`),
  onInput: (session: Session, payload) => log.push(`${session.data} sends ${payload.length} bytes`),
  onLeave(session: Session, reason: LeaveReason) {
    log.push(`${session.data} leaves: ${reason}`);
    world.remove(session.watcher);
  },
};
const gateway = new Gateway(world, options);

// A game listens on new WebSocketTransport({ port: 7700 }). This one stays within the process, as for tests.
const transport = new InProcessTransport();
await gateway.listen(transport);
const client = new UmweltClient({ url: '/', credential: () => 'a ticket', openSocket: transport.openSocket });
client.connect();
async function settle(): Promise<void> {
  for (let round = 0; round < 3; round++) {
    transport.deliver();
    await setTimeout(1);
  }
}
await settle();

const wolf = world.add({ x: 3, y: 4 });
gateway.set(wolf, { name: 'wolf' });
gateway.publish(world.tick());
client.sendInput(Uint8Array.of(1, 0));
await settle();
console.log(client.entities.get(wolf)?.fields.name, client.entities.get(wolf)?.x); // wolf 3

for (const session of gateway.sessions) session.release();
await settle();
console.log(log.join('; ')); // Ada joins; Ada sends 2 bytes; Ada leaves: released
await gateway.drain();
