/**
 * What holds of seats at every tick of every crowd, said without the model: a crowd jostles, comes and goes, and each watcher's
 * seats are held against distances measured here.
 */
import { describe, expect, test } from 'vitest';
import { Random } from '../../src/conformance/random.ts';
import { type EntityId, type Interest, World } from '../../src/index.ts';

const f32 = Math.fround;
const RANGE = 30;

interface Rules {
  readonly cap: number;
  readonly incumbentBonus: number;
  readonly minDwellTicks: number;
}

/** Everyone of it has the same rules and weight 1, 2 or a half. */
class Crowd {
  readonly world: World;
  readonly random: Random;
  readonly rules: Rules;
  readonly weights = new Map<EntityId, number>();
  /** By watcher, whom it related to at the last tick, and since which tick. */
  seats = new Map<EntityId, Map<EntityId, number>>();

  constructor(seed: number, interest: Interest & Rules, size: number) {
    this.random = new Random(seed);
    this.rules = interest;
    this.world = new World({ interests: { default: interest } });
    for (let i = 0; i < size; i++) this.add();
  }

  add(): EntityId {
    const weight = this.random.pick([1, 1, 1, 2, 0.5]);
    const id = this.world.add({ ...this.place(), range: RANGE, weight });
    this.weights.set(id, weight);
    return id;
  }

  place(): { x: number; y: number } {
    return { x: this.random.between(-40, 40), y: this.random.between(-25, 25) };
  }

  /** Most take a step, some jump, some go and others come. */
  jostle(): void {
    for (const id of this.world.ids()) {
      const [x, y] = this.world.position(id);
      const fate = this.random.fraction();
      const step = () => this.random.between(-2, 2);
      if (fate < 0.7) this.world.move(id, x + step(), y + step());
      else if (fate < 0.75) this.world.move(id, this.place().x, this.place().y);
      else if (fate < 0.77) {
        this.world.remove(id);
        this.add();
      }
    }
  }

  /** Ticks, then holds every watcher's seats against what they must be. */
  tick(): void {
    const { tick } = this.world.tick();
    const before = this.seats;
    this.seats = new Map();
    const ids = this.world.ids();
    const places = new Map([...ids].map((id) => [id, this.world.position(id)]));
    for (const watcher of ids) {
      const old = before.get(watcher) ?? new Map<EntityId, number>();
      const seated = new Map<EntityId, number>();
      for (const marker of this.world.visibleTo(watcher)) seated.set(marker, old.get(marker) ?? tick);
      this.seats.set(watcher, seated);
      const candidates = [...ids]
        .filter((marker) => marker !== watcher)
        .map((marker) => ({ marker, squared: squared(places.get(watcher), places.get(marker)) }))
        .filter((each) => each.squared <= f32(RANGE * RANGE))
        .map((each) => ({ ...each, rank: this.#rank(each.marker, each.squared, old.has(each.marker)) }));
      expect(seated.size).toBe(Math.min(this.rules.cap, candidates.length));
      const isYoung = (marker: EntityId) => tick - (old.get(marker) ?? -1e9) < this.rules.minDwellTicks;
      const losers = candidates.filter(({ marker }) => !seated.has(marker));
      const best = Math.min(...losers.map(({ rank }) => rank));
      for (const { marker, rank } of candidates) {
        if (seated.has(marker) && !isYoung(marker)) expect(rank).toBeLessThanOrEqual(best);
      }
      // Nobody lost a young seat while others, not young, kept theirs.
      if (losers.some(({ marker }) => isYoung(marker))) {
        expect([...seated.keys()].every((marker) => isYoung(marker))).toBe(true);
      }
    }
  }

  #rank(marker: EntityId, squaredDistance: number, isSeated: boolean): number {
    const rank = f32(f32(Math.sqrt(squaredDistance)) / (this.weights.get(marker) ?? 1));
    return isSeated ? f32(rank * f32(1 - this.rules.incumbentBonus)) : rank;
  }
}

function squared(from: Float32Array = new Float32Array(2), to: Float32Array = from): number {
  const [dx, dy] = [f32(to[0] - from[0]), f32(to[1] - from[1])];
  return f32(f32(dx * dx) + f32(dy * dy));
}

const RULES: readonly Rules[] = [
  { cap: 8, incumbentBonus: 0.15, minDwellTicks: 0 },
  { cap: 8, incumbentBonus: 0, minDwellTicks: 0 },
  { cap: 3, incumbentBonus: 0.5, minDwellTicks: 0 },
  { cap: 5, incumbentBonus: 0.15, minDwellTicks: 4 },
  { cap: 1, incumbentBonus: 1, minDwellTicks: 2 },
  { cap: 60, incumbentBonus: 0.15, minDwellTicks: 3 },
];

describe.each(RULES)('cap $cap, bonus $incumbentBonus, dwell $minDwellTicks', (rules) => {
  test('all seats are taken, never more, and none by one that a better one without a seat beats by the bonus', () => {
    const crowd = new Crowd(rules.cap, rules, 80);
    for (let tick = 0; tick < 25; tick++) {
      crowd.tick();
      crowd.jostle();
    }
  });

  test('a crowd that stands still changes nothing from the second tick on', () => {
    const crowd = new Crowd(100 + rules.cap, rules, 80);
    for (let tick = 0; tick < 5; tick++) {
      crowd.tick();
      crowd.jostle();
    }
    crowd.world.tick();
    // Seats that only their youth protected go when it ends, once.
    for (let tick = 0; tick < rules.minDwellTicks; tick++) crowd.world.tick();
    for (let tick = 0; tick < 10; tick++) expect(crowd.world.tick().viewCount).toBe(0);
  });

  test('seats are given back when those who took them leave', () => {
    const crowd = new Crowd(200 + rules.cap, rules, 30);
    crowd.tick();
    const settlers = crowd.world.ids();
    const crowders = Array.from({ length: 60 }, () => crowd.add());
    for (let tick = 0; tick < 6; tick++) crowd.tick();
    const taken = [...settlers].flatMap((id) => [...(crowd.seats.get(id)?.keys() ?? [])]);
    expect(taken.some((id) => crowders.includes(id))).toBe(rules.incumbentBonus < 1);
    crowd.world.removeMany(Uint32Array.from(crowders));
    crowd.tick();
    expect(crowd.world.ids()).toEqual(settlers);
  });
});

test('with update rates nothing is older than its rate allows, and nothing comes that did not change', () => {
  const rates = [
    [0.25, 1],
    [0.5, 2],
    [1, 4],
  ] as const;
  const world = new World({ interests: { default: { updateRates: rates, leaveMargin: 3 } } });
  const random = new Random(5);
  const place = () => random.between(-40, 40);
  const ids = Array.from({ length: 60 }, () => world.add({ x: place(), y: place(), range: RANGE }));
  const changedAt = new Map<EntityId, number>();
  const toldAt = new Map<string, number>();
  let waited = 0;
  for (let tick = 1; tick <= 60; tick++) {
    for (const id of ids) {
      const [x, y] = world.position(id);
      if (tick === 1 || random.chance(0.5)) continue;
      world.move(id, x + random.between(-1, 1), y + random.between(-1, 1));
      changedAt.set(id, tick);
    }
    const changes = world.tick();
    for (const watcher of ids) {
      const view = changes.of(watcher);
      for (const marker of [...(view?.entered ?? []), ...(view?.updated ?? [])]) {
        const pair = `${watcher} ${marker}`;
        if (view?.updated.includes(marker)) {
          expect(changedAt.get(marker) ?? 0).toBeGreaterThan(toldAt.get(pair) ?? 0);
        }
        toldAt.set(pair, tick);
      }
      for (const marker of world.visibleTo(watcher)) {
        const told = toldAt.get(`${watcher} ${marker}`) ?? 0;
        if ((changedAt.get(marker) ?? 0) <= told) continue;
        const distance = Math.sqrt(squared(world.position(watcher), world.position(marker)));
        const [, everyTicks] = rates.find(([fraction]) => distance <= fraction * RANGE) ?? rates[2];
        expect(tick - told).toBeLessThan(everyTicks);
        waited++;
      }
    }
  }
  expect(waited).toBeGreaterThan(1000);
});
