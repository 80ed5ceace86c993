/**
 * Worlds with a planted bug each in conditions of who meets whom, or in what single calls answer: random scripts must fail
 * every one of them.
 *
 * Method: as in interest-canaries.ts, a world that hears something else than what it was told.
 */
import type {
  CountOptions,
  EntityId,
  EntityInit,
  EntityPatch,
  UpdateColumns,
  WatcherRows,
  WorldOptions,
} from '../../src/index.ts';
import { UmweltError, World } from '../../src/index.ts';

/** What is heard instead of what was said. */
interface Slip {
  readonly entity?: <T extends EntityPatch>(given: T) => T;
  readonly now?: boolean;
  readonly place?: (given: Parameters<World['watchersAt']>[0]) => Parameters<World['watchersAt']>[0];
  /** How many count, of those that it was told. */
  readonly changed?: (count: number, ids: Uint32Array) => number;
  readonly moved?: (count: number, ids: ArrayLike<number>) => number;
  readonly slotOf?: (world: World, id: EntityId, slot: number) => number;
  /** Of one that has no slot any more. */
  readonly lostSlotOf?: (id: EntityId) => number;
  readonly watcherCount?: (count: number) => number;
  readonly watcherRows?: (rows: WatcherRows) => WatcherRows;
  readonly slotCount?: (world: World) => number;
}

class SpoiltWorld extends World {
  readonly #slip: Slip;

  constructor(options: WorldOptions, slip: Slip) {
    super(options);
    this.#slip = slip;
  }

  override add(entity: EntityInit): EntityId {
    return super.add(this.#slip.entity?.(entity) ?? entity);
  }

  override addMany(init: Parameters<World['addMany']>[0], out?: Uint32Array): Uint32Array {
    const { x, y, z, ...traits } = init;
    const heard = this.#slip.entity?.(traits) ?? traits;
    return super.addMany(z === undefined ? { ...heard, x, y } : { ...heard, x, y, z }, out);
  }

  override update(id: EntityId, patch: EntityPatch): void {
    super.update(id, this.#slip.entity?.(patch) ?? patch);
  }

  override updateMany(ids: Uint32Array, columns: UpdateColumns, options?: CountOptions): void {
    const { count = ids.length } = options ?? {};
    super.updateMany(ids, columns, { count: this.#slip.changed?.(count, ids) ?? count });
  }

  override moveMany(...[ids, x, y, z, at, options]: Parameters<World['moveMany']>): void {
    const among = at ?? ids;
    const { count = among.length } = options ?? {};
    super.moveMany(ids, x, y, z, at, { ...options, count: this.#slip.moved?.(count, among) ?? count });
  }

  override slotOf(id: EntityId): number {
    const slot = this.#slotOrLost(id);
    return this.#slip.slotOf?.(this, id, slot) ?? slot;
  }

  override query(...[shape, options]: Parameters<World['query']>): Uint32Array {
    return super.query(shape, this.#asked(options));
  }

  override nearest(...[x, y, k, options]: Parameters<World['nearest']>): Uint32Array {
    return super.nearest(x, y, k, this.#asked(options));
  }

  override watchersAt(...[place, out]: Parameters<World['watchersAt']>): Uint32Array {
    return super.watchersAt(this.#slip.place?.(place) ?? place, out);
  }

  override watcherCount(marker: EntityId): number {
    const count = super.watcherCount(marker);
    return this.#slip.watcherCount?.(count) ?? count;
  }

  override watchersOfMany(ids: Uint32Array): WatcherRows {
    const rows = super.watchersOfMany(ids);
    return this.#slip.watcherRows?.(rows) ?? rows;
  }

  override get slotCount(): number {
    return this.#slip?.slotCount?.(this) ?? super.slotCount;
  }

  #slotOrLost(id: EntityId): number {
    try {
      return super.slotOf(id);
    } catch (error) {
      const { lostSlotOf } = this.#slip;
      if (lostSlotOf === undefined) throw error;
      return lostSlotOf(id);
    }
  }

  #asked<T extends { now?: boolean }>(options: T | undefined): T | undefined {
    const { now } = this.#slip;
    return now === undefined ? options : { ...(options as T), now };
  }
}

type CreateWorld = (options: WorldOptions) => World;

const spoilt =
  (slip: Slip): CreateWorld =>
  (options) =>
    new SpoiltWorld(options, slip);

/** The same build without a bug. */
export const soundWorld: CreateWorld = spoilt({});

/** Every planted bug, by what it gets wrong. */
export const callCanaries: Readonly<Record<string, CreateWorld>> = {
  'has everybody meet a marker, whatever that needs': spoilt({
    entity: ({ needs: _, ...rest }) => rest as never,
  }),
  'has everybody meet a marker that is for one only': spoilt({
    entity: ({ only: _, ...rest }) => rest as never,
  }),
  'has everybody meet a marker that is for its group only': spoilt({
    entity: ({ onlyGroup: _, ...rest }) => rest as never,
  }),
  'sees farther than a marker lets it': spoilt({
    entity: ({ maxReach: _, ...rest }) => rest as never,
  }),
  'answers of the last tick when it is asked of now': spoilt({ now: false }),
  'answers of now when it is asked of the last tick': spoilt({ now: true }),
  'overlooks the last of many that are changed at once': spoilt({ changed: (count) => count - 1 }),
  'changes those beyond the count, too': spoilt({ changed: (_, ids) => ids.length }),
  'overlooks the last of many that are moved at once': spoilt({ moved: (count) => count - 1 }),
  'moves those beyond the count, too': spoilt({ moved: (_, ids) => ids.length }),
  'knows no slot of one that left': spoilt({
    slotOf: (world, id, slot) => {
      if (!world.has(id)) throw new UmweltError('STALE_ID', 'it left', { id });
      return slot;
    },
  }),
  'goes on to know the slot of one that left long ago': spoilt({
    lostSlotOf: (id) => id >>> 10,
  }),
  'takes another slot for that of one that left': spoilt({
    slotOf: (world, id, slot) => (world.has(id) ? slot : slot + 1),
  }),
  'counts one watcher too many where there are several': spoilt({
    watcherCount: (count) => (count > 1 ? count + 1 : count),
  }),
  'gives the first of many the watchers of the second, too': spoilt({
    watcherRows: ({ offsets, watchers }) =>
      offsets.length < 3
        ? { offsets, watchers }
        : { offsets: offsets.with(1, offsets[2] as number), watchers },
  }),
  'takes the number of entities for that of slots': spoilt({ slotCount: (world) => world.size }),
  'takes a place for one that every group perceives': spoilt({
    place: ({ onlyGroup: _, ...rest }) => rest,
  }),
  'takes a place for one that is perceived at any distance up to its range': spoilt({
    place: ({ maxReach: _, ...rest }) => rest,
  }),
};
