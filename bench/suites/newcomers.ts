/**
 * The cost of adding an entity to a cross list: its place found by index nodes, and by walking from the head as in the
 * classic algorithm.
 *
 * No entity watches, so a tick only has to find the place. Both lists get the same new entities in turns, one a tick;
 * each is removed again, untimed, before the next is added. After each turn the suite checks that every new entity was
 * found at its position, because a list that put it elsewhere would be fast but wrong.
 */
import { createWalkers, Random } from '@umwelt/scenarios';
import { createCrossList, type EntityId, World } from 'umwelt';
import type { GaugeCase, GaugeOutcome } from '../measure/gauge.ts';
import { median, percentile } from '../measure/samples.ts';
import { type Choice, PERCEIVED, populations } from './suite.ts';

const ENTITIES = [10_000, 100_000];
/** The first of these are warm-up. */
const TURNS = 25;
const WARM_TURNS = 5;
const NEWCOMERS = 20;

interface Place {
  readonly x: number;
  readonly y: number;
}

export function newcomerCases(choice: Choice): GaugeCase[] {
  return populations(choice, ENTITIES).map((entities) => ({
    kind: 'gauge',
    name: `one more on a cross list of ${entities}, nobody watching`,
    measure: (tell) => measure(entities, choice.smoke ? WARM_TURNS + 1 : TURNS, tell),
  }));
}

function measure(entities: number, turns: number, tell: (line: string) => void): GaugeOutcome {
  const simulation = createWalkers({ entities, perceived: PERCEIVED });
  simulation.step();
  const { maxX, maxY } = simulation.bounds;
  const random = new Random(1);
  const lists = [
    { label: 'with index nodes', world: new World({ detector: 'cross-list' }) },
    { label: 'from the head', world: new World({ detector: createCrossList({ indexed: false }) }) },
  ].map((list) => ({ ...list, samples: [] as number[] }));
  for (const { world } of lists) {
    world.addMany({ x: simulation.x, y: simulation.y });
    world.tick();
  }
  const problems: string[] = [];
  for (let turn = 1; turn <= turns; turn++) {
    tell(`turn ${turn} of ${turns}`);
    const places = Array.from({ length: NEWCOMERS }, () => ({
      x: Math.fround(random.between(0, maxX)),
      y: Math.fround(random.between(0, maxY)),
    }));
    for (const { label, world, samples } of lists) {
      const isLost = takeTurn(world, places, turn > WARM_TURNS ? samples : []);
      if (isLost) problems.push(`${label}: a newcomer is not where it came`);
    }
  }
  const [first] = lists.map(({ samples }) => median(samples));
  const rows = lists.map(({ label, samples }) => ({
    label,
    figures: {
      entities,
      'median µs': median(samples) * 1000,
      'p99 µs': percentile(samples, 0.99) * 1000,
      newcomers: samples.length,
      'time / first': median(samples) / (first ?? Number.NaN),
    },
  }));
  for (const { world } of lists) void world.dispose();
  return { rows, problems };
}

/** Appends the milliseconds of each new entity's tick to `samples`; true if one was not found at its position. */
function takeTurn(world: World, places: readonly Place[], samples: number[]): boolean {
  let isLost = false;
  for (const { x, y } of places) {
    const beganMs = performance.now();
    const id: EntityId = world.add({ x, y });
    world.tick();
    samples.push(performance.now() - beganMs);
    isLost ||= !world.query({ kind: 'circle', x, y, radius: 0 }).includes(id);
    world.remove(id);
    world.tick();
  }
  return isLost;
}
