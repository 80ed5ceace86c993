/**
 * Attachments: the parent of each entity, the position that follows from it, and the watchers that relate to the
 * child because of it.
 *
 * Problem: the engine updates relations of attached entities only where something changed. Method: here each figure
 * names its parent; its position is computed along the chain, with one rounding an axis and link. When all own
 * relations of a tick are decided, each attached figure is compared with its parent, parents first. Cost: O(watchers
 * x attached) a tick.
 */
import { type EntityId, UmweltError } from '../../index.ts';
import { type Figure, meets } from '../perception.ts';
import { type Bond, type Bonds, NO_BONDS } from './bond.ts';
import { isWatcher, type Situation } from './decision.ts';

/** Maximum number of links below a root. */
const MOST_LINKS = 8;
const LIMIT = 1e12;

type Figures = ReadonlyMap<EntityId, Figure>;
type Place = readonly [x: number, y: number, z: number];

/** Throws as `World.attach` does for a chain that is a ring, or too long. */
export function checkChain(figures: Figures, child: EntityId, parent: EntityId): void {
  const above = chainOf(figures, parent);
  if (above.includes(child)) throw new UmweltError('BAD_ID', 'a ring', { id: parent });
  const depthOf = (id: EntityId): number =>
    Math.max(0, ...childrenOf(figures, id).map((each) => 1 + depthOf(each)));
  if (above.length + depthOf(child) > MOST_LINKS)
    throw new UmweltError('CAPACITY', 'a long chain', { id: parent });
}

/** Ascending. */
export function childrenOf(figures: Figures, parent: EntityId): EntityId[] {
  const children: EntityId[] = [];
  for (const [id, figure] of figures) if (figure.parent === parent) children.push(id);
  return children.sort((a, b) => a - b);
}

/** The entity, its parent, the parent's parent, and so on. */
function chainOf(figures: Figures, id: EntityId): EntityId[] {
  const parent = figures.get(id)?.parent ?? 0;
  return parent === 0 ? [id] : [id, ...chainOf(figures, parent)];
}

/** Its position now: its own, or the one that follows from its parent. */
export function placeOf(figures: Figures, { parent, offset, x, y, z }: Figure): Place {
  if (parent === 0) return [x, y, z];
  const from = placeOf(figures, figures.get(parent) as Figure);
  return from.map((coordinate, axis) => {
    const sum = coordinate + (offset[axis] as number);
    return Math.fround(Math.min(Math.max(sum, -LIMIT), LIMIT)) + 0;
  }) as unknown as Place;
}

/** Writes the position of every attached figure. */
export function placeAll(figures: Figures): void {
  for (const figure of figures.values()) {
    if (figure.parent !== 0) [figure.x, figure.y, figure.z] = placeOf(figures, figure);
  }
}

/** Detaches entities from their parents, and their children from them; all stay where they are. */
export function release(figures: Figures, ids: ReadonlySet<EntityId>): void {
  for (const figure of figures.values()) {
    if (figure.parent === 0 || !(ids.has(figure.id) || ids.has(figure.parent))) continue;
    [figure.x, figure.y, figure.z] = placeOf(figures, figure);
    figure.parent = 0;
  }
}

/** These ids, as far as present, and all entities attached to them, directly or indirectly. */
export function withDescendants(figures: Figures, ids: ReadonlySet<EntityId>): Set<EntityId> {
  if (ids.size === 0) return new Set();
  return new Set([...figures.keys()].filter((id) => chainOf(figures, id).some((each) => ids.has(each))));
}

/** The decided bonds, and those that follow from them: of every watcher with every attached marker, parents first. */
export function withAttached(situation: Situation, decided: Bonds): Bonds {
  const { figures } = situation;
  const attached: EntityId[] = [];
  for (const [id, { parent }] of figures) if (parent !== 0) attached.push(id);
  if (attached.length === 0) return decided;
  attached.sort((a, b) => chainOf(figures, a).length - chainOf(figures, b).length);
  const all = new Map([...decided].map(([watcher, bonds]) => [watcher, new Map(bonds)]));
  for (const [watcher, bonds] of all) {
    for (const marker of attached) {
      const bond = followingBond(situation, watcher, marker, bonds);
      if (bond !== undefined) bonds.set(marker, bond);
    }
  }
  return all;
}

function followingBond(
  situation: Situation,
  watcher: EntityId,
  marker: EntityId,
  bonds: ReadonlyMap<EntityId, Bond>,
): Bond | undefined {
  const { figures, ties, tick, options } = situation;
  const [seer, seen] = [figures.get(watcher) as Figure, figures.get(marker) as Figure];
  const own = bonds.get(marker);
  if (watcher === marker || ties.isBlocked(watcher, marker)) return own;
  const parent = bonds.get(seen.parent);
  const isRelatedToParent = parent?.isRelated === true;
  if (!isRelatedToParent && !(isOfOneTree(figures, watcher, marker) && isWatcher(situation, watcher, seer)))
    return own;
  if (!meets(seer, seen, options)) return own;
  const before = (situation.before.get(watcher) ?? NO_BONDS).get(marker);
  return {
    senses: isRelatedToParent ? parent.senses : 0,
    isForced: own?.isForced ?? false,
    isSeated: false,
    isRelated: true,
    isAttached: true,
    perceivedAt: own?.perceivedAt,
    since: own?.since ?? tick,
    lastReported: before?.isRelated ? before.lastReported : tick,
  };
}

/** Whether the watcher is the marker's parent, or attached to the same root. */
function isOfOneTree(figures: Figures, watcher: EntityId, marker: EntityId): boolean {
  const [seer, seen] = [figures.get(watcher) as Figure, figures.get(marker) as Figure];
  if (seen.parent === watcher) return true;
  return seer.parent !== 0 && chainOf(figures, watcher).at(-1) === chainOf(figures, marker).at(-1);
}
