// Example of: World, WorldOptions, EntityId, EntityInit, EntityPatch
import { type EntityId, type EntityInit, type EntityPatch, World, type WorldOptions } from 'umwelt';

const options: WorldOptions = { senses: ['sight', 'hearing'], debug: true };
const world = new World(options);

const guard: EntityInit = { x: 0, y: 0, range: { sight: 40, hearing: 15 } };
const watcher: EntityId = world.add(guard);
const thief: EntityId = world.add({ x: 30, y: 0 });
console.log(world.tick().of(watcher)?.entered.length); // 1

const cloak: EntityPatch = { gain: { sight: 0 } };
world.update(thief, cloak);
console.log(world.tick().of(watcher)?.left.length); // 1
world.move(thief, 10, 0);
world.tick();
console.log(world.senses(watcher, thief)); // 2

world.remove(thief);
world.tick();
console.log(world.size); // 1
await world.dispose();
