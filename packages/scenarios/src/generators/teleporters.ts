/**
 * Teleporters: walkers of which a share jumps to anywhere in the world at every step.
 *
 * The jumpers of a step are drawn evenly, without replacement, by the first swaps of a shuffle (Fisher and Yates) that continues
 * from the last step: the number of jumpers is exact, and the cost depends on the jumpers alone. An engine must report such a
 * move as losing all neighbours and gaining new ones, at once.
 */
import { Crowd, listEveryone } from '../crowd.ts';
import { COMMON_RULES, numberOptions } from '../option-check.ts';
import { Random } from '../random.ts';
import type { Simulation } from '../simulation.ts';
import { type ScenarioOptions, scatter, setOff, squareFor, walkAxis } from './walking.ts';

/** Options of `createTeleporters`. */
export interface TeleporterOptions extends ScenarioOptions {
  /** Share of the crowd that jumps at each step, 0 to 1, rounded to whole actors. Default 0.01. */
  share?: number | undefined;
}

class Teleporters extends Crowd {
  readonly #random: Random;
  readonly #stepX: Float32Array;
  readonly #stepY: Float32Array;
  readonly #jumpCount: number;
  /** All actors; the first `#jumpCount` are the last step's jumpers. */
  readonly #order: Uint32Array;

  constructor(options: TeleporterOptions) {
    const { entities, seed, tickSeconds, range, speed, perceived, share } = numberOptions(
      "scenario 'teleporters'",
      options,
      { ...COMMON_RULES, share: { default: 0.01, min: 0, max: 1 } },
    );
    const bounds = squareFor(entities, perceived, range);
    super({
      name: 'teleporters',
      title: 'Teleporters',
      kinds: ['teleporter'],
      dimensions: 2,
      tickSeconds,
      bounds,
      capacity: entities,
    });
    const random = new Random(seed);
    this.#random = random;
    this.#stepX = new Float32Array(entities);
    this.#stepY = new Float32Array(entities);
    this.#jumpCount = Math.round(share * entities);
    this.#order = Uint32Array.from({ length: entities }, (_, actor) => actor);
    this.range.fill(range);
    scatter(random, this.x, this.y, bounds);
    setOff(random, this.#stepX, this.#stepY, speed * tickSeconds);
    listEveryone(this.moved, entities);
  }

  protected override advance(): void {
    const { bounds, x, y } = this;
    walkAxis(x, this.#stepX, bounds.minX, bounds.maxX);
    walkAxis(y, this.#stepY, bounds.minY, bounds.maxY);
    this.#drawJumpers();
    const random = this.#random;
    const order = this.#order;
    for (let i = 0; i < this.#jumpCount; i++) {
      const actor = order[i]!;
      x[actor] = random.between(bounds.minX, bounds.maxX);
      y[actor] = random.between(bounds.minY, bounds.maxY);
    }
    this.moved.count = this.capacity;
  }

  #drawJumpers(): void {
    const order = this.#order;
    const count = this.capacity;
    for (let i = 0; i < this.#jumpCount; i++) {
      const j = i + this.#random.below(count - i);
      const actor = order[i]!;
      order[i] = order[j]!;
      order[j] = actor;
    }
  }
}

/** Walkers of which a share jumps to anywhere at every step. Throws `BAD_OPTION`. */
export function createTeleporters(options: TeleporterOptions = {}): Simulation {
  return new Teleporters(options);
}
