/**
 * Measures how steady seats are: a thousand entities jostle around a boss, and each watcher is shown fifty of the
 * hundreds it perceives.
 *
 * The figure is the relations that begin and end for each watcher and tick, once all are there. With plain nearest 50,
 * every push changes seats. Bonus, dwell and memory are added one after the other; the last row is what the scenario
 * plays. It may change at most a fifth of what plain nearest does. All rows are of the same steps.
 */
import { createRaid, WorldDriver } from '@umwelt/scenarios';
import { type Interest, World } from 'umwelt';
import type { GaugeCase, GaugeOutcome, GaugeRow } from '../measure/gauge.ts';
import { median } from '../measure/samples.ts';
import { type Choice, populations, type Suite } from './suite.ts';

const ENTITIES = [1000];
const CAP = 50;
const TICKS = 300;
const SMOKE_TICKS = 10;
/** Seats that change more than this are not steady. */
const MOST_OF_PLAIN = 0.2;

const PLAIN: Interest = { cap: CAP, incumbentBonus: 0, minDwellTicks: 0, memoryTicks: 0 };
const COUNT = 'changed/watcher-tick';
const SHARE = 'of plain';

export const raid: Suite = {
  name: 'raid',
  summary: 'a jostling crowd, 50 shown: how many seats change hands?',
  cases: (choice) => populations(choice, ENTITIES).map((entities) => raidCase(choice, entities)),
};

function raidCase({ smoke }: Choice, entities: number): GaugeCase {
  return {
    kind: 'gauge',
    name: `${entities} round a boss, ${CAP} shown`,
    measure: (tell) =>
      smoke ? measure(entities, SMOKE_TICKS, tell) : judged(measure(entities, TICKS, tell)),
  };
}

function measure(entities: number, ticks: number, tell: (line: string) => void): GaugeOutcome {
  const { interests } = createRaid({ entities, cap: CAP }).worldOptions;
  const steady = interests?.default ?? PLAIN;
  const { incumbentBonus = 0, minDwellTicks = 0 } = steady;
  const rules: readonly (readonly [string, Interest])[] = [
    [`plain nearest ${CAP}`, PLAIN],
    [`bonus ${incumbentBonus}`, { ...PLAIN, incumbentBonus }],
    [`and dwell of ${minDwellTicks} ticks`, { ...PLAIN, incumbentBonus, minDwellTicks }],
    [`and memory of ${steady.memoryTicks ?? 0} ticks`, steady],
  ];
  const rows: GaugeRow[] = [];
  for (const [label, interest] of rules) {
    tell(`${label}: ${ticks} ticks`);
    const figures = raidFigures(entities, interest, ticks);
    const plain = rows[0]?.figures[COUNT] ?? figures[COUNT];
    rows.push({ label, figures: { ...figures, [SHARE]: figures[COUNT] / plain } });
  }
  return { rows, problems: [] };
}

function raidFigures(entities: number, interest: Interest, ticks: number): { [COUNT]: number } {
  const simulation = createRaid({ entities, cap: CAP });
  const world = new World({ ...simulation.worldOptions, interests: { default: interest } });
  const driver = new WorldDriver(simulation, world, { updates: false });
  const samples: number[] = [];
  let changed = 0;
  let mostShown = 0;
  for (let tick = 0; tick <= ticks; tick++) {
    driver.step();
    const beganMs = performance.now();
    const { enteredCount, leftCount } = world.tick();
    if (tick === 0) continue;
    samples.push(performance.now() - beganMs);
    changed += enteredCount + leftCount;
    mostShown = Math.max(mostShown, world.stats().relationCount / entities);
  }
  void world.dispose();
  return {
    entities,
    ticks,
    'most shown': mostShown,
    'median ms': median(samples),
    [COUNT]: changed / (entities * ticks),
  } as { [COUNT]: number };
}

function judged({ rows }: GaugeOutcome): GaugeOutcome {
  const share = rows.at(-1)?.figures[SHARE] ?? Number.NaN;
  const problems =
    share <= MOST_OF_PLAIN ? [] : [`seats change ${share.toFixed(3)} of what plain nearest does`];
  return { rows, problems };
}
