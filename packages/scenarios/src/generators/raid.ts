/**
 * Raid: a thousand around one boss, jostling. Each perceives hundreds and is shown fifty.
 *
 * The case for a cap. The fiftieth nearest changes all the time, since all push past each other; plain "nearest 50" flickers.
 * The interest's bonus, dwell and memory keep seats steady. The boss wanders in long curves, and the crowd with it; each raider
 * has a place beside the boss, is pushed about there, and now and then walks to another place. All see the boss at any
 * distance; healers have double weight for seats.
 */
import type { EntityPatch, Interest } from 'umwelt';
import { Crowd, listEveryone } from '../crowd.ts';
import { COMMON_RULES, numberOptions } from '../option-check.ts';
import { Random } from '../random.ts';
import type { Simulation } from '../simulation.ts';
import { Courses, within } from './courses.ts';
import { centredBounds, type ScenarioOptions, walkTowards } from './walking.ts';

/** Options of `createRaid`. */
export interface RaidOptions extends ScenarioOptions {
  /** Maximum markers shown to each, 0 to 4,194,304. Default 50. */
  cap?: number | undefined;
  /** 1: steady seats, by bonus, dwell and memory. 0: plain nearest. Default 1. */
  steady?: number | undefined;
}

const BOSS = 0;
const RAIDER = 1;
const HEALER = 2;
/** One in so many is a healer. */
const HEALER_EVERY = 8;
/** Radius of the crowd in ranges, for a thousand: one in the middle perceives about 700. */
const CROWD_RADIUS = 1.2;
/** Extent of the boss's wandering, in radii of the crowd, and its speed relative to raiders. */
const ROOM = 5;
const BOSS_PACE = 0.4;
/** How far a raider is pushed from its place, in ranges, and the mean number of pushes before it takes another place. */
const JOSTLE = 0.04;
const PUSHES = 100;

class Raid extends Crowd {
  readonly #random: Random;
  readonly #course: Courses;
  readonly #pace: number;
  readonly #radius: number;
  /** By actor: its place relative to the boss. */
  readonly #placeX: Float32Array;
  readonly #placeY: Float32Array;
  /** By actor: its displacement from its place. */
  readonly #pushX: Float32Array;
  readonly #pushY: Float32Array;
  readonly #jostle: number;
  readonly #inDisc = new Float64Array(2);
  readonly #inits: readonly EntityPatch[] = [{ always: true, weight: 10 }, {}, { weight: 2 }];

  constructor(options: RaidOptions) {
    const { entities, seed, tickSeconds, range, speed, perceived, cap, steady } = numberOptions(
      "scenario 'raid'",
      options,
      {
        ...COMMON_RULES,
        entities: { ...COMMON_RULES.entities, default: 1000 },
        perceived: { ...COMMON_RULES.perceived, default: 700 },
        cap: { default: 50, min: 0, max: 4_194_304, whole: true },
        steady: { default: 1, min: 0, max: 1, whole: true },
      },
    );
    const radius = CROWD_RADIUS * range * Math.sqrt(entities / 1000) * Math.sqrt(700 / perceived);
    const bounds = centredBounds(2 * ROOM * radius, 2 * ROOM * radius);
    super({
      name: 'raid',
      title: 'A raid',
      kinds: ['boss', 'raider', 'healer'],
      dimensions: 2,
      tickSeconds,
      bounds,
      capacity: entities,
      world: { interests: { default: steady === 1 ? steadySeats(cap) : plainSeats(cap) } },
    });
    this.#random = new Random(seed);
    this.#pace = speed * tickSeconds;
    this.#radius = radius;
    const inner = centredBounds(2 * (ROOM - 1) * radius, 2 * (ROOM - 1) * radius);
    this.#course = new Courses(1, inner, BOSS_PACE * this.#pace, 2 * radius, this.#random);
    this.#placeX = new Float32Array(entities);
    this.#placeY = new Float32Array(entities);
    this.#pushX = new Float32Array(entities);
    this.#pushY = new Float32Array(entities);
    this.#jostle = JOSTLE * range;
    this.range.fill(range);
    for (let actor = 0; actor < entities; actor++) {
      this.kind[actor] = actor === 0 ? BOSS : actor % HEALER_EVERY === 0 ? HEALER : RAIDER;
      this.#takePlace(actor);
      this.x[actor] = this.#goalX(actor);
      this.y[actor] = this.#goalY(actor);
      this.#push(actor);
    }
    this.x[0] = this.#course.x[0]!;
    this.y[0] = this.#course.y[0]!;
    listEveryone(this.moved, entities);
  }

  override initFor(actor: number): EntityPatch {
    return this.#inits[this.kind[actor]!]!;
  }

  protected override advance(): void {
    this.#course.advance();
    this.x[0] = this.#course.x[0]!;
    this.y[0] = this.#course.y[0]!;
    const { x, y } = this;
    for (let actor = 1; actor < this.capacity; actor++) {
      const isThere = walkTowards(x, y, actor, this.#goalX(actor), this.#goalY(actor), this.#pace);
      if (isThere) this.#push(actor);
    }
    this.moved.count = this.capacity;
  }

  #goalX(actor: number): number {
    return within(
      this.#course.x[0]! + this.#placeX[actor]! + this.#pushX[actor]!,
      this.bounds.minX,
      this.bounds.maxX,
    );
  }

  #goalY(actor: number): number {
    return within(
      this.#course.y[0]! + this.#placeY[actor]! + this.#pushY[actor]!,
      this.bounds.minY,
      this.bounds.maxY,
    );
  }

  #push(actor: number): void {
    if (this.#random.below(PUSHES) === 0) this.#takePlace(actor);
    this.#random.inDiscInto(this.#inDisc);
    this.#pushX[actor] = this.#inDisc[0]! * this.#jostle;
    this.#pushY[actor] = this.#inDisc[1]! * this.#jostle;
  }

  #takePlace(actor: number): void {
    this.#random.inDiscInto(this.#inDisc);
    this.#placeX[actor] = this.#inDisc[0]! * this.#radius;
    this.#placeY[actor] = this.#inDisc[1]! * this.#radius;
  }
}

/** Half a second of dwell and two of memory, at 20 ticks per second. */
function steadySeats(cap: number): Interest {
  return { cap, incumbentBonus: 0.4, minDwellTicks: 10, memoryTicks: 40 };
}

function plainSeats(cap: number): Interest {
  return { cap, incumbentBonus: 0 };
}

/** A crowd that jostles around a boss; each is shown at most `cap` of those it perceives. Throws `BAD_OPTION`. */
export function createRaid(options: RaidOptions = {}): Simulation {
  return new Raid(options);
}
