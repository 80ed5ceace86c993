/** What a race finds besides times: engines that disagree, and engines that are too slow. */
import { createWalkers } from '@umwelt/scenarios';
import { expect, test } from 'vitest';
import { bruteForce } from '../engines/brute-force.ts';
import type { Engine, EngineKind } from '../engines/engine.ts';
import { umwelt } from '../engines/umwelt.ts';
import { smokePace } from '../measure/pace.ts';
import { type RaceOutcome, runRace } from '../measure/race.ts';
import { walkersLane, walkersWork } from '../suites/suite.ts';

const ENTITIES = 60;

function raceOf(...engines: EngineKind[]): RaceOutcome {
  const lanes = engines.map((engine) => walkersLane(ENTITIES, true, engine));
  const raceCase = { kind: 'race', name: 'a race', work: walkersWork(ENTITIES), lanes } as const;
  return runRace(raceCase, smokePace(40), () => {});
}

/** The engine with other members. `ticks`: how many ticks it has made. */
function altered(members: (engine: Engine, ticks: () => number) => Partial<Engine>): EngineKind {
  return {
    ...umwelt,
    create(simulation, options): Engine {
      const engine = umwelt.create(simulation, options);
      let ticks = 0;
      const plain: Engine = {
        tick: () => {
          ticks++;
          return engine.tick();
        },
        hash: () => engine.hash(),
        dispose: () => engine.dispose(),
      };
      const others = members(engine, () => ticks);
      // Getters stay getters.
      return Object.defineProperties(plain, Object.getOwnPropertyDescriptors(others));
    },
  };
}

/** The engine, with a wrong hash in one tick. */
function wrongAt(tick: number): EngineKind {
  const wrong = altered((engine, ticks) => ({
    hash: () => (ticks() === tick ? '0123456789abcdef' : engine.hash()),
  }));
  return { ...wrong, name: 'wrong', title: 'wrong' };
}

test('engines that report the same pass, and every hash of both is compared', () => {
  const outcome = raceOf(umwelt, bruteForce);
  expect(outcome.problems).toEqual([]);
  // A tick in which all enter, a warm one, and two turns of three.
  expect(outcome.comparedHashes).toBe(8);
  expect(outcome.rows.map(({ ticks }) => ticks)).toEqual([6, 6]);
  expect(outcome.rows[0]!.hash).toBe(outcome.rows[1]!.hash);
});

test.each([1, 2, 5, 8])('a report that differs in tick %i is a problem that names it', (tick) => {
  const { problems } = raceOf(umwelt, wrongAt(tick));
  expect(problems).toHaveLength(1);
  expect(problems[0]).toContain(`tick ${tick}: 'wrong' reports 0123456789abcdef`);
});

test('lanes that do different work are not compared', () => {
  const lanes = [walkersLane(ENTITIES, true, umwelt), walkersLane(ENTITIES, false, umwelt)];
  const raceCase = { kind: 'race', name: 'a race', work: walkersWork(ENTITIES), lanes } as const;
  const outcome = runRace(raceCase, smokePace(40), () => {});
  expect(outcome.comparedHashes).toBe(0);
  expect(outcome.rows[0]!.hash).not.toBe(outcome.rows[1]!.hash);
});

test('an engine that would be over its budget is not started, and the outcome says why', () => {
  const slow: EngineKind = {
    ...umwelt,
    title: 'slow',
    expectedTickMs: () => 9000,
    create() {
      throw new Error('begun');
    },
  };
  const outcome = raceOf(umwelt, slow);
  expect(outcome.rows.map(({ label }) => label)).toEqual(['umwelt']);
  expect(outcome.skipped).toEqual([
    { label: 'slow', reason: '5 ticks would take about 45 s; the budget is 40 s' },
  ]);
});

test('an engine over its budget stops as soon as it has the least number of ticks', () => {
  const lanes = [walkersLane(ENTITIES, true, umwelt)];
  const raceCase = { kind: 'race', name: 'a race', work: walkersWork(ENTITIES), lanes } as const;
  const pace = { ...smokePace(40), rounds: 50, mostTicks: 1, budgetMs: 0 };
  const free = {
    ...raceCase,
    lanes: lanes.map((lane) => ({ ...lane, engine: { ...umwelt, expectedTickMs: () => 0 } })),
  };
  expect(runRace(free, pace, () => {}).rows[0]!.ticks).toBe(3);
});

test('relations are counted from what entered and left', () => {
  const simulation = createWalkers({ entities: ENTITIES });
  for (let tick = 0; tick < 3; tick++) simulation.step();
  const { x, y } = simulation;
  let pairs = 0;
  for (let i = 0; i < ENTITIES; i++) {
    for (let j = 0; j < ENTITIES; j++) if (i !== j && Math.hypot(x[i]! - x[j]!, y[i]! - y[j]!) <= 50) pairs++;
  }
  expect(raceOf(umwelt).rows[0]!.relations).toBe(pairs);
});

test('time spent waiting for a core does not count as time of a tick', () => {
  const elsewhere = altered(() => ({ tickMs: 50, waitedMs: 20 }));
  const [row] = raceOf(elsewhere).rows;
  expect(row).toMatchObject({ medianMs: 30, p99Ms: 30, wallP99Ms: 50, turnMs: [30, 30] });
});

/** The engine, as if its ticks took these times, one after the other; those of the two warm-up ticks are first. */
function timed(...tickTimes: readonly (readonly [tickMs: number, waitedMs: number])[]): EngineKind {
  return altered((_engine, ticks) => ({
    get tickMs() {
      return tickTimes[ticks() - 1]![0];
    },
    get waitedMs() {
      return tickTimes[ticks() - 1]![1];
    },
  }));
}

test('the first tick of a turn counts for the median, and not for the 99th percentile', () => {
  const warmUp = [[900, 0] as const, [800, 0] as const];
  const turns = [
    [70, 5] as const,
    [11, 1] as const,
    [20, 6] as const,
    [71, 0] as const,
    [60, 0] as const,
    [13, 0] as const,
  ];
  const [row] = raceOf(timed(...warmUp, ...turns)).rows;
  expect(row).toMatchObject({ ticks: 6, medianMs: 14, p99Ms: 60, wallP99Ms: 60, turnMs: [14, 60] });
});

test('with and without waiting for a core, the first tick of a turn is left out', () => {
  const times = [
    [9, 0],
    [9, 0],
    [500, 1],
    [10, 0],
    [100, 95],
    [400, 1],
    [12, 0],
    [11, 0],
  ] as const;
  expect(raceOf(timed(...times)).rows[0]).toMatchObject({ p99Ms: 12, wallP99Ms: 100 });
});

test('an engine whose turns are of one tick has a 99th percentile of all its ticks', () => {
  const kind = timed([900, 0], [800, 0], [30, 0], [50, 0], [40, 0]);
  const lanes = [walkersLane(ENTITIES, true, kind)];
  const raceCase = { kind: 'race', name: 'a race', work: walkersWork(ENTITIES), lanes } as const;
  const outcome = runRace(raceCase, { ...smokePace(40), rounds: 3, leastRounds: 3, mostTicks: 1 }, () => {});
  expect(outcome.rows[0]).toMatchObject({ ticks: 3, medianMs: 40, p99Ms: 50, wallP99Ms: 50 });
});

test('an engine that the machine cannot run is left out, and the outcome says why', () => {
  const absent: EngineKind = { ...umwelt, title: 'absent', absent: () => 'no compiler' };
  const outcome = raceOf(umwelt, absent);
  expect(outcome.skipped).toEqual([{ label: 'absent', reason: 'no compiler' }]);
  expect(outcome.problems).toEqual([]);
});

test('an engine with a rule of its own is not compared with the others', () => {
  const other: EngineKind = { ...wrongAt(2), ownRule: 'it knows better' };
  const outcome = raceOf(umwelt, other);
  expect(outcome.problems).toEqual([]);
  expect(outcome.remarks).toEqual(['wrong: it knows better']);
});
