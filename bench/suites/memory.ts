/**
 * Memory an entity, as the engine counts it and as the process has it.
 *
 * Ours is measured once the large first report is forgotten, which takes a hundred-odd ticks. What the process has includes
 * the user's own column of ids, 4 bytes an entity. A small world first brings in all code, which is no entity's.
 */
import { createWalkers } from '@umwelt/scenarios';
import type { EngineKind } from '../engines/engine.ts';
import { kdbush } from '../engines/kdbush.ts';
import { umwelt } from '../engines/umwelt.ts';
import { type GaugeCase, type GaugeRow, heldBytes } from '../measure/gauge.ts';
import { type Choice, PERCEIVED, populations, type Suite } from './suite.ts';

const ENTITIES = [100_000, 1_000_000];
/** Beyond this, Sets take gigabytes to tell the same. */
const MOST_FOR_SETS = 100_000;
const SETTLING_TICKS = 140;
const PEER_TICKS = 3;
const SMALL = 100;

export const memory: Suite = {
  name: 'memory',
  summary: 'bytes an entity',
  cases: (choice) =>
    populations(choice, ENTITIES).flatMap((entities) => [
      memoryCase(choice, entities, false),
      memoryCase(choice, entities, true),
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
        memoryRow(engine, SMALL, updates, PEER_TICKS);
        return memoryRow(engine, entities, updates, smoke || engine !== umwelt ? PEER_TICKS : SETTLING_TICKS);
      });
      return { rows, problems: [] };
    },
  };
}

function memoryRow(kind: EngineKind, entities: number, updates: boolean, ticks: number): GaugeRow {
  const simulation = createWalkers({ entities, perceived: PERCEIVED });
  const before = heldBytes();
  const engine = kind.create(simulation, { updates });
  for (let tick = 0; tick < ticks; tick++) {
    simulation.step();
    engine.tick();
  }
  const after = heldBytes();
  const held = after.heap - before.heap + after.buffers - before.buffers;
  const counted = engine.memoryBytes ?? Number.NaN;
  engine.dispose();
  return {
    label: kind.title,
    figures: {
      entities,
      'bytes an entity': held / entities,
      'by its own count': counted / entities,
      'JavaScript heap': (after.heap - before.heap) / entities,
    },
  };
}
