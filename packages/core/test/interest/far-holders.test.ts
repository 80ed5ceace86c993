/** Relations that distance does not tell: by large groups, by ties, and lingering. Reports and queries, beside the definition. */
import { expect, test } from 'vitest';
import { Random } from '../../src/conformance/random.ts';
import { type EntityId, type Interest, World } from '../../src/index.ts';

const ENTITIES = 150;
const TICKS = 15;
const SIDE = 400;
const RANGE = 30;

interface One {
  readonly id: EntityId;
  x: number;
  gain: number;
  group: number;
  readonly pinned: Set<EntityId>;
}

/** A crowd along a line, and what relates in it by the definition. Two groups hold most of it: many are shown each of their members. */
class Crowd {
  readonly world: World;
  readonly all: One[];
  readonly #random: Random;
  readonly #interest: Interest;
  /** By watcher, by marker: the tick in which it was perceived last; as long as that may matter. */
  #seenAt = new Map<EntityId, Map<EntityId, number>>();
  #related = new Map<EntityId, readonly EntityId[]>();

  constructor(interest: Interest, seed: number) {
    this.#random = new Random(seed);
    this.#interest = interest;
    this.world = new World({ interests: { default: interest } });
    this.all = Array.from({ length: ENTITIES }, () => this.#add());
  }

  change(): void {
    for (let left = 3; left > 0; left--) this.#changeOne(this.#random.below(ENTITIES));
  }

  /** What enters and leaves in the tick under way, and who relates to whom after it, by watcher. */
  decide(): { entered: EntityId[][]; left: EntityId[][] } {
    const before = this.#related;
    const present = new Set(this.all.map(({ id }) => id));
    this.#related = new Map(this.all.map((watcher) => [watcher.id, this.#relatedTo(watcher)]));
    const of = (related: ReadonlyMap<EntityId, readonly EntityId[]>, id: EntityId) => related.get(id) ?? [];
    const without = (list: readonly EntityId[], other: readonly EntityId[]) => {
      const others = new Set(other);
      return list.filter((id) => !others.has(id));
    };
    const ids = [...present].sort((a, b) => a - b);
    return {
      entered: ids.map((id) => without(of(this.#related, id), of(before, id))),
      left: ids.map((id) => without(of(before, id), of(this.#related, id))),
    };
  }

  relatedTo(watcher: EntityId): readonly EntityId[] {
    return this.#related.get(watcher) ?? [];
  }

  #add(): One {
    const one = {
      x: this.#random.below(SIDE),
      gain: 1,
      group: this.#random.below(3),
      pinned: new Set<EntityId>(),
    };
    const updates = this.#random.chance(0.5);
    return { id: this.world.add({ x: one.x, y: 0, range: RANGE, group: one.group, updates }), ...one };
  }

  #changeOne(at: number): void {
    const { world, all } = this;
    const random = this.#random;
    const one = all[at] as One;
    const other = random.pick(all);
    const kind = random.below(7);
    if (kind === 0) {
      world.remove(one.id);
      for (const { pinned } of all) pinned.delete(one.id);
      all[at] = this.#add();
    } else if (kind === 1) {
      one.group = random.below(3);
      world.update(one.id, { group: one.group });
    } else if (kind === 2) {
      one.gain = random.pick([0, 0.5, 1]);
      world.update(one.id, { gain: one.gain });
    } else if (kind === 3 && one !== other) {
      world.pin(one.id, other.id);
      one.pinned.add(other.id);
    } else if (kind === 4) {
      for (const marker of one.pinned) world.unpin(one.id, marker);
      one.pinned.clear();
    } else {
      one.x = random.below(SIDE);
      world.move(one.id, one.x, 0);
    }
  }

  #relatedTo(watcher: One): EntityId[] {
    const { lingerTicks = 0, showGroup = false } = this.#interest;
    const tick = this.world.tickCount + 1;
    const seenAt = this.#seenAt.get(watcher.id) ?? new Map<EntityId, number>();
    this.#seenAt.set(watcher.id, seenAt);
    const related = this.all.filter((marker) => {
      if (marker === watcher) return false;
      if (marker.gain > 0 && Math.abs(marker.x - watcher.x) <= RANGE * marker.gain)
        seenAt.set(marker.id, tick);
      const isMember = showGroup !== false && watcher.group !== 0 && watcher.group === marker.group;
      const lingers = tick - (seenAt.get(marker.id) ?? Number.NEGATIVE_INFINITY) <= lingerTicks;
      return isMember || watcher.pinned.has(marker.id) || lingers;
    });
    return related.map(({ id }) => id).sort((a, b) => a - b);
  }
}

test.each<[string, Interest]>([
  ['groups of fifty', { showGroup: true }],
  ['lingering', { lingerTicks: 6 }],
  ['both', { showGroup: true, lingerTicks: 6 }],
  ['both, with rows of all that is perceived', { showGroup: true, lingerTicks: 6, cap: 10 * ENTITIES }],
  ['ties alone', {}],
])('%s: all reports, and who relates to whom from both sides, are as defined', (_title, interest) => {
  for (const seed of [1, 2]) {
    const crowd = new Crowd(interest, seed);
    const { world } = crowd;
    for (let tick = 1; tick <= TICKS; tick++) {
      if (tick > 1) crowd.change();
      const { entered, left } = crowd.decide();
      const changes = world.tick();
      world.validate();
      const ids = crowd.all.map(({ id }) => id).sort((a, b) => a - b);
      const listed = (kind: 'entered' | 'left') => ids.map((id) => [...(changes.of(id)?.[kind] ?? [])]);
      const holders = new Map<EntityId, EntityId[]>(ids.map((id) => [id, []]));
      for (const watcher of ids)
        for (const marker of crowd.relatedTo(watcher)) holders.get(marker)?.push(watcher);
      const found = ids.map((marker) => [...world.watchersOf(marker)]);
      const got = { entered: listed('entered'), left: listed('left'), found };
      expect(got, `seed ${seed}, tick ${tick}`).toEqual({ entered, left, found: [...holders.values()] });
      world.pin(ids[0] as EntityId, ids[tick] as EntityId, 'for a moment');
      world.unpin(ids[0] as EntityId, ids[tick] as EntityId, 'for a moment');
    }
  }
});
