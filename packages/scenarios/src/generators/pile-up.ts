/**
 * Pile-up: a crowd that converges on one spot, mills about there, goes home again, and comes back.
 *
 * The worst case of perception: when all n entities stand within each other's range there are n^2 relations, and only caps keep
 * the reports bounded. Each actor has a home, spread evenly, and seats in the pile, a disc around a spot near the middle of
 * the world; at a seat it slowly strolls on to another. When the last has arrived the crowd stays for a while, then all walk
 * home; when the last is home it begins again. With `gathered: 1` all actors are in the pile for good from the start: the case to
 * measure.
 */
import { Crowd } from '../crowd.ts';
import { COMMON_RULES, numberOptions } from '../option-check.ts';
import { Random } from '../random.ts';
import type { Simulation } from '../simulation.ts';
import { type ScenarioOptions, scatter, squareFor, walkTowards } from './walking.ts';

/** Options of `createPileUp`. */
export interface PileUpOptions extends ScenarioOptions {
  /** Radius of the pile in world units, 0 to 1e6; 0 puts all at one point. Default 10. */
  radius?: number | undefined;
  /** Share of the crowd that is in the pile from the start and never leaves it, 0 to 1. Default 0. */
  gathered?: number | undefined;
  /** How long the crowd stays once all are there, in seconds. Default 20. */
  staySeconds?: number | undefined;
}

/** Speed of strolling in the pile, relative to coming and going. */
const STROLL = 0.2;

/** States of an actor. */
const COMING = 0;
const MILLING = 1;
const LEAVING = 2;
const HOME = 3;

class PileUp extends Crowd {
  readonly #random: Random;
  /** World units per step, by actor: some are faster than others. */
  readonly #pace: Float32Array;
  readonly #radius: number;
  readonly #spotX: number;
  readonly #spotY: number;
  readonly #stayTicks: number;
  /** Actors below this never leave. */
  readonly #residentCount: number;
  readonly #homeX: Float32Array;
  readonly #homeY: Float32Array;
  readonly #seatX: Float32Array;
  readonly #seatY: Float32Array;
  readonly #doing: Uint8Array;
  readonly #inDisc = new Float64Array(2);
  /** Ticks since the last of the crowd arrived. */
  #stayedTicks = 0;

  constructor(options: PileUpOptions) {
    const { entities, seed, tickSeconds, range, speed, perceived, radius, gathered, staySeconds } =
      numberOptions("scenario 'pile-up'", options, {
        ...COMMON_RULES,
        speed: { ...COMMON_RULES.speed, default: 15 },
        radius: { default: 10, min: 0, max: 1e6 },
        gathered: { default: 0, min: 0, max: 1 },
        staySeconds: { default: 20, min: 0, max: 1e6 },
      });
    const bounds = squareFor(entities, perceived, range);
    super({
      name: 'pile-up',
      title: 'A pile-up',
      kinds: ['visitor'],
      dimensions: 2,
      tickSeconds,
      bounds,
      capacity: entities,
    });
    const random = new Random(seed);
    this.#random = random;
    // The whole pile must fit, also into a world that is smaller than requested.
    this.#radius = Math.min(radius, bounds.maxX / 2);
    this.#spotX = random.between(bounds.minX / 2, bounds.maxX / 2);
    this.#spotY = random.between(bounds.minY / 2, bounds.maxY / 2);
    this.#stayTicks = Math.round(staySeconds / tickSeconds);
    this.#residentCount = Math.round(gathered * entities);
    this.#pace = new Float32Array(entities);
    this.#homeX = new Float32Array(entities);
    this.#homeY = new Float32Array(entities);
    this.#seatX = new Float32Array(entities);
    this.#seatY = new Float32Array(entities);
    this.#doing = new Uint8Array(entities);
    this.range.fill(range);
    scatter(random, this.#homeX, this.#homeY, bounds);
    this.x.set(this.#homeX);
    this.y.set(this.#homeY);
    for (let actor = 0; actor < entities; actor++) {
      this.#pace[actor] = speed * tickSeconds * random.between(0.6, 1.4);
      this.#takeSeat(actor);
      if (actor >= this.#residentCount) continue;
      this.#doing[actor] = MILLING;
      this.x[actor] = this.#seatX[actor]!;
      this.y[actor] = this.#seatY[actor]!;
      this.#takeSeat(actor);
    }
  }

  protected override advance(): void {
    const doing = this.#doing;
    let coming = 0;
    let leaving = 0;
    let home = 0;
    for (let actor = 0; actor < this.capacity; actor++) {
      const was = doing[actor]!;
      if (was === HOME) {
        home++;
        continue;
      }
      this.moved.push(actor);
      const is = this.#go(actor, was);
      doing[actor] = is;
      if (is === COMING) coming++;
      else if (is === LEAVING) leaving++;
    }
    this.#turnTheTide(coming, leaving, home);
  }

  /** Moves an actor that is not at home; returns its next state. */
  #go(actor: number, doing: number): number {
    const { x, y } = this;
    const pace = this.#pace[actor]!;
    if (doing === LEAVING) {
      return walkTowards(x, y, actor, this.#homeX[actor]!, this.#homeY[actor]!, pace) ? HOME : LEAVING;
    }
    const stroll = doing === MILLING ? pace * STROLL : pace;
    if (!walkTowards(x, y, actor, this.#seatX[actor]!, this.#seatY[actor]!, stroll)) return doing;
    this.#takeSeat(actor);
    return MILLING;
  }

  /** Sends all home when they have stayed long enough, and calls them back when the last one is home. */
  #turnTheTide(coming: number, leaving: number, home: number): void {
    const doing = this.#doing;
    if (coming > 0 || leaving > 0) {
      this.#stayedTicks = 0;
      return;
    }
    // Actors that got home in this very step are not counted: then wait for the next step.
    if (home === this.capacity - this.#residentCount && home > 0) {
      doing.fill(COMING, this.#residentCount);
    } else if (home === 0) {
      this.#stayedTicks++;
      if (this.#stayedTicks <= this.#stayTicks) return;
      this.#stayedTicks = 0;
      doing.fill(LEAVING, this.#residentCount);
    }
  }

  #takeSeat(actor: number): void {
    this.#random.inDiscInto(this.#inDisc);
    this.#seatX[actor] = this.#spotX + this.#inDisc[0]! * this.#radius;
    this.#seatY[actor] = this.#spotY + this.#inDisc[1]! * this.#radius;
  }
}

/** A crowd that converges on one spot, stays, goes home, and comes back. Throws `BAD_OPTION`. */
export function createPileUp(options: PileUpOptions = {}): Simulation {
  return new PileUp(options);
}
