/**
 * One client's StateView: what is in it of those tracked, and for how many reasons.
 *
 * Colyseus's view knows whether an instance is in it, but not why; here one that is both the client's own and perceived stays
 * until the last of the reasons is gone.
 */
import type { Schema, StateView } from '@colyseus/schema';
import type { EntityId } from 'umwelt';

/** A schema instance that stands for an entity. */
export interface Tracked {
  readonly id: EntityId;
  readonly schema: Schema;
  readonly shownTo: Set<Follow>;
}

/** A client's view, and what is in it. */
export class Follow {
  readonly sessionId: string;
  watcher: EntityId;
  view: StateView;
  own: Schema | undefined;
  readonly shown = new Set<Tracked>();
  /** What is in the view, with how many reasons there are for it. */
  readonly #reasons = new Map<Schema, number>();
  awaySinceMs: number | undefined;
  /** Away for too long: nothing is shown until it is back. */
  isResting = false;
  /** What it is shown has to be found anew. */
  isFresh = true;

  constructor(sessionId: string, watcher: EntityId, view: StateView) {
    this.sessionId = sessionId;
    this.watcher = watcher;
    this.view = view;
  }

  /** One more reason to show it. Throws what `StateView.add` throws, and is then as before. */
  add(schema: Schema): void {
    const reasons = this.#reasons.get(schema) ?? 0;
    if (reasons === 0) this.view.add(schema);
    this.#reasons.set(schema, reasons + 1);
  }

  /** One reason less. */
  remove(schema: Schema): void {
    const reasons = this.#reasons.get(schema) ?? 0;
    if (reasons > 1) this.#reasons.set(schema, reasons - 1);
    else if (this.#reasons.delete(schema)) this.view.remove(schema);
  }
}

/** Ceases to show it, if it is shown. */
export function hide(follow: Follow, tracked: Tracked): void {
  if (!follow.shown.delete(tracked)) return;
  tracked.shownTo.delete(follow);
  follow.remove(tracked.schema);
}
