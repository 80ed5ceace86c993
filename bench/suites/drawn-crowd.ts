/**
 * A crowd, its world and its rules, all drawn from one seed: no suite can be tuned to it, and no case is chosen by hand.
 *
 * Drawn are: how many entities there are, which of them watch and move, where they stand (even, in cities, on a road, on one spot), how
 * many others a watcher perceives, ranges and gains by type or by entity, layers, dimensions and shape, and which rules of interest
 * all watchers have. Rare things are drawn about as often as common ones, because the worst world counts.
 *
 * Actors walk to and fro near the place where they began, most at one speed, one in fifty twenty times as fast.
 */
import { type Bounds, type IndexList, Random, type Simulation } from '@umwelt/scenarios';
import type { EntityPatch, Interest, WorldOptions } from 'umwelt';
import { RATES } from './mixed.ts';

/** World units: the side of the square in which actors begin. */
const SIDE = 1000;
const HEIGHT = 50;
const LEAST_ENTITIES = 300;
const MOST_ENTITIES = 40_000;
/** Distances to so many others are looked at, from so many actors, to find the range for what is to be perceived. */
const SAMPLED_OTHERS = 4000;
const SAMPLED_ACTORS = 40;
/** Of a range: the length of a step, and how far an actor goes from where it began. */
const STEP = 0.005;
const STRAY = 0.4;

type Spread = 'even' | 'clusters' | 'cities' | 'road' | 'spot';

/** A world without its actors: what is drawn first. */
interface Plan {
  readonly entities: number;
  readonly dimensions: 2 | 3;
  readonly shape: 'circle' | 'box' | 'cylinder';
  readonly spread: Spread;
  /** Shares of all actors, and of those that watch. */
  readonly watching: number;
  readonly moving: number;
  readonly watchersMoving: number;
  readonly perceived: number;
  /** Different ranges; 0: each watcher has its own. */
  readonly ranges: number;
  readonly gains: number;
  readonly layers: number;
  readonly updates: boolean;
}

/** A crowd of a seed. Each call of `drawCrowd` makes an equal one, which has not been stepped. */
export interface DrawnCrowd {
  readonly simulation: Simulation;
  readonly plan: Plan;
  /** What all watchers go by, and calls about each of them. */
  readonly rules: Interest;
  readonly pins: number;
  /** In words, for a table. */
  readonly title: string;
  readonly rulesTitle: string;
}

/** `most`: the greatest number of entities. */
export function drawCrowd(seed: number, most = MOST_ENTITIES): DrawnCrowd {
  const random = new Random(seed);
  const plan = drawPlan(random, most);
  const crowd = new WalkingCrowd(random, plan);
  const { rules, pins } = drawRules(random, plan, crowd.usualRange);
  const watchers = crowd.range.reduce((count, range) => count + (range > 0 ? 1 : 0), 0);
  const of = `${plan.entities} in ${plan.dimensions}-D, ${plan.shape}, ${plan.spread}, ${watchers} watch, ${crowd.moverCount} move`;
  const kinds = `perceive ${plan.perceived}, ${plan.ranges || 'own'} ranges, ${plan.gains} gains, ${plan.layers} layers`;
  const names = [...Object.keys(rules), ...(pins > 0 ? [`${pins} pins each`] : [])];
  const rulesTitle = names.length === 0 ? 'no rules' : names.map((name) => named(name, rules)).join(', ');
  return { simulation: crowd, plan, rules, pins, title: `${of}, ${kinds}`, rulesTitle };
}

function named(name: string, rules: Interest): string {
  return name === 'cap' ? `cap ${rules.cap}` : name;
}

function drawPlan(random: Random, most: number): Plan {
  const pick = pickFrom(random);
  const between = byFactor(random);
  const dimensions = pick<2 | 3>(2, 2, 2, 3);
  const entities = Math.round(between(Math.min(LEAST_ENTITIES, most / 2), most));
  const moving = pick(1, 1, between(0.001, 1), 0.01);
  return {
    entities,
    dimensions,
    shape: dimensions === 2 ? pick('circle', 'circle', 'box') : pick('circle', 'cylinder', 'box'),
    spread: pick<Spread>('even', 'even', 'clusters', 'cities', 'road', 'spot'),
    watching: pick(1, 1, between(0.003, 1), between(0.003, 1)),
    moving,
    watchersMoving: pick(1, 1, moving),
    perceived: Math.min(Math.round(between(2, 150)), entities >> 1),
    ranges: pick(1, 1, 2, 5, 12, 0),
    gains: pick(1, 1, 1, 2, 4),
    layers: pick(1, 1, 1, 3),
    updates: random.unit() < 0.3,
  };
}

/** Most worlds have a few rules; a rule is in one world of seven or ten. */
function drawRules(random: Random, { perceived }: Plan, usualRange: number) {
  const pick = pickFrom(random);
  const may = (share: number, rule: Interest): Interest => (random.unit() < share ? rule : {});
  const cap = pick(0, 0, perceived / 2, perceived * 1.2, 8, 30, 100);
  const capped: Interest = cap === 0 ? {} : { cap: Math.max(1, Math.round(cap)) };
  const seats = cap === 0 ? 0 : 0.15;
  const rules: Interest = {
    ...capped,
    ...may(0.5, { leaveMargin: usualRange / 10 }),
    ...may(seats, { memoryTicks: 20 }),
    ...may(seats, { minDwellTicks: 5 }),
    ...may(0.15, RATES),
    ...may(0.12, { mutual: true }),
    ...may(0.1, { showGroup: true }),
    ...may(0.1, { lingerTicks: 10 }),
    ...may(0.1, { admit: () => true }),
    ...may(0.1, { quotas: [{ layers: 1, cap: Math.ceil(perceived / 3) }] }),
    ...may(0.1, { enterBudget: 3 }),
  };
  return { rules, pins: random.unit() < 0.1 ? 1 + random.below(3) : 0 };
}

/** Draws numbers so that each factor between them is as likely, wherever it lies. */
export function byFactor(random: Random) {
  return (min: number, max: number) => Math.exp(random.between(Math.log(min), Math.log(max)));
}

function pickFrom(random: Random) {
  return <T>(...list: readonly T[]): T => list[random.below(list.length)]!;
}

class WalkingCrowd implements Simulation {
  readonly name = 'drawn';
  readonly title = 'a crowd drawn from a seed';
  readonly kinds = ['actor'];
  readonly dimensions: 2 | 3;
  readonly tickSeconds = 0.05;
  readonly bounds: Bounds;
  readonly capacity: number;
  readonly done = false;
  readonly worldOptions: WorldOptions;
  readonly x: Float32Array;
  readonly y: Float32Array;
  readonly z: Float32Array;
  readonly kind: Uint8Array;
  readonly range: Float32Array;
  readonly present: Uint8Array;
  readonly added: IndexList & { count: number };
  readonly moved: IndexList & { count: number };
  readonly removed: IndexList = { count: 0, indices: new Uint32Array(0) };
  /** World units: that of a watcher of the first type. */
  readonly usualRange: number;
  readonly moverCount: number;
  count = 0;
  readonly #inits: readonly EntityPatch[];
  readonly #homeX: Float32Array;
  readonly #homeY: Float32Array;
  readonly #stepX: Float32Array;
  readonly #stepY: Float32Array;

  constructor(random: Random, plan: Plan) {
    const { entities, dimensions } = plan;
    this.dimensions = dimensions;
    this.capacity = entities;
    this.worldOptions = { dimensions, rangeShape: plan.shape, capacity: entities };
    const column = () => new Float32Array(entities);
    [this.x, this.y, this.z, this.range] = [column(), column(), column(), column()];
    [this.#stepX, this.#stepY] = [column(), column()];
    this.kind = new Uint8Array(entities);
    this.present = new Uint8Array(entities);
    this.#place(random, plan);
    this.#homeX = this.x.slice();
    this.#homeY = this.y.slice();
    this.usualRange = this.#rangeFor(random, plan.perceived);
    this.#inits = this.#drawTypes(random, plan);
    const movers = this.#drawMovers(random, plan);
    this.moverCount = movers.length;
    this.added = { count: 0, indices: Uint32Array.from({ length: entities }, (_, actor) => actor) };
    this.moved = { count: 0, indices: movers };
    this.bounds = { minX: -2 * SIDE, minY: -2 * SIDE, maxX: 3 * SIDE, maxY: 3 * SIDE, minZ: 0, maxZ: HEIGHT };
  }

  initFor(actor: number): EntityPatch {
    return this.#inits[actor]!;
  }

  step(): void {
    if (this.count === 0) {
      this.count = this.capacity;
      this.added.count = this.capacity;
      this.present.fill(1);
      return;
    }
    this.added.count = 0;
    this.moved.count = this.moverCount;
    const stray = STRAY * this.usualRange;
    for (const actor of this.moved.indices) {
      const x = this.x[actor]! + this.#stepX[actor]!;
      const y = this.y[actor]! + this.#stepY[actor]!;
      if (Math.hypot(x - this.#homeX[actor]!, y - this.#homeY[actor]!) > stray) {
        this.#stepX[actor] = -this.#stepX[actor]!;
        this.#stepY[actor] = -this.#stepY[actor]!;
      }
      this.x[actor] = x;
      this.y[actor] = y;
    }
  }

  #place(random: Random, { entities, dimensions, spread }: Plan): void {
    const bell = () => (random.unit() + random.unit() + random.unit() - 1.5) * 1.3;
    const centres = Array.from({ length: 3 + random.below(28) }, () => ({
      x: random.between(0, SIDE),
      y: random.between(0, SIDE),
      width: random.between(SIDE / 50, SIDE / 10),
    }));
    for (let actor = 0; actor < entities; actor++) {
      const isEven = spread === 'even' || (spread === 'cities' && random.unit() < 0.3);
      const centre = centres[random.below(centres.length)]!;
      let [x, y] = [centre.x + bell() * centre.width, centre.y + bell() * centre.width];
      if (isEven) [x, y] = [random.between(0, SIDE), random.between(0, SIDE)];
      else if (spread === 'road') [x, y] = [random.between(0, SIDE), bell() * (SIDE / 200)];
      else if (spread === 'spot') [x, y] = [bell() * (SIDE / 100), bell() * (SIDE / 100)];
      this.x[actor] = x;
      this.y[actor] = y;
      this.z[actor] = dimensions === 3 ? random.between(0, HEIGHT) : 0;
    }
  }

  /** The median distance at which actors of a sample have so many others. */
  #rangeFor(random: Random, perceived: number): number {
    const { x, y, z, capacity } = this;
    const others = Math.min(capacity, SAMPLED_OTHERS);
    const distances = Array.from({ length: SAMPLED_ACTORS }, () => {
      const actor = random.below(capacity);
      const found = Float64Array.from({ length: others }, () => {
        const other = random.below(capacity);
        return Math.hypot(x[other]! - x[actor]!, y[other]! - y[actor]!, z[other]! - z[actor]!);
      }).sort();
      return found[Math.min(others - 1, Math.round((perceived * others) / capacity))]!;
    });
    return Math.max(0.5, distances.sort((a, b) => a - b)[SAMPLED_ACTORS >> 1]!);
  }

  #drawTypes(random: Random, plan: Plan): EntityPatch[] {
    const between = byFactor(random);
    const scale = () => between(0.4, 2.5);
    const ranges = Array.from({ length: Math.max(1, plan.ranges) }, (_, i) => (i === 0 ? 1 : scale()));
    const gains = Array.from({ length: plan.gains }, (_, i) => (i === 0 ? 1 : Math.fround(scale())));
    return Array.from({ length: this.capacity }, (_, actor) => {
      const own = plan.ranges === 0 ? scale() : ranges[random.below(ranges.length)]!;
      // At least one watches.
      if (random.unit() < plan.watching || actor === 0) this.range[actor] = own * this.usualRange;
      const gain = gains[random.below(gains.length)]!;
      const party = { group: 1 + random.below(Math.ceil(this.capacity / 5)) };
      if (plan.layers === 1) return { gain, ...party };
      return { gain, ...party, layers: 1 << random.below(plan.layers), sees: 1 + random.below(7) };
    });
  }

  #drawMovers(random: Random, { moving, watchersMoving }: Plan): Uint32Array {
    const movers: number[] = [];
    for (let actor = 0; actor < this.capacity; actor++) {
      const direction = random.between(0, 2 * Math.PI);
      const step = STEP * this.usualRange * (random.unit() < 0.02 ? 20 : 1);
      this.#stepX[actor] = Math.cos(direction) * step;
      this.#stepY[actor] = Math.sin(direction) * step;
      if (random.unit() < (this.range[actor]! > 0 ? watchersMoving : moving)) movers.push(actor);
    }
    return Uint32Array.from(movers);
  }
}
