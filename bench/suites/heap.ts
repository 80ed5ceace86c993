/**
 * Checks that warm ticks leave nothing behind: after 10,000 ticks the JavaScript heap is as large as before.
 *
 * 1,000 walkers, every list read each tick, by columns (which make no objects) and by views (which make short-lived
 * ones). The heap is measured after collecting, once as many ticks have warmed everything up; only the compiler, which
 * works for long, still changes the figures. A leak of one object a tick would be at least 16 bytes times 10,000.
 */
import { createWalkers } from '@umwelt/scenarios';
import type { EngineKind } from '../engines/engine.ts';
import { umwelt, umweltByViews } from '../engines/umwelt.ts';
import { type GaugeCase, type GaugeOutcome, type GaugeRow, heldBytes } from '../measure/gauge.ts';
import { type Choice, PERCEIVED, type Suite } from './suite.ts';

const ENTITIES = 1000;
const TICKS = 10_000;
const SMOKE_TICKS = 50;
/** The size of V8's smallest object. */
export const SMALLEST_OBJECT_BYTES = 16;

export const heap: Suite = {
  name: 'heap',
  summary: '10,000 warm ticks: does the JavaScript heap grow?',
  cases: (choice) => [heapCase(choice)],
};

export function heapCase({ smoke }: Choice): GaugeCase {
  return {
    kind: 'gauge',
    name: `${ENTITIES} walkers, heap after warm ticks`,
    measure: (tell) => (smoke ? measure(SMOKE_TICKS, tell, 1) : judged(measure(TICKS, tell))),
  };
}

function measure(ticks: number, tell: (line: string) => void, collections?: number): GaugeOutcome {
  const rows: GaugeRow[] = [];
  for (const [label, engine, updates] of [
    ['entered and left, by columns', umwelt, false],
    ['entered, left and updated, by columns', umwelt, true],
    ['entered, left and updated, by views', umweltByViews, true],
  ] as const) {
    tell(`${label}: ${ticks} ticks`);
    rows.push(heapRow(label, engine, updates, ticks, collections));
  }
  return { rows, problems: [] };
}

/** Growth of the heap, in bytes, without compiled code: that grows for long, and is not left behind by a tick. NaN if it was not measured. */
export function growthWithoutCode(figures: GaugeRow['figures']): number {
  return (figures['growth, bytes'] ?? Number.NaN) - (figures['of it code, bytes'] ?? 0);
}

function judged({ rows }: GaugeOutcome): GaugeOutcome {
  const problems = rows.flatMap(({ label, figures }) => {
    const most = SMALLEST_OBJECT_BYTES * figures.ticks!;
    return growthWithoutCode(figures) < most ? [] : [`${label}: the heap grew by an object a tick or more`];
  });
  return { rows, problems };
}

function heapRow(
  label: string,
  kind: EngineKind,
  updates: boolean,
  ticks: number,
  collections: number | undefined,
): GaugeRow {
  const simulation = createWalkers({ entities: ENTITIES, perceived: PERCEIVED });
  const engine = kind.create(simulation, { updates });
  const run = (): void => {
    for (let tick = 0; tick < ticks; tick++) {
      simulation.step();
      engine.tick();
    }
  };
  run();
  const before = heldBytes(collections);
  run();
  const after = heldBytes(collections);
  engine.dispose();
  return {
    label,
    figures: {
      ticks,
      'heap before, bytes': before.heap,
      'heap after, bytes': after.heap,
      'growth, bytes': after.heap - before.heap,
      'of it code, bytes': after.code - before.code,
      'growth of buffers, bytes': after.buffers - before.buffers,
    },
  };
}
