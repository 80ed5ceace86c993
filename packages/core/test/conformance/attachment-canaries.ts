/**
 * Worlds with a planted bug in their attachments each: the suite and the scripts must fail every one of them.
 *
 * Method: as in interest-canaries.ts, a world that does something else than what it was told, each a slip that real servers
 * make: a rider that stays behind, an offset that is forgotten, a mount that takes its rider with it when it dies.
 */
import type { Report, ReportView } from '../../src/conformance/index.ts';
import type { AttachmentOffset, Changes, EntityId, WorldOptions } from '../../src/index.ts';
import { World } from '../../src/index.ts';

/** What is done instead. */
interface Slip {
  readonly attach?: (
    world: SpoiltWorld,
    child: EntityId,
    parent: EntityId,
    offset: AttachmentOffset,
  ) => readonly [parent: EntityId, offset: AttachmentOffset];
  readonly afterAttach?: (world: SpoiltWorld, child: EntityId, parent: EntityId) => void;
  readonly detach?: (world: SpoiltWorld, child: EntityId) => void;
  readonly remove?: (world: SpoiltWorld, id: EntityId) => void;
  readonly visibleTo?: (world: SpoiltWorld, seen: Uint32Array) => Uint32Array;
  /** What a watcher is told instead. */
  readonly view?: (world: World, view: ReportView) => Partial<ReportView>;
}

class SpoiltWorld extends World {
  readonly #slip: Slip;

  constructor(options: WorldOptions, slip: Slip) {
    super(options);
    this.#slip = slip;
  }

  override attach(child: EntityId, parent: EntityId, offset: AttachmentOffset = {}): void {
    const [to, at] = this.#slip.attach?.(this, child, parent, offset) ?? [parent, offset];
    super.attach(child, to, at);
    this.#slip.afterAttach?.(this, child, parent);
  }

  override detach(child: EntityId): void {
    super.detach(child);
    this.#slip.detach?.(this, child);
  }

  override remove(id: EntityId): void {
    this.#slip.remove?.(this, id);
    super.remove(id);
  }

  override visibleTo(watcher: EntityId): Uint32Array {
    const seen = super.visibleTo(watcher);
    return this.#slip.visibleTo?.(this, seen) ?? seen;
  }

  override tick(): Changes {
    const changes = super.tick();
    const { view: spoil } = this.#slip;
    if (spoil === undefined) return changes;
    const told = (view: ReportView): ReportView => {
      const { watcher, entered, left, updated, sensed } = view;
      return { watcher, entered, left, updated, sensed, ...spoil(this, view) };
    };
    const spoilt: Pick<Report, 'of' | typeof Symbol.iterator> = {
      of: (watcher) => {
        const view = changes.of(watcher);
        return view && told(view);
      },
      [Symbol.iterator]: () => [...changes].map(told)[Symbol.iterator](),
    };
    return new Proxy(changes, {
      get(target, key) {
        const value = Reflect.get(key in spoilt ? spoilt : target, key, target);
        return typeof value === 'function' ? value.bind(target) : value;
      },
    });
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
export const attachmentCanaries: Readonly<Record<string, CreateWorld>> = {
  'puts a child right where its parent is': spoilt({ attach: (_, __, parent) => [parent, {}] }),
  'hangs everyone on the root': spoilt({
    attach: (world, _, parent, offset) => [rootOf(world, parent), offset],
  }),
  'goes by the first offset when a child is attached again': spoilt({
    attach: (world, child, parent, offset) => [parent, world.parentOf(child) === parent ? {} : offset],
  }),
  'shows a child to whoever perceives its parent, whether they meet or not': spoilt({
    afterAttach: (world, child) => world.update(child, { layers: -1, channel: 0 }),
  }),
  'pins a child to its parent': spoilt({
    afterAttach: (world, child, parent) => world.pin(parent, child, 'carried'),
  }),
  'removes who is carried with who carries': spoilt({
    remove: (world, id) => {
      for (const child of world.childrenOf(id)) world.remove(child);
    },
  }),
  'lets children fall where the parent stood when it is removed': spoilt({
    remove: (world, id) => {
      for (const child of world.childrenOf(id)) world.attach(child, id);
    },
  }),
  'hands the children of one that is removed to its parent': spoilt({
    remove: (world, id) => {
      const parent = world.parentOf(id);
      if (parent === undefined) return;
      for (const child of world.childrenOf(id)) world.attach(child, parent);
    },
  }),
  'drops a child at the origin when it is let go': spoilt({
    detach: (world, child) => world.move(child, 0, 0, 0),
  }),
  'has a child enter before its parent': spoilt({
    view: (world, { entered }) => ({
      entered: entered.filter((id) => !hasAmong(entered, world, id)),
    }),
  }),
  'has a parent leave before its child': spoilt({
    view: (world, { left }) => ({
      left: left.filter((id) => !world.has(id) || !left.includes(world.parentOf(id) ?? 0)),
    }),
  }),
  'does not name children among the relations': spoilt({
    visibleTo: (world, seen) => seen.filter((id) => world.parentOf(id) === undefined),
  }),
};

/** Whether any of these is attached to one. */
function hasAmong(ids: Uint32Array, world: World, parent: EntityId): boolean {
  return ids.some((id) => world.has(id) && world.parentOf(id) === parent);
}

function rootOf(world: World, id: EntityId): EntityId {
  const parent = world.parentOf(id);
  return parent === undefined ? id : rootOf(world, parent);
}
