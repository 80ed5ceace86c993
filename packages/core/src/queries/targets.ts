/**
 * Whom a skill may hit: those of the caster's relations that lie inside a shape. Whoever it does not relate to, cloaked or
 * without a seat, cannot be hit.
 *
 * Cost: O(relations of the caster).
 */
import { badOption, shown, UmweltError } from '../errors.ts';
import type { IdList } from './id-list.ts';
import { checkOptions, type QueryOptions, queryAmong } from './query.ts';
import type { Shape } from './shape.ts';
import { type RelationSources, relationOf, visibleTo } from './visibility.ts';

/** As `query`, among the relations of `caster`, a slot. Throws `BAD_SHAPE`, `BAD_OPTION`, `BAD_LAYERS`, `UNKNOWN_SENSE`. */
export function targets(
  sources: RelationSources,
  caster: number,
  shape: Shape,
  options: QueryOptions = {},
): IdList {
  const { store } = sources;
  checkOptions(options, 'QueryOptions');
  const senses = options.senses === undefined ? 255 : maskOf(store.settings.senses, options.senses);
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

function maskOf(known: readonly string[], names: readonly string[]): number {
  if (!Array.isArray(names)) throw badOption('senses', names, 'a list of senses');
  return names.reduce((mask: number, name) => {
    const s = known.indexOf(name);
    if (s >= 0) return mask | (1 << s);
    throw new UmweltError(
      'UNKNOWN_SENSE',
      `senses: ${shown(name)} was given, expected one of ${known.join(', ')}`,
      { field: 'senses', value: name },
    );
  }, 0);
}
