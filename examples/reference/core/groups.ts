// Example of: ShownGroups
import { type ShownGroups, World } from 'umwelt';

// Members of a party are shown up to 200 away, also while they are cloaked; a guild is not shown.
const shown: ShownGroups = { kinds: ['party'], within: 200, through: ['gain'] };
const world = new World({ groups: ['party', 'guild'], interests: { default: { showGroup: shown } } });
const ada = world.add({ x: 0, y: 0, range: 30, group: { party: 7, guild: 1 } });
const lin = world.add({ x: 150, y: 0, gain: 0, group: { party: 7 } });
const eve = world.add({ x: 150, y: 0, group: { guild: 1 } });
world.tick();
console.log(world.related(ada, lin), world.related(ada, eve)); // true false
