/** The selected entity's parent, children and conditions, and whether any watcher perceives it. */
import type { FocusFrame } from '../../focus-frame.ts';
import type { Explorer } from '../explorer.ts';
import { whole } from '../figures.ts';
import { usePart } from '../store.ts';
import { EntityChip } from './entity-chip.tsx';

const SHOWN = 4;

export function Standing({ explorer, focus }: { explorer: Explorer; focus: FocusFrame }) {
  const standing = usePart(explorer.store, (state) => state.standing);
  if (standing === undefined) return null;
  const { parent, children, childCount, only, groups } = standing;
  const more = childCount - Math.min(childCount, SHOWN);
  return (
    <dl class="standing">
      {parent !== 0 && (
        <div data-standing="parent">
          <dt>Attached to</dt>
          <dd class="chips">
            <EntityChip explorer={explorer} id={parent} />
          </dd>
        </div>
      )}
      {childCount > 0 && (
        <div data-standing="children">
          <dt>Attached to it</dt>
          <dd class="chips">
            {children.slice(0, SHOWN).map((id) => (
              <EntityChip key={id} explorer={explorer} id={id} />
            ))}
            {more > 0 && <span class="quiet">and {whole(more)} more</span>}
          </dd>
        </div>
      )}
      {only !== 0 && (
        <div data-standing="owner">
          <dt>Only for</dt>
          <dd class="chips">
            <EntityChip explorer={explorer} id={only} />
          </dd>
        </div>
      )}
      {groups.length > 0 && (
        <div data-standing="groups">
          <dt>Only for</dt>
          <dd>
            {groups.map(([kind, group]) => (group === 0 ? `no ${kind}` : `${kind} ${group}`)).join(', ')}
          </dd>
        </div>
      )}
      {focus.perceivedBy.total === 0 && (
        <div data-standing="unwatched">
          <dt>Watched</dt>
          <dd>by no entity</dd>
        </div>
      )}
    </dl>
  );
}
