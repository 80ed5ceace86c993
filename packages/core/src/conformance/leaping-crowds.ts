/**
 * Random scripts of crowds that leap together.
 *
 * Problem: with a handful of entities and seats, the number of a watcher's relations seldom jumps far over its cap, or
 * from far above it to below, in one tick; yet there the ways of interest hand over to each other. Method: some sites
 * lie far apart, and each has about as many entities as watchers have seats. In every tick groups leap from site to
 * site, and some back before the tick is over; watchers travel alone; entities are removed and as many added; or
 * nothing happens at all. Half of the watchers get no updates. All rules of interest-habits.ts are drawn over it.
 * Cost: microseconds an operation.
 */
import { columnsOf, Geography, type Place, sparseWeights } from './geography.ts';
import { InterestHabits } from './interest-habits.ts';
import type { CrowdTraits, Key, Operation, Script } from './operations.ts';
import type { PlainOptions, PlainPatch } from './plain-interest.ts';
import { Random } from './random.ts';
import type { ScriptSize } from './script-size.ts';
import { TraitHabits } from './trait-habits.ts';

const ACTS = ['leap', 'return', 'travel', 'steps', 'renew', 'aside', 'tour'] as const;
const ASIDES = [
  ...['interest', 'cap', 'weight', 'group', 'always', 'volatile', 'updates', 'maxReach', 'watches'],
  ...['range', 'pin', 'unpin', 'block', 'unblock', 'touch', 'ban', 'setInterest', 'failingTick', 'restore'],
] as const;
/** Rules that belong together: a script has some of these in any case. */
const TOGETHER = [
  [],
  ['cap'],
  ['cap', 'memoryTicks', 'incumbentBonus'],
  ['cap', 'memoryTicks', 'incumbentBonus'],
  ['cap', 'mutual', 'leaveMargin'],
] as const;
/** The least number of entities. */
const LEAST = 30;
/** How many acts happen in one tick; in some ticks none. */
const ACTS_A_TICK = [0, 0, 1, 1, 1, 2, 3];
/** How often an entity has traits of any kind. */
const STRANGE = 0.1;

interface Resident {
  /** The number of its site. */
  site: number;
  place: Place;
  isWatcher: boolean;
}

/** The script of a seed; see `createScript`. */
export function leapingScript(seed: number, size: ScriptSize): Script {
  return new LeapingCrowd(seed, size).script();
}

class LeapingCrowd {
  readonly #seed: number;
  readonly #size: ScriptSize;
  readonly #random: Random;
  readonly #habits: InterestHabits;
  readonly #traits: TraitHabits;
  readonly #options: PlainOptions;
  readonly #step: number;
  /** The usual range, and the half extent of a site, world units. */
  readonly #range: number;
  readonly #spread: number;
  readonly #sites: readonly Place[];
  readonly #watching: number;
  /** The share of crowds that are perceived from no farther than the usual range, and how many times as far watchers see. */
  readonly #limited: number;
  readonly #sight: number;
  readonly #latticed: number;
  readonly #acts: number[];
  readonly #asides: readonly number[];
  readonly #residents = new Map<Key, Resident>();
  readonly #operations: Operation[] = [];
  /** Where those that leapt last came from. */
  #leapt: [key: Key, site: number][] = [];
  #nextKey = 0;

  constructor(seed: number, size: ScriptSize) {
    const random = new Random(seed);
    this.#seed = seed;
    this.#size = size;
    this.#random = random;
    const dimensions = random.chance(0.75) ? 2 : 3;
    const geography = new Geography(random, dimensions);
    this.#step = geography.step;
    this.#range = this.#step * random.pick([3, 5, 5, 10]);
    this.#spread = this.#range * random.pick([0.3, 0.7, 1, 1.5]);
    const count = random.pick([2, 3, 3, 4]);
    const apart = this.#range * random.pick([2.5, 6, 40]);
    this.#sites = Array.from({ length: count }, (_, i) => ({ x: i * apart, y: 0, z: 0 }));
    const senses = ['sight', 'hearing'].slice(0, random.pick([1, 1, 2]));
    const seats = Math.min(30, Math.round(this.#population / count));
    // In some scripts nobody comes to his cap but by a leap.
    const spare = random.pick([0, 0, 6]);
    const about = [-3, -1, 0, 1, 2, 4].map((more) => Math.max(3, seats + spare + more));
    const style = {
      caps: about,
      ownCaps: [...about, 5],
      quotaCaps: [1, 3, Math.ceil(seats / 2), seats],
      budgets: [1, 3, Math.ceil(seats / 3), seats],
      share: random.pick([0.15, 0.5]),
      always: random.pick(TOGETHER),
    };
    this.#habits = new InterestHabits(random, geography, size, style);
    this.#options = {
      dimensions,
      senses,
      rangeShape: random.pick(['circle', 'circle', 'box'] as const),
      ...(size.cells ? geography.granularity() : geography.cellSize()),
      ...(random.chance(0.6) ? { cellSize: this.#range / random.pick([1, 2, 3, 4, 5]) } : {}),
      groups: this.#habits.groups,
      interests: this.#habits.interests(),
    };
    this.#traits = new TraitHabits(random, geography, senses, this.#habits, false);
    this.#watching = random.pick([0.2, 0.5, 1]);
    // What a watcher remembers is of sites that it does not see from elsewhere.
    this.#limited = this.#habits.hasMemory ? 0 : random.pick([0, 0.5]);
    this.#sight = this.#limited > 0 ? random.pick([1, 3, 4]) : 1;
    this.#latticed = random.pick([0, 0.5, 1, 1]);
    this.#acts = sparseWeights(random, ACTS.length).with(0, 1);
    if (random.chance(0.5)) this.#acts[ACTS.indexOf('steps')] = 2;
    if (this.#habits.hasMemory) this.#acts[ACTS.indexOf('tour')] = 3;
    this.#asides = sparseWeights(random, ASIDES.length);
  }

  script(): Script {
    for (const site of this.#sites.keys())
      this.#settle(site, Math.ceil(this.#population / this.#sites.length));
    while (this.#operations.length < this.#size.operations - 1) {
      for (let acts = this.#random.pick(ACTS_A_TICK); acts > 0; acts--) this.#act();
      this.#operations.push({ kind: 'tick' });
    }
    this.#operations.push({ kind: 'probe' });
    return { seed: this.#seed, options: this.#options, operations: this.#operations };
  }

  /** Most entities of the size, or about half as many. */
  get #population(): number {
    const { entities } = this.#size;
    return this.#seed % 2 === 0 ? entities : Math.max(Math.min(LEAST, entities), entities >> 1);
  }

  #act(): void {
    const random = this.#random;
    switch (ACTS[random.weighted(this.#acts)]) {
      case 'leap':
        this.#leap(this.#some(random.below(this.#sites.length)), random.below(this.#sites.length));
        break;
      case 'return':
        for (const site of this.#sites.keys()) {
          const back = this.#leapt.filter(([key, from]) => from === site && this.#residents.has(key));
          this.#moveAll(
            back.map(([key]) => key),
            site,
          );
        }
        this.#leapt = [];
        break;
      case 'travel':
        this.#leap(this.#someWatchers(), random.below(this.#sites.length));
        break;
      case 'tour':
        this.#tour();
        break;
      case 'steps':
        this.#walk(this.#some());
        break;
      case 'renew':
        this.#renew(random.below(this.#sites.length));
        break;
      case 'aside':
        this.#aside(ASIDES[random.weighted(this.#asides)]);
    }
  }

  /**
   * Watchers visit all sites, a tick each, and come home last, when others come with them and some are removed: what
   * they remember is more than their caps, and is asked for as they reach them.
   */
  #tour(): void {
    const random = this.#random;
    const home = random.below(this.#sites.length);
    const here = this.#someWatchers().filter((key) => this.#resident(key).site === home);
    const watchers = here.slice(0, random.pick([1, 3, 3, 20]));
    for (let i = 1; i < this.#sites.length; i++) {
      this.#moveAll(watchers, (home + i) % this.#sites.length);
      this.#operations.push({ kind: 'tick' });
    }
    const others = this.#some().filter((key) => !watchers.includes(key) && this.#resident(key).site !== home);
    this.#leap(others.slice(0, random.pick([3, 6, 20])), home);
    this.#moveAll(watchers, home);
    if (random.chance(0.7)) this.#renew(home, watchers);
  }

  /** Removes some of a site, and adds as many to any. */
  #renew(site: number, kept: readonly Key[] = []): void {
    const among = this.#some(site).filter((key) => !kept.includes(key));
    const leaving = among.slice(0, this.#random.pick([1, 2, 5, 12]));
    if (leaving.length === 0) return;
    for (const key of leaving) this.#residents.delete(key);
    this.#operations.push({ kind: 'removeMany', keys: leaving });
    this.#settle(this.#random.below(this.#sites.length), leaving.length);
  }

  /** Adds so many to a site, in two crowds: one may have traits of its own. */
  #settle(site: number, count: number): void {
    const half = count >> 1;
    for (const part of [half, count - half]) {
      if (part === 0) continue;
      const traits = this.#newcomer();
      const isWatcher = traits.range !== undefined;
      const places = Array.from({ length: part }, () => this.#placeAt(site));
      const keys = places.map((place) => {
        this.#residents.set(this.#nextKey, { site, place, isWatcher });
        return this.#nextKey++;
      });
      this.#operations.push({ kind: 'addMany', keys, ...columnsOf(places), traits });
    }
  }

  #newcomer(): CrowdTraits {
    const random = this.#random;
    if (random.chance(STRANGE)) return this.#traits.draw();
    const traits: CrowdTraits = { ...this.#habits.traits() };
    if (random.chance(this.#watching)) traits.range = this.#someRange() * this.#sight;
    if (random.chance(0.5)) traits.updates = false;
    if (random.chance(0.3)) traits.layers = random.pick([1, 3, 5]);
    if (random.chance(this.#limited)) traits.reaches = { least: 0, most: this.#someRange() };
    return traits;
  }

  /** Mostly the usual range, so that two sides perceive each other. */
  #someRange(): number {
    return this.#range * this.#random.pick([1, 1, 1, 0.6, 1.1]);
  }

  #leap(keys: Key[], site: number): void {
    this.#leapt = keys.map((key) => [key, this.#resident(key).site]);
    this.#moveAll(keys, site);
  }

  #moveAll(keys: Key[], site: number): void {
    for (const key of keys) Object.assign(this.#resident(key), { site, place: this.#placeAt(site) });
    this.#move(keys);
  }

  /** Short steps, often inside a cell, and some across a rim. */
  #walk(keys: Key[]): void {
    const length = this.#step * this.#random.pick([0.1, 0.1, 1, 2]);
    const off = () => this.#random.pick([-1, 0, 1]) * length;
    for (const key of keys) {
      const { place } = this.#resident(key);
      Object.assign(place, { x: place.x + off(), y: place.y + off(), z: place.z + off() });
    }
    this.#move(keys);
  }

  #move(keys: Key[]): void {
    if (keys.length === 0) return;
    const places = keys.map((key) => this.#resident(key).place);
    this.#operations.push({ kind: 'moveMany', keys, ...columnsOf(places) });
  }

  /** One call that is not about places. */
  #aside(kind: (typeof ASIDES)[number]): void {
    const random = this.#random;
    const [key, marker] = [random.pick(this.#keys), random.pick(this.#keys)];
    switch (kind) {
      case 'restore':
        this.#operations.push({ kind });
        break;
      case 'failingTick':
        this.#operations.push({ kind, calls: this.#habits.callsBeforeMishap() });
        break;
      case 'setInterest':
        this.#operations.push(this.#habits.change());
        break;
      case 'touch':
      case 'ban':
        this.#operations.push({ kind, key });
        break;
      case 'pin':
      case 'unpin':
      case 'block':
      case 'unblock':
        if (key !== marker) this.#tie(kind, key);
        break;
      default:
        this.#operations.push({ kind: 'update', key, patch: this.#patch(kind) });
    }
  }

  /** Ties a watcher to some of its site, or takes earlier ties back. */
  #tie(kind: 'pin' | 'unpin' | 'block' | 'unblock', watcher: Key): void {
    const done = kind === 'pin' || kind === 'unpin' ? 'pin' : 'block';
    const earlier = this.#operations.filter((operation) => operation.kind === done).slice(-3);
    if (kind !== done) {
      for (const each of earlier) this.#operations.push({ ...each, kind } as Operation);
      return;
    }
    const reason = kind === 'pin' ? this.#habits.pin() : {};
    for (const marker of this.#some(this.#resident(watcher).site).slice(0, 3)) {
      if (marker !== watcher) this.#operations.push({ kind, watcher, marker, ...reason } as Operation);
    }
  }

  #patch(kind: string): PlainPatch {
    switch (kind) {
      case 'interest':
      case 'cap':
      case 'weight':
      case 'group':
      case 'always':
      case 'volatile':
        return this.#habits.patch(kind);
      case 'range':
        return { range: this.#someRange() * this.#sight };
      case 'maxReach':
        return { reaches: { least: 0, most: this.#random.chance(0.3) ? 'none' : this.#someRange() } };
      default:
        return this.#traits.patch(kind);
    }
  }

  /** A place of a site: on its lattice, or anywhere. */
  #placeAt(site: number): Place {
    const random = this.#random;
    const { x, y, z } = this.#sites[site] as Place;
    const isOnLattice = random.chance(this.#latticed);
    const off = () => {
      const free = random.between(-this.#spread, this.#spread);
      return isOnLattice ? Math.round(free / this.#step) * this.#step : free;
    };
    return { x: x + off(), y: y + off(), z: z + off() / 2 };
  }

  /** Some watchers, or about half of them. */
  #someWatchers(): Key[] {
    const share = this.#random.pick([0.2, 0.5]);
    return this.#keys.filter((key) => this.#resident(key).isWatcher && this.#random.chance(share));
  }

  get #keys(): Key[] {
    return [...this.#residents.keys()];
  }

  #resident(key: Key): Resident {
    return this.#residents.get(key) as Resident;
  }

  /** A few, about half, or all; of a site or of the world. */
  #some(site?: number): Key[] {
    const random = this.#random;
    const keys = this.#keys.filter((key) => site === undefined || this.#resident(key).site === site);
    const share = random.pick([0, 0.2, 0.5, 1]);
    if (share === 0) return keys.length === 0 ? [] : [random.pick(keys)];
    return keys.filter(() => random.chance(share));
  }
}
