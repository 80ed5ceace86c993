/**
 * The cost of growing: entities are added in batches, with a tick after each, to a world with a given capacity and to one
 * without.
 *
 * Capacity grows by doubling, so that all growing together costs about as much as the last doubling, and the single tick
 * or call that does it takes long. Both worlds get the same batches in turns; the time for all batches counts.
 */
import { createWalkers } from '@umwelt/scenarios';
import { World } from 'umwelt';
import { coreWaitMs } from '../measure/core-wait.ts';
import type { GaugeCase, GaugeOutcome } from '../measure/gauge.ts';
import { median } from '../measure/samples.ts';
import { type Choice, PERCEIVED, populations, type Suite } from './suite.ts';

const ENTITIES = [100_000, 1_000_000];
const BATCHES = 25;
const ROUNDS = 3;

export const growth: Suite = {
  name: 'growth',
  summary: 'a world that grows by itself against one with its capacity given',
  cases: (choice) => populations(choice, ENTITIES).map((entities) => growthCase(choice, entities)),
};

export function growthCase({ smoke }: Choice, entities: number): GaugeCase {
  return {
    kind: 'gauge',
    name: `${entities} come in ${BATCHES} batches`,
    measure: (tell) => measure(smoke ? Math.min(entities, 1000) : entities, smoke ? 1 : ROUNDS, tell),
  };
}

interface Way {
  readonly label: string;
  readonly capacity: number;
  readonly totalsMs: number[];
  /** The longest batch of the median round. */
  readonly longestMs: number[];
}

function measure(entities: number, rounds: number, tell: (line: string) => void): GaugeOutcome {
  const simulation = createWalkers({ entities, perceived: PERCEIVED });
  simulation.step();
  const ways: Way[] = [
    { label: 'capacity given', capacity: entities, totalsMs: [], longestMs: [] },
    { label: 'grows by itself', capacity: 0, totalsMs: [], longestMs: [] },
  ];
  for (let round = 1; round <= rounds; round++) {
    tell(`round ${round} of ${rounds}`);
    for (const way of ways) takeTurn(simulation, way);
  }
  const [first] = ways.map(({ totalsMs }) => median(totalsMs));
  const rows = ways.map(({ label, totalsMs, longestMs }) => ({
    label,
    figures: {
      entities,
      batches: BATCHES,
      'total ms': median(totalsMs),
      'longest batch ms': median(longestMs),
      'time / first': median(totalsMs) / (first ?? Number.NaN),
    },
  }));
  return { rows, problems: [] };
}

function takeTurn({ x, y, range }: ReturnType<typeof createWalkers>, way: Way): void {
  (globalThis as { gc?: () => void }).gc?.();
  const world = new World(way.capacity === 0 ? {} : { capacity: way.capacity });
  const size = Math.ceil(x.length / BATCHES);
  const batchesMs: number[] = [];
  for (let from = 0; from < x.length; from += size) {
    const beganMs = performance.now() - coreWaitMs();
    world.addMany({
      x: x.subarray(from, from + size),
      y: y.subarray(from, from + size),
      range: range[0]!,
      updates: false,
    });
    world.tick();
    batchesMs.push(performance.now() - coreWaitMs() - beganMs);
  }
  void world.dispose();
  way.totalsMs.push(batchesMs.reduce((sum, batchMs) => sum + batchMs, 0));
  way.longestMs.push(Math.max(...batchesMs));
}
