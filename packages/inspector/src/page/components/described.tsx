/**
 * The surroundings of the selected entity in words, while the user has them open: its neighbours on each axis, the markers it
 * relates to and why, the watchers that relate to it.
 */
import type { Explorer } from '../explorer.ts';
import { absence, usePart } from '../store.ts';

export function Described({ explorer }: { explorer: Explorer }) {
  const news = usePart(explorer.store, (state) => state.description);
  return (
    <details
      open={explorer.description.isWanted}
      class="described"
      onToggle={(event) => explorer.description.want(event.currentTarget.open)}
    >
      <summary>Surroundings in words</summary>
      {news === undefined ? (
        <p class="quiet">Loading.</p>
      ) : (
        <pre>{news.text ?? absence(explorer.store.state)}</pre>
      )}
    </details>
  );
}
