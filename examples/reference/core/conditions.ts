// Example of: MarkerConditions
import { type MarkerConditions, World } from 'umwelt';

const world = new World({ groups: ['party'] });
const owner = world.add({ x: 0, y: 0, range: 30, group: { party: 7 } });
const other = world.add({ x: 0, y: 5, range: 30 });
const loot = world.add({ x: 5, y: 0, only: owner });
world.tick();
console.log(world.related(owner, loot), world.related(other, loot)); // true false

const conditions: MarkerConditions = world.conditions(loot);
console.log(conditions.only === owner, conditions.needs); // true 0
