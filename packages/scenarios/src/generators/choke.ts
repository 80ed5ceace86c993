/**
 * Choke: commuters between two halves of a world, through one gate in the wall between them.
 *
 * Each commuter has a door in either half. It leaves one door, walks to the waiting ground before the gate, waits in a
 * first-come, first-served queue, passes, walks to its door in the other half, goes in, stays inside for a while, and comes
 * back. The gate lets fewer through than want to pass, so crowds wait on both sides.
 *
 * For an engine: zero density at the wall and a pile-up at the gate, many standing entities, and a steady rate of additions and
 * removals, since a commuter inside is removed. No commuter crosses the wall outside the gate. A step is O(n); the queues
 * are ring buffers of actors, one per side.
 */
import { Crowd } from '../crowd.ts';
import { COMMON_RULES, numberOptions } from '../option-check.ts';
import { Random } from '../random.ts';
import type { Simulation } from '../simulation.ts';
import { areaFor, centredBounds, type ScenarioOptions, walkTowards } from './walking.ts';

/** Options of `createChoke`. */
export interface ChokeOptions extends ScenarioOptions {
  /** How many the gate lets through per second, each way. Default: three quarters of the rate at which none would wait. */
  flow?: number | undefined;
  /** How long a commuter stays inside, on average, in seconds. Default 20. */
  insideSeconds?: number | undefined;
}

/** States of an actor. */
const INSIDE = 0;
const COMING = 1;
const WAITING = 2;
const PASSING = 3;
const LEAVING = 4;

/** Half the gate's width and the depth of the waiting ground, as fractions of a half's side. */
const GATE = 0.02;
const GROUND = 0.15;

/** Actors in the order of arrival; room for all of them. */
class Queue {
  readonly #ring: Uint32Array;
  #first = 0;
  count = 0;

  constructor(capacity: number) {
    this.#ring = new Uint32Array(capacity);
  }

  push(actor: number): void {
    this.#ring[(this.#first + this.count) % this.#ring.length] = actor;
    this.count++;
  }

  shift(): number {
    const actor = this.#ring[this.#first]!;
    this.#first = (this.#first + 1) % this.#ring.length;
    this.count--;
    return actor;
  }
}

class Choke extends Crowd {
  readonly #random: Random;
  readonly #pace: number;
  /** Side of a half; the wall is at x = 0. */
  readonly #side: number;
  readonly #insideTicks: number;
  readonly #flowPerStep: number;
  /** Commuters that may pass now, with the fraction left over from earlier steps; by side, 0 left, 1 right. */
  readonly #allowance = new Float64Array(2);
  readonly #queues: readonly [Queue, Queue];
  /** By actor: its doors in the left and the right half. */
  readonly #leftX: Float32Array;
  readonly #leftY: Float32Array;
  readonly #rightX: Float32Array;
  readonly #rightY: Float32Array;
  /** The side it is on, or was on when it passed the gate. */
  readonly #from: Uint8Array;
  readonly #doing: Uint8Array;
  readonly #goalX: Float32Array;
  readonly #goalY: Float32Array;
  readonly #waitTicks: Uint32Array;

  constructor(options: ChokeOptions) {
    const { entities, seed, tickSeconds, range, speed, perceived, flow, insideSeconds } = numberOptions(
      "scenario 'choke'",
      options,
      {
        ...COMMON_RULES,
        // -1 means absent: the default depends on the other options.
        flow: { default: -1, min: 0, max: 1e9 },
        insideSeconds: { default: 20, min: 0, max: 1e6 },
      },
    );
    const side = Math.sqrt(areaFor(entities, perceived, range) / 2);
    super({
      name: 'choke',
      title: 'Commuters at a gate',
      kinds: ['commuter'],
      dimensions: 2,
      tickSeconds,
      bounds: centredBounds(2 * side, side),
      capacity: entities,
    });
    // A way is on average 0.6 sides to the gate and as much beyond it; then the commuter stays inside.
    const waySeconds = speed > 0 ? (1.2 * side) / speed + insideSeconds : Number.POSITIVE_INFINITY;
    const flowPerSecond = flow >= 0 ? flow : (0.75 * entities) / (2 * waySeconds);
    this.#random = new Random(seed);
    this.#pace = speed * tickSeconds;
    this.#side = side;
    this.#insideTicks = insideSeconds / tickSeconds;
    this.#flowPerStep = flowPerSecond * tickSeconds;
    this.#queues = [new Queue(entities), new Queue(entities)];
    this.#leftX = new Float32Array(entities);
    this.#leftY = new Float32Array(entities);
    this.#rightX = new Float32Array(entities);
    this.#rightY = new Float32Array(entities);
    this.#from = new Uint8Array(entities);
    this.#doing = new Uint8Array(entities);
    this.#goalX = new Float32Array(entities);
    this.#goalY = new Float32Array(entities);
    this.#waitTicks = new Uint32Array(entities);
    this.range.fill(range);
    for (let actor = 0; actor < entities; actor++) this.#settle(actor);
  }

  protected override begin(): void {
    for (let actor = 0; actor < this.capacity; actor++) {
      if (this.#doing[actor] !== INSIDE) this.appear(actor);
    }
  }

  protected override advance(): void {
    const doing = this.#doing;
    this.#openGate(0);
    this.#openGate(1);
    for (let actor = 0; actor < this.capacity; actor++) {
      const now = doing[actor]!;
      if (now === WAITING) continue;
      if (now === INSIDE) this.#stayInside(actor);
      else this.#walk(actor, now);
    }
  }

  /** Sets doors in both halves, and a start inside one of them or on the way from it to the gate. */
  #settle(actor: number): void {
    const random = this.#random;
    const { maxX, maxY } = this.bounds;
    this.#leftX[actor] = -maxX * random.between(0.1, 1);
    this.#leftY[actor] = maxY * random.between(-1, 1);
    this.#rightX[actor] = maxX * random.between(0.1, 1);
    this.#rightY[actor] = maxY * random.between(-1, 1);
    this.#from[actor] = random.below(2);
    this.#goToDoor(actor, this.#from[actor]!);
    const doorX = this.#goalX[actor]!;
    const doorY = this.#goalY[actor]!;
    this.x[actor] = doorX;
    this.y[actor] = doorY;
    if (random.unit() < 0.3) {
      this.#goInside(actor);
      return;
    }
    this.#comeOut(actor);
    const part = random.unit();
    this.x[actor] = doorX + (this.#goalX[actor]! - doorX) * part;
    this.y[actor] = doorY + (this.#goalY[actor]! - doorY) * part;
  }

  /** Lets the first in the queue pass, as many as the flow allows; unused capacity is not saved up. */
  #openGate(side: 0 | 1): void {
    const queue = this.#queues[side];
    let allowance = this.#allowance[side]! + this.#flowPerStep;
    for (; allowance >= 1 && queue.count > 0; allowance--) {
      const actor = queue.shift();
      this.#doing[actor] = PASSING;
      this.#goalX[actor] = 0;
      this.#goalY[actor] = this.#random.between(-GATE, GATE) * this.#side;
    }
    this.#allowance[side] = allowance % 1;
  }

  #stayInside(actor: number): void {
    if (this.#waitTicks[actor]! > 0) {
      this.#waitTicks[actor]!--;
      return;
    }
    this.#comeOut(actor);
    this.appear(actor);
  }

  #walk(actor: number, doing: number): void {
    this.moved.push(actor);
    if (!walkTowards(this.x, this.y, actor, this.#goalX[actor]!, this.#goalY[actor]!, this.#pace)) return;
    if (doing === COMING) {
      this.#doing[actor] = WAITING;
      this.#queues[this.#from[actor] === 0 ? 0 : 1].push(actor);
    } else if (doing === PASSING) {
      this.#doing[actor] = LEAVING;
      this.#goToDoor(actor, 1 - this.#from[actor]!);
    } else {
      this.moved.count--;
      this.vanish(actor);
      this.#from[actor] = 1 - this.#from[actor]!;
      this.#goInside(actor);
    }
  }

  #goInside(actor: number): void {
    this.#doing[actor] = INSIDE;
    this.#waitTicks[actor] = Math.round(this.#insideTicks * this.#random.between(0.5, 1.5));
  }

  /** Out of the door and towards a place on the waiting ground, more likely one near the gate. */
  #comeOut(actor: number): void {
    const random = this.#random;
    const away = random.unit() * random.unit() * GROUND + 0.005;
    this.#doing[actor] = COMING;
    this.#goalX[actor] = (this.#from[actor] === 0 ? -1 : 1) * away * this.#side;
    this.#goalY[actor] = random.between(-1, 1) * (GATE + away) * this.#side;
  }

  #goToDoor(actor: number, side: number): void {
    this.#goalX[actor] = side === 0 ? this.#leftX[actor]! : this.#rightX[actor]!;
    this.#goalY[actor] = side === 0 ? this.#leftY[actor]! : this.#rightY[actor]!;
  }
}

/** Commuters between two halves of a world, through one gate. Throws `BAD_OPTION`. */
export function createChoke(options: ChokeOptions = {}): Simulation {
  return new Choke(options);
}
