/** Reads an entity's parent, children and conditions from a world. Accepts any number, since pages may send any. */
import type { EntityId, WorldReader } from 'umwelt';
import { CHILDREN_MAX, type StandingNews } from '../standing-news.ts';

const NAME_MAX = 80;

/** Cost: the number of its children. */
export function standingOf(world: WorldReader, id: EntityId): StandingNews {
  const news = { type: 'standing', tick: world.tickCount, id } as const;
  if (!world.has(id)) return { ...news, parent: 0, children: [], childCount: 0, only: 0, groups: [] };
  const children = world.childrenOf(id);
  const { only, onlyGroup } = world.conditions(id);
  return {
    ...news,
    parent: world.parentOf(id) ?? 0,
    children: [...children.subarray(0, CHILDREN_MAX)],
    childCount: children.length,
    only,
    groups: Object.entries(onlyGroup).map(([kind, group]) => [kind.slice(0, NAME_MAX), group]),
  };
}
