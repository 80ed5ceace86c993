/**
 * Choke: commuters between two halves of a world, through one gate in the wall between them.
 *
 * Each has a door in either half. It comes out of one, walks to the waiting ground before the gate, waits until it
 * is let through, first come first served, walks to its door in the other half, goes in, stays inside for a
 * while, and comes back. The gate lets fewer through than want to pass, so a crowd stands before it on both sides.
 *
 * For an engine: density that is zero at the wall and a pile-up at the gate, many who stand still, and a steady
 * coming and going: who goes in is removed, who comes out is added. Nobody crosses the wall but in the gate.
 * A step is O(n); the queues are rings of actors, one a side.
 */
import { Crowd } from '../crowd.ts';
import { COMMON_RULES, numberOptions } from '../option-check.ts';
import { Random } from '../random.ts';
import type { Simulation } from '../simulation.ts';
import { areaFor, centredBounds, type ScenarioOptions, walkTowards } from './walking.ts';

/** Options of `createChoke`. */
export interface ChokeOptions extends ScenarioOptions {
  /** How many the gate lets through a second, each way. Absent: three quarters of what would leave nobody waiting. */
  flow?: number | undefined;
  /** How long one stays inside, on average, in seconds. 20. */
  insideSeconds?: number | undefined;
}

/** What an actor is doing. */
const INSIDE = 0;
const COMING = 1;
const WAITING = 2;
const PASSING = 3;
const LEAVING = 4;

/** Half the gate's width and the waiting ground's depth, as parts of a half's side. */
const GATE = 0.02;
const GROUND = 0.15;

/** Actors in the order in which they came, at most all of them. */
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
  /** A half's side; the wall is at x = 0. */
  readonly #side: number;
  readonly #insideTicks: number;
  readonly #flowPerStep: number;
  /** Those who may pass now, with the parts of a person that earlier steps owe: by side, 0 left, 1 right. */
  readonly #allowance = new Float64Array(2);
  readonly #queues: readonly [Queue, Queue];
  /** By actor. Its doors in the left and the right half. */
  readonly #leftX: Float32Array;
  readonly #leftY: Float32Array;
  readonly #rightX: Float32Array;
  readonly #rightY: Float32Array;
  /** The side it is on, or was when it went through the gate. */
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
        // -1 stands for absent: the default depends on the others.
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
    // A way is 0.6 sides to the gate and as much beyond it, on average; each then stays inside.
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

  /** Doors in both halves, and a start inside one of them or on the way from it to the gate. */
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

  /** Lets those pass who came first, as many as the flow allows; what nobody uses is not saved up. */
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

  /** Out of the door and towards a place on the waiting ground: the nearer to the gate the likelier. */
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

/** Commuters between two halves of a world, through one gate. */
export function createChoke(options: ChokeOptions = {}): Simulation {
  return new Choke(options);
}
