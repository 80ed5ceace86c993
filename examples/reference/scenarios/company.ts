// Example of: createParty, PartyOptions, createFlocks, FlockOptions, createStealth, StealthOptions
import {
  createFlocks,
  createParty,
  createStealth,
  type FlockOptions,
  type PartyOptions,
  type StealthOptions,
  WorldDriver,
} from '@umwelt/scenarios';
import { World } from 'umwelt';

const party: PartyOptions = { entities: 300, partySize: 5 };
const flocks: FlockOptions = { entities: 300, dimensions: 3, flockSize: 100 };
const stealth: StealthOptions = { entities: 300, rogues: 0.5, cloakSeconds: 3 };

const worlds = [createParty(party), createFlocks(flocks), createStealth(stealth)].map((simulation) => {
  const world = new World(simulation.worldOptions);
  const driver = new WorldDriver(simulation, world);
  for (let tick = 0; tick < 5; tick++) {
    driver.step();
    world.tick();
  }
  return world;
});
console.log(worlds.map(({ dimensions }) => dimensions).join()); // 2,3,2
console.log(worlds[2]!.senseNames.length > 1); // true
