/**
 * The standard work for measuring speed: N walkers, all watchers and markers, each perceiving 30 others, all moving in
 * each tick.
 *
 * Once with entered and left, which is what a Set difference gives, and once with `updated` lists, too: here these list
 * every perceived marker, so that fan-out is as large as possible.
 */
import { bruteForce } from '../engines/brute-force.ts';
import { d3Quadtree } from '../engines/d3-quadtree.ts';
import type { EngineKind } from '../engines/engine.ts';
import { kdbush, kdbushKept } from '../engines/kdbush.ts';
import { native, native128 } from '../engines/native.ts';
import { pomeloAoi } from '../engines/pomelo-aoi.ts';
import { rbush } from '../engines/rbush.ts';
import { umwelt } from '../engines/umwelt.ts';
import type { RaceCase } from '../measure/race.ts';
import { type Choice, populations, type Suite, walkersLane, walkersWork } from './suite.ts';

const ENTITIES = [1000, 10_000, 100_000, 1_000_000];
const ENGINES = [umwelt, kdbush, kdbushKept, rbush, d3Quadtree, bruteForce];
/** These engines keep no pairs, so they cannot report `updated`. */
const WITHOUT_UPDATES = [native, native128, pomeloAoi];

export const walkers: Suite = {
  name: 'walkers',
  summary: 'all walk: the engine beside the usual indexes with Sets and native code, at 1,000 to 1,000,000',
  cases: (choice: Choice) =>
    populations(choice, ENTITIES).flatMap((entities) => [
      walkersCase(`${entities} walkers, entered and left`, entities, [...ENGINES, ...WITHOUT_UPDATES], false),
      walkersCase(`${entities} walkers, entered, left and updated`, entities, ENGINES, true),
    ]),
};

function walkersCase(
  name: string,
  entities: number,
  engines: readonly EngineKind[],
  updates: boolean,
): RaceCase {
  return {
    kind: 'race',
    name,
    work: walkersWork(entities),
    lanes: engines.map((engine) => walkersLane(entities, updates, engine)),
  };
}
