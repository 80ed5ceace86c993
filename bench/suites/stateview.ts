/**
 * A tick for all clients, by the gateway and by Colyseus's StateView: the same crowd, the same visibility, in one
 * process.
 *
 * As in the suite `gateway`, 10,000 walkers all move, and 1,000 of them have a client, which is shown 100 others and
 * itself. Both sides get the world's report, tick by tick in turns, and encode bytes for every client. What counts is the
 * time from the report to the bytes, and the bytes for each entity update that is sent to a client. For StateView only
 * its encoder's time counts; setting positions and changing views are listed beside it. Some clients on both sides decode
 * what they get, and must have exactly what their watchers perceive in the end.
 */
import { StateViews } from '../engines/state-views.ts';
import type { GaugeCase, GaugeOutcome, GaugeRow } from '../measure/gauge.ts';
import { median, percentile } from '../measure/samples.ts';
import { Stage } from './gateway.ts';
import type { Suite } from './suite.ts';

const ENTITIES = 10_000;
const SMOKE_ENTITIES = 500;
const PERCEIVED = 100;
const ENTITIES_A_CLIENT = 10;
const WARM_TICKS = 20;
const TICKS = 40;
const SMOKE_TICKS = 5;
const JUDGES = 5;
/** The factors by which the gateway must be better, in time and in bytes. */
const LEAST_TIMES_FASTER = 8;
const MOST_OF_BYTES = 0.5;
const FASTER = 'times the gateway';

export const stateview: Suite = {
  name: 'stateview',
  summary: "a tick for all clients: the gateway and Colyseus's StateView",
  cases: ({ smoke, entities }) =>
    (entities ?? [smoke ? SMOKE_ENTITIES : ENTITIES]).map((count) => stateviewCase(count, smoke)),
};

function stateviewCase(entities: number, smoke: boolean): GaugeCase {
  const clients = Math.max(1, Math.floor(entities / ENTITIES_A_CLIENT));
  return {
    kind: 'gauge',
    name: `${entities} entities moving, ${clients} clients x ${PERCEIVED} visible`,
    measure: (tell) =>
      smoke
        ? measure(entities, clients, 0, SMOKE_TICKS, tell)
        : judged(measure(entities, clients, WARM_TICKS, TICKS, tell)),
  };
}

/** The times of one side, tick by tick. */
interface Side {
  readonly label: string;
  readonly encodeMs: number[];
  readonly viewMs: number[];
  readonly writeMs: number[];
  bytesBefore: number;
  bytes(): number;
}

function measure(
  entities: number,
  clients: number,
  warmTicks: number,
  ticks: number,
  tell: (line: string) => void,
): GaugeOutcome {
  const stage = new Stage(entities, clients);
  const { x, y } = stage.simulation;
  const { minX, minY, maxX, maxY } = stage.simulation.bounds;
  const views = [
    new StateViews(stage.ids, clients, JUDGES, undefined),
    new StateViews(stage.ids, clients, JUDGES, [Math.min(minX, minY), Math.max(maxX, maxY)]),
  ] as const;
  const sides = [
    sideOf('gateway', () => stage.sentBytes),
    sideOf('StateView, float32', () => views[0].sentBytes),
    sideOf('StateView, 16 bits', () => views[1].sentBytes),
  ] as const;
  let told = 0;
  for (let tick = -warmTicks - 1; tick < ticks; tick++) {
    if (tick % 20 === 0) tell(`tick ${tick} of ${ticks}`);
    if (tick === 0) for (const one of sides) one.bytesBefore = one.bytes();
    const { publishMs, told: toldNow } = stage.step();
    const changes = stage.world.lastChanges;
    const times = views.map((view) => view.step(changes, x, y));
    if (tick < 0) continue;
    told += toldNow + clients;
    note(sides[0], { encodeMs: publishMs, viewMs: 0, writeMs: 0 });
    for (const [i, time] of times.entries()) note(sides[i + 1]!, time);
  }
  const publishMs = median(sides[0].encodeMs);
  const rows = sides.map((one) => rowOf(one, ticks, told / ticks, publishMs));
  const problems = [...stage.problems(), ...views.flatMap((view) => view.problems(stage.world))];
  return { rows, problems };
}

function sideOf(label: string, bytes: () => number): Side {
  return { label, encodeMs: [], viewMs: [], writeMs: [], bytesBefore: 0, bytes };
}

function note(
  side: Side,
  { encodeMs, viewMs, writeMs }: { encodeMs: number; viewMs: number; writeMs: number },
): void {
  side.encodeMs.push(encodeMs);
  side.viewMs.push(viewMs);
  side.writeMs.push(writeMs);
}

function rowOf(side: Side, ticks: number, told: number, publishMs: number): GaugeRow {
  const encodeMs = median(side.encodeMs);
  const figures = {
    ticks,
    'encode, ms': encodeMs,
    'p99, ms': percentile(side.encodeMs, 0.99),
    [FASTER]: encodeMs / publishMs,
    'views, ms': median(side.viewMs),
    'writes, ms': median(side.writeMs),
    'told a tick': told,
    'bytes each told': (side.bytes() - side.bytesBefore) / ticks / told,
  };
  return { label: side.label, figures };
}

function judged({ rows, problems }: GaugeOutcome): GaugeOutcome {
  const [ours, ...theirs] = rows;
  const bytes = (row: GaugeRow | undefined): number => row?.figures['bytes each told'] ?? Number.NaN;
  const failures = theirs.flatMap((row) => {
    const faster = row.figures[FASTER] ?? Number.NaN;
    const share = bytes(ours) / bytes(row);
    return faster >= LEAST_TIMES_FASTER && share <= MOST_OF_BYTES
      ? []
      : [
          `${row.label} takes ${faster.toFixed(1)} x the time, and the gateway ${share.toFixed(2)} of its bytes`,
        ];
  });
  return { rows, problems: [...problems, ...failures] };
}
