/**
 * The profiles that the sweep keeps beside odd entities' positions: they must be those of the present order of entries, whatever
 * came before. Each world is compared with one of brute force (of changed pairs), and validated, in each tick.
 */
import { expect, test } from 'vitest';
import {
  type EntityId,
  type EntityInit,
  type EntityPatch,
  World,
  type WorldOptions,
} from '../../src/index.ts';
import { changedPairs } from '../conformance/changed-pairs.ts';
import { randomFrom } from './side-by-side.ts';

class Pair {
  readonly ids: EntityId[] = [];
  readonly #worlds: readonly World[];
  readonly #random: () => number;
  readonly #side: number;

  constructor(kernels: NonNullable<WorldOptions['kernels']>, side: number, seed: number) {
    this.#worlds = [new World({ detector: changedPairs }), new World({ kernels })];
    this.#side = side;
    this.#random = randomFrom(seed);
  }

  random(): number {
    return this.#random();
  }

  add(init: Omit<EntityInit, 'x' | 'y'>): EntityId {
    const place = { x: this.#random() * this.#side, y: this.#random() * this.#side };
    const [id] = this.#worlds.map((world) => world.add({ ...init, ...place }));
    this.ids.push(id!);
    return id!;
  }

  update(id: EntityId, patch: EntityPatch): void {
    for (const world of this.#worlds) world.update(id, patch);
  }

  remove(id: EntityId): void {
    for (const world of this.#worlds) world.remove(id);
    this.ids.splice(this.ids.indexOf(id), 1);
  }

  move(share: number): void {
    for (const id of this.ids) {
      if (this.#random() >= share) continue;
      const [x, y] = this.#worlds[0]!.position(id);
      const [dx, dy] = [(this.#random() - 0.5) * 4, (this.#random() - 0.5) * 4];
      for (const world of this.#worlds) world.move(id, x + dx, y + dy);
    }
  }

  tick(): void {
    const [expected, found] = this.#worlds.map((world) => world.tick().hash());
    expect(found).toBe(expected);
    this.#worlds[1]!.validate();
  }

  get stays(): boolean {
    return this.#worlds[1]!.describe().includes('staying');
  }
}

test.each(['auto', 'typescript'] as const)(
  'the last odd ones go while all move, with %s kernels',
  (kernels) => {
    const pair = new Pair(kernels, 600, 7);
    for (let i = 0; i < 2000; i++) pair.add({ range: 10 });
    const odd = Array.from({ length: 40 }, () => pair.add({ range: 5 + pair.random() * 20, gain: 2 }));
    pair.tick();
    pair.move(1);
    pair.tick();
    for (const id of odd) pair.remove(id);
    pair.move(1);
    pair.tick();
    for (let tick = 0; tick < 12; tick++) {
      pair.move(0.02);
      pair.tick();
    }
    expect(pair.stays).toBe(true);
  },
);

test.each(['auto', 'typescript'] as const)(
  'for long nobody watches, then all move, with %s kernels',
  (kernels) => {
    const pair = new Pair(kernels, 400, 11);
    for (let i = 0; i < 600; i++) pair.add({});
    for (let i = 0; i < 300; i++) pair.add({ gain: 0.1 + pair.random() * 4 });
    const watchers = Array.from({ length: 20 }, () => pair.add({ range: 10 }));
    for (let tick = 0; tick < 6; tick++) {
      pair.move(tick < 2 ? 1 : 0.01);
      pair.tick();
    }
    expect(pair.stays).toBe(true);
    for (const id of watchers) pair.remove(id);
    // After so many ticks the world knows that nobody has a range.
    for (let tick = 0; tick < 140; tick++) {
      pair.move(0.002);
      pair.tick();
    }
    pair.move(1);
    pair.tick();
    for (let tick = 0; tick < 10; tick++) {
      pair.add({ range: 10 });
      pair.move(0.01);
      pair.tick();
    }
  },
);

test.each(['auto', 'typescript'] as const)('all are odd, and all change, with %s kernels', (kernels) => {
  const pair = new Pair(kernels, 50, 11);
  const range = () => 20 + pair.random() * 20;
  const changeAll = () => {
    for (const id of pair.ids) pair.update(id, { range: range() });
    pair.tick();
  };
  for (let i = 0; i < 1000; i++) pair.add({ range: range() });
  pair.tick();
  changeAll();
  for (let i = 0; i < 15; i++) pair.add({ range: range() });
  changeAll();
  changeAll();
  for (let tick = 0; tick < 5; tick++) {
    pair.move(0.03);
    pair.tick();
  }
  expect(pair.stays).toBe(true);
});
