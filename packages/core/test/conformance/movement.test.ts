/**
 * Movement as it really is, not as chance makes it: every generated scenario, and recordings of people and flights
 * from the folder that UMWELT_TRACES names (skipped without it). All detectors report the same, tick by tick, by hash.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import {
  createScenario,
  loadTrace,
  type Simulation,
  scenarioNames,
  type Trace,
  WorldDriver,
} from '@umwelt/scenarios';
import { describe, expect, test } from 'vitest';
import { type DetectorName, detectorNames, World } from '../../src/index.ts';

const OTHERS = detectorNames.filter((name) => name !== 'brute-force');

/**
 * How many copies a side, and how many of the recording's seconds pass from tick to tick: fewer ticks for the larger
 * crowd, because brute force has to keep up.
 */
const RECORDINGS = [
  { file: 'pedestrians.csv', tile: 1, secondsATick: 0.15, events: 5000 },
  { file: 'pedestrians.csv', tile: 3, secondsATick: 0.6, events: 40_000 },
  { file: 'flights.csv.gz', tile: 1, secondsATick: 20, events: 2000 },
  { file: 'flights.csv.gz', tile: 3, secondsATick: 60, events: 15_000 },
];

/** Read once, played for each detector and size. */
const traces = new Map<string, Promise<Trace>>();

function traceAt(path: string): Promise<Trace> {
  const trace = traces.get(path) ?? loadTrace(path);
  traces.set(path, trace);
  return trace;
}

interface Course {
  readonly simulation: Simulation;
  readonly world: World;
  readonly driver: WorldDriver;
}

function course(simulation: Simulation, detector: DetectorName): Course {
  const world = new World({ ...simulation.worldOptions, detector });
  return { simulation, world, driver: new WorldDriver(simulation, world) };
}

/** Runs all beside one another; returns how many enter and leave events there were. */
function expectSameReports([reference, ...others]: Course[], mostTicks: number): number {
  let events = 0;
  for (let tick = 1; tick <= mostTicks && !reference.simulation.done; tick++) {
    reference.driver.step();
    const expected = reference.world.tick();
    events += expected.enteredCount + expected.leftCount;
    const hash = expected.hash();
    for (const { driver, world } of others) {
      driver.step();
      if (world.tick().hash() !== hash) expect.fail(`tick ${tick} differs`);
    }
  }
  for (const { world } of others) world.validate();
  return events;
}

describe.each(scenarioNames)('scenario %s', (name) => {
  test('is reported alike by every detector', () => {
    const courses = (['brute-force', ...OTHERS] as const).map((detector) =>
      course(createScenario(name, { entities: 250, seed: 3 }), detector),
    );
    expect(expectSameReports(courses, 80)).toBeGreaterThan(100);
  });
});

describe.each(RECORDINGS)('recording $file, $tile copies a side', ({ file, tile, secondsATick, events }) => {
  const path = join(process.env.UMWELT_TRACES ?? '', file);
  const isThere = process.env.UMWELT_TRACES !== undefined && existsSync(path);

  test.skipIf(!isThere)('is reported alike by every detector', async () => {
    const trace = await traceAt(path);
    const courses = (['brute-force', ...OTHERS] as const).map((detector) =>
      course(trace.play({ tile, tickSeconds: 1, speed: secondsATick }), detector),
    );
    expect(expectSameReports(courses, Number.POSITIVE_INFINITY)).toBeGreaterThan(events);
    expect(courses.every(({ simulation }) => simulation.done)).toBe(true);
  });
});
