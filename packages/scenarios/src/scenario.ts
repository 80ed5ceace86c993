/**
 * The generated scenarios by name, for command lines, tests and benches that let one be chosen.
 *
 * Each is a generator in `generators/`; adding one is its file, and a line in each table here.
 */
import { UmweltError } from 'umwelt';
import { type ChokeOptions, createChoke } from './generators/choke.ts';
import { createCity } from './generators/city.ts';
import { createFestival, type FestivalOptions } from './generators/festival.ts';
import { createFlocks, type FlockOptions } from './generators/flocks.ts';
import { createIdle, type IdleOptions } from './generators/idle.ts';
import { createMmo, type MmoOptions } from './generators/mmo.ts';
import { createParty, type PartyOptions } from './generators/party.ts';
import { createPileUp, type PileUpOptions } from './generators/pile-up.ts';
import { createRaid, type RaidOptions } from './generators/raid.ts';
import { createStealth, type StealthOptions } from './generators/stealth.ts';
import { createTeleporters, type TeleporterOptions } from './generators/teleporters.ts';
import { createTown } from './generators/town.ts';
import { createWalkers } from './generators/walkers.ts';
import { createWorldOfThings, type WorldOfThingsOptions } from './generators/world-of-things.ts';
import type { Simulation } from './simulation.ts';

/** The options of all scenarios. Each takes its own; any other is refused. */
export type AnyScenarioOptions = ChokeOptions &
  FlockOptions &
  FestivalOptions &
  IdleOptions &
  MmoOptions &
  PartyOptions &
  PileUpOptions &
  RaidOptions &
  StealthOptions &
  TeleporterOptions &
  WorldOfThingsOptions;

const generators = {
  town: createTown,
  city: createCity,
  walkers: createWalkers,
  flocks: createFlocks,
  'pile-up': createPileUp,
  choke: createChoke,
  teleporters: createTeleporters,
  idle: createIdle,
  world: createWorldOfThings,
  raid: createRaid,
  stealth: createStealth,
  party: createParty,
  festival: createFestival,
  mmo: createMmo,
} satisfies Record<string, (options: AnyScenarioOptions) => Simulation>;

/** What `createScenario` knows. */
export type ScenarioName = keyof typeof generators;

/** One line each, for lists of choices. */
export const scenarioDescriptions: Readonly<Record<ScenarioName, string>> = Object.freeze({
  town: 'the city, with all that perception can be: sight and hearing, seats, margins, parties, names',
  city: 'people and cars on a street grid, crowds on squares, shops; unequal ranges',
  walkers: 'everybody walks straight on through an evenly filled square',
  flocks: 'birds in flocks, and hawks that see twice as far; 2-D or 3-D',
  'pile-up': 'a crowd that converges on one spot, stays, and goes home again',
  choke: 'commuters between two halves of a world, queueing at the gate between them',
  teleporters: 'walkers of whom 1 % jump to anywhere at every step',
  idle: 'almost everybody stands still: 1 % move at every step',
  world: 'a hundred players who walk among things that rest',
  raid: 'a crowd that jostles round a boss; each is shown the 50 who matter most',
  stealth: 'guards who see and hear, and rogues who cloak and are still heard',
  party: 'parties whose members are all over the map and still shown to each other',
  festival: 'a meadow that fills and empties, at its height in several channels',
  mmo: 'players, people, beasts and things: mounts, pets, parties, stealth, owned loot, dungeons',
});

/** The names that `createScenario` knows, the most looked-at first. */
export const scenarioNames: readonly ScenarioName[] = Object.freeze(
  Object.keys(generators) as ScenarioName[],
);

/**
 * The scenario of that name. Nobody is present before its first step.
 * Throws `BAD_OPTION` for an unknown name, an option that the scenario does not have, and a number out of bounds.
 */
export function createScenario(name: string, options: AnyScenarioOptions = {}): Simulation {
  if (Object.hasOwn(generators, name)) return generators[name as ScenarioName](options);
  throw new UmweltError('BAD_OPTION', `no scenario '${name}'; there are ${scenarioNames.join(', ')}`, {
    field: 'scenario',
    value: name,
  });
}
