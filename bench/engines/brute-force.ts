/**
 * Every pair, before and now: the definition, written a second time without any code of the engine, to check the others.
 *
 * It remembers the positions of the last tick and no pairs. Cost: O(n^2), about 2 ns a pair.
 */
import type { Simulation } from '@umwelt/scenarios';
import { isInCircle } from './circle-test.ts';
import type { EngineKind, EngineOptions } from './engine.ts';
import { Peer } from './peer.ts';

const f32 = Math.fround;

class BruteForcePeer extends Peer {
  readonly #beforeX: Float32Array;
  readonly #beforeY: Float32Array;

  constructor(simulation: Simulation, options: EngineOptions) {
    super(simulation, options);
    // Before the first tick no entity has a position: NaN is within no distance of anything.
    this.#beforeX = new Float32Array(simulation.capacity).fill(Number.NaN);
    this.#beforeY = new Float32Array(simulation.capacity).fill(Number.NaN);
  }

  protected override compare(): void {
    const { x, y, range, capacity } = this.simulation;
    for (let watcher = 0; watcher < capacity; watcher++) {
      if (range[watcher]! > 0) this.#compareOne(watcher, x, y, range[watcher]!);
    }
    this.#beforeX.set(x);
    this.#beforeY.set(y);
  }

  #compareOne(watcher: number, x: Float32Array, y: Float32Array, range: number): void {
    const { entered, left, updated, updates, moved } = this;
    const beforeX = this.#beforeX;
    const beforeY = this.#beforeY;
    const [watcherX, watcherY] = [x[watcher]!, y[watcher]!];
    const [wasX, wasY] = [beforeX[watcher]!, beforeY[watcher]!];
    for (let marker = 0; marker < x.length; marker++) {
      const now = isInCircle(f32(x[marker]! - watcherX), f32(y[marker]! - watcherY), range);
      const before = isInCircle(f32(beforeX[marker]! - wasX), f32(beforeY[marker]! - wasY), range);
      if (!(now || before) || marker === watcher) continue;
      if (!before) entered.push(watcher, marker);
      else if (!now) left.push(watcher, marker);
      else if (updates && moved[marker] === 1) updated.push(watcher, marker);
    }
  }
}

export const bruteForce: EngineKind = {
  name: 'brute-force',
  title: 'every pair, two loops',
  expectedTickMs: ({ entities }) => (entities * entities * 3) / 1e6,
  create: (simulation, options) => new BruteForcePeer(simulation, options),
};
