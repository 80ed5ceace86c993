/**
 * Sends a tick to callers: its report, with the lists of each watcher going to the caller that put it.
 *
 * Entered markers are sent parents first. Of the markers that left, those removed from the world are sent as gone. For attached
 * entities the parent is sent when they enter and when it changes. Callers of version 1 of the format get neither.
 *
 * Cost: a few nanoseconds per reported pair; nothing for attachments while there are none.
 */
import type { Changes, EntityId, World } from 'umwelt';
import type { CallerTick } from './caller.ts';
import type { KeyedWorld } from './keyed-world.ts';
import { GONE_VERSION, HEARD_VERSION, LISTS, type ListName } from './serve-format.ts';
import type { ServeMetrics } from './serve-metrics.ts';

const LEFT = LISTS.indexOf('left');
const ENTERED = LISTS.indexOf('entered');
const GONE = LISTS.indexOf('gone');

type Told = readonly (CallerTick | undefined)[];
type Visit = (one: CallerTick, watcher: EntityId, markers: Uint32Array) => void;

/** `told` is by caller number; a caller that is being resynchronised, or whose message is full already, is left out. */
export function tellTick(
  keyed: KeyedWorld,
  changes: Changes,
  told: Told,
  bytesMax: number,
  counts: ServeMetrics,
): void {
  const { world } = keyed;
  const each = (name: Exclude<ListName, 'gone' | 'attached' | 'heard'>, visit: Visit): void => {
    const { count, watchers, offsets, markers } = changes.columns(name);
    for (let row = 0; row < count; row++) {
      const watcher = watchers[row]!;
      const one = told[keyed.ownerAt(watcher)];
      if (one === undefined || one.resync || one.writer.byteLength > bytesMax) continue;
      visit(one, watcher, markers.subarray(offsets[row]!, offsets[row + 1]!));
      counts.rows.add(1, name);
    }
  };
  const put = (list: number): Visit => {
    return ({ writer }, watcher, markers) => writer.row(list, watcher, markers, 0, markers.length);
  };
  const removed = new Set(changes.removed);
  each('left', removed.size === 0 ? put(LEFT) : (...row) => tellLeft(removed, ...row));
  const reattached = keyed.takeReattached();
  if (world.attachedCount === 0) each('entered', put(ENTERED));
  else {
    each('entered', ({ writer }, watcher, markers) => {
      const ordered = parentsFirst(world, markers);
      writer.row(ENTERED, watcher, ordered, 0, ordered.length);
    });
  }
  for (const name of ['sensed', 'updated'] as const) each(name, put(LISTS.indexOf(name)));
  if (world.attachedCount === 0 && reattached.length === 0) return;
  tellAttached(keyed, changes, told, new Set(reattached));
}

/** Sends sounds, as of the tick, to the callers of the watchers that hear them. Call it after all else of the tick. */
export function tellSounds(keyed: KeyedWorld, told: Told, bytesMax: number): void {
  keyed.takeSounds((watcher, sounds) => {
    const one = told[keyed.ownerAt(watcher)];
    if (one === undefined || one.version < HEARD_VERSION || one.writer.byteLength > bytesMax) return;
    one.writer.heard(watcher, sounds);
  });
}

/** Sends a caller all relations of its watchers. */
export function tellAll(
  keyed: KeyedWorld,
  number: number,
  { writer, version }: CallerTick,
  bytesMax: number,
): void {
  const { world } = keyed;
  for (const watcher of keyed.idsOf(number)) {
    const markers = world.visibleTo(watcher);
    if (markers.length === 0) continue;
    const ordered = world.attachedCount === 0 ? markers : parentsFirst(world, markers);
    writer.row(ENTERED, watcher, ordered, 0, ordered.length);
    if (writer.byteLength > bytesMax) return;
    if (world.attachedCount === 0 || version < GONE_VERSION) continue;
    const children = [...markers].filter((marker) => world.parentOf(marker) !== undefined);
    if (children.length > 0) writer.attached(watcher, children);
  }
}

function tellLeft(
  removed: ReadonlySet<EntityId>,
  { writer, version }: CallerTick,
  watcher: EntityId,
  markers: Uint32Array,
): void {
  const isGone = (marker: EntityId): boolean => version >= GONE_VERSION && removed.has(marker);
  const gone = markers.filter(isGone);
  const left = gone.length === 0 ? markers : markers.filter((marker) => !isGone(marker));
  if (left.length > 0) writer.row(LEFT, watcher, left, 0, left.length);
  if (gone.length > 0) writer.row(GONE, watcher, gone, 0, gone.length);
}

/** Sends the parents of children that enter; and changed parents, to all watchers that perceived the child before. */
function tellAttached(
  keyed: KeyedWorld,
  changes: Changes,
  told: Told,
  reattached: ReadonlySet<EntityId>,
): void {
  const { world } = keyed;
  const childrenOf = new Map<EntityId, Set<EntityId>>();
  const note = (watcher: EntityId, child: EntityId): void => {
    const one = told[keyed.ownerAt(watcher)];
    if (one === undefined || one.resync || one.version < GONE_VERSION) return;
    const children = childrenOf.get(watcher) ?? new Set();
    childrenOf.set(watcher, children.add(child));
  };
  for (const child of reattached) for (const watcher of world.watchersOf(child)) note(watcher, child);
  const { count, watchers, offsets, markers } = changes.columns('entered');
  for (let row = 0; row < count; row++) {
    const watcher = watchers[row]!;
    for (const marker of markers.subarray(offsets[row]!, offsets[row + 1]!)) {
      if (world.parentOf(marker) !== undefined) note(watcher, marker);
      // As far as this caller knows, it was never attached.
      else if (reattached.has(marker)) childrenOf.get(watcher)?.delete(marker);
    }
  }
  for (const [watcher, children] of childrenOf) {
    if (children.size > 0) told[keyed.ownerAt(watcher)]?.writer.attached(watcher, [...children]);
  }
}

/** The same markers, each after its parent if that is among them; otherwise in their order. */
function parentsFirst(world: World, markers: Uint32Array): Uint32Array {
  const waiting = new Set(markers);
  const ordered = new Uint32Array(markers.length);
  let count = 0;
  for (const marker of markers) {
    const chain: EntityId[] = [];
    for (
      let next: EntityId | undefined = marker;
      next !== undefined && waiting.delete(next);
      next = world.parentOf(next)
    ) {
      chain.push(next);
    }
    for (const next of chain.reverse()) ordered[count++] = next;
  }
  return ordered;
}
