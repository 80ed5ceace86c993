/** The public names of `@umwelt/scenarios`, and nothing else. */
export { WorldDriver, type WorldDriverOptions } from './driver.ts';
export { type ChokeOptions, createChoke } from './generators/choke.ts';
export { type CityOptions, createCity } from './generators/city.ts';
export { createFestival, type FestivalOptions } from './generators/festival.ts';
export { createFlocks, type FlockOptions } from './generators/flocks.ts';
export { createIdle, type IdleOptions } from './generators/idle.ts';
export { createMmo, type MmoOptions } from './generators/mmo.ts';
export { createParty, type PartyOptions } from './generators/party.ts';
export { createPileUp, type PileUpOptions } from './generators/pile-up.ts';
export { createRaid, type RaidOptions } from './generators/raid.ts';
export { createStealth, type StealthOptions } from './generators/stealth.ts';
export { createTeleporters, type TeleporterOptions } from './generators/teleporters.ts';
export { createTown } from './generators/town.ts';
export { createWalkers, type WalkerOptions } from './generators/walkers.ts';
export type { ScenarioOptions } from './generators/walking.ts';
export { createWorldOfThings, type WorldOfThingsOptions } from './generators/world-of-things.ts';
export { Random } from './random.ts';
export {
  type AnyScenarioOptions,
  createScenario,
  type ScenarioName,
  scenarioDescriptions,
  scenarioNames,
} from './scenario.ts';
export type { Bounds, IndexList, Simulation } from './simulation.ts';
export {
  loadTrace,
  openTrace,
  type Trace,
  type TraceFileOptions,
  type TraceOptions,
  type TracePlayOptions,
} from './traces/trace.ts';
export {
  readTrace,
  type TraceBatch,
  type TraceBytes,
  type TraceReadOptions,
  type TraceSample,
} from './traces/trace-reader.ts';
