/**
 * The cases that measure the goals: each runs, in one process, the lanes whose times one or a few goals divide.
 *
 * They are lanes of the suites, but fewer, so that all goals together take minutes.
 */
import { createIdle, createPileUp, createWalkers } from '@umwelt/scenarios';
import { kdbush, kdbushKept } from '../engines/kdbush.ts';
import { native, native128 } from '../engines/native.ts';
import { umwelt, umweltTwoThreads, umweltTypeScript } from '../engines/umwelt.ts';
import { umweltAllRules, umweltCap } from '../engines/umwelt-interest.ts';
import type { LanePlan } from '../measure/lane.ts';
import type { RaceCase } from '../measure/race.ts';
import { growthCase } from '../suites/growth.ts';
import { heapCase } from '../suites/heap.ts';
import { memoryCase, relationMemoryCase } from '../suites/memory.ts';
import { mixedCases } from '../suites/mixed.ts';
import { mmoCase } from '../suites/mmo.ts';
import { shapesCases } from '../suites/shapes.ts';
import {
  type BenchCase,
  type Choice,
  PERCEIVED,
  sized,
  WALKERS_PACE,
  walkersLane,
  walkersWork,
} from '../suites/suite.ts';

const HUNDRED_THOUSAND = 100_000;
const MILLION = 1_000_000;
/** Equal to the cap of the engine in the spot, so that both reports have the same size. */
const CAP = 100;
/** Half a range, so that all perceive each other. They move at a fifth of a walker's pace. */
const SPOT_RADIUS = 25;

/** By what the case measures. Goals find outcomes by these names. */
export const CASE_NAMES = {
  peers: 'beside an index with Sets, and native code',
  populations: 'the same density, more of them',
  change: 'everybody, 1 % and nobody moves',
  rules: 'with and without rules',
  spot: 'in one spot, with a cap',
  updated: 'with and without updated lists',
  threads: 'one thread and two threads',
  kernels: 'WebAssembly and TypeScript kernels',
  steady: 'a steady population, tick by tick',
  memory: 'memory',
  relationMemory: 'bytes a relation',
  heap: 'heap after warm ticks',
  growth: 'a world that grows',
} as const;

export function goalCases(choice: Choice): BenchCase[] {
  const hundredThousand = sized(choice, HUNDRED_THOUSAND);
  const million = sized(choice, MILLION);
  return [
    race('peers', hundredThousand, [
      ...[umwelt, kdbush, kdbushKept, native, native128].map((engine) =>
        walkersLane(hundredThousand, false, engine),
      ),
      ...[umwelt, kdbush].map((engine) =>
        walkersLane(hundredThousand, true, engine, withUpdated(engine.title)),
      ),
    ]),
    race('populations', million, populationLanes(choice)),
    race('change', million, changeLanes(million)),
    race('rules', hundredThousand, rulesLanes(hundredThousand)),
    race('spot', sized(choice, 10_000), spotLanes(sized(choice, 10_000))),
    race('updated', hundredThousand, [
      walkersLane(hundredThousand, false, umwelt, 'without'),
      walkersLane(hundredThousand, true, umwelt, 'with'),
    ]),
    race('threads', million, [
      walkersLane(million, false, umwelt),
      walkersLane(million, false, umweltTwoThreads),
    ]),
    race('kernels', hundredThousand, [
      walkersLane(hundredThousand, false, umwelt),
      walkersLane(hundredThousand, false, umweltTypeScript),
    ]),
    race('steady', hundredThousand, steadyLanes(choice)),
    { ...memoryCase(choice, million, false), name: CASE_NAMES.memory },
    { ...relationMemoryCase(choice, million), name: CASE_NAMES.relationMemory },
    { ...heapCase(choice), name: CASE_NAMES.heap },
    { ...growthCase(choice, million), name: CASE_NAMES.growth },
    // At smoke size, the suites that own these cases have run them already.
    ...(choice.smoke ? [] : [...mixedCases(choice), ...shapesCases(choice), mmoCase(choice)]),
  ];
}

function race(key: keyof typeof CASE_NAMES, entities: number, lanes: readonly LanePlan[]): RaceCase {
  return { kind: 'race', name: CASE_NAMES[key], work: walkersWork(entities), lanes };
}

/** The label of a lane, from its population. */
export function populationLabel(entities: number): string {
  return `${entities.toLocaleString('en-US')} walkers`;
}

/** Crowds of different sizes do different work, so their reports are not compared. */
function populationLanes(choice: Choice): LanePlan[] {
  return [10_000, HUNDRED_THOUSAND, MILLION].map((entities) => ({
    ...walkersLane(sized(choice, entities), false, umwelt, populationLabel(entities)),
    work: `${entities} walkers`,
  }));
}

function changeLanes(entities: number): LanePlan[] {
  const idlers = (label: string, share: number): LanePlan => ({
    label,
    engine: umwelt,
    updates: false,
    work: `${share} move`,
    simulate: () => createIdle({ entities, perceived: PERCEIVED, share }),
  });
  return [
    walkersLane(entities, false, umwelt, 'all move'),
    idlers('1 % move', 0.01),
    idlers('nobody moves', 0),
  ];
}

function rulesLanes(entities: number): LanePlan[] {
  return eachReading((updates, label) => [
    walkersLane(entities, updates, umwelt, label('no rules')),
    {
      ...walkersLane(entities, updates, umweltAllRules.engine, label('all rules')),
      work: label('walkers with all rules'),
      judge: umweltAllRules.judge,
    },
  ]);
}

function spotLanes(entities: number): LanePlan[] {
  const perceived = Math.min(CAP, entities - 1);
  return eachReading((updates, label) => [
    {
      label: label(`walkers who perceive ${CAP}`),
      engine: umwelt,
      updates,
      work: label('walkers in a crowd'),
      simulate: () => createWalkers({ entities, perceived }),
    },
    {
      label: label(`all in one spot, cap ${CAP}`),
      engine: umweltCap.engine,
      judge: umweltCap.judge,
      updates,
      work: label('a pile-up'),
      simulate: () => createPileUp({ entities, gathered: 1, radius: SPOT_RADIUS, speed: WALKERS_PACE }),
    },
  ]);
}

/** Lanes without `updated` lists, then the same lanes with them, as worlds have by default. */
function eachReading(lanes: (updates: boolean, label: typeof withUpdated) => LanePlan[]): LanePlan[] {
  return [...lanes(false, (label) => label), ...lanes(true, withUpdated)];
}

/** The label of a lane with `updated` lists. */
export function withUpdated(label: string): string {
  return `${label}, with updated`;
}

/** The native lane shows how much the machine alone varies, with a program that allocates nothing. */
function steadyLanes(choice: Choice): LanePlan[] {
  const lanes = [10_000, HUNDRED_THOUSAND].flatMap((entities) =>
    [false, true].map((updates) => ({
      ...walkersLane(sized(choice, entities), updates, umwelt),
      label: updates ? withUpdated(populationLabel(entities)) : populationLabel(entities),
      work: `${entities} walkers${updates ? ' with updates' : ''}`,
    })),
  );
  const machine = {
    ...walkersLane(sized(choice, 10_000), false, native, `native C, ${populationLabel(10_000)}`),
    work: '10000 walkers',
  };
  return [...lanes, machine];
}
