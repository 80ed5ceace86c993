/**
 * What a newcomer costs a cross list: its place found by index nodes, and by walking from the head as the classic does.
 *
 * Nobody watches, so a tick has only the place to find. Both lists get the same newcomers in turns, one a tick, each of
 * whom goes again, untimed, before the next one comes. That every one of them is found where it came is checked after each
 * turn: a list that put it elsewhere would be fast for nothing.
 */
import { createWalkers, Random } from '@umwelt/scenarios';
import { createCrossList, type EntityId, World } from 'umwelt';
import type { GaugeCase, GaugeOutcome } from '../measure/gauge.ts';
import { median, percentile } from '../measure/samples.ts';
import { type Choice, PERCEIVED, populations } from './suite.ts';

const ENTITIES = [10_000, 100_000];
/** Of these the first ones warm up. */
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

/** Appends the milliseconds of each newcomer's tick to `samples`; true when one was not found where it came. */
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
