/**
 * A whole game: players, people, beasts and things with distances of their own, mounts, pets, parties, stealth, owned
 * loot and dungeons, against the same rules written by hand over a grid.
 *
 * Both get the same steps in turn, and each reads every list it made. The ratio is between medians of processor time. The
 * entered, left and updated pairs of every tick are added up, and the sums must be equal. Then single queries, in
 * microseconds.
 */
import { createMmo, type Simulation, WorldDriver } from '@umwelt/scenarios';
import { type Changes, type DetectorName, World } from 'umwelt';
import { sumOfIds } from '../engines/id-sum.ts';
import { MmoByHand } from '../engines/mmo-by-hand.ts';
import type { PairList } from '../engines/pair-list.ts';
import type { GaugeCase, GaugeOutcome } from '../measure/gauge.ts';
import { median } from '../measure/samples.ts';
import type { Choice, Suite } from './suite.ts';

const SEED = 15;
const FULL = { players: 5000, npcs: 20_000, things: 200_000 };
const SMOKE = { players: 60, npcs: 200, things: 700 };
const TICKS = 60;
const SMOKE_TICKS = 300;
const WARM_TICKS = 20;

export const MMO_CASE = '5,000 players, 20,000 people and beasts, 200,000 things';
const QUESTIONS_CASE = 'who relates to whom, asked of 1,000 a tick';
const ASKED = 1000;
const SMOKE_ASKED = 100;
/** Successive queries are about entities this far apart, because games do not query in the order of memory. */
const STRIDE = 7919;
export const BY_HAND = 'by hand, over a grid';
export const TIMES = 'time / first';
const KINDS = ['entered', 'left', 'updated'] as const;

export const mmo: Suite = {
  name: 'mmo',
  summary: 'a game with all its rules, against the same rules written by hand',
  cases: (choice) => [mmoCase(choice), questionsCase(choice)],
};

export function mmoCase({ smoke }: Choice): GaugeCase {
  return {
    kind: 'gauge',
    name: MMO_CASE,
    measure: (tell) => {
      tell('umwelt and by hand, in turn');
      return measured(smoke ? SMOKE : FULL, smoke ? SMOKE_TICKS : TICKS, smoke);
    },
  };
}

/** Queries for the relations of some entities in each tick: scattered entities, others in each tick. */
function questionsCase({ smoke }: Choice): GaugeCase {
  return {
    kind: 'gauge',
    name: QUESTIONS_CASE,
    measure: (tell) => {
      tell('watchersOf, watchersOfMany and visibleTo');
      return questions(smoke ? SMOKE : FULL, smoke ? SMOKE_ASKED : ASKED);
    },
  };
}

function questions(size: typeof FULL, asked: number): GaugeOutcome {
  const simulation = simulationOf(size);
  const world = new World(simulation.worldOptions);
  const driver = new WorldDriver(simulation, world);
  const out = new Uint32Array(world.slotCount + size.things);
  const calls: Record<string, (ids: Uint32Array) => number> = {
    watchersOf: (ids) => ids.reduce((sum, id) => sum + world.watchersOfInto(id, out), 0),
    watchersOfMany: (ids) => world.watchersOfMany(ids).watchers.length,
    visibleTo: (ids) => ids.reduce((sum, id) => sum + world.visibleToInto(id, out), 0),
  };
  const samples = Object.fromEntries(Object.keys(calls).map((name) => [name, [] as number[]]));
  for (let tick = 0; tick < WARM_TICKS; tick++) {
    driver.step();
    world.tick();
    const all = world.ids();
    const ids = Uint32Array.from({ length: asked }, (_, k) => all[(k * STRIDE + tick) % all.length]!);
    for (const [name, call] of Object.entries(calls)) {
      const before = process.cpuUsage();
      call(ids);
      const { user, system } = process.cpuUsage(before);
      samples[name]!.push((user + system) / asked);
    }
  }
  // Only now, because a query about all entities builds the lists of all.
  const all = world.ids();
  const found = Object.fromEntries(Object.entries(calls).map(([name, call]) => [name, call(all)]));
  const rows = Object.keys(calls).map((label) => {
    const [first = 0, ...others] = samples[label]!;
    const figures = { 'calls a tick': asked, 'first tick us': first, 'cpu us a call': median(others) };
    return { label, figures };
  });
  void world.dispose();
  const isAgreed = new Set(Object.values(found)).size === 1;
  return { rows, problems: isAgreed ? [] : [`of all entities they find ${JSON.stringify(found)}`] };
}

/** One of the two measured programs, on a simulation of its own. */
interface Runner {
  readonly label: string;
  /** The timed part. */
  tick(): void;
  /** The sum over the pairs of the last tick, by actors, independent of their order. */
  pairs(): number;
  readonly counts: () => readonly number[];
}

function measured(size: typeof FULL, ticks: number, smoke: boolean): GaugeOutcome {
  const makers = [
    (simulation: Simulation) => byEngine('umwelt', simulation),
    byHand,
    ...(smoke
      ? [(simulation: Simulation) => byEngine('umwelt, brute-force', simulation, 'brute-force')]
      : []),
  ];
  const lanes = makers.map((make) => {
    const simulation = simulationOf(size);
    const step = simulation.step.bind(simulation);
    // The simulation is stepped outside the timed part, so the driver's own call must do nothing.
    Object.assign(simulation, { step: () => {} });
    return { step, runner: make(simulation), samples: [] as number[], counts: [0, 0, 0], sum: 0 };
  });
  const problems: string[] = [];
  for (let tick = -WARM_TICKS; tick < ticks; tick++) {
    for (const lane of lanes) {
      lane.step();
      const before = process.cpuUsage();
      lane.runner.tick();
      const { user, system } = process.cpuUsage(before);
      if (tick >= 0) lane.samples.push((user + system) / 1000);
      lane.sum = (lane.sum + lane.runner.pairs()) >>> 0;
      lane.counts = lane.counts.map((count, i) => count + lane.runner.counts()[i]!);
      if (lane.sum === lanes[0]!.sum || problems.length > 0) continue;
      problems.push(
        `tick ${tick}: '${lane.runner.label}' reported other pairs than '${lanes[0]!.runner.label}'`,
      );
    }
  }
  const first = median(lanes[0]!.samples);
  const rows = lanes.map(({ runner, samples, counts, sum }) => ({
    label: runner.label,
    figures: {
      ...size,
      ticks,
      'cpu ms': median(samples),
      [TIMES]: median(samples) / first,
      ...Object.fromEntries(KINDS.map((kind, i) => [`${kind} a tick`, counts[i]! / (ticks + WARM_TICKS)])),
      'pairs as a number': sum,
    },
  }));
  return { rows, problems };
}

function simulationOf({ players, npcs, things }: typeof FULL): Simulation {
  const companions = Math.floor(players / 3) + Math.floor(players / 4);
  return createMmo({ entities: players + npcs + things + companions, players, npcs, seed: SEED });
}

function byEngine(label: string, simulation: Simulation, detector: DetectorName = 'sweep'): Runner {
  const world = new World({ ...simulation.worldOptions, detector });
  const driver = new WorldDriver(simulation, world);
  const [actors, gone] = [new Map<number, number>(), new Set<number>()];
  let changes: Changes = world.lastChanges;
  return {
    label,
    tick: () => {
      driver.step();
      changes = world.tick();
      for (const kind of KINDS) readAll(changes, kind);
    },
    counts: () => KINDS.map((kind) => changes[`${kind}Count`]),
    pairs: () => {
      for (const id of gone) actors.delete(id);
      gone.clear();
      const { added } = simulation;
      for (let i = 0; i < added.count; i++) actors.set(driver.idOf(added.indices[i]!), added.indices[i]!);
      for (const id of changes.removed) gone.add(id);
      return pairsOf(changes, actors);
    },
  };
}

function readAll(changes: Changes, kind: (typeof KINDS)[number]): number {
  const { count, watchers, offsets, markers } = changes.columns(kind);
  let sum = 0;
  for (let row = 0; row < count; row++) {
    sum = (sum + watchers[row]! + sumOfIds(markers, offsets[row]!, offsets[row + 1]!)) | 0;
  }
  return sum;
}

function pairsOf(changes: Changes, actors: ReadonlyMap<number, number>): number {
  let sum = 0;
  for (const [i, kind] of KINDS.entries()) {
    const { count, watchers, offsets, markers } = changes.columns(kind);
    for (let row = 0; row < count; row++) {
      const watcher = actors.get(watchers[row]!)!;
      for (let at = offsets[row]!; at < offsets[row + 1]!; at++)
        sum = (sum + mixed(i, watcher, actors.get(markers[at]!)!)) >>> 0;
    }
  }
  return sum;
}

function byHand(simulation: Simulation): Runner {
  const margin = simulation.worldOptions.interests?.default?.leaveMargin ?? 0;
  const engine = new MmoByHand(simulation, typeof margin === 'number' ? margin : 0);
  const lists: readonly PairList[] = [engine.entered, engine.left, engine.updated];
  return {
    label: BY_HAND,
    tick: () => {
      engine.tick();
      for (const list of lists) list.sum();
    },
    counts: () => lists.map(({ count }) => count),
    pairs: () => {
      let sum = 0;
      for (const [kind, { count, watchers, markers }] of lists.entries()) {
        for (let i = 0; i < count; i++) sum = (sum + mixed(kind, watchers[i]!, markers[i]!)) >>> 0;
      }
      return sum;
    },
  };
}

/** A pair mixed to a number, so that sums of other pairs are unlikely to be equal. */
function mixed(kind: number, watcher: number, marker: number): number {
  let word =
    Math.imul(watcher + 1, 0x9e3779b1) ^ Math.imul(marker + 1, 0x85ebca77) ^ Math.imul(kind + 1, 0xc2b2ae3d);
  word = Math.imul(word ^ (word >>> 16), 0x7feb352d);
  return (word ^ (word >>> 15)) >>> 0;
}
