/**
 * Measures what update rates save, and checks that no update is too late: walkers get updates every tick up to a quarter
 * of the range, every second tick up to half, every fourth beyond.
 *
 * By area that is 1/16 + 3/16 / 2 + 12/16 / 4 = 0.344 of all pairs; the suite accepts a third within 5 %. It also records
 * for every pair the tick of its last update, and after each tick no pair may be as old as its ring's rate.
 */
import { createWalkers, type Simulation, WorldDriver } from '@umwelt/scenarios';
import { type Changes, type Interest, type ReportColumns, World } from 'umwelt';
import type { GaugeCase, GaugeOutcome } from '../measure/gauge.ts';
import { median } from '../measure/samples.ts';
import { type Choice, PERCEIVED, populations, type Suite } from './suite.ts';

const ENTITIES = [10_000];
const TICKS = 60;
const SMOKE_TICKS = 12;
const RANGE = 50;
const RATES = [
  [0.25, 1],
  [0.5, 2],
  [1, 4],
] as const;
const EXPECTED_SHARE = 1 / 3;
const TOLERANCE = 0.05;
/** A pair as one number, watcher first: 44 bits, because it uses slots, not the unsigned 32-bit ids. */
const SLOTS = 2 ** 22;
const f32 = Math.fround;

export const rates: Suite = {
  name: 'rates',
  summary: 'update rates by distance: how many updates, and how late?',
  cases: (choice) => populations(choice, ENTITIES).map((entities) => ratesCase(choice, entities)),
};

function ratesCase({ smoke }: Choice, entities: number): GaugeCase {
  return {
    kind: 'gauge',
    name: `${entities} walkers told at rates`,
    measure: (tell) =>
      smoke ? measure(entities, SMOKE_TICKS, tell) : judged(measure(entities, TICKS, tell)),
  };
}

function measure(entities: number, ticks: number, tell: (line: string) => void): GaugeOutcome {
  tell('every tick');
  const every = told(entities, {}, ticks);
  tell('at rates');
  const rated = told(entities, { updateRates: RATES }, ticks);
  const rows = (
    [
      ['every change in its tick', every],
      ['[0.25, 1], [0.5, 2], [1, 4]', rated],
    ] as const
  ).map(([label, { updated, late, medianMs }]) => ({
    label,
    figures: {
      entities,
      ticks,
      'median ms': medianMs,
      'updated/tick': updated / ticks,
      'of every tick': updated / every.updated,
      'later than its rate': late,
    },
  }));
  const problems = rated.late === 0 ? [] : [`${rated.late} pairs waited longer than their rate allows`];
  return { rows, problems };
}

function judged({ rows, problems }: GaugeOutcome): GaugeOutcome {
  const share = rows[1]?.figures['of every tick'] ?? Number.NaN;
  if (Math.abs(share / EXPECTED_SHARE - 1) <= TOLERANCE) return { rows, problems };
  return {
    rows,
    problems: [...problems, `${share.toFixed(3)} of all pairs were reported, expected a third`],
  };
}

function told(entities: number, interest: Interest, ticks: number) {
  const simulation = createWalkers({ entities, perceived: PERCEIVED, range: RANGE });
  const world = new World({ ...simulation.worldOptions, interests: { default: interest } });
  const driver = new WorldDriver(simulation, world);
  const isRated = interest.updateRates !== undefined;
  const toldAt = new Map<number, number>();
  const samples: number[] = [];
  let updated = 0;
  let late = 0;
  // In the first ticks all entities enter, all at the same time.
  const warm = RATES.at(-1)?.[1] ?? 1;
  for (let tick = 1; tick <= warm + ticks; tick++) {
    driver.step();
    const beganMs = performance.now();
    const changes = world.tick();
    if (tick > warm) {
      samples.push(performance.now() - beganMs);
      updated += changes.updatedCount;
    }
    if (!isRated) continue;
    note(changes, toldAt);
    late += countLate(simulation, driver, toldAt, tick);
  }
  void world.dispose();
  return { updated, late, medianMs: median(samples) };
}

function note(changes: Changes, toldAt: Map<number, number>): void {
  for (const kind of ['entered', 'updated'] as const) {
    eachPair(changes.columns(kind), (pair) => void toldAt.set(pair, changes.tick));
  }
  eachPair(changes.columns('left'), (pair) => void toldAt.delete(pair));
}

function eachPair({ count, watchers, offsets, markers }: ReportColumns, visit: (pair: number) => void): void {
  for (let row = 0; row < count; row++) {
    const base = (watchers[row]! >>> 10) * SLOTS;
    for (let i = offsets[row]!; i < offsets[row + 1]!; i++) visit(base + (markers[i]! >>> 10));
  }
}

/** The number of pairs whose update is late. All entities move, so every pair changes in each tick. */
function countLate(
  { x, y, capacity }: Simulation,
  driver: WorldDriver,
  toldAt: ReadonlyMap<number, number>,
  tick: number,
): number {
  const actorOf = new Map<number, number>();
  for (let actor = 0; actor < capacity; actor++) actorOf.set(driver.idOf(actor) >>> 10, actor);
  let late = 0;
  for (const [pair, told] of toldAt) {
    const [one, other] = [actorOf.get(Math.floor(pair / SLOTS))!, actorOf.get(pair % SLOTS)!];
    const [dx, dy] = [f32(x[other]! - x[one]!), f32(y[other]! - y[one]!)];
    const squared = f32(f32(dx * dx) + f32(dy * dy));
    const ring = RATES.find(([fraction]) => squared <= f32(f32(fraction * RANGE) ** 2));
    if (tick - told >= (ring?.[1] ?? 4)) late++;
  }
  return late;
}
