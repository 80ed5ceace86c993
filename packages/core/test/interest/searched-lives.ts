/**
 * Random lives of dense crowds, lived twice: once by a world whose watchers become crowded early, once by one in which
 * nobody ever is.
 *
 * Problem: the usual random scripts are too thin for crowds. Method: some dozens on few places, who jostle, leap, come and
 * go, under rules drawn anew for each life; both worlds get the same calls, and each tick's report must be the same.
 */
import { type DetectorName, type Interest, World, type WorldOptions } from '../../src/index.ts';
import { searchShares } from '../../src/interest/seats/searched-watchers.ts';

/** Numbers that follow from a seed. */
export function numbersFrom(seed: number): () => number {
  let state = seed + 1;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return ((state ^ (state >>> 15)) >>> 0) / 2 ** 32;
  };
}

/** One of a list, drawn. */
export function oneOf<T>(random: () => number, of: readonly T[]): T {
  return of[Math.floor(random() * of.length)] as T;
}

const USUAL_SHARES = { ...searchShares };

/** In place of `searchShares`: everybody with a cap is searched; or nobody is, and the kernel decides no row. */
export const ALWAYS_SEARCHED = { ...USUAL_SHARES, enter: 0, leave: 0, ofAll: 0 };
/** Whoever has a row longer than its cap is searched, whether that is worth its cost or not. */
export const SOON_SEARCHED = { ...USUAL_SHARES, enter: 1, ofAll: 0 };
export const NEVER_SEARCHED = {
  areRowsByKernel: false,
  enter: Number.POSITIVE_INFINITY,
  leave: Number.POSITIVE_INFINITY,
  isForNewcomers: false,
  ofAll: 0,
};
/** No watcher is searched, and the kernel decides rows. */
export const KERNEL_ROWS = { ...NEVER_SEARCHED, areRowsByKernel: true };

/** Does something while watchers are searched by these shares; then by the usual ones again. */
export function withShares<T>(shares: typeof searchShares, act: () => T): T {
  Object.assign(searchShares, shares);
  try {
    return act();
  } finally {
    Object.assign(searchShares, USUAL_SHARES);
  }
}

/** What sets a life apart from others. */
export interface CrowdLife {
  readonly seed: number;
  readonly detector: DetectorName;
  /** In place of `searchShares`, of the world that knows crowds. */
  readonly factors: typeof searchShares;
  /** None of the rules that lead away from the short way. */
  readonly isSimple: boolean;
  /** Rules with which a watcher keeps a row of all that it perceives. */
  readonly keepsRows?: boolean;
  readonly kernels?: 'typescript' | 'auto';
}

/** Lives it; answers the first difference, or `undefined`. */
export function differenceIn(life: CrowdLife): string | undefined {
  const run = new CrowdRun(life);
  for (let step = 0; step < 25; step++) {
    const difference = run.step();
    if (difference !== undefined) return `seed ${life.seed}, step ${step}: ${difference}`;
  }
  return undefined;
}

class CrowdRun {
  readonly #life: CrowdLife;
  readonly #random: () => number;
  readonly #worlds: readonly [crowded: World, plain: World];
  readonly #is3d: boolean;
  readonly #senses: number;
  readonly #hasWeights: boolean;
  readonly #isMixed: boolean;
  /** World units: how far apart people stand. */
  readonly #spread: number;
  #ids: number[] = [];
  #step = 0;
  /** Says otherwise in each tick: who is asked too seldom or too often shows. */
  readonly #admit = (watcher: number, marker: number) =>
    ((watcher >>> 10) + (marker >>> 10) + this.#step) % 4 !== 0;

  constructor(life: CrowdLife) {
    this.#life = life;
    const random = numbersFrom(life.seed);
    this.#random = random;
    this.#is3d = this.#chance(0.3);
    this.#senses = this.#chance(0.3) ? 2 : 1;
    this.#hasWeights = this.#chance(0.4);
    this.#isMixed = this.#chance(0.5);
    this.#spread = this.#pick([0, 1, 10, 40]);
    const options: WorldOptions = {
      dimensions: this.#is3d ? 3 : 2,
      senses: ['sight', 'hearing'].slice(0, this.#senses),
      rangeShape: this.#chance(0.7) ? 'circle' : this.#is3d ? 'cylinder' : 'box',
      detector: life.detector,
      kernels: life.kernels ?? 'auto',
      interests: { default: this.#interest(), other: this.#interest() },
    };
    this.#worlds = [new World(options), new World(options)];
    const crowd = 20 + Math.floor(random() * 40);
    for (let i = 0; i < crowd; i++) this.#add();
  }

  step(): string | undefined {
    this.#step++;
    for (let i = 0; i < 40; i++) this.#change();
    const [crowded, plain] = this.#worlds;
    const got = withShares(this.#life.factors, () => crowded.tick());
    const expected = withShares(NEVER_SEARCHED, () => plain.tick());
    for (const kind of ['enteredCount', 'leftCount', 'updatedCount', 'sensedCount'] as const) {
      if (got[kind] !== expected[kind]) return `${kind} is ${got[kind]}, expected ${expected[kind]}`;
    }
    if (got.hash() !== expected.hash()) return `hash is ${got.hash()}, expected ${expected.hash()}`;
    crowded.validate();
    let related = 0;
    for (const id of this.#ids) related += crowded.visibleTo(id).length;
    const { relationCount } = crowded.stats();
    if (this.#life.detector === 'sweep' && relationCount !== related)
      return `relations are ${relationCount}, expected ${related}`;
    for (const id of this.#ids.slice(0, 10)) {
      const [seen, right] = [crowded.visibleTo(id), plain.visibleTo(id)];
      if (seen.join() !== right.join()) return `visibleTo(${id}) is ${seen}, expected ${right}`;
      const [from, to] = [crowded.watchersOf(id), plain.watchersOf(id)];
      if (from.join() !== to.join()) return `watchersOf(${id}) is ${from}, expected ${to}`;
      for (const other of this.#explained) {
        const [why, because] = [crowded, plain].map((world) => JSON.stringify(world.explain(id, other)));
        if (why !== because) return `explain(${id}, ${other}) is ${why}, expected ${because}`;
      }
    }
    return undefined;
  }

  /** The last, and some anywhere. */
  get #explained(): number[] {
    const { length } = this.#ids;
    return [1, 5, 9, 13].map((back) => this.#ids[Math.max(0, length - back)] as number);
  }

  #interest(): Interest {
    const interest: Interest = { cap: this.#pick([1, 3, 5, 8]) };
    if (this.#chance(0.5)) interest.incumbentBonus = this.#pick([0, 0.5, 1]);
    if (this.#chance(0.3)) interest.leaveMargin = this.#pick([1, 20]);
    if (this.#chance(0.3)) interest.minDwellTicks = this.#pick([2, 5]);
    if (this.#chance(0.3))
      interest.updateRates = [
        [0.1, 2],
        [1, 3],
      ];
    if (this.#life.keepsRows === true) Object.assign(interest, this.#rowRules());
    if (this.#life.isSimple) return interest;
    if (this.#chance(0.3)) interest.memoryTicks = 3;
    if (this.#chance(0.3)) interest.showGroup = true;
    if (this.#chance(0.2)) interest.mutual = true;
    return interest;
  }

  #rowRules(): Interest {
    const most = () => this.#pick([0, 1, 2, 4]);
    const quotas = [
      { layers: 2, cap: most() },
      { layers: this.#pick([1, 3]), cap: most() },
    ].slice(this.#pick([0, 1]));
    return {
      cap: this.#pick([3, 8, Number.POSITIVE_INFINITY]),
      ...(this.#chance(0.6) ? { quotas } : {}),
      ...(this.#chance(0.4) ? { lingerTicks: 3 } : {}),
      ...(this.#chance(0.3) ? { enterBudget: 2 } : {}),
      ...(this.#chance(0.3) ? { admit: this.#admit } : {}),
    };
  }

  /** What sets one apart from the others as a marker. */
  #oddity() {
    return this.#pick([
      {},
      {},
      {},
      { gain: this.#pick([0, 0.5, 2, 40]) },
      { minReach: this.#pick([5, 100]) },
      { layers: 2, sees: 3 },
      { layers: 3 },
      { channel: this.#pick([1, 2]) },
      { weight: this.#pick([0, 0.3, 5, 100]) },
    ]);
  }

  #add(): void {
    const init = {
      ...this.#place(),
      range: this.#range(),
      interest: this.#pick(['default', 'other']),
      ...(this.#hasWeights ? { weight: this.#pick([0, 0.5, 1, 2]) } : {}),
      ...(!this.#life.isSimple && this.#chance(0.2) ? { group: this.#pick([1, 2]) } : {}),
      ...(!this.#life.isSimple && this.#chance(0.05) ? { always: true } : {}),
      ...(this.#chance(0.1) ? { gain: 0.5, layers: 3, marker: false } : {}),
      ...(this.#isMixed ? this.#oddity() : {}),
      ...(this.#life.keepsRows === true && this.#chance(0.02) ? { volatile: true } : {}),
    };
    const ids = this.#worlds.map((world) => world.add(init));
    this.#ids.push(ids[0] as number);
  }

  #change(): void {
    const id = this.#pick(this.#ids);
    const at = this.#random();
    const { x, y, z } = this.#place();
    if (at < 0.75) this.#both((world) => world.move(id, x, y, z));
    else if (at < 0.8) this.#add();
    else if (at < 0.83 && this.#ids.length > 12) {
      this.#both((world) => world.remove(id));
      this.#ids = this.#ids.filter((other) => other !== id);
    } else if (at < 0.86) this.#nudge(id, { range: this.#range() });
    else if (at < 0.87) this.#nudge(id, { cap: this.#pick([0, 2, 4, Number.POSITIVE_INFINITY]) });
    else if (at < 0.88) this.#nudge(id, { interest: this.#pick(['default', 'other']) });
    else if (at < 0.885) this.#setInterest();
    else if (at < 0.895) this.#both((world) => world.touch(id));
    else if (at < 0.9) this.#nudge(id, { always: this.#chance(0.5) });
    else if (!this.#life.isSimple) this.#tie(id, this.#pick(this.#ids), at);
  }

  #tie(id: number, other: number, at: number): void {
    if (id === other) return;
    if (at < 0.92) this.#both((world) => world.pin(id, other));
    else if (at < 0.94) this.#both((world) => world.unpin(id, other));
    else if (at < 0.96) this.#both((world) => world.block(id, other));
    else this.#both((world) => world.unblock(id, other));
  }

  #nudge(id: number, patch: Parameters<World['update']>[1]): void {
    this.#both((world) => world.update(id, patch));
  }

  #setInterest(): void {
    const interest = this.#interest();
    this.#both((world) => world.setInterest('other', interest));
  }

  #both(change: (world: World) => void): void {
    for (const world of this.#worlds) change(world);
  }

  /** Mostly in the crowd, some a little off, few far away. */
  #place(): { x: number; y: number; z: number } {
    const far = this.#chance(0.1) ? this.#pick([30, 60, 1000]) : 0;
    const on = () => (this.#chance(0.3) ? 0.5 : this.#random()) * this.#spread;
    return { x: far + on(), y: on(), z: on() };
  }

  #range(): number | Record<string, number> {
    const range = this.#pick([0, 50, 50, 50, 20]);
    return this.#senses === 1 ? range : { sight: range, hearing: this.#pick([5, 30]) };
  }

  #chance(share: number): boolean {
    return this.#random() < share;
  }

  #pick<T>(list: readonly T[]): T {
    return oneOf(this.#random, list);
  }
}
