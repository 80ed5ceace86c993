// Example of: ViewGateway
import { joinWorld, memoryLog, type ViewGateway } from '@umwelt/cluster';
import { Gateway } from '@umwelt/gateway';

const node = await joinWorld({ log: memoryLog(), tickMs: 10 });
const gateway = new Gateway(node.world, {
  tickMs: 10,
  appearance: { positionStep: 0.05, fields: { name: { type: 'string' } } },
  authenticate: async ({ credential: name, signal }) => {
    const hero = node.find(name) ?? (await node.add({ x: 0, y: 0, range: 30, key: name, fields: { name } }));
    await node.show(hero, { signal });
    return { watcher: hero };
  },
});

// Published with each tick; fields and messages of the log go to its clients. A gateway of your own fits, too.
const shown: ViewGateway = gateway;
const detach = node.attach(shown);
console.log(gateway.status().ready); // true
detach();
await gateway.drain();
await node.leave();
