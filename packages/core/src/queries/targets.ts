/**
 * The markers that a skill may hit: those that the caster relates to and that lie inside a shape. A marker that the
 * caster does not relate to, because it is cloaked or has no seat, cannot be hit.
 *
 * Cost: O(relations of the caster).
 */
import type { IdList } from './id-list.ts';
import { checkOptions, type QueryOptions, queryAmong } from './query.ts';
import { senseMask } from './sense-mask.ts';
import type { Shape } from './shape.ts';
import { type RelationSources, relationOf, visibleTo } from './visibility.ts';

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
  const related = visibleTo(sources, caster);
  const each = (visit: (slot: number) => void) => {
    for (let i = 0; i < related.length; i++) {
      const slot = related.at(i) >>> 10;
      const isSensed =
        options.senses === undefined || (relationOf(sources, caster, slot).senses & senses) !== 0;
      if (slot !== caster && isSensed) visit(slot);
    }
  };
  return queryAmong(store, each, shape, options);
}
