/** The goals: one entry each, in the order of the report. */
import { kdbush } from '../engines/kdbush.ts';
import { native } from '../engines/native.ts';
import { umwelt, umweltTwoThreads, umweltTypeScript } from '../engines/umwelt.ts';
import type { CaseOutcome } from '../report/results.ts';
import { growthWithoutCode, SMALLEST_OBJECT_BYTES } from '../suites/heap.ts';
import { type Goal, gaugeRow, raceRow, timesFirst, timesLane, worstTail } from './goal.ts';
import { CASE_NAMES, populationLabel, withUpdated } from './goal-cases.ts';
import { unevenGoals } from './uneven-goals.ts';

export const goalList: readonly Goal[] = [
  {
    title:
      '100,000 walkers that perceive 30: times as fast as kdbush rebuilt each tick with a Set difference',
    caseName: CASE_NAMES.peers,
    unit: 'x',
    must: 40,
    aim: 80,
    isMoreBetter: true,
    measured: (outcome) => timesFirst(outcome, kdbush.title),
  },
  {
    title: 'the same, where both also report the markers that stayed and moved',
    caseName: CASE_NAMES.peers,
    unit: 'x',
    must: 40,
    aim: 80,
    isMoreBetter: true,
    measured: (outcome) => timesLane(outcome, withUpdated(kdbush.title), withUpdated(umwelt.title)),
  },
  {
    title:
      'walkers with entered and left lists: our time relative to native code that only sorts, tests and reports',
    caseName: CASE_NAMES.peers,
    unit: 'x',
    must: 1.5,
    aim: 1,
    measured: (outcome) => 1 / timesFirst(outcome, native.title),
    inTheWay:
      'With vectors of 128 bits, which is what WebAssembly has, native code takes longer than the engine (see its row in the case). The rest is AVX-512, four times as wide.',
  },
  {
    title: 'time for each entity, 1,000,000 entities against 10,000',
    caseName: CASE_NAMES.populations,
    unit: 'x',
    must: 1.5,
    aim: 1.2,
    measured: (outcome) => timesFirst(outcome, populationLabel(1_000_000)) / 100,
  },
  {
    title: 'a tick in which 1 % of 1,000,000 move, against one in which all move',
    caseName: CASE_NAMES.change,
    unit: '%',
    must: 0.08,
    aim: 0.03,
    measured: (outcome) => timesFirst(outcome, '1 % move'),
    inTheWay:
      'The ten thousand movers are scattered among a million entities: half of the time is cache misses on the entities near them.',
  },
  {
    title: 'a tick in which none of 1,000,000 move, against one in which all move',
    caseName: CASE_NAMES.change,
    unit: '%',
    must: 0.002,
    aim: 0.0005,
    measured: (outcome) => timesFirst(outcome, 'nobody moves'),
  },
  {
    title: 'three senses, a leave margin and a cap that is not reached, against no rules',
    caseName: CASE_NAMES.rules,
    unit: 'x',
    must: 1.8,
    aim: 1.4,
    measured: (outcome) => timesFirst(outcome, 'all rules'),
    inTheWay:
      'Three senses, a margin and a cap take about 1.2 times each when alone (`npm run bench -- interest`). Here they are combined.',
  },
  {
    title: 'the same rules against none, with `updated` lists, as worlds have by default',
    caseName: CASE_NAMES.rules,
    unit: 'x',
    must: 1.8,
    aim: 1.4,
    measured: (outcome) => timesLane(outcome, withUpdated('all rules'), withUpdated('no rules')),
  },
  {
    title: '10,000 in one spot with a cap of 100, against walkers that perceive 100',
    caseName: CASE_NAMES.spot,
    unit: 'x',
    must: 12,
    aim: 4,
    measured: (outcome) => timesFirst(outcome, 'all in one spot, cap 100'),
    inTheWay:
      'Each watcher has a hundred times as many candidates as seats, and five times as many seats change hands as walkers have events. [Searched seats](internals/searched-seats.md) says how seats are found now, and why the former rows of bits, which took 4 times but helped only crowds of identical watchers, were removed.',
  },
  {
    title: 'the same spot against the same walkers, with `updated` lists',
    caseName: CASE_NAMES.spot,
    unit: 'x',
    must: 12,
    aim: 4,
    measured: (outcome) =>
      timesLane(outcome, withUpdated('all in one spot, cap 100'), withUpdated('walkers who perceive 100')),
  },
  {
    title: '`updated` lists: time above the tick without them',
    caseName: CASE_NAMES.updated,
    unit: 'ns a pair',
    must: 1.5,
    aim: 0.8,
    measured: updatedPairNs,
  },
  {
    title: '1,000,000 walkers on two threads: times as fast as on one',
    caseName: CASE_NAMES.threads,
    unit: 'x',
    must: 1.7,
    aim: 1.9,
    isMoreBetter: true,
    measured: (outcome) => 1 / timesFirst(outcome, umweltTwoThreads.title),
    inTheWay:
      'Both threads share caches and memory bandwidth. Only the calling thread copies moves in and reads the lists: [threads](threads.md).',
  },
  {
    title: 'TypeScript kernels against WebAssembly ones',
    caseName: CASE_NAMES.kernels,
    unit: 'x',
    must: 4,
    aim: 2.5,
    measured: (outcome) => timesFirst(outcome, umweltTypeScript.title),
    inTheWay: 'TypeScript tests pairs one by one, WebAssembly four at a time.',
  },
  {
    title: 'memory for each of 1,000,000 walkers without `updated` lists',
    caseName: CASE_NAMES.memory,
    unit: 'bytes',
    must: 120,
    aim: 64,
    measured: (outcome) => gaugeRow(outcome, 'umwelt')?.figures['bytes an entity'] ?? Number.NaN,
    inTheWay: 'The state is kept twice, and the sweep keeps a sorted copy.',
  },
  {
    title: 'memory that `updated` lists add',
    caseName: CASE_NAMES.relationMemory,
    unit: 'bytes a relation',
    must: 6,
    aim: 5,
    measured: (outcome) => gaugeRow(outcome, 'umwelt')?.figures['bytes a relation'] ?? Number.NaN,
  },
  {
    title: 'growth of the JavaScript heap over 10,000 warm ticks, compiled code excluded',
    caseName: CASE_NAMES.heap,
    unit: 'bytes a tick',
    must: 0,
    aim: 0,
    measured: heapGrowthBytes,
  },
  {
    title:
      'the slowest tick in a hundred against the median, with a constant population; the worst of four crowds',
    caseName: CASE_NAMES.steady,
    unit: 'x',
    must: 2,
    aim: 1.5,
    measured: (outcome) => worstTail(outcome, (engine) => engine !== native.name),
    inTheWay:
      'In these runs V8 compiles in the tick that needs the code: [causes of ticks that take longer](benchmarks.md#the-times).',
  },
  {
    title: 'growing to 1,000,000 without a given capacity, against with one',
    caseName: CASE_NAMES.growth,
    unit: 'x',
    must: 2,
    aim: 1.5,
    measured: (outcome) => gaugeRow(outcome, 'grows by itself')?.figures['time / first'] ?? Number.NaN,
  },
  ...unevenGoals,
];

/** Nanoseconds a pair, from the ratio of neighbouring turns of one round, not from medians of the whole run. */
function updatedPairNs(outcome: CaseOutcome): number {
  const [without, withUpdates] = [raceRow(outcome, 'without'), raceRow(outcome, 'with')];
  if (without === undefined || withUpdates === undefined) return Number.NaN;
  return (without.medianMs * (withUpdates.ratio.median - 1) * 1e6) / withUpdates.updated;
}

/** Bytes a tick, without compiled code. Less than the smallest object a tick counts as 0. */
function heapGrowthBytes(outcome: CaseOutcome): number {
  if (outcome.kind !== 'gauge' || outcome.rows.length === 0) return Number.NaN;
  const bytes = outcome.rows.map(({ figures }) => growthWithoutCode(figures) / (figures.ticks ?? 1));
  const most = Math.max(...bytes);
  return most < SMALLEST_OBJECT_BYTES ? 0 : most;
}
