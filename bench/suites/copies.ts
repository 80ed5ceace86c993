/**
 * Copies of a place, each in a channel of its own: dungeons of parties, phases of a city, instances of an arena. All have the same
 * coordinates, so an index that knows only positions finds the entities of all copies, and its cost grows with their number.
 *
 * As many walkers in all lanes, and each perceives as many. How many are in the one large copy beside small ones, and how many are in no
 * channel and meet all copies, is drawn from the seed. Without rules, and with caps drawn by watcher.
 */
import { Random, type Simulation } from '@umwelt/scenarios';
import type { EntityPatch } from 'umwelt';
import type { RaceCase } from '../measure/race.ts';
import { crowdOf, joined } from './joined-crowds.ts';
import { lane } from './mixed.ts';
import { withCaps, withInits } from './odd-crowds.ts';
import { type Choice, LEAST_MIXED, PERCEIVED, type Suite, seedsOf, sized, walkersWork } from './suite.ts';

const ENTITIES = 20_000;
const COPIES = [20, 100, 400];
/** Beside one large copy. */
const SMALL_COPIES = 200;

/** Copies of these sizes, in channels 1, 2 and so on; a share of all, drawn, is in channel 0. */
function copiesOf(sizes: readonly number[], shareOfAll: number, seed: number): Simulation {
  const random = new Random(seed);
  const inits = new Map<number, EntityPatch>();
  let actor = 0;
  for (const [i, size] of sizes.entries()) {
    for (let k = 0; k < size; k++, actor++)
      inits.set(actor, { channel: random.unit() < shareOfAll ? 0 : 1 + i });
  }
  return withInits(joined(sizes.map((size, i) => crowdOf(size, seed + i))), inits);
}

function copiesCase(choice: Choice, seed: number, isCapped: boolean): RaceCase {
  const random = new Random(seed);
  const entities = sized(choice, ENTITIES, LEAST_MIXED);
  const mainShare = random.between(0.5, 0.9);
  const shareOfAll = random.between(0.001, 0.01);
  const equal = (copies: number) =>
    Array.from({ length: copies }, () => Math.max(2, Math.floor(entities / copies)));
  const main = Math.floor(entities * mainShare);
  const small = Math.max(2, Math.floor((entities - main) / SMALL_COPIES));
  const crowds: readonly (readonly [label: string, simulate: () => Simulation])[] = [
    ['one place for all', () => crowdOf(entities, seed)],
    ...COPIES.map((copies) => [`${copies} copies`, () => copiesOf(equal(copies), 0, seed)] as const),
    [
      `a world and ${SMALL_COPIES} dungeons`,
      () => copiesOf([main, ...Array.from({ length: SMALL_COPIES }, () => small)], 0, seed),
    ],
    ['100 copies, some meet all', () => copiesOf(equal(100), shareOfAll, seed)],
  ];
  return {
    kind: 'race',
    name: `seed ${seed}: copies of a place, ${isCapped ? 'caps around what is perceived' : 'no rules'}`,
    work: walkersWork(entities),
    lanes: crowds.map(([label, simulate]) =>
      lane(label, () => (isCapped ? withCaps(simulate(), PERCEIVED, seed) : simulate())),
    ),
  };
}

export const copies: Suite = {
  name: 'copies',
  summary: 'copies of a place, each in a channel of its own, beside one place for all',
  cases: (choice) =>
    seedsOf(choice, 1, 1).flatMap((seed) => [
      copiesCase(choice, seed, false),
      copiesCase(choice, seed, true),
    ]),
};
