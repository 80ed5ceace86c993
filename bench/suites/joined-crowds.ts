/** Several crowds as one simulation, all at the same coordinates: copies of a place, or rooms. */
import { createWalkers, type Simulation } from '@umwelt/scenarios';
import { PERCEIVED } from './suite.ts';

/** Walkers that perceive as many others as usual; all others where there are fewer. */
export function crowdOf(entities: number, seed: number): Simulation {
  return createWalkers({ entities, perceived: Math.min(PERCEIVED, entities - 1), seed });
}

/** The actors of the first crowd come first, then those of the second, and so on. */
export function joined(crowds: readonly Simulation[]): Simulation {
  const capacity = crowds.reduce((sum, crowd) => sum + crowd.capacity, 0);
  const starts: number[] = [];
  let next = 0;
  for (const crowd of crowds) {
    starts.push(next);
    next += crowd.capacity;
  }
  const everybody = { count: capacity, indices: Uint32Array.from({ length: capacity }, (_, actor) => actor) };
  const none = { count: 0, indices: everybody.indices };
  const all = {
    ...crowds[0]!,
    capacity,
    count: 0,
    x: new Float32Array(capacity),
    y: new Float32Array(capacity),
    z: new Float32Array(capacity),
    kind: new Uint8Array(capacity),
    range: new Float32Array(capacity),
    present: new Uint8Array(capacity),
    added: none,
    moved: none,
    removed: none,
    worldOptions: { ...crowds[0]!.worldOptions, capacity },
    step(): void {
      const isFirst = all.count === 0;
      for (const [i, crowd] of crowds.entries()) {
        crowd.step();
        all.x.set(crowd.x, starts[i]!);
        all.y.set(crowd.y, starts[i]!);
      }
      all.count = capacity;
      all.present.fill(1);
      all.added = isFirst ? everybody : none;
      all.moved = isFirst ? none : everybody;
    },
  };
  for (const [i, crowd] of crowds.entries()) all.range.set(crowd.range, starts[i]!);
  return all;
}
