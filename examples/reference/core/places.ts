// Example of: Place
import { type Place, World } from 'umwelt';

const world = new World({ senses: ['sight', 'hearing'] });
const near = world.add({ x: 0, y: 0, range: { sight: 100, hearing: 20 } });
const far = world.add({ x: 60, y: 0, range: { sight: 100, hearing: 20 } });
world.tick();

// Which watchers hear a twig break? And an explosion, which every watcher hears up to 200 away?
const twig: Place = { x: 5, y: 0, senses: ['hearing'] };
console.log(world.watchersAt(twig).includes(near), world.watchersAt(twig).includes(far)); // true false
console.log(world.watchersAt({ ...twig, minReach: 200 }).length); // 2
