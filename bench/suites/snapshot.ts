/**
 * The cost of storing a world and of restoring it: walkers with `updated` reported, without rules and with all of them.
 *
 * The restored world makes the next tick beside the original, and both must report the same. The first turns are not
 * counted: a server that restores once pays somewhat more, because its code is cold.
 */
import { createWalkers } from '@umwelt/scenarios';
import { World } from 'umwelt';
import { rangesOf, THREE_SENSES } from '../engines/umwelt.ts';
import { ALL_RULES } from '../engines/umwelt-interest.ts';
import { coreWaitMs } from '../measure/core-wait.ts';
import type { GaugeCase, GaugeOutcome, GaugeRow } from '../measure/gauge.ts';
import { median } from '../measure/samples.ts';
import { type Choice, PERCEIVED, populations, type Suite } from './suite.ts';

const ENTITIES = [100_000];
/** The first few of these are not counted. */
const TURNS = 13;
const COLD_TURNS = 2;
const WARM_TICKS = 20;

export const snapshot: Suite = {
  name: 'snapshot',
  summary: 'storing a world with its relations, and restoring it',
  cases: (choice) => populations(choice, ENTITIES).map((entities) => snapshotCase(choice, entities)),
};

function snapshotCase({ smoke }: Choice, entities: number): GaugeCase {
  return {
    kind: 'gauge',
    name: `${entities} walkers`,
    measure(tell): GaugeOutcome {
      const problems: string[] = [];
      const turns = smoke ? COLD_TURNS + 1 : TURNS;
      const rows = [false, true].map((hasRules) => measure(entities, hasRules, turns, tell, problems));
      return { rows, problems };
    },
  };
}

function measure(
  entities: number,
  hasRules: boolean,
  turns: number,
  tell: (line: string) => void,
  problems: string[],
): GaugeRow {
  const label = hasRules ? 'three senses, margin, cap 100' : 'no rules';
  tell(label);
  const simulation = createWalkers({ entities, perceived: PERCEIVED });
  const [world, ids] = worldOf(simulation, hasRules);
  const step = (...worlds: readonly World[]): void => {
    simulation.step();
    for (const each of worlds) {
      each.moveMany(ids, simulation.x, simulation.y);
      each.tick();
    }
  };
  for (let tick = 0; tick < WARM_TICKS; tick++) step(world);
  const storedMs: number[] = [];
  const restoredMs: number[] = [];
  let bytes = new Uint8Array(0);
  for (let turn = 0; turn < turns; turn++) {
    (globalThis as { gc?: () => void }).gc?.();
    let beganMs = performance.now() - coreWaitMs();
    bytes = world.snapshot() as typeof bytes;
    const stored = performance.now() - coreWaitMs() - beganMs;
    beganMs = performance.now() - coreWaitMs();
    const again = World.restore(bytes);
    const restored = performance.now() - coreWaitMs() - beganMs;
    step(world, again);
    const [expected, found] = [world.lastChanges.hash(), again.lastChanges.hash()];
    if (expected !== found) problems.push(`${label}: restored, the next tick is ${found}, not ${expected}`);
    void again.dispose();
    if (turn < COLD_TURNS) continue;
    storedMs.push(stored);
    restoredMs.push(restored);
  }
  const { relationCount } = world.stats();
  void world.dispose();
  return {
    label,
    figures: {
      entities,
      relations: relationCount,
      'snapshot, bytes': bytes.length,
      'store ms': median(storedMs),
      'longest store ms': Math.max(...storedMs),
      'restore ms': median(restoredMs),
      'longest restore ms': Math.max(...restoredMs),
    },
  };
}

function worldOf(
  { x, y, range }: ReturnType<typeof createWalkers>,
  hasRules: boolean,
): [world: World, ids: Uint32Array] {
  // All walkers have the same range.
  const reach = range[0]!;
  if (!hasRules) {
    const world = new World();
    return [world, world.addMany({ x, y, range: reach })];
  }
  const world = new World({ senses: Object.keys(THREE_SENSES), interests: { default: ALL_RULES } });
  return [world, world.addMany({ x, y, range: rangesOf(THREE_SENSES, reach) })];
}
