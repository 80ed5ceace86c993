/**
 * What a user's script does with the packed engine: two kinds of crowds with either kernels, with and without threads.
 * Prints the hashes of the reports, to be compared with another runtime.
 */
import { createCity, WorldDriver } from '@umwelt/scenarios';
import { type EntityId, World, type WorldOptions } from 'umwelt';

const TICKS = 10;

function walk(options: WorldOptions): { world: World; hashes: string[] } {
  const world = new World(options);
  let state = 7;
  const random = () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
  const ids: EntityId[] = [];
  for (let index = 0; index < 5000; index++) {
    ids.push(world.add({ x: random() * 2000, y: random() * 2000, range: random() * 60 }));
  }
  const hashes = [];
  for (let tick = 0; tick < TICKS; tick++) {
    hashes.push(world.tick().hash());
    for (const id of ids) {
      const [x, y] = world.position(id);
      world.move(id, x! + random() * 6 - 3, y! + random() * 6 - 3);
    }
  }
  return { world, hashes };
}

function city(): string[] {
  const world = new World({ dimensions: 2 });
  const driver = new WorldDriver(createCity({ entities: 500, seed: 3 }), world);
  return Array.from({ length: TICKS }, () => {
    driver.step();
    return world.tick().hash();
  });
}

const plain = walk({ kernels: 'typescript' });
const alone = walk({});
const shared = walk({ threads: 3 });
const threads = shared.world.stats().threads;
// Workers that are asleep, or have just started, end, too.
for (let round = 0; round < 4; round++) {
  const world = new World({ threads: 3 });
  world.tick();
  await new Promise((resolve) => setTimeout(resolve, 60 * round));
  await world.dispose();
}
await shared.world.dispose();
// A world that is never disposed does not keep the process alive.
const forgotten = walk({ threads: 2 });

console.log(
  JSON.stringify({
    kernels: alone.world.stats().kernels,
    threads,
    plain: plain.hashes,
    alone: alone.hashes,
    shared: shared.hashes,
    forgotten: forgotten.hashes,
    city: city(),
  }),
);
