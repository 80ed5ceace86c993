/** An entity's display name, for an element that is redrawn when the name has arrived. */
import type { Explorer } from '../explorer.ts';
import { usePart } from '../store.ts';

/** For id 0: an empty name. */
export function useName(explorer: Explorer, id: number): string {
  usePart(explorer.store, (state) => state.namesRevision);
  return id === 0 ? '' : explorer.names.of(id);
}
