/**
 * City: people and cars on a street grid, crowds on its squares, shops that never move.
 *
 * Players (watchers, with three ranges), other pedestrians, cars and shops share streets (`streets.ts`); the city is longer in
 * one direction than in the other. At a crossing each goes straight on or turns. A pedestrian that comes to a square may stay,
 * stroll from spot to spot and stand for a while, so squares fill up and empty, and many entities stand still at any time. A
 * camera hangs above each square: it watches and cannot be seen.
 *
 * The unevenness is the point: density differs by two orders of magnitude between square and back street, ranges by a factor of
 * four, only a fifth of the population watches, and a good part of it never moves. A step is O(n); random numbers are drawn at
 * corners only.
 */
import type { EntityPatch } from 'umwelt';
import { Crowd, type CrowdPlan } from '../crowd.ts';
import { COMMON_RULES, numberOptions } from '../option-check.ts';
import { Random } from '../random.ts';
import type { Simulation } from '../simulation.ts';
import { AHEAD_X, AHEAD_Y, CAR_LANE, FAR_LANE, HOUSE_FRONT, NEAR_LANE, Streets } from './streets.ts';
import { areaFor, type ScenarioOptions, walkTowards } from './walking.ts';

/** Options of `createCity`. */
export type CityOptions = ScenarioOptions;

const KINDS = ['player', 'passer-by', 'car', 'shop', 'camera'] as const;
export const PLAYER = 0;
export const PASSER_BY = 1;
export const CAR = 2;
const SHOP = 3;
export const CAMERA = 4;
/** Of twenty entities, how many are players, passers-by and cars; the rest are shops. */
const PLAYERS = 4;
const PASSERS_BY = 10;
const CARS = 4;
/** Players' ranges relative to the requested range: most, some, few. A camera's range is that of the few. */
const MIDDLE_RANGE = 1;
const SHORT_RANGE = 0.5;
const LONG_RANGE = 2;
/** Length of a block, in ranges; and the speed of cars relative to pedestrians. */
const BLOCK = 1.6;
const CAR_PACE = 3;
/** Probability that a pedestrian starts on a square, and that one that comes to a square stays. */
const START_ON_SQUARE = 0.3;
const STAY = 0.6;
/** Maximum that start on the middle square: all on it perceive each other, so this must not grow with the city. */
const MIDDLE_CROWD = 400;

/** States of an actor. */
const FIXED = 0;
const ON_STREET = 1;
const STROLLING = 2;
const STANDING = 3;
const LEAVING = 4;

const CAMERA_INIT: EntityPatch = Object.freeze({ marker: false });
const PLAIN_INIT: EntityPatch = Object.freeze({});

export class City extends Crowd {
  readonly #random: Random;
  readonly #streets: Streets;
  /** By actor: the crossing ahead, or that of the square it is on. */
  readonly #column: Uint16Array;
  readonly #row: Uint16Array;
  readonly #heading: Uint8Array;
  /** Its heading after the crossing ahead. */
  readonly #nextHeading: Uint8Array;
  /** Its lane: world units to the right of its heading. */
  readonly #offset: Float32Array;
  /** World units per step. */
  readonly #pace: Float32Array;
  readonly #doing: Uint8Array;
  /** Its target: the corner ahead, or a spot on the square. */
  readonly #goalX: Float32Array;
  readonly #goalY: Float32Array;
  /** Steps for which it still stands, and spots that it will still visit. */
  readonly #standing: Uint32Array;
  readonly #errands: Uint8Array;
  readonly #inDisc = new Float64Array(2);

  /** `plan`: name, title and world options of another scenario on the same streets. */
  constructor(options: CityOptions, plan: Partial<Pick<CrowdPlan, 'name' | 'title' | 'world'>> = {}) {
    const { entities, seed, tickSeconds, range, speed, perceived } = numberOptions(
      `scenario '${plan.name ?? 'city'}'`,
      options,
      COMMON_RULES,
    );
    const random = new Random(seed);
    const streets = new Streets(areaFor(entities, perceived, range), BLOCK * range, random);
    super({
      name: 'city',
      title: 'A city',
      kinds: KINDS,
      dimensions: 2,
      tickSeconds,
      bounds: streets.bounds,
      capacity: entities,
      ...plan,
    });
    this.#random = random;
    this.#streets = streets;
    this.#column = new Uint16Array(entities);
    this.#row = new Uint16Array(entities);
    this.#heading = new Uint8Array(entities);
    this.#nextHeading = new Uint8Array(entities);
    this.#offset = new Float32Array(entities);
    this.#pace = new Float32Array(entities);
    this.#doing = new Uint8Array(entities);
    this.#goalX = new Float32Array(entities);
    this.#goalY = new Float32Array(entities);
    this.#standing = new Uint32Array(entities);
    this.#errands = new Uint8Array(entities);
    this.#populate(range, speed * tickSeconds);
  }

  override initFor(actor: number): EntityPatch {
    return this.kind[actor] === CAMERA ? CAMERA_INIT : PLAIN_INIT;
  }

  protected override advance(): void {
    const doing = this.#doing;
    for (let actor = 0; actor < this.capacity; actor++) {
      const now = doing[actor]!;
      if (now === FIXED) continue;
      if (now === STANDING) {
        this.#stand(actor);
        continue;
      }
      this.moved.push(actor);
      const there = walkTowards(
        this.x,
        this.y,
        actor,
        this.#goalX[actor]!,
        this.#goalY[actor]!,
        this.#pace[actor]!,
      );
      if (there) this.#arrive(actor, now);
    }
  }

  /** Cameras first, as many as there are squares and actors for them; then the others, by their shares. */
  #populate(range: number, pace: number): void {
    const cameraCount = Math.min(this.#streets.squares.length, this.capacity >> 4);
    for (let actor = 0; actor < this.capacity; actor++) {
      // Shares are assigned in turn, not at random, so that the smallest city has players too.
      const share = ((actor - cameraCount) * 7) % 20;
      if (actor < cameraCount) this.#hangCamera(actor, range);
      else if (share < PLAYERS) this.#settlePlayer(actor, range, pace);
      else if (share < PLAYERS + PASSERS_BY) this.#settleOnFoot(actor, PASSER_BY, pace);
      else if (share < PLAYERS + PASSERS_BY + CARS) this.#settleCar(actor, pace);
      else this.#openShop(actor);
    }
  }

  #hangCamera(actor: number, range: number): void {
    const streets = this.#streets;
    const square = streets.squares[actor]!;
    this.kind[actor] = CAMERA;
    this.range[actor] = LONG_RANGE * range;
    this.x[actor] = streets.middleX(square % streets.columns);
    this.y[actor] = streets.middleY(Math.floor(square / streets.columns));
  }

  #settlePlayer(actor: number, range: number, pace: number): void {
    const chance = this.#random.unit();
    const part = chance < 0.6 ? MIDDLE_RANGE : chance < 0.9 ? SHORT_RANGE : LONG_RANGE;
    this.range[actor] = part * range;
    this.#settleOnFoot(actor, PLAYER, pace);
  }

  #settleOnFoot(actor: number, kind: number, pace: number): void {
    const random = this.#random;
    this.kind[actor] = kind;
    this.#pace[actor] = pace * random.between(0.6, 1.2);
    const lane = this.#streets.block * random.between(NEAR_LANE, FAR_LANE);
    this.#offset[actor] = random.unit() < 0.5 ? lane : -lane;
    if (random.unit() < START_ON_SQUARE) this.#putOnSquare(actor);
    else this.#putOnStreet(actor);
  }

  #settleCar(actor: number, pace: number): void {
    this.kind[actor] = CAR;
    this.#pace[actor] = pace * CAR_PACE * this.#random.between(0.8, 1.2);
    this.#offset[actor] = this.#streets.block * CAR_LANE;
    this.#putOnStreet(actor);
  }

  #openShop(actor: number): void {
    this.kind[actor] = SHOP;
    this.#offset[actor] = this.#streets.block * HOUSE_FRONT;
    this.#putOnStreet(actor);
  }

  #putOnSquare(actor: number): void {
    const streets = this.#streets;
    const random = this.#random;
    const onMiddle = random.unit() * this.capacity * START_ON_SQUARE < MIDDLE_CROWD;
    const square = streets.squares[onMiddle ? 0 : random.below(streets.squares.length)]!;
    this.#column[actor] = square % streets.columns;
    this.#row[actor] = Math.floor(square / streets.columns);
    this.#heading[actor] = random.below(4);
    this.#chooseWayOn(actor);
    this.#errands[actor] = this.#errandsOn(square);
    this.#doing[actor] = STANDING;
    this.#standing[actor] = Math.round(random.between(0, 20) / this.tickSeconds);
    this.#chooseSpot(actor);
    this.x[actor] = this.#goalX[actor]!;
    this.y[actor] = this.#goalY[actor]!;
  }

  /** Puts it anywhere on a street, on its lane, on the way to the crossing at the street's end. */
  #putOnStreet(actor: number): void {
    const streets = this.#streets;
    const random = this.#random;
    const column = random.below(streets.columns);
    const row = random.below(streets.rows);
    this.#column[actor] = column;
    this.#row[actor] = row;
    // It has left a crossing by a way that leads on, from a corner of it, and is somewhere on that way.
    const heading = streets.wayOn(random, column, row, random.below(4));
    this.#heading[actor] = heading;
    const offset = this.#offset[actor]!;
    const along = random.between(HOUSE_FRONT, 1 - HOUSE_FRONT) * streets.block;
    this.x[actor] = streets.cornerX(column, heading, heading, offset) + along * AHEAD_X[heading]!;
    this.y[actor] = streets.cornerY(row, heading, heading, offset) + along * AHEAD_Y[heading]!;
    if (this.kind[actor] !== SHOP) this.#goOn(actor);
  }

  /** Sends it from its crossing, with its heading, to the next one. */
  #goOn(actor: number): void {
    const heading = this.#heading[actor]!;
    this.#column[actor] = this.#column[actor]! + AHEAD_X[heading]!;
    this.#row[actor] = this.#row[actor]! + AHEAD_Y[heading]!;
    this.#doing[actor] = ON_STREET;
    this.#chooseWayOn(actor);
    this.#aimAtCorner(actor);
  }

  #chooseWayOn(actor: number): void {
    this.#nextHeading[actor] = this.#streets.wayOn(
      this.#random,
      this.#column[actor]!,
      this.#row[actor]!,
      this.#heading[actor]!,
    );
  }

  #aimAtCorner(actor: number): void {
    const heading = this.#heading[actor]!;
    const next = this.#nextHeading[actor]!;
    const offset = this.#offset[actor]!;
    this.#goalX[actor] = this.#streets.cornerX(this.#column[actor]!, heading, next, offset);
    this.#goalY[actor] = this.#streets.cornerY(this.#row[actor]!, heading, next, offset);
  }

  #chooseSpot(actor: number): void {
    const streets = this.#streets;
    this.#random.inDiscInto(this.#inDisc);
    this.#goalX[actor] = streets.middleX(this.#column[actor]!) + this.#inDisc[0]! * streets.squareRadius;
    this.#goalY[actor] = streets.middleY(this.#row[actor]!) + this.#inDisc[1]! * streets.squareRadius;
  }

  /** It has reached its target. */
  #arrive(actor: number, doing: number): void {
    if (doing === STROLLING) {
      this.#doing[actor] = STANDING;
      this.#standing[actor] = Math.round(this.#random.between(4, 30) / this.tickSeconds);
      return;
    }
    if (doing === ON_STREET && this.#stays(actor)) {
      this.#doing[actor] = STROLLING;
      this.#errands[actor] = this.#errandsOn(this.#crossingOf(actor));
      this.#chooseSpot(actor);
      return;
    }
    this.#heading[actor] = this.#nextHeading[actor]!;
    this.#goOn(actor);
  }

  #stays(actor: number): boolean {
    const onFoot = this.kind[actor]! <= PASSER_BY;
    return onFoot && this.#streets.isSquare[this.#crossingOf(actor)] === 1 && this.#random.unit() < STAY;
  }

  #crossingOf(actor: number): number {
    return this.#row[actor]! * this.#streets.columns + this.#column[actor]!;
  }

  /** Number of further spots that a pedestrian on a square will visit. They stay longest in the middle of the city. */
  #errandsOn(square: number): number {
    return square === this.#streets.squares[0] ? 6 + this.#random.below(24) : this.#random.below(4);
  }

  #stand(actor: number): void {
    if (this.#standing[actor]! > 0) {
      this.#standing[actor] = this.#standing[actor]! - 1;
    } else if (this.#errands[actor]! > 0) {
      this.#errands[actor] = this.#errands[actor]! - 1;
      this.#doing[actor] = STROLLING;
      this.#chooseSpot(actor);
    } else {
      this.#doing[actor] = LEAVING;
      this.#aimAtCorner(actor);
    }
  }
}

/** A city with streets, squares, players, passers-by, cars, shops and cameras. Throws `BAD_OPTION`. */
export function createCity(options: CityOptions = {}): Simulation {
  return new City(options);
}
