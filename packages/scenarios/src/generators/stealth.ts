/**
 * Stealth: guards that see and hear, and rogues that cloak: then they are not seen, but still heard.
 *
 * Two senses: sight, and hearing with two fifths of the range. A rogue walks openly for some seconds, then cloaks for some: its
 * gain for sight is 0 and its steps are half as loud, so a guard close by still perceives it, by hearing alone. For an engine:
 * relations that stay while their senses change, and markers that enter and leave without a move.
 */
import type { EntityPatch } from 'umwelt';
import { ActorList, Crowd, listEveryone } from '../crowd.ts';
import { COMMON_RULES, numberOptions } from '../option-check.ts';
import { Random } from '../random.ts';
import type { Simulation } from '../simulation.ts';
import { type ScenarioOptions, scatter, setOff, squareFor, walkAxis } from './walking.ts';

/** Options of `createStealth`. */
export interface StealthOptions extends ScenarioOptions {
  /** Share of rogues in the crowd, 0 to 1. Default 0.3. */
  rogues?: number | undefined;
  /** How long a rogue is cloaked, and then not, on average, in seconds, 0.05 to 1e6. Default 6. */
  cloakSeconds?: number | undefined;
}

const GUARD = 0;
const ROGUE = 1;
/** Range of hearing, relative to sight. */
const HEARING = 0.4;
const OPEN: EntityPatch = { gain: { sight: 1, hearing: 1 } };
const CLOAKED: EntityPatch = { gain: { sight: 0, hearing: 0.5 } };

class Stealth extends Crowd {
  override readonly changed: ActorList;
  readonly #random: Random;
  readonly #stepX: Float32Array;
  readonly #stepY: Float32Array;
  /** Guards come first, then rogues. */
  readonly #guardCount: number;
  readonly #cloakTicks: number;
  /** By actor: 1 while cloaked, and the ticks until that changes. */
  readonly #cloaked: Uint8Array;
  readonly #ticksLeft: Uint32Array;
  readonly #init: EntityPatch;

  constructor(options: StealthOptions) {
    const { entities, seed, tickSeconds, range, speed, perceived, rogues, cloakSeconds } = numberOptions(
      "scenario 'stealth'",
      options,
      {
        ...COMMON_RULES,
        rogues: { default: 0.3, min: 0, max: 1 },
        cloakSeconds: { default: 6, min: 0.05, max: 1e6 },
      },
    );
    const bounds = squareFor(entities, perceived, range);
    super({
      name: 'stealth',
      title: 'Stealth',
      kinds: ['guard', 'rogue'],
      dimensions: 2,
      tickSeconds,
      bounds,
      capacity: entities,
      world: { senses: ['sight', 'hearing'], interests: { default: { leaveMargin: range / 20 } } },
    });
    const random = new Random(seed);
    this.#random = random;
    this.changed = new ActorList(entities);
    this.#stepX = new Float32Array(entities);
    this.#stepY = new Float32Array(entities);
    this.#guardCount = entities - Math.round(rogues * entities);
    this.#cloakTicks = Math.max(1, Math.round(cloakSeconds / tickSeconds));
    this.#cloaked = new Uint8Array(entities);
    this.#ticksLeft = new Uint32Array(entities);
    this.#init = { range: { sight: range, hearing: HEARING * range } };
    this.kind.fill(GUARD).fill(ROGUE, this.#guardCount);
    this.range.fill(range);
    scatter(random, this.x, this.y, bounds);
    setOff(random, this.#stepX, this.#stepY, speed * tickSeconds);
    for (let actor = this.#guardCount; actor < entities; actor++) this.#ticksLeft[actor] = this.#spell();
    listEveryone(this.moved, entities);
  }

  override initFor(): EntityPatch {
    return this.#init;
  }

  patchFor(actor: number): EntityPatch {
    return this.#cloaked[actor] === 1 ? CLOAKED : OPEN;
  }

  protected override advance(): void {
    const { bounds } = this;
    walkAxis(this.x, this.#stepX, bounds.minX, bounds.maxX);
    walkAxis(this.y, this.#stepY, bounds.minY, bounds.maxY);
    this.moved.count = this.capacity;
    for (let actor = this.#guardCount; actor < this.capacity; actor++) {
      this.#ticksLeft[actor]!--;
      if (this.#ticksLeft[actor]! > 0) continue;
      this.#ticksLeft[actor] = this.#spell();
      this.#cloaked[actor]! ^= 1;
      this.changed.push(actor);
    }
  }

  /** Between half the average and one and a half times the average. */
  #spell(): number {
    return Math.max(1, Math.round(this.#cloakTicks * this.#random.between(0.5, 1.5)));
  }
}

/** Guards that see and hear, and rogues that cloak. Throws `BAD_OPTION`. */
export function createStealth(options: StealthOptions = {}): Simulation {
  return new Stealth(options);
}
