// Example of: SnapshotOptions, RestoreOptions
import { type RestoreOptions, type SnapshotOptions, World } from 'umwelt';

const world = new World({
  interests: { default: { rank: (_watcher, _marker, distance) => distance, cap: 5 } },
});
const player = world.add({ x: 0, y: 0, range: 20 });
const wolf = world.add({ x: 3, y: 4 });
world.tick();
const bytes = world.snapshot();

// Functions are not stored: the interest that had one is given again.
const options: RestoreOptions = {
  interests: { default: { rank: (_watcher, _marker, distance) => distance, cap: 5 } },
};
const continued = World.restore(bytes, options);
console.log(continued.related(player, wolf), continued.stateHash() === world.stateHash()); // true true

const state: SnapshotOptions = { atRest: true };
console.log(World.restore(world.snapshot(state), options).related(player, wolf)); // false
