/**
 * Checks whether the cost follows change: the same crowd with all, one in a hundred and none of the entities moving.
 *
 * Ratios are between our own times, relative to all moving.
 */
import { createIdle } from '@umwelt/scenarios';
import type { EngineKind } from '../engines/engine.ts';
import { kdbush } from '../engines/kdbush.ts';
import { umwelt } from '../engines/umwelt.ts';
import type { LanePlan } from '../measure/lane.ts';
import type { RaceCase } from '../measure/race.ts';
import { PERCEIVED, populations, type Suite, walkersLane, walkersWork } from './suite.ts';

const ENTITIES = [100_000, 1_000_000];

export const idle: Suite = {
  name: 'idle',
  summary: 'all, 1 % and none of the walkers move: does the cost follow change?',
  cases: (choice) =>
    populations(choice, ENTITIES).flatMap((entities) => [
      idleCase(entities, false),
      idleCase(entities, true),
    ]),
};

function idleCase(entities: number, updates: boolean): RaceCase {
  const lists = updates ? 'entered, left and updated' : 'entered and left';
  return {
    kind: 'race',
    name: `${entities} of whom some move, ${lists}`,
    work: walkersWork(entities),
    lanes: [
      walkersLane(entities, updates, umwelt, 'umwelt, all move'),
      idleLane(entities, updates, 0.01, umwelt, 'umwelt, 1 % move'),
      idleLane(entities, updates, 0, umwelt, 'umwelt, nobody moves'),
      idleLane(entities, updates, 0.01, kdbush, 'kdbush + Set difference, 1 % move'),
    ],
  };
}

function idleLane(
  entities: number,
  updates: boolean,
  share: number,
  engine: EngineKind,
  label: string,
): LanePlan {
  return {
    label,
    engine,
    updates,
    work: `${share} move${updates ? ' with updates' : ''}`,
    simulate: () => createIdle({ entities, perceived: PERCEIVED, share }),
  };
}
