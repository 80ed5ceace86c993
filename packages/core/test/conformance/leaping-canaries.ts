/**
 * Worlds and detectors with a planted bug each, of kinds that small crowds and exact distances do not show: the scripts
 * of leaping crowds, or those by cells, must fail every one of them.
 *
 * Problem: each of them was a real fault, or one like it, in how the engine avoids work: what a watcher below its cap
 * remembers, a tick in which nothing happens, a cell that is seen from anywhere. Method: as in interest-canaries.ts a world that
 * hears something else than what it was told; and where the slip lies deeper, a world whose engine is kept from seeing, during
 * one call, what it used to overlook.
 */
import type { Changes, DetectorFactory, EntityId, Outranked, WorldOptions } from '../../src/index.ts';
import { World } from '../../src/index.ts';
import { engineOf } from '../../src/world-reader.ts';
import { canary, hasMoved, reachOf, type State } from './canaries.ts';

type CreateWorld = (options: WorldOptions) => World;

/** Remembers more than it may for a marker that is removed in the tick in which it is asked. */
class ForgettingLate extends World {
  readonly #removed = new Set<EntityId>();

  constructor(options: WorldOptions) {
    super(options);
    const { recent } = engineOf(this).seating.tables;
    const { replay } = recent;
    recent.replay = (watcher, interest, cap, memory) => {
      const { trim } = memory;
      memory.trim = (slot, most, isPresent) =>
        trim.call(memory, slot, most, (id) => !this.#removed.has(id) && isPresent(id));
      const since = replay.call(recent, watcher, interest, cap, memory);
      memory.trim = trim;
      return since;
    };
  }

  override remove(id: EntityId): void {
    super.remove(id);
    this.#removed.add(id);
  }

  override removeMany(ids: Uint32Array): void {
    super.removeMany(ids);
    for (const id of ids) this.#removed.add(id);
  }

  override tick(): Changes {
    const changes = super.tick();
    this.#removed.clear();
    return changes;
  }
}

/** Leaves a seat that awaits consent as it is while nothing happens. */
class IdleAtRest extends World {
  override tick(): Changes {
    const { store, seating } = engineOf(this);
    const { marginHeld } = seating.tables.overrides;
    const overlooked = store.pendingCount === 0 ? [...marginHeld] : [];
    for (const watcher of overlooked) marginHeld.delete(watcher);
    try {
      return super.tick();
    } finally {
      for (const watcher of overlooked) marginHeld.add(watcher);
    }
  }
}

/** Counts no seats of a watcher below its cap. */
class Uncounted extends World {
  override outranked(watcher: EntityId, limit?: number): Outranked {
    const answer = super.outranked(watcher, limit);
    const hasRow = engineOf(this).seating.hasRow(this.slotOf(watcher));
    return hasRow ? answer : { ...answer, seated: 0 };
  }
}

/** Worlds that scripts of leaping crowds show, by what they get wrong. */
export const leapingWorlds: Readonly<Record<string, CreateWorld>> = {
  'takes one that is removed in this tick as gone when another was forgotten': (options) =>
    new ForgettingLate(options),
  'keeps a seat that awaits consent as long as nothing happens': (options) => new IdleAtRest(options),
  'counts no seats of watchers below their caps': (options) => new Uncounted(options),
};

/** A detector that they show: passes over who moves inside a cell that is surely seen, although its maxReach is shorter. */
export const sureOfCells: DetectorFactory = canary('sure of cells', {
  looksAt: ({ last, now, settings: { cellSize } }, watcher, marker) => {
    const [sizeX, sizeY] = cellSize ?? [1, 1];
    const cell = ({ x, y }: State) => `${Math.floor(x[marker] / sizeX)} ${Math.floor(y[marker] / sizeY)}`;
    if (!hasMoved(last, now, marker) || hasMoved(last, now, watcher) || cell(last) !== cell(now)) return true;
    const away = Math.hypot(now.x[marker] - now.x[watcher], now.y[marker] - now.y[watcher]);
    return reachOf(now, watcher, marker) < away + Math.hypot(sizeX, sizeY);
  },
});

/** The options with the edges of a cell exchanged. */
function turned({ cellSize = 1, ...options }: WorldOptions): WorldOptions {
  const [x, y, ...rest] = typeof cellSize === 'number' ? [cellSize, cellSize * 2] : cellSize;
  return { ...options, cellSize: [y, x, ...rest] as [number, number] };
}

/** Worlds that scripts by cells show, by what they get wrong. */
export const cellWorlds: Readonly<Record<string, CreateWorld>> = {
  'measures distances where cells count': ({ granularity: _, cellRounding: __, ...options }) =>
    new World(options),
  'counts cells that a reach only touches': (options) => new World({ ...options, cellRounding: 'up' }),
  'takes the height of cells for their width': (options) => new World(turned(options)),
  'sees no farther than the cells beside': (options) => new World({ ...options, detector: 'nine-grid' }),
};
