/**
 * Many small rooms in one process, each with the crowd of a part of the simulation: a `World` for each room; and what people write
 * instead, two loops over the room's members with a Set of markers for each watcher.
 *
 * Rooms are consecutive parts of the actors, of the given sizes.
 */
import type { Simulation } from '@umwelt/scenarios';
import { World } from 'umwelt';
import { isInCircle } from './circle-test.ts';
import type { EngineKind, EngineOptions } from './engine.ts';
import { Peer } from './peer.ts';
import { keptSets, type SetDifference } from './set-difference.ts';

const f32 = Math.fround;

interface Room {
  /** Its first actor, and the one after its last. */
  readonly from: number;
  readonly to: number;
}

interface RoomWorld extends Room {
  readonly world: World;
  /** By actor of the room. */
  readonly ids: Uint32Array;
}

function roomsOf(sizes: readonly number[]): Room[] {
  let to = 0;
  return sizes.map((size) => {
    to += size;
    return { from: to - size, to };
  });
}

class RoomWorlds extends Peer {
  readonly #rooms: readonly RoomWorld[];

  constructor(simulation: Simulation, options: EngineOptions, sizes: readonly number[]) {
    super(simulation, options);
    this.#rooms = roomsOf(sizes).map(({ from, to }) => ({
      from,
      to,
      world: new World(),
      ids: new Uint32Array(to - from),
    }));
  }

  protected override compare(): void {
    const { entered, left, updated } = this;
    const isFirst = this.simulation.added.count > 0;
    for (const room of this.#rooms) {
      if (isFirst) this.#fill(room);
      else this.#move(room);
      for (const { watcher, entered: came, left: went, updated: changed } of room.world.tick()) {
        const actor = room.from + (watcher >>> 10);
        for (const marker of came) entered.push(actor, room.from + (marker >>> 10));
        for (const marker of went) left.push(actor, room.from + (marker >>> 10));
        for (const marker of changed) updated.push(actor, room.from + (marker >>> 10));
      }
    }
  }

  override dispose(): void {
    for (const { world } of this.#rooms) void world.dispose();
  }

  #fill({ from, to, world, ids }: RoomWorld): void {
    const { x, y, range } = this.simulation;
    for (let actor = from; actor < to; actor++)
      ids[actor - from] = world.add({
        x: x[actor]!,
        y: y[actor]!,
        range: range[actor]!,
        updates: this.updates,
      });
  }

  #move({ from, to, world, ids }: RoomWorld): void {
    const { x, y } = this.simulation;
    world.moveMany(ids, x.subarray(from, to), y.subarray(from, to));
  }
}

class RoomLoops extends Peer {
  readonly #rooms: readonly Room[];
  readonly #compare: SetDifference;
  readonly #found: Uint32Array;

  constructor(simulation: Simulation, options: EngineOptions, sizes: readonly number[]) {
    super(simulation, options);
    this.#rooms = roomsOf(sizes);
    const { entered, left, updated, moved, updates } = this;
    this.#compare = keptSets(simulation.capacity, {
      entered,
      left,
      updated,
      moved: updates ? moved : undefined,
    });
    this.#found = new Uint32Array(Math.max(...sizes));
  }

  protected override compare(): void {
    const { x, y, range } = this.simulation;
    const found = this.#found;
    for (const { from, to } of this.#rooms) {
      for (let watcher = from; watcher < to; watcher++) {
        let count = 0;
        for (let marker = from; marker < to; marker++) {
          const isNear = isInCircle(
            f32(x[marker]! - x[watcher]!),
            f32(y[marker]! - y[watcher]!),
            range[watcher]!,
          );
          if (isNear && marker !== watcher) found[count++] = marker;
        }
        this.#compare(watcher, found, count);
      }
    }
  }
}

/** A world for each room. */
export function roomWorlds(sizes: readonly number[]): EngineKind {
  return {
    name: 'room-worlds',
    title: 'a world for each room',
    expectedTickMs: ({ entities }) => sizes.length * 0.05 + entities / 10_000,
    create: (simulation, options) => new RoomWorlds(simulation, options, sizes),
  };
}

/** Two loops and Sets in each room. */
export function roomLoops(sizes: readonly number[]): EngineKind {
  return {
    name: 'room-loops',
    title: 'two loops and Sets in each room',
    expectedTickMs: () => sizes.reduce((sum, size) => sum + size * size, 0) / 50_000,
    create: (simulation, options) => new RoomLoops(simulation, options, sizes),
  };
}
