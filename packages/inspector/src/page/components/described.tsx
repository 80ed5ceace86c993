/**
 * The world around the selected entity in words, for whoever opens it: its neighbours on each axis, whom it relates to
 * and by what, who relates to it.
 */
import type { Explorer } from '../explorer.ts';
import { usePart } from '../store.ts';

export function Described({ explorer }: { explorer: Explorer }) {
  const news = usePart(explorer.store, (state) => state.description);
  return (
    <details
      open={explorer.description.isWanted}
      class="described"
      onToggle={(event) => explorer.description.want(event.currentTarget.open)}
    >
      <summary>Around it, in words</summary>
      {news === undefined ? (
        <p class="quiet">Asking for it.</p>
      ) : (
        <pre>{news.text ?? 'No longer in the world.'}</pre>
      )}
    </details>
  );
}
