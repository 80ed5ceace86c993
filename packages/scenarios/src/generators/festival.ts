/**
 * Festival: a meadow that fills up and empties again; at its fullest it needs several channels.
 *
 * Guests enter through gates at the edge, in parties, stroll from spot to spot, and leave by their gate. The wanted number of
 * guests rises and falls between a tenth of all and all of them, over `daySeconds`. All entities except stalls join the
 * channels, so at noon there are several copies of the meadow, and in the evening one; a stall is in every copy.
 */
import type { ChannelOptions, EntityPatch } from 'umwelt';
import { Crowd } from '../crowd.ts';
import { COMMON_RULES, numberOptions } from '../option-check.ts';
import { Random } from '../random.ts';
import type { Simulation } from '../simulation.ts';
import { type ScenarioOptions, squareFor, walkTowards } from './walking.ts';

/** Options of `createFestival`. */
export interface FestivalOptions extends ScenarioOptions {
  /** Target number of entities per channel, 1 to 4,193,280. Default 200. */
  target?: number | undefined;
  /** Period from one minimum to the next, in seconds, 1 to 1e6. Default 120. */
  daySeconds?: number | undefined;
}

const STALL = 0;
const GUEST = 1;
/** One in so many is a stall. */
const STALL_EVERY = 50;
const PARTY_SIZE = 4;
const FEWEST = 0.1;
/** Fraction of guests that are present at the start. */
const AT_FIRST = 0.5;
/** Maximum fraction of all that enter or leave per second, so that they do not all pass a gate at once. */
const FLOW = 0.05;

class Festival extends Crowd {
  readonly channels: ChannelOptions;
  readonly #random: Random;
  readonly #pace: number;
  readonly #dayTicks: number;
  readonly #mostAStep: number;
  readonly #guestsFrom: number;
  readonly #gateX: Float32Array;
  readonly #gateY: Float32Array;
  readonly #goalX: Float32Array;
  readonly #goalY: Float32Array;
  /** 1 for a guest on the way home, by actor. */
  readonly #isLeaving: Uint8Array;
  readonly #inits: readonly EntityPatch[];
  readonly #stall: EntityPatch = { weight: 2 };
  #tick = 0;
  /** Present guests that are not on the way home. */
  #staying = 0;
  /** Where the search for the next guest to enter or leave begins. */
  #nextComer: number;
  #nextGoer: number;

  constructor(options: FestivalOptions) {
    const { entities, seed, tickSeconds, range, speed, perceived, target, daySeconds } = numberOptions(
      "scenario 'festival'",
      options,
      {
        ...COMMON_RULES,
        speed: { ...COMMON_RULES.speed, default: 15 },
        perceived: { ...COMMON_RULES.perceived, default: 300 },
        target: { default: 200, min: 1, max: 4_193_280, whole: true },
        daySeconds: { default: 120, min: 1, max: 1e6 },
      },
    );
    const bounds = squareFor(entities, perceived, range);
    super({
      name: 'festival',
      title: 'A festival',
      kinds: ['stall', 'guest'],
      dimensions: 2,
      tickSeconds,
      bounds,
      capacity: entities,
      world: { groups: ['party'], interests: { default: { cap: 60, minDwellTicks: 10, memoryTicks: 40 } } },
    });
    const stalls = Math.floor(entities / STALL_EVERY);
    this.channels = { target, tolerance: 0.2, groupKind: 'party' };
    this.#random = new Random(seed);
    this.#pace = speed * tickSeconds;
    this.#dayTicks = Math.max(2, Math.round(daySeconds / tickSeconds));
    this.#mostAStep = Math.max(1, Math.round(entities * FLOW * tickSeconds));
    this.#guestsFrom = stalls;
    this.#nextComer = stalls;
    this.#nextGoer = stalls;
    this.#gateX = new Float32Array(entities);
    this.#gateY = new Float32Array(entities);
    this.#goalX = new Float32Array(entities);
    this.#goalY = new Float32Array(entities);
    this.#isLeaving = new Uint8Array(entities);
    this.#inits = Array.from({ length: Math.ceil(entities / PARTY_SIZE) }, (_, i) => ({ group: i + 1 }));
    this.range.fill(range).fill(0, 0, stalls);
    this.kind.fill(GUEST).fill(STALL, 0, stalls);
    for (let actor = 0; actor < entities; actor++) this.#settleIn(actor);
  }

  override initFor(actor: number): EntityPatch {
    return this.kind[actor] === STALL ? this.#stall : this.#inits[Math.floor(actor / PARTY_SIZE)]!;
  }

  joins(actor: number): boolean {
    return this.kind[actor] === GUEST;
  }

  protected override begin(): void {
    for (let actor = 0; actor < this.capacity; actor++) {
      if (actor >= this.#guestsFrom && actor % 2 === 1) continue;
      this.appear(actor);
      if (actor < this.#guestsFrom) continue;
      this.#staying++;
    }
  }

  protected override advance(): void {
    this.#tick++;
    for (let actor = this.#guestsFrom; actor < this.capacity; actor++) {
      if (this.present[actor] === 1) this.#go(actor);
    }
    this.#admit();
  }

  /** Moves a guest; one that reaches its gate on the way home is removed. */
  #go(actor: number): void {
    const { x, y } = this;
    const isLeaving = this.#isLeaving[actor] === 1;
    const goalX = isLeaving ? this.#gateX[actor]! : this.#goalX[actor]!;
    const goalY = isLeaving ? this.#gateY[actor]! : this.#goalY[actor]!;
    const isThere = walkTowards(x, y, actor, goalX, goalY, this.#pace);
    if (isThere && isLeaving) this.vanish(actor);
    else this.moved.push(actor);
    if (isThere && !isLeaving) this.#takeSpot(actor);
  }

  /** Lets guests in, or sends some home, towards the wanted number. */
  #admit(): void {
    const guests = this.capacity - this.#guestsFrom;
    const phase = ((this.#tick / this.#dayTicks + (AT_FIRST - FEWEST) / (2 * (1 - FEWEST))) % 1) * 2;
    const tide = phase < 1 ? phase : 2 - phase;
    const wanted = Math.round(guests * (FEWEST + (1 - FEWEST) * tide));
    for (let i = 0; i < this.#mostAStep; i++) {
      if (this.#staying < wanted && !this.#letIn()) return;
      if (this.#staying > wanted) this.#sendHome();
    }
  }

  /** The next absent guest enters by its gate. A guest that left in this very step has to wait. */
  #letIn(): boolean {
    const guests = this.capacity - this.#guestsFrom;
    for (let i = 0; i < guests; i++) {
      const actor = this.#nextComer;
      this.#nextComer = actor + 1 < this.capacity ? actor + 1 : this.#guestsFrom;
      if (this.present[actor] === 1 || this.#wentNow(actor)) continue;
      this.#isLeaving[actor] = 0;
      this.x[actor] = this.#gateX[actor]!;
      this.y[actor] = this.#gateY[actor]!;
      this.#takeSpot(actor);
      this.appear(actor);
      this.#staying++;
      return true;
    }
    return false;
  }

  #wentNow(actor: number): boolean {
    const { indices, count } = this.removed;
    for (let i = 0; i < count; i++) if (indices[i] === actor) return true;
    return false;
  }

  #sendHome(): void {
    const guests = this.capacity - this.#guestsFrom;
    for (let i = 0; i < guests; i++) {
      const actor = this.#nextGoer;
      this.#nextGoer = actor + 1 < this.capacity ? actor + 1 : this.#guestsFrom;
      if (this.present[actor] === 0 || this.#isLeaving[actor] === 1) continue;
      this.#isLeaving[actor] = 1;
      this.#staying--;
      return;
    }
  }

  /** Gives an actor its gate and its initial position: for a guest that is not present yet, the gate. */
  #settleIn(actor: number): void {
    const { minX, maxX, minY, maxY } = this.bounds;
    const along = this.#random.unit();
    const side = this.#random.below(4);
    this.#gateX[actor] = side === 0 ? minX : side === 1 ? maxX : minX + (maxX - minX) * along;
    this.#gateY[actor] = side === 2 ? minY : side === 3 ? maxY : minY + (maxY - minY) * along;
    this.#takeSpot(actor);
    this.x[actor] = this.#goalX[actor]!;
    this.y[actor] = this.#goalY[actor]!;
    if (actor >= this.#guestsFrom && actor % 2 === 1) {
      this.x[actor] = this.#gateX[actor]!;
      this.y[actor] = this.#gateY[actor]!;
    }
    this.#takeSpot(actor);
  }

  #takeSpot(actor: number): void {
    const { minX, maxX, minY, maxY } = this.bounds;
    this.#goalX[actor] = this.#random.between(minX, maxX);
    this.#goalY[actor] = this.#random.between(minY, maxY);
  }
}

/** A meadow that fills up and empties again, in channels. Throws `BAD_OPTION`. */
export function createFestival(options: FestivalOptions = {}): Simulation {
  return new Festival(options);
}
