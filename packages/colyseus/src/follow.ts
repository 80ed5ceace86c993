/**
 * The StateView of one client: which tracked instances are in it, and for how many reasons.
 *
 * Colyseus's view knows whether an instance is in it, but not why. Here an instance that is both the client's
 * own and perceived stays in the view until the last reason is gone.
 */
import type { Schema, StateView } from '@colyseus/schema';
import type { EntityId } from 'umwelt';

/** The schema instance of an entity. */
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
  /** Number of reasons for each instance in the view. */
  readonly #reasons = new Map<Schema, number>();
  awaySinceMs: number | undefined;
  /** The client has been away for too long: nothing is shown until it is back. */
  isResting = false;
  /** What it is shown must be determined again. */
  isFresh = true;

  constructor(sessionId: string, watcher: EntityId, view: StateView) {
    this.sessionId = sessionId;
    this.watcher = watcher;
    this.view = view;
  }

  /** Whether it is in the view. */
  has(schema: Schema): boolean {
    return this.#reasons.has(schema);
  }

  /** Adds a reason to show it. If `StateView.add` throws, nothing has changed. */
  add(schema: Schema): void {
    const reasons = this.#reasons.get(schema) ?? 0;
    if (reasons === 0) this.view.add(schema);
    this.#reasons.set(schema, reasons + 1);
  }

  /** Removes a reason. */
  remove(schema: Schema): void {
    const reasons = this.#reasons.get(schema) ?? 0;
    if (reasons > 1) this.#reasons.set(schema, reasons - 1);
    else if (this.#reasons.delete(schema)) this.view.remove(schema);
  }
}

/** Stops showing it, if it is shown. */
export function hide(follow: Follow, tracked: Tracked): void {
  if (!follow.shown.delete(tracked)) return;
  tracked.shownTo.delete(follow);
  follow.remove(tracked.schema);
}
