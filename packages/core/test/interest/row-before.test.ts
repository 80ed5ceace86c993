/**
 * Watchers without `updated` events that get their row back because they reach their cap within one tick: what they related to before.
 */
import { afterEach, expect, test, vi } from 'vitest';
import { MomentGrid } from '../../src/entities/moment-grid.ts';
import { type Changes, type EntityId, type Interest, World } from '../../src/index.ts';
import { numbersFrom } from './searched-lives.ts';

/** More than are found by visiting every slot. */
const WATCHERS = 12;
const FAR = 1000;

afterEach(() => vi.restoreAllMocks());

/** Each watcher perceives three markers of its own, and far from it lie twenty. */
class Places {
  readonly world = new World({ interests: { default: { cap: 8, leaveMargin: 5 } } });
  readonly watchers = Array.from({ length: WATCHERS }, (_, i) =>
    this.world.add({ x: 100 * i, y: 0, range: 10, marker: false, updates: false }),
  );
  readonly own = this.watchers.map((_, i) => this.#line(100 * i, 0, 3));
  readonly far = this.watchers.map((_, i) => this.#line(100 * i, FAR, 20));

  #line(x: number, y: number, count: number): EntityId[] {
    return Array.from({ length: count }, (_, k) => this.world.add({ x: x + k / 4, y }));
  }
}

test('all that a leaping watcher lost is known from its crossings', () => {
  const { world, watchers, own, far } = new Places();
  world.tick();
  world.tick();
  const searches = vi.spyOn(MomentGrid.prototype, 'refresh');
  watchers.forEach((watcher, i) => {
    world.move(watcher, 100 * i, FAR);
  });
  const changes = world.tick();
  watchers.forEach((watcher, i) => {
    expect([...(changes.of(watcher)?.left ?? [])]).toEqual(own[i]);
    expect([...(changes.of(watcher)?.entered ?? [])]).toEqual(far[i].slice(0, 8));
  });
  expect(searches).not.toHaveBeenCalled();
});

test('a watcher that keeps some of what it perceived is searched for', () => {
  const { world, watchers, own, far } = new Places();
  world.tick();
  world.tick();
  const searches = vi.spyOn(MomentGrid.prototype, 'refresh');
  far.forEach((markers, i) => {
    for (const marker of markers) world.move(marker, 100 * i + 5, 0);
    world.move(own[i][2], 0, FAR);
  });
  const changes = world.tick();
  watchers.forEach((watcher, i) => {
    expect([...(changes.of(watcher)?.left ?? [])]).toEqual([own[i][2]]);
    expect([...(changes.of(watcher)?.entered ?? [])]).toEqual(far[i].slice(0, 6));
  });
  expect(searches).toHaveBeenCalled();
});

test('watchers that step and leap report the same from their crossings and a search as from rows of relations', () => {
  for (let seed = 1; seed <= 12; seed++) {
    const random = numbersFrom(seed);
    const below = (end: number) => Math.floor(end * random());
    const interest: Interest = {
      cap: 4 + below(8),
      leaveMargin: 4 * below(2),
      memoryTicks: 3 * below(2),
      mutual: below(4) === 0,
      ...(below(3) === 0 && { admit: (watcher, marker) => (watcher + marker) % 7 !== 0 }),
    };
    // Rows of relations exist in the first world only.
    const worlds = [true, false].map((updates) => ({
      updates,
      world: new World({ interests: { default: interest } }),
    }));
    const each = (act: (world: World) => void) => {
      for (const { world } of worlds) act(world);
    };
    const places = Array.from({ length: 60 }, () => ({ x: 100 * random(), y: 100 * random() }));
    const ids = places.map((place, i) => {
      const init = { ...place, ...(i % 2 === 0 && { range: 10 + 10 * random() }) };
      const [id] = worlds.map(({ world, updates }) => world.add({ ...init, updates }));
      return id as EntityId;
    });
    for (let k = 0; k < 8; k++) {
      const [watcher, marker] = [ids[2 * below(30)], ids[1 + 2 * below(30)]];
      each((world) => (k % 2 === 0 ? world.block(watcher, marker) : world.pin(watcher, marker)));
    }
    for (let tick = 0; tick < 40; tick++) {
      ids.forEach((id, i) => {
        if (random() < 0.7) return;
        const step = random() < 0.3 ? 100 : 6;
        const [x, y] = [places[i].x + step * random(), places[i].y + step * random()];
        places[i] = { x: x % 100, y: y % 100 };
        each((world) => world.move(id, places[i].x, places[i].y));
      });
      const [fromRows, fromCrossings] = worlds.map(({ world }) => world.tick());
      const named = (changes: Changes) =>
        ids.map((id) => `${changes.of(id)?.entered ?? ''} | ${changes.of(id)?.left ?? ''}`);
      expect(named(fromCrossings), `seed ${seed}, tick ${tick}`).toEqual(named(fromRows));
    }
  }
});
