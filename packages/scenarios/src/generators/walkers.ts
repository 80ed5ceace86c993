/**
 * Walkers: the simplest crowd, and the one on which speed is measured.
 *
 * All watch and are seen, spread evenly over a square whose size makes each perceive `perceived` others on average. All move
 * straight ahead at every step, and bounce off the edges. Few relations change from one step to the next: the work is
 * verifying that nothing changed.
 */
import { Crowd, listEveryone } from '../crowd.ts';
import { COMMON_RULES, numberOptions } from '../option-check.ts';
import { Random } from '../random.ts';
import type { Simulation } from '../simulation.ts';
import { type ScenarioOptions, scatter, setOff, squareFor, walkAxis } from './walking.ts';

/** Options of `createWalkers`. */
export type WalkerOptions = ScenarioOptions;

class Walkers extends Crowd {
  readonly #stepX: Float32Array;
  readonly #stepY: Float32Array;

  constructor(options: WalkerOptions) {
    const { entities, seed, tickSeconds, range, speed, perceived } = numberOptions(
      "scenario 'walkers'",
      options,
      COMMON_RULES,
    );
    const bounds = squareFor(entities, perceived, range);
    super({
      name: 'walkers',
      title: 'Walkers',
      kinds: ['walker'],
      dimensions: 2,
      tickSeconds,
      bounds,
      capacity: entities,
    });
    const random = new Random(seed);
    this.#stepX = new Float32Array(entities);
    this.#stepY = new Float32Array(entities);
    this.range.fill(range);
    scatter(random, this.x, this.y, bounds);
    setOff(random, this.#stepX, this.#stepY, speed * tickSeconds);
    listEveryone(this.moved, entities);
  }

  protected override advance(): void {
    const { bounds } = this;
    walkAxis(this.x, this.#stepX, bounds.minX, bounds.maxX);
    walkAxis(this.y, this.#stepY, bounds.minY, bounds.maxY);
    this.moved.count = this.capacity;
  }
}

/** All walk straight on and bounce off the edges of a square. Throws `BAD_OPTION`. */
export function createWalkers(options: WalkerOptions = {}): Simulation {
  return new Walkers(options);
}
