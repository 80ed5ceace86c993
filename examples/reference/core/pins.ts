// Example of: PinOptions
import { type PinOptions, World } from 'umwelt';

const world = new World();
const player = world.add({ x: 0, y: 0, range: 10 });
const quest = world.add({ x: 80, y: 0 });

const marked: PinOptions = { within: 100, everyTicks: 5 };
world.pin(player, quest, 'quest', marked);
world.tick();
console.log(world.related(player, quest)); // true

world.move(quest, 120, 0);
world.tick();
console.log(world.related(player, quest)); // false
world.unpin(player, quest, 'quest');
