/**
 * The generated scenarios by name, for command lines, tests and benches with a choice.
 *
 * Each is a generator in `generators/`; to add one, add its file, and a line in each table here.
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
import { told } from './option-check.ts';
import type { Simulation } from './simulation.ts';

/** The options of all scenarios. Each accepts its own and rejects any other. */
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

/** Names for `createScenario`. */
export type ScenarioName = keyof typeof generators;

/** One line each, for lists of choices. */
export const scenarioDescriptions: Readonly<Record<ScenarioName, string>> = Object.freeze({
  town: 'the city with all features of perception: sight and hearing, seats, margins, parties, names',
  city: 'people and cars on a street grid, crowds on squares, shops; unequal ranges',
  walkers: 'all entities walk straight on through an evenly filled square',
  flocks: 'birds in flocks, and hawks that see twice as far; 2-D or 3-D',
  'pile-up': 'a crowd that converges on one spot, stays, and goes home again',
  choke: 'commuters between two halves of a world, queueing at the gate between them',
  teleporters: 'walkers of which 1 % jump to anywhere at every step',
  idle: 'almost all entities stand still: 1 % move at every step',
  world: 'a hundred players that walk among resting things',
  raid: 'a crowd that jostles around a boss; each is shown the 50 most relevant others',
  stealth: 'guards that see and hear, and rogues that cloak but are still heard',
  party: 'parties whose members are spread over the map and still shown to each other',
  festival: 'a meadow that fills and empties, with several channels at its fullest',
  mmo: 'players, people, beasts and things: mounts, pets, parties, stealth, owned loot, dungeons',
});

/** The names for `createScenario`, the most interesting to look at first. */
export const scenarioNames: readonly ScenarioName[] = Object.freeze(
  Object.keys(generators) as ScenarioName[],
);

/**
 * The scenario of that name. No actor is present before its first step.
 * Throws `BAD_OPTION` for an unknown name, an option that the scenario does not have, and a number out of bounds.
 */
export function createScenario(name: string, options: AnyScenarioOptions = {}): Simulation {
  if (typeof name === 'string' && Object.hasOwn(generators, name))
    return generators[name as ScenarioName](options);
  throw new UmweltError('BAD_OPTION', `no scenario ${told(name)}; there are ${scenarioNames.join(', ')}`, {
    field: 'scenario',
    value: name,
  });
}
