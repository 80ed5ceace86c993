/**
 * Party: walkers in small groups that are scattered all over the map, and still see each other.
 *
 * All walk straight on through an evenly filled square, and parties do not stay together. With `showGroup` each is related to
 * the other members of its party at any distance, in addition to near walkers. So for an engine there are relations that no
 * range explains.
 */
import type { EntityPatch } from 'umwelt';
import { Crowd, listEveryone } from '../crowd.ts';
import { COMMON_RULES, numberOptions } from '../option-check.ts';
import { Random } from '../random.ts';
import type { Simulation } from '../simulation.ts';
import { type ScenarioOptions, scatter, setOff, squareFor, walkAxis } from './walking.ts';

/** Options of `createParty`. */
export interface PartyOptions extends ScenarioOptions {
  /** Members per party, 1 to 1,000; the last party may be smaller. Default 5. */
  partySize?: number | undefined;
}

class Party extends Crowd {
  readonly #stepX: Float32Array;
  readonly #stepY: Float32Array;
  readonly #inits: readonly EntityPatch[];
  readonly #partySize: number;

  constructor(options: PartyOptions) {
    const { entities, seed, tickSeconds, range, speed, perceived, partySize } = numberOptions(
      "scenario 'party'",
      options,
      { ...COMMON_RULES, partySize: { default: 5, min: 1, max: 1000, whole: true } },
    );
    const bounds = squareFor(entities, perceived, range);
    super({
      name: 'party',
      title: 'Parties across the map',
      kinds: ['walker'],
      dimensions: 2,
      tickSeconds,
      bounds,
      capacity: entities,
      world: { groups: ['party'], interests: { default: { showGroup: ['party'], leaveMargin: range / 20 } } },
    });
    const random = new Random(seed);
    this.#stepX = new Float32Array(entities);
    this.#stepY = new Float32Array(entities);
    this.#partySize = partySize;
    this.#inits = Array.from({ length: Math.ceil(entities / partySize) }, (_, i) => ({ group: i + 1 }));
    this.range.fill(range);
    scatter(random, this.x, this.y, bounds);
    setOff(random, this.#stepX, this.#stepY, speed * tickSeconds);
    listEveryone(this.moved, entities);
  }

  override initFor(actor: number): EntityPatch {
    return this.#inits[Math.floor(actor / this.#partySize)]!;
  }

  protected override advance(): void {
    const { bounds } = this;
    walkAxis(this.x, this.#stepX, bounds.minX, bounds.maxX);
    walkAxis(this.y, this.#stepY, bounds.minY, bounds.maxY);
    this.moved.count = this.capacity;
  }
}

/** Walkers in parties that are spread over the map and shown to each other. Throws `BAD_OPTION`. */
export function createParty(options: PartyOptions = {}): Simulation {
  return new Party(options);
}
