/**
 * A ship of many: who boards and who leaves, among passengers that watch, beside the plain definition.
 *
 * The random scripts have small trees, which are mostly visited as a whole.
 */
import { expect, test } from 'vitest';
import { type EntityId, World } from '../../src/index.ts';

/** A small generator of its own (a linear congruence): the scripts must not depend on the engine. */
function randomFrom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}

const RANGE = 30;

interface One {
  readonly id: EntityId;
  layers: number;
  sees: number;
  /** 0: it does not watch. */
  range: number;
  parent: One | undefined;
  readonly blocks: Set<One>;
}

const rootOf = (one: One): One => (one.parent === undefined ? one : rootOf(one.parent));

/** The definition of docs/attachments.md. */
function isRelated(world: World, watcher: One, marker: One): boolean {
  if (watcher === marker || watcher.range === 0) return false;
  if (watcher.blocks.has(marker) || (watcher.sees & marker.layers) === 0) return false;
  if (marker.parent !== undefined) {
    const isOfTree =
      marker.parent === watcher || (watcher.parent !== undefined && rootOf(watcher) === rootOf(marker));
    return isOfTree || isRelated(world, watcher, marker.parent);
  }
  const [x, y] = world.position(watcher.id);
  const [ofX, ofY] = world.position(marker.id);
  const [dx, dy] = [Math.fround(ofX! - x!), Math.fround(ofY! - y!)];
  return Math.fround(Math.fround(dx * dx) + Math.fround(dy * dy)) <= watcher.range ** 2;
}

test.each([1, 2, 3, 4, 5, 6])('a life with ships, seed %i', (seed) => {
  const random = randomFrom(seed);
  const below = (count: number) => Math.floor(random() * count);
  const world = new World();
  const all: One[] = Array.from({ length: 60 }, () => {
    const range = random() < 0.7 ? RANGE : 0;
    const id = world.add({ x: below(200), y: below(100), range, sees: 1 });
    return { id, layers: 1, sees: 1, range, parent: undefined, blocks: new Set<One>() };
  });
  const known = new Map(all.map((one) => [one, new Set<EntityId>()]));
  const attach = (one: One, parent: One) => {
    let depth = 0;
    for (let above: One | undefined = parent; above !== undefined; above = above.parent, depth++)
      if (above === one) return;
    if (depth > 4 || all.some((other) => other.parent === one)) return;
    world.attach(one.id, parent.id, { x: below(9), y: below(9) });
    one.parent = parent;
  };
  const detach = (one: One) => {
    world.detach(one.id);
    one.parent = undefined;
  };
  const [ship, ferry] = [all[0]!, all[1]!];
  for (const one of all.slice(2, 40)) attach(one, random() < 0.7 ? ship : ferry);
  for (let tick = 0; tick < 120; tick++) {
    for (let change = below(4); change > 0; change--) {
      const one = all[2 + below(all.length - 2)]!;
      const kind = below(8);
      if (kind === 0) attach(one, ship);
      else if (kind === 1) attach(one, ferry);
      else if (kind === 2) attach(one, all[2 + below(all.length - 2)]!);
      else if (kind === 3) detach(one);
      else if (kind === 4) {
        one.layers = 1 + below(2);
        world.update(one.id, { layers: one.layers });
      } else if (kind === 5) {
        one.sees = 1 + below(3);
        world.update(one.id, { sees: one.sees });
      } else if (kind === 6) {
        const other = all[below(all.length)]!;
        if (other === one) continue;
        if (one.blocks.delete(other)) world.unblock(one.id, other.id);
        else {
          one.blocks.add(other);
          world.block(one.id, other.id);
        }
      } else if (one.parent === undefined) world.move(one.id, below(200), below(100));
    }
    // In some ticks a ship docks onto the other, with all who are on it.
    if (tick % 30 === 10) {
      world.attach(ferry.id, ship.id, { x: 5 });
      ferry.parent = ship;
    } else if (tick % 30 === 20) detach(ferry);
    else if (random() < 0.3) world.move(ship.id, below(200), below(100));
    const changes = world.tick();
    world.validate();
    for (const one of all) {
      const expected = all.filter((marker) => isRelated(world, one, marker)).map(({ id }) => id);
      expect([...world.visibleTo(one.id)], `tick ${tick}`).toEqual(expected);
      const before = known.get(one)!;
      const view = changes.of(one.id);
      expect([...(view?.entered ?? [])]).toEqual(expected.filter((id) => !before.has(id)));
      expect([...(view?.left ?? [])]).toEqual([...before].filter((id) => !expected.includes(id)));
      known.set(one, new Set(expected));
    }
  }
});
