// Example of: createCity, CityOptions, createTown, createIdle, IdleOptions, createTeleporters, TeleporterOptions, createWorldOfThings, WorldOfThingsOptions, createMmo, MmoOptions
import {
  type CityOptions,
  createCity,
  createIdle,
  createMmo,
  createTeleporters,
  createTown,
  createWorldOfThings,
  type IdleOptions,
  type MmoOptions,
  type Simulation,
  type TeleporterOptions,
  type WorldOfThingsOptions,
} from '@umwelt/scenarios';

const city: CityOptions = { entities: 400, seed: 2 };
const idle: IdleOptions = { entities: 400, share: 0.05, walkSeconds: 2 };
const teleporters: TeleporterOptions = { entities: 400, share: 0.01 };
const things: WorldOfThingsOptions = { entities: 400, players: 20 };
const mmo: MmoOptions = { entities: 400, players: 20, npcs: 80 };

const all: Simulation[] = [
  createCity(city),
  createTown(city),
  createIdle(idle),
  createTeleporters(teleporters),
  createWorldOfThings(things),
  createMmo(mmo),
];
for (const simulation of all) for (let step = 0; step < 5; step++) simulation.step();
console.log(all.every(({ count }) => count > 0)); // true
console.log(all[2]!.moved.count, all[4]!.kinds.length > 1); // 20 true
