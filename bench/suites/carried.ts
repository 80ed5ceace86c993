/**
 * What does it cost that players carry items, and that ships carry crews? The same crowd with the same items, once attached and once
 * moved by the game itself; and all items that are dropped and taken up again, or given another layer.
 *
 * How many are carried, and where, is drawn from the seed, so that the engines that are compared make the same calls. At smoke size brute
 * force checks the reports.
 */
import { createWalkers, Random, type Simulation } from '@umwelt/scenarios';
import type { EntityId, World } from 'umwelt';
import type { OddCalls } from '../engines/umwelt.ts';
import type { RaceCase } from '../measure/race.ts';
import { lane } from './mixed.ts';
import { type Choice, LEAST_MIXED, PERCEIVED, sized, walkersWork } from './suite.ts';

const SEED = 23;
const WALKERS = 4000;
/** The most that one carries. */
const ITEMS = 12;
/** One walker in so many is a ship, and the most who are on it. */
const WALKERS_A_SHIP = 60;
const CREW = 60;
/** All items change in one tick of so many. */
const ROUND_TICKS = 4;

/** What is carried: by actor, and where relative to it. */
interface Load {
  readonly ids: Uint32Array;
  readonly carriers: readonly number[];
  readonly x: Float32Array;
  readonly y: Float32Array;
}

/** `most`: that one of `stride` actors carries. `range`: of those who are carried, as a share of the carrier's; 0 for items. */
function loadOf(world: World, simulation: Simulation, stride: number, most: number, range: number): Load {
  const random = new Random(SEED);
  const carriers: number[] = [];
  for (let actor = 0; actor < simulation.capacity; actor += stride) {
    for (let left = 1 + random.below(most); left > 0; left--) carriers.push(actor);
  }
  const near = (actor: number) => random.between(0, simulation.range[actor]! / 10);
  const [x, y] = [Float32Array.from(carriers, near), Float32Array.from(carriers, near)];
  const ids = Uint32Array.from(carriers, (actor, i) =>
    world.add({
      x: simulation.x[actor]! + x[i]!,
      y: simulation.y[actor]! + y[i]!,
      range: simulation.range[actor]! * range,
      updates: false,
    }),
  );
  return { ids, carriers, x, y };
}

const loads = new WeakMap<World, Load>();

function attach(world: World, owners: Uint32Array, { ids, carriers, x, y }: Load): void {
  for (let i = 0; i < ids.length; i++)
    world.attach(ids[i]!, owners[carriers[i]!]! as EntityId, { x: x[i]!, y: y[i]! });
}

function carried(stride: number, most: number, range: number, areAttached: boolean): OddCalls {
  return {
    begin(world, owners, simulation) {
      const load = loadOf(world, simulation, stride, most, range);
      loads.set(world, load);
      if (areAttached) attach(world, owners, load);
    },
    tick(world, _, { x, y }) {
      const load = loads.get(world);
      if (areAttached || load === undefined) return;
      const { ids, carriers } = load;
      world.moveMany(
        ids,
        carriers.map((actor, i) => x[actor]! + load.x[i]!),
        carriers.map((actor, i) => y[actor]! + load.y[i]!),
      );
    },
  };
}

/** All items attached; in some ticks `change` is called for all of them. */
function changing(
  change: (world: World, owners: Uint32Array, load: Load, isFirst: boolean) => void,
): OddCalls {
  const { begin } = carried(1, ITEMS, 0, true);
  return {
    ...(begin === undefined ? {} : { begin }),
    tick(world, owners) {
      const load = loads.get(world);
      if (load === undefined || world.tickCount % ROUND_TICKS !== 0) return;
      change(world, owners, load, world.tickCount % (2 * ROUND_TICKS) === 0);
    },
  };
}

const DROPPED = changing((world, owners, load, isFirst) => {
  if (isFirst) for (const id of load.ids) world.detach(id);
  else attach(world, owners, load);
});

const HIDDEN = changing((world, _, { ids }, isFirst) => {
  for (const id of ids) world.update(id, { layers: isFirst ? 2 : 1 });
});

const CARRIED_CASE = `${WALKERS.toLocaleString('en-US')} walkers carry items, or are on ships`;

export function carriedCase(choice: Choice): RaceCase {
  const entities = sized(choice, WALKERS, LEAST_MIXED);
  const crowd = () => createWalkers({ entities, perceived: PERCEIVED });
  return {
    kind: 'race',
    name: CARRIED_CASE,
    work: walkersWork(entities),
    lanes: [
      lane('nobody carries anything', crowd),
      lane(`up to ${ITEMS} items each, moved by the game`, crowd, { calls: carried(1, ITEMS, 0, false) }),
      lane(`up to ${ITEMS} items each, attached`, crowd, { calls: carried(1, ITEMS, 0, true) }),
      lane(`up to ${CREW} on ships, moved by the game`, crowd, {
        calls: carried(WALKERS_A_SHIP, CREW, 1, false),
      }),
      lane(`up to ${CREW} on ships, attached`, crowd, { calls: carried(WALKERS_A_SHIP, CREW, 1, true) }),
      lane(`all items dropped or taken up in one tick of ${ROUND_TICKS}`, crowd, { calls: DROPPED }),
      lane(`all items on another layer in one tick of ${ROUND_TICKS}`, crowd, { calls: HIDDEN }),
    ],
  };
}
