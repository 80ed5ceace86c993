/**
 * A small button with an entity's name, in its kind's colour. It selects the entity, or explains it if a second entity is to be picked.
 */
import type { Explorer } from '../explorer.ts';
import { kindColour, PALETTES } from '../palette.ts';
import { usePart } from '../store.ts';
import { useName } from './use-name.ts';

export function EntityChip({ explorer, id }: { explorer: Explorer; id: number }) {
  const theme = usePart(explorer.store, (state) => state.theme);
  const isPicking = usePart(explorer.store, (state) => state.isPickingOther);
  const name = useName(explorer, id);
  const { crowd } = explorer.intake;
  const kind = crowd.kinds[crowd.indexOf(id)];
  const colour = kind === undefined ? 'var(--ink-faint)' : kindColour(PALETTES[theme], kind);
  return (
    <button
      type="button"
      class="chip"
      onClick={() => (isPicking ? explorer.explain(id) : explorer.select(id, true))}
      aria-label={`${isPicking ? 'Explain' : 'Select'} ${name}`}
      title={`${name}, id ${id}`}
    >
      <i style={{ background: colour }} />
      {name}
    </button>
  );
}
