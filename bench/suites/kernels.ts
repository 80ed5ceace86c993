/** The gain from WebAssembly: the same world with kernels in WebAssembly and in TypeScript. */
import { umwelt, umweltTypeScript } from '../engines/umwelt.ts';
import { populations, type Suite, walkersLane, walkersWork } from './suite.ts';

const ENTITIES = [100_000];

export const kernels: Suite = {
  name: 'kernels',
  summary: 'WebAssembly against TypeScript kernels',
  cases: (choice) =>
    populations(choice, ENTITIES).flatMap((entities) =>
      [false, true].map((updates) => ({
        kind: 'race' as const,
        name: `${entities} walkers, both kernels${updates ? ', with updated' : ''}`,
        work: walkersWork(entities),
        lanes: [umwelt, umweltTypeScript].map((engine) => walkersLane(entities, updates, engine)),
      })),
    ),
};
