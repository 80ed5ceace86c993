/**
 * Memory an entity, and the memory a relation that `updated` adds, as the engine counts it and as the process has it.
 *
 * Our engine is measured after it has released the large first report, which takes about a hundred ticks. The process's
 * memory includes the user's own column of ids, 4 bytes an entity. A small world first loads all code, so that code
 * counts for no entity.
 */
import { createWalkers } from '@umwelt/scenarios';
import type { EngineKind } from '../engines/engine.ts';
import { kdbush } from '../engines/kdbush.ts';
import { umwelt } from '../engines/umwelt.ts';
import { type GaugeCase, type GaugeRow, heldBytes } from '../measure/gauge.ts';
import { type Choice, PERCEIVED, populations, type Suite } from './suite.ts';

const ENTITIES = [100_000, 1_000_000];
/** Beyond this, the peers' Sets take gigabytes. */
const MOST_FOR_SETS = 100_000;
const SETTLING_TICKS = 140;
const PEER_TICKS = 3;
const SMALL = 100;

export const memory: Suite = {
  name: 'memory',
  summary: 'bytes an entity, and a relation',
  cases: (choice) =>
    populations(choice, ENTITIES).flatMap((entities) => [
      memoryCase(choice, entities, false),
      memoryCase(choice, entities, true),
      relationMemoryCase(choice, entities),
    ]),
};

export function memoryCase({ smoke }: Choice, entities: number, updates: boolean): GaugeCase {
  return {
    kind: 'gauge',
    name: `${entities} walkers in memory${updates ? ', with updated' : ''}`,
    measure(tell) {
      const engines = entities <= MOST_FOR_SETS ? [umwelt, kdbush] : [umwelt];
      const rows = engines.map((engine) => {
        tell(engine.title);
        memoryRow(engine, SMALL, updates, { smoke, ticks: PEER_TICKS });
        const ticks = smoke || engine !== umwelt ? PEER_TICKS : SETTLING_TICKS;
        return memoryRow(engine, entities, updates, { smoke, ticks });
      });
      return { rows, problems: [] };
    },
  };
}

/** Bytes a relation: two worlds of the same walkers, one after the other; how much more the one with `updated` holds. */
export function relationMemoryCase({ smoke }: Choice, entities: number): GaugeCase {
  return {
    kind: 'gauge',
    name: `${entities} walkers in memory, a relation`,
    measure(tell) {
      const pace = { smoke, ticks: smoke ? PEER_TICKS : SETTLING_TICKS };
      holdingOf(umwelt, SMALL, true, { smoke, ticks: PEER_TICKS });
      tell('without updated');
      const without = holdingOf(umwelt, entities, false, pace);
      tell('with updated');
      const withUpdates = holdingOf(umwelt, entities, true, pace);
      const { relations } = withUpdates;
      const figures = {
        entities,
        relations,
        'bytes a relation': (withUpdates.bytes - without.bytes) / relations,
        'by its own count': (withUpdates.counted - without.counted) / relations,
      };
      return { rows: [{ label: umwelt.title, figures }], problems: [] };
    },
  };
}

function memoryRow(kind: EngineKind, entities: number, updates: boolean, pace: Pace): GaugeRow {
  const { bytes, counted, heap } = holdingOf(kind, entities, updates, pace);
  return {
    label: kind.title,
    figures: {
      entities,
      'bytes an entity': bytes / entities,
      'by its own count': counted / entities,
      'JavaScript heap': heap / entities,
    },
  };
}

/** How long an engine runs before it is measured, and whether the figure counts. */
interface Pace {
  readonly smoke: boolean;
  readonly ticks: number;
}

/** What an engine holds after these ticks, in bytes. */
interface Holding {
  /** As the process has it, and the part in the JavaScript heap. */
  readonly bytes: number;
  readonly heap: number;
  /** As the engine counts it; NaN if it does not. */
  readonly counted: number;
  readonly relations: number;
}

function holdingOf(kind: EngineKind, entities: number, updates: boolean, { smoke, ticks }: Pace): Holding {
  const collections = smoke ? 1 : undefined;
  const simulation = createWalkers({ entities, perceived: PERCEIVED });
  const before = heldBytes(collections);
  const engine = kind.create(simulation, { updates });
  let relations = 0;
  for (let tick = 0; tick < ticks; tick++) {
    simulation.step();
    const { entered, left } = engine.tick();
    relations += entered - left;
  }
  const after = heldBytes(collections);
  const heap = after.heap - before.heap;
  const counted = engine.memoryBytes ?? Number.NaN;
  engine.dispose();
  return { bytes: heap + after.buffers - before.buffers, heap, counted, relations };
}
