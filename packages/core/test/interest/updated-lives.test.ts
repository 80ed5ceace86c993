/**
 * `updated` lists over lives in which all entities move in one tick and some rest in the next, so that the
 * report either is lent the rows of relations or has lists of its own. They are compared with the definition,
 * while entities come, go, are touched, leap and get updates or updates at rates, and while ticks fail and
 * the world is stored. What a tick reported must stay unchanged until the next one.
 */
import { isDeepStrictEqual } from 'node:util';
import { describe, expect, test } from 'vitest';
import { Random } from '../../src/conformance/random.ts';
import { type Changes, type EntityId, type Interest, World } from '../../src/index.ts';

const ENTITIES = 130;
const SIDE = 60;
/** Its square and those of the ranges below are no whole numbers: no entity is at exactly that distance. */
const RANGE = 11.5;
const RANGES = [0, 11.5, 22.5, 33.5];
const KINDS = ['entered', 'left', 'updated', 'sensed'] as const;

interface Actor {
  id: EntityId;
  x: number;
  y: number;
  range: number;
  updates: boolean;
  /** Whether it moved or was touched in the tick under way. */
  isNews: boolean;
  related: Set<EntityId>;
}

/** Events that may happen before a tick, with their weights. */
const HAPPENINGS = {
  touch: 2,
  rest: 3,
  come: 3,
  go: 3,
  mind: 3,
  rate: 2,
  range: 2,
  leap: 1,
  fail: 3,
  store: 2,
};
type Happening = keyof typeof HAPPENINGS;

class Life {
  readonly #random: Random;
  readonly #kernels: 'wasm' | 'typescript';
  readonly #threads: number;
  readonly #actors: Actor[] = [];
  /**
   * Far from all others: a watcher whose `admit` can be made to throw, and the marker for which it is called.
   */
  readonly #asking: EntityId;
  readonly #asked: EntityId;
  readonly #interests: Record<string, Interest>;
  #isFailing = false;
  world: World;

  constructor(kernels: 'wasm' | 'typescript', seed: number, threads = 1) {
    this.#random = new Random(seed);
    this.#kernels = kernels;
    this.#threads = threads;
    this.#interests = {
      asking: { admit: () => this.#admit() },
      // At rates, and yet every tick: no marker is in the last ring.
      rated: {
        updateRates: [
          [0.9999, 1],
          [1, 2],
        ],
      },
    };
    this.world = new World({ kernels, threads, interests: this.#interests });
    this.#asking = this.world.add({ x: -500, y: 0, range: 10, marker: false, interest: 'asking' });
    this.#asked = this.world.add({ x: -500, y: 0 });
    this.#come(ENTITIES);
  }

  /** Runs one tick in which all or some entities move. Returns the hash of its report. */
  live(all: boolean, happening: Happening | undefined): string {
    this.#move(all && happening !== 'rest' ? 1 : 0.6);
    const some = 1 + this.#random.below(12);
    switch (happening) {
      case 'touch':
        for (let i = 0; i < some; i++) this.#touch(this.#random.pick(this.#actors));
        // An entity that is both moved and touched is reported once.
        for (const actor of this.#actors) if (some > 8 && actor.isNews) this.#touch(actor);
        break;
      case 'come':
        this.#come(some);
        break;
      case 'go':
        this.#go(some);
        break;
      case 'mind':
        for (let i = 0; i < some; i++) this.#change(this.#random.pick(this.#actors));
        break;
      case 'rate':
        for (let i = 0; i < some; i++) {
          const interest = this.#random.chance(0.4) ? 'rated' : 'default';
          this.world.update(this.#random.pick(this.#actors).id, { interest });
        }
        break;
      case 'range':
        for (let i = 0; i < some; i++) {
          const actor = this.#random.pick(this.#actors);
          actor.range = this.#random.pick(RANGES);
          this.world.update(actor.id, { range: actor.range });
        }
        break;
      case 'leap':
        for (const actor of this.#actors) if (this.#random.chance(0.8)) this.#moveTo(actor, ...this.#place());
        break;
      case 'fail':
        this.#fail();
        break;
      case 'store':
        this.#store();
        break;
    }
    return this.#tick();
  }

  /** No watcher gets updates at rates any more, so that rows are lent again. */
  calm(): void {
    for (const { id } of this.#actors) this.world.update(id, { interest: 'default' });
  }

  dispose(): Promise<void> {
    return this.world.dispose();
  }

  #admit(): boolean {
    if (this.#isFailing) throw new Error('admit failed');
    return true;
  }

  #place(): [x: number, y: number] {
    return [this.#random.below(SIDE), this.#random.below(SIDE)];
  }

  #come(count: number): void {
    for (let i = 0; i < count; i++) {
      const [x, y] = this.#place();
      const range = this.#random.chance(0.9) ? RANGE : 0;
      const updates = this.#random.chance(0.9);
      const id = this.world.add({ x, y, range, updates });
      this.#actors.push({ id, x, y, range, updates, isNews: true, related: new Set<EntityId>() });
    }
  }

  #go(count: number): void {
    for (let i = 0; i < count && this.#actors.length > ENTITIES / 2; i++) {
      const [actor] = this.#actors.splice(this.#random.below(this.#actors.length), 1) as [Actor];
      this.world.remove(actor.id);
    }
  }

  #change(actor: Actor): void {
    actor.updates = this.#random.chance(0.6);
    this.world.update(actor.id, { updates: actor.updates });
  }

  #touch(actor: Actor): void {
    actor.isNews = true;
    this.world.touch(actor.id);
  }

  #move(share: number): void {
    for (const actor of this.#actors) {
      actor.isNews = false;
      if (!this.#random.chance(share)) continue;
      const y = Math.min(SIDE, Math.max(0, actor.y + this.#random.below(5) - 2));
      const step = this.#random.chance(0.5) ? 1 : -1;
      const isOut = actor.x + step < 0 || actor.x + step > SIDE;
      this.#moveTo(actor, actor.x + (isOut ? -step : step), y);
    }
    for (const id of [this.#asking, this.#asked]) {
      if (share === 1) this.world.move(id, -500, this.#random.fraction());
    }
  }

  #moveTo(actor: Actor, x: number, y: number): void {
    const isWhereItWas = actor.x === x && actor.y === y;
    actor.isNews ||= !isWhereItWas;
    actor.x = x;
    actor.y = y;
    this.world.move(actor.id, x, y);
  }

  /**
   * A tick that throws after it has applied many changes; some of them are withdrawn afterwards, others are
   * not.
   */
  #fail(): void {
    const told = this.world.lastChanges;
    const lent = told.columns('updated').markers;
    const [before, lentBefore] = [copyOf(told), lent.slice()];
    for (let i = 0; i < 4; i++) this.#change(this.#random.pick(this.#actors));
    this.#go(3);
    this.#come(3);
    const wavering = Array.from({ length: 3 }, () => this.#random.pick(this.#actors).id);
    for (const id of wavering) this.world.update(id, { interest: 'rated' });
    this.world.touch(this.#asked);
    this.#isFailing = true;
    expect(() => this.world.tick()).toThrow('admit failed');
    this.#isFailing = false;
    this.world.validate();
    expect(this.world.lastChanges).toBe(told);
    expect(copyOf(told)).toEqual(before);
    expect(lent).toEqual(lentBefore);
    for (let i = 0; i < 4; i++) this.#change(this.#random.pick(this.#actors));
    for (const id of wavering.slice(1)) this.world.update(id, { interest: 'default' });
    if (this.#random.chance(0.5)) this.#store();
  }

  /**
   * Continues with a restored world, after checking that the first one reports the same as another restored
   * one.
   */
  #store(): void {
    const bytes = this.world.snapshot();
    const options = { interests: this.#interests, kernels: this.#kernels, threads: this.#threads };
    const [restored, beside] = [World.restore(bytes, options), World.restore(bytes, options)];
    restored.validate();
    expectEqual(restored.snapshot(), bytes);
    for (let tick = 0; tick < 3; tick++) {
      for (const { id, x } of this.#actors) for (const world of [this.world, beside]) world.move(id, x, tick);
      expect(beside.tick().hash()).toBe(this.world.tick().hash());
      expectEqual(beside.snapshot(), this.world.snapshot());
    }
    for (const world of [this.world, beside]) void world.dispose();
    this.world = restored;
  }

  /**
   * Runs a tick and checks each watcher's list: what was related before, still is, and moved or was touched.
   */
  #tick(): string {
    const changes = this.world.tick();
    this.world.validate();
    const news = this.#actors.filter(({ isNews }) => isNews).map(({ id }) => id);
    for (const actor of this.#actors) {
      const related = new Set(this.#perceived(actor));
      const told = news.filter((id) => actor.related.has(id) && related.has(id)).sort((a, b) => a - b);
      expectEqual([...(changes.of(actor.id)?.updated ?? [])], actor.updates ? told : [], `of ${actor.id}`);
      actor.related = related;
    }
    this.#stir(changes);
    return changes.hash();
  }

  /** Makes various calls; what the tick reported must stay unchanged. */
  #stir(changes: Changes): void {
    const lists = [...changes].map((view) => view.updated);
    const { markers } = changes.columns('updated');
    const before = copyOf(changes);
    const [listsBefore, markersBefore] = [lists.map((list) => list.slice()), markers.slice()];
    const actor = this.#random.pick(this.#actors);
    this.world.visibleTo(actor.id);
    this.world.snapshot();
    if (this.#random.chance(0.1)) this.world.setDetector('nine-grid');
    if (this.#random.chance(0.1)) this.world.setDetector('sweep');
    if (this.#random.chance(0.1)) this.#makeTheHeapMove();
    expectEqual(copyOf(changes), before);
    expectEqual(lists, listsBefore);
    expectEqual(markers, markersBefore);
  }

  #makeTheHeapMove(): void {
    const count = 2 * this.world.size;
    const passing = this.world.addMany({ x: new Float32Array(count), y: new Float32Array(count), range: 5 });
    this.world.removeMany(passing);
  }

  #perceived(watcher: Actor): EntityId[] {
    const squared = watcher.range * watcher.range;
    if (watcher.range === 0) return [];
    return this.#actors
      .filter(({ id, x, y }) => id !== watcher.id && (x - watcher.x) ** 2 + (y - watcher.y) ** 2 <= squared)
      .map(({ id }) => id);
  }
}

/** As `toEqual`, which took half the time of these tests and is asked only where Node finds a difference. */
function expectEqual(got: unknown, wanted: unknown, message?: string): void {
  if (!isDeepStrictEqual(got, wanted)) expect(got, message).toEqual(wanted);
}

/** A copy of a report, by views and by columns. */
function copyOf(changes: Changes) {
  return [
    [...changes].map((view) => [view.watcher, ...KINDS.map((kind) => [...view[kind]])]),
    KINDS.map((kind) => {
      const { count, watchers, offsets, markers } = changes.columns(kind);
      return Array.from({ length: count }, (_, row) => [
        watchers[row],
        [...markers.subarray(offsets[row], offsets[row + 1])],
      ]);
    }),
  ];
}

/** Runs a life of `ticks` ticks. Returns the hash of each report. */
function live(life: Life, seed: number, ticks: number): string[] {
  const random = new Random(seed + 1000);
  const names = Object.keys(HAPPENINGS) as Happening[];
  const weights = Object.values(HAPPENINGS);
  const told: string[] = [];
  for (let tick = 0; tick < ticks; tick++) {
    // Periods in which all entities move and now and then something happens, and periods in which some rest.
    const all = tick % 20 < 14;
    const happening = random.chance(0.5) ? names[random.weighted(weights)] : undefined;
    if (tick % 20 === 0) life.calm();
    told.push(life.live(all, happening));
  }
  return told;
}

describe('updated lists of a life in which all move, or some', () => {
  test.each([1, 2, 3, 4])('agree with the definition, with both kernels: seed %i', async (seed) => {
    const lives = [new Life('wasm', seed), new Life('typescript', seed)];
    const [first, second] = lives.map((life) => live(life, seed, 90));
    expect(first).toEqual(second);
    for (const life of lives) await life.dispose();
  });

  test('are the same on two threads', async () => {
    const lives = [new Life('wasm', 5), new Life('wasm', 5, 2)];
    const [first, second] = lives.map((life) => live(life, 5, 60));
    expect(first).toEqual(second);
    for (const life of lives) await life.dispose();
  });
});
