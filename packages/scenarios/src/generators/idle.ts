/**
 * Idle: a world in which almost all entities stand still, as in most worlds at most times.
 *
 * At every step exactly a share of the crowd walks, 1 % by default, and walks for a while: each step a few stop and the same
 * number of others, drawn evenly, start, so that a walk lasts `walkSeconds` on average. An engine's cost here should grow with
 * the moving entities, not with all of them. With share 0 no entity ever moves.
 */
import { Crowd } from '../crowd.ts';
import { COMMON_RULES, numberOptions } from '../option-check.ts';
import { Random } from '../random.ts';
import type { Simulation } from '../simulation.ts';
import { type ScenarioOptions, scatter, setOff, squareFor, walkAxisOf } from './walking.ts';

/** Options of `createIdle`. */
export interface IdleOptions extends ScenarioOptions {
  /** Share of the crowd that moves at each step, 0 to 1, rounded to whole actors. Default 0.01. */
  share?: number | undefined;
  /** How long an actor walks before it stops, on average, in seconds. Default 2. */
  walkSeconds?: number | undefined;
}

class Idle extends Crowd {
  readonly #random: Random;
  readonly #stepX: Float32Array;
  readonly #stepY: Float32Array;
  readonly #walkerCount: number;
  /** All actors; the first `#walkerCount` walk now. */
  readonly #order: Uint32Array;
  readonly #reliefsPerStep: number;
  /** Fraction of a swap left over from earlier steps, 0 to 1. */
  #reliefsOwed = 0;

  constructor(options: IdleOptions) {
    const { entities, seed, tickSeconds, range, speed, perceived, share, walkSeconds } = numberOptions(
      "scenario 'idle'",
      options,
      {
        ...COMMON_RULES,
        share: { default: 0.01, min: 0, max: 1 },
        walkSeconds: { default: 2, min: 0.001, max: 1e6 },
      },
    );
    const bounds = squareFor(entities, perceived, range);
    super({
      name: 'idle',
      title: 'A mostly idle world',
      kinds: ['idler'],
      dimensions: 2,
      tickSeconds,
      bounds,
      capacity: entities,
    });
    const random = new Random(seed);
    this.#random = random;
    this.#stepX = new Float32Array(entities);
    this.#stepY = new Float32Array(entities);
    this.#walkerCount = Math.round(share * entities);
    this.#order = Uint32Array.from({ length: entities }, (_, actor) => actor);
    this.#reliefsPerStep = this.#walkerCount * Math.min(1, tickSeconds / walkSeconds);
    this.range.fill(range);
    scatter(random, this.x, this.y, bounds);
    setOff(random, this.#stepX, this.#stepY, speed * tickSeconds);
  }

  protected override advance(): void {
    const { bounds } = this;
    const order = this.#order;
    const count = this.#walkerCount;
    this.#relieve();
    walkAxisOf(order, count, this.x, this.#stepX, bounds.minX, bounds.maxX);
    walkAxisOf(order, count, this.y, this.#stepY, bounds.minY, bounds.maxY);
    const { indices } = this.moved;
    for (let i = 0; i < count; i++) indices[i] = order[i]!;
    this.moved.count = count;
  }

  /** Swaps some walking actors for standing ones. */
  #relieve(): void {
    const walkerCount = this.#walkerCount;
    const standingCount = this.capacity - walkerCount;
    if (standingCount === 0) return;
    this.#reliefsOwed += this.#reliefsPerStep;
    const order = this.#order;
    for (; this.#reliefsOwed >= 1; this.#reliefsOwed--) {
      const walking = this.#random.below(walkerCount);
      const standing = walkerCount + this.#random.below(standingCount);
      const actor = order[walking]!;
      order[walking] = order[standing]!;
      order[standing] = actor;
    }
  }
}

/** A share of the crowd walks, the rest stands still. Throws `BAD_OPTION`. */
export function createIdle(options: IdleOptions = {}): Simulation {
  return new Idle(options);
}
