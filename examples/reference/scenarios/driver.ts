// Example of: WorldDriver, WorldDriverOptions, Simulation, IndexList, createWalkers, WalkerOptions, ScenarioOptions, Bounds
import {
  type Bounds,
  createWalkers,
  type IndexList,
  type ScenarioOptions,
  type Simulation,
  type WalkerOptions,
  WorldDriver,
  type WorldDriverOptions,
} from '@umwelt/scenarios';
import { World } from 'umwelt';

// 500 walkers that each would perceive 30 others: the size of the world follows. Speed in world units a second.
const usual: ScenarioOptions = { entities: 500, seed: 1, perceived: 30 };
const options: WalkerOptions = { ...usual, speed: 8 };
const walkers: Simulation = createWalkers(options);

const world = new World(walkers.worldOptions);
const quiet: WorldDriverOptions = { updates: false };
const driver = new WorldDriver(walkers, world, quiet);
for (let tick = 0; tick < 20; tick++) {
  driver.step();
  world.tick();
}
const moved: IndexList = walkers.moved;
const { minX, maxX }: Bounds = walkers.bounds;
const [x = Number.NaN] = world.position(driver.idOf(0));
console.log(moved.count, x >= minX && x <= maxX, driver.actorOf(driver.idOf(0))); // 500 true 0
console.log(world.stats().relationCount > 500 * 10); // true
