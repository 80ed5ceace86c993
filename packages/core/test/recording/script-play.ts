/**
 * Plays a random script on several worlds at once, which may be exchanged for others between its operations, and says
 * where the first differs from the rest: in the ids it gives, in the hash of a tick, in what it answers.
 */
import {
  churnPlaces,
  crowdInit,
  type Operation,
  Roster,
  refusalOf,
  type Script,
  withoutAbsent,
} from '../../src/conformance/operations.ts';
import { inFull, interestOf, Mishap, optionsOf } from '../../src/conformance/plain-interest.ts';
import type { EntityId, Interest, World, WorldOptions } from '../../src/index.ts';

/** Answers are asked of so many entities at most. */
const ASKED = 6;

export class ScriptPlay {
  /** Every world plays along: the first is the one that the others are held against. */
  worlds: World[];
  readonly roster = new Roster();
  /** As they stand now, functions included: what restoring needs. */
  readonly interests: Record<string, Interest>;
  readonly #options: Omit<WorldOptions, 'detector'>;

  constructor(script: Script, makeWorlds: (options: Omit<WorldOptions, 'detector'>) => World[]) {
    this.#options = optionsOf(script.options, this.roster);
    this.interests = { ...this.#options.interests };
    this.worlds = makeWorlds(this.#options);
  }

  /** Does one operation; answers the first difference in words. */
  step(given: Operation): string | undefined {
    const operation = withoutAbsent(given, this.roster);
    if (operation === undefined) return undefined;
    switch (operation.kind) {
      case 'add':
        return this.#add([operation.key], (world) => [world.add(inFull(operation.init, this.roster.idOnce))]);
      case 'addMany':
        return this.#add(operation.keys, (world) => world.addMany(crowdInit(operation, this.roster)));
      case 'churn':
        return this.#churn(operation);
      case 'tick':
        return this.tick();
      case 'failingTick':
        return this.#failingTick(operation.calls);
      case 'probe':
      case 'query':
      case 'nearest':
      case 'targets':
        return this.answers();
      case 'setInterest':
        this.interests[operation.name] = interestOf(operation.interest, this.roster);
        for (const world of this.worlds) {
          world.setInterest(operation.name, this.interests[operation.name] as Interest);
        }
        return undefined;
    }
    if (operation.kind === 'ban') this.roster.toggleBan(operation.key);
    const refusals = this.worlds.map((world) => refusalOf(world, operation, this.roster) ?? 'done');
    const difference = firstDifference(refusals);
    if (difference !== undefined) return difference;
    if (operation.kind === 'remove') this.roster.strike(operation.key);
    if (operation.kind === 'removeMany') for (const key of operation.keys) this.roster.strike(key);
    return undefined;
  }

  tick(): string | undefined {
    const reports = this.worlds.map((world) => {
      const changes = world.tick();
      return `tick ${changes.tick} hash ${changes.hash()} removed ${changes.removed.join()}`;
    });
    for (const world of this.worlds) world.validate();
    return firstDifference(reports) ?? this.answers();
  }

  /** A tick fails in all worlds, or in none. */
  #failingTick(calls: number): string | undefined {
    const outcomes = this.worlds.map((world) => {
      this.roster.callsLeft = calls;
      try {
        return `tick ${world.tick().hash()}`;
      } catch (error) {
        if (!(error instanceof Mishap)) throw error;
        return `no tick after ${world.tickCount}`;
      } finally {
        this.roster.callsLeft = Number.POSITIVE_INFINITY;
      }
    });
    for (const world of this.worlds) world.validate();
    return firstDifference(outcomes) ?? this.answers();
  }

  /** What the worlds say of the same entities, as of the last tick. */
  answers(): string | undefined {
    const asked = this.roster.ids.slice(-ASKED);
    return firstDifference(
      this.worlds.map((world) => {
        const lines = asked.map((id) => {
          const senses = asked.map((marker) => world.senses(id, marker)).join();
          return `${id} at ${world.position(id)} on ${world.parentOf(id)}: sees ${world.visibleTo(id)} seen by ${world.watchersOf(id)} senses ${senses}`;
        });
        return [`${world.tickCount} ${world.size}`, ...world.ids(), ...lines].join('\n');
      }),
    );
  }

  #add(keys: readonly number[], add: (world: World) => ArrayLike<EntityId>): string | undefined {
    const given = this.worlds.map((world) => Array.from(add(world)));
    keys.forEach((key, i) => {
      this.roster.enrol(key, given[0][i]);
    });
    return firstDifference(given.map((ids) => `ids ${ids.join()}`));
  }

  #churn(operation: Extract<Operation, { kind: 'churn' }>): string | undefined {
    const init = { ...inFull(operation.traits, this.roster.idOnce), ...churnPlaces(operation) };
    const crowds = this.worlds.map((world) => world.addMany(init));
    const difference = firstDifference(crowds.map((ids) => `ids ${ids.join()}`)) ?? this.tick();
    this.worlds.forEach((world, i) => {
      world.removeMany(crowds[i]);
    });
    return difference ?? this.tick() ?? this.tick();
  }
}

function firstDifference(said: readonly string[]): string | undefined {
  const other = said.findIndex((text) => text !== said[0]);
  if (other < 0) return undefined;
  const [expected, lines] = [said[0].split('\n'), said[other].split('\n')];
  const line = lines.findIndex((text, i) => text !== expected[i]);
  return `world ${other} says ${lines[line]}\nexpected ${expected[line]}`;
}
