/**
 * The markers that a skill may hit: those that the caster relates to and that lie inside a shape. A marker that the
 * caster does not relate to, because it is cloaked or has no seat, cannot be hit.
 *
 * Cost: O(relations of the caster). If it relates to a large part of the world, as a query of the shape, if that is less.
 */
import type { IdList } from './id-list.ts';
import { checkOptions, type QueryOptions, queryAmong, slotsInside } from './query.ts';
import { senseMask } from './sense-mask.ts';
import type { Shape } from './shape.ts';
import { type RelationSources, relationOf, visibleTo } from './visibility.ts';

/**
 * A caster relates to many from so many relations on, and from one in this many entities on. Then the detector's index says which entities
 * are inside, and each of them is looked up, unless they are more than one in this many relations.
 */
const MANY = 100;
const MANY_SHARE = 16;

/**
 * As `query`, among the relations of `caster`, a slot. Throws `BAD_SHAPE`, `BAD_OPTION`, `BAD_LAYERS`,
 * `UNKNOWN_SENSE`.
 */
export function targets(
  sources: RelationSources,
  caster: number,
  shape: Shape,
  options: QueryOptions = {},
): IdList {
  const { store } = sources;
  checkOptions(options, 'QueryOptions');
  const senses = options.senses === undefined ? 255 : senseMask(store.settings, options.senses);
  const isTarget = (slot: number) => {
    if (slot === caster) return false;
    const relation = relationOf(sources, caster, slot);
    return relation.isRelated && (options.senses === undefined || (relation.senses & senses) !== 0);
  };
  const count = countOfRow(sources, caster);
  const isMany = count >= MANY && count >= store.sizeAtLastTick / MANY_SHARE;
  const inside = isMany ? slotsInside(store, sources.detector, shape) : undefined;
  if (inside !== undefined && inside.length <= count / MANY_SHARE) {
    return queryAmong(store, (visit) => inside.filter(isTarget).forEach(visit), shape, options);
  }
  const related = visibleTo(sources, caster);
  const each = (visit: (slot: number) => void) => {
    for (let i = 0; i < related.length; i++) {
      const slot = related.at(i) >>> 10;
      if (options.senses === undefined ? slot !== caster : isTarget(slot)) visit(slot);
    }
  };
  return queryAmong(store, each, shape, options);
}

/** Number of pairs in the caster's row; 0 if none is kept. */
function countOfRow({ store, seating, relations }: RelationSources, caster: number): number {
  if (seating.hasRow(caster)) return seating.tables.pairs.size[caster];
  return relations.relationsOf(store, caster)?.length ?? 0;
}
