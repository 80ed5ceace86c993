// Example of: Shape, QueryOptions, NearestOptions
import { type NearestOptions, type QueryOptions, type Shape, World } from 'umwelt';

const world = new World();
const mage = world.add({ x: 0, y: 0, range: 60 });
const [orc = 0, ogre = 0] = world.addMany({ x: [10, 40], y: [2, 0], layers: 2 });
world.update(mage, { sees: 2 });
world.tick();

// A fire bolt along +x, 30 wide at an angle of a sixth of a turn; distances in world units, angles in radians.
const cone: Shape = { kind: 'sector', x: 0, y: 0, radius: 30, direction: 0, width: Math.PI / 3 };
console.log(world.targets(mage, cone).includes(orc), world.targets(mage, cone).includes(ogre)); // true false

const monsters: QueryOptions = { layers: 2, order: 'nearest', limit: 5, now: true };
console.log(world.query({ kind: 'circle', x: 0, y: 0, radius: 50 }, monsters).length); // 2

const within: NearestOptions = { layers: 2, maxDistance: 20 };
console.log(world.nearest(0, 0, 3, within).length); // 1
