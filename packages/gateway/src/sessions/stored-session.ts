/** What is kept of a session while its server begins anew. */
import type { EntityId } from 'umwelt';
import type { ClientView } from '../views/client-view.ts';

export interface StoredSession {
  /** SHA-256 of its token, as hex. */
  readonly key: string;
  /** Where its first connection came from. */
  readonly address: string;
  readonly inputNumber: number;
  readonly bytesPerSecond: number;
  readonly isProven: boolean;
  /** The game's own, as JSON makes it. */
  readonly data: unknown;
  readonly watcher: EntityId;
  readonly view: ClientView;
}
