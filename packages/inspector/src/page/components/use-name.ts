/** What people call an entity, for an element that is drawn anew when its name has become known. */
import type { Explorer } from '../explorer.ts';
import { usePart } from '../store.ts';

/** Of 0: nothing. */
export function useName(explorer: Explorer, id: number): string {
  usePart(explorer.store, (state) => state.namesRevision);
  return id === 0 ? '' : explorer.names.of(id);
}
