// Example of: joinWorld, JoinOptions, ClusterNode, ClusterMember, NodeEntity, NodeEntities, Fields, FieldValue, memoryLog, MemoryLogOptions
import {
  type ClusterMember,
  type ClusterNode,
  type Fields,
  type FieldValue,
  type JoinOptions,
  joinWorld,
  type MemoryLogOptions,
  memoryLog,
  type NodeEntities,
  type NodeEntity,
} from '@umwelt/cluster';

// Both nodes in one process. In processes of their own they share natsLog({ servers, world }).
const bounded: MemoryLogOptions = { maxBytes: 16 << 20 };
const log = memoryLog(bounded);
const options: JoinOptions = { log, world: { senses: ['sight'] }, tickMs: 10 };
const first: ClusterNode = await joinWorld({ ...options, name: 'first' });
const second: ClusterNode = await joinWorld({ ...options, name: 'second' });

const title: FieldValue = 'Ada';
const fields: Fields = { name: title, level: 3 };
const hero: NodeEntity = { x: 0, y: 0, range: 10, key: 'ada', fields };
const id = await first.add(hero);
const trees: NodeEntities = { x: [3, 50], y: [4, 0] };
await first.addMany(trees);

// The other node hears of the hero a few milliseconds later. It shows what the hero perceives; the first one still owns it.
while (second.find('ada') === undefined) await new Promise((resolve) => setTimeout(resolve, 5));
await second.show(id);
const owner: ClusterMember | undefined = second.ownerOf(id);
console.log(owner?.name, second.showerOf(id)?.name); // first second
console.log(second.find('ada') === id, second.world.visibleTo(id).length); // true 1
console.log(second.fieldsOf(id).name); // Ada

await second.leave();
await first.leave();
