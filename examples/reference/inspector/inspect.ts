// Example of: inspect, InspectOptions, Inspector, SharedWorld
import { type InspectOptions, type Inspector, inspect, type SharedWorld } from '@umwelt/inspector';
import { World } from 'umwelt';

const world = new World();
const wolf = world.add({ x: 0, y: 0, range: 20 });

// One line in a server of yours, which ticks its world as usual. Port 0 takes a free one.
const options: InspectOptions = { port: 0, nameOf: (id) => (id === wolf ? 'the wolf' : `id ${id}`) };
const inspector: Inspector = await inspect(world, options);
world.tick();
console.log(inspector.url.startsWith('http://'), inspector.clientCount); // true 0
console.log((await fetch(inspector.url)).status); // 200
await inspector.close();

// A member of a cluster is given as it is: await inspect(node). Colours then say who owns and who shows an entity.
const member: SharedWorld = {
  world,
  name: 'first',
  ownerOf: () => ({ name: 'first' }),
  showerOf: () => undefined,
};
await (await inspect(member, { port: 0 })).close();
