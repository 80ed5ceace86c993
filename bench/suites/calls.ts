/**
 * The cost of single calls of the public interface: positions set one by one, reports read by views, columns or
 * listeners, and queries about the world, among walkers that all move, with `updated` reported.
 *
 * The same circles are queried in a kdbush index for comparison: all must find the same.
 */
import { createWalkers } from '@umwelt/scenarios';
import KDBush from 'kdbush';
import { World } from 'umwelt';
import { coreWaitMs } from '../measure/core-wait.ts';
import type { GaugeCase, GaugeOutcome, GaugeRow } from '../measure/gauge.ts';
import { median } from '../measure/samples.ts';
import { type Choice, PERCEIVED, populations, type Suite } from './suite.ts';

const ENTITIES = [100_000];
const TURNS = 15;
const COLD_TURNS = 5;
/** Queries a turn. */
const ASKED = 10_000;
/** Queries a turn, for queries with long results. */
const FEW_ASKED = 200;
const WIDE = 8;
const NEAREST = 10;
const QUERY = 'query, a circle of the range';
const WIDE_QUERY = `query, a circle of ${WIDE} ranges`;
/** Successive queries are about entities this far apart, because games do not query in the order of memory. */
const STRIDE = 7919;

export const calls: Suite = {
  name: 'calls',
  summary: 'single calls: moving, reading reports, queries, and relations of an entity',
  cases: (choice) => populations(choice, ENTITIES).map((entities) => callsCase(choice, entities)),
};

/** An operation that is done this many times a turn; returns how much it found, or read, in all. */
interface Call {
  readonly label: string;
  readonly count: number;
  run(): number;
}

function callsCase({ smoke }: Choice, entities: number): GaugeCase {
  return {
    kind: 'gauge',
    name: `${entities} walkers`,
    measure: (tell) => measure(entities, smoke ? COLD_TURNS + 1 : TURNS, tell),
  };
}

function measure(entities: number, turns: number, tell: (line: string) => void): GaugeOutcome {
  const simulation = createWalkers({ entities, perceived: PERCEIVED });
  const { x, y, range } = simulation;
  const reach = range[0]!;
  const world = new World();
  const ids = world.addMany({ x, y, range: reach });
  const tick = (): void => {
    simulation.step();
    world.moveMany(ids, x, y);
    world.tick();
  };
  for (let i = 0; i < 3; i++) tick();
  const index = new KDBush(entities, undefined, Float32Array);
  for (let actor = 0; actor < entities; actor++) index.add(x[actor]!, y[actor]!);
  index.finish();
  const calls = [
    ...telling(world, ids, simulation),
    ...reading(world, ids),
    ...asking(world, ids, simulation, index),
  ];
  const rows = calls.map((call): GaugeRow => {
    tell(call.label);
    const times: number[] = [];
    let found = 0;
    for (let turn = 0; turn < turns; turn++) {
      const beganMs = performance.now() - coreWaitMs();
      found = call.run();
      const tookMs = performance.now() - coreWaitMs() - beganMs;
      if (turn >= COLD_TURNS) times.push(tookMs);
    }
    const figures = {
      calls: call.count,
      'ns a call': (median(times) * 1e6) / call.count,
      'read a call': found / call.count,
    };
    return { label: call.label, figures };
  });
  void world.dispose();
  return { rows, problems: differences(rows) };
}

/** Positions, one by one and in bulk. All are set to their present values, so that the world does not change. */
function telling(world: World, ids: Uint32Array, { x, y }: ReturnType<typeof createWalkers>): Call[] {
  const count = ids.length;
  return [
    {
      label: 'move',
      count,
      run() {
        for (let i = 0; i < count; i++) world.move(ids[i]!, x[i]!, y[i]!);
        return 0;
      },
    },
    {
      label: 'moveMany, each',
      count,
      run() {
        world.moveMany(ids, x, y);
        return 0;
      },
    },
    {
      label: 'on, and off again, of thousands',
      count: Math.min(ASKED, count),
      run() {
        const offs = Array.from({ length: Math.min(ASKED, count) }, () => world.on('enter', () => {}));
        for (const off of offs) off();
        return 0;
      },
    },
  ];
}

/** Reads the report of the last tick, by entity. */
function reading(world: World, ids: Uint32Array): Call[] {
  const count = ids.length;
  return [
    {
      label: 'views, all lists made',
      count,
      run() {
        let read = 0;
        for (const { entered, left, updated, sensed } of world.lastChanges) {
          read += entered.length + left.length + updated.length + sensed.length;
        }
        return read;
      },
    },
    {
      label: 'of, its updated made',
      count,
      run() {
        let read = 0;
        for (let i = 0; i < count; i++) read += world.lastChanges.of(ids[i]!)?.updated.length ?? 0;
        return read;
      },
    },
  ];
}

/** Queries as of the last tick. */
function asking(
  world: World,
  ids: Uint32Array,
  { x, y, range }: ReturnType<typeof createWalkers>,
  index: KDBush,
): Call[] {
  const count = ids.length;
  const reach = range[0]!;
  const out = new Uint32Array(count);
  const each = (asked: number, ask: (i: number) => number) => (): number => {
    let found = 0;
    for (let k = 0; k < asked; k++) found += ask((k * STRIDE) % count);
    return found;
  };
  const query = (radius: number) => (i: number) =>
    world.query({ kind: 'circle', x: x[i]!, y: y[i]!, radius }, { out }).length;
  const within = (radius: number) => (i: number) => index.withinInto(x[i]!, y[i]!, radius, out);
  const asked = Math.min(ASKED, count);
  const fewAsked = Math.min(FEW_ASKED, count);
  return [
    { label: 'visibleTo', count: asked, run: each(asked, (i) => world.visibleTo(ids[i]!, out).length) },
    { label: 'watchersOf', count: asked, run: each(asked, (i) => world.watchersOf(ids[i]!, out).length) },
    {
      label: 'related',
      count: asked,
      run: each(asked, (i) => (world.related(ids[i]!, ids[(i + 1) % count]!) ? 1 : 0)),
    },
    {
      label: 'targets, half the range',
      count: asked,
      run: each(
        asked,
        (i) =>
          world.targets(ids[i]!, { kind: 'circle', x: x[i]!, y: y[i]!, radius: reach / 2 }, { out }).length,
      ),
    },
    {
      label: `nearest ${NEAREST}`,
      count: asked,
      run: each(asked, (i) => world.nearest(x[i]!, y[i]!, NEAREST, { out }).length),
    },
    {
      label: 'nearest of a kind that is not there',
      count: fewAsked,
      run: each(fewAsked, (i) => world.nearest(x[i]!, y[i]!, 1, { layers: 2, out }).length),
    },
    {
      label: 'a loop over all positions, the nearest',
      count: fewAsked,
      run: each(fewAsked, (i) => nearestByLoop(x, y, x[i]!, y[i]!)),
    },
    { label: QUERY, count: asked, run: each(asked, query(reach)) },
    { label: `kdbush, ${QUERY}`, count: asked, run: each(asked, within(reach)) },
    { label: WIDE_QUERY, count: fewAsked, run: each(fewAsked, query(WIDE * reach)) },
    { label: `kdbush, ${WIDE_QUERY}`, count: fewAsked, run: each(fewAsked, within(WIDE * reach)) },
  ];
}

/** 1 if there is any. What a game does that has no index. */
function nearestByLoop(x: ArrayLike<number>, y: ArrayLike<number>, fromX: number, fromY: number): number {
  let nearest = -1;
  let least = Number.POSITIVE_INFINITY;
  for (let i = 0; i < x.length; i++) {
    const away = (x[i]! - fromX) ** 2 + (y[i]! - fromY) ** 2;
    if (away >= least) continue;
    least = away;
    nearest = i;
  }
  return nearest < 0 ? 0 : 1;
}

/** The circles for which the index found something else. */
function differences(rows: readonly GaugeRow[]): string[] {
  const foundBy = (label: string): number | undefined =>
    rows.find((row) => row.label === label)?.figures['read a call'];
  return [QUERY, WIDE_QUERY]
    .filter((label) => foundBy(label) !== foundBy(`kdbush, ${label}`))
    .map((label) => `${label}: ${foundBy(label)} found, by kdbush ${foundBy(`kdbush, ${label}`)}`);
}
