/** A session as a snapshot stores it across a restart of the server. */
import type { EntityId } from 'umwelt';
import type { ClientView } from '../views/client-view.ts';

export interface StoredSession {
  /** SHA-256 of its token, as hex. */
  readonly key: string;
  /** Address of its first connection. */
  readonly address: string;
  readonly inputNumber: number;
  readonly bytesPerSecond: number;
  readonly isProven: boolean;
  /** Data of the game, as JSON restores it. */
  readonly data: unknown;
  readonly watcher: EntityId;
  readonly view: ClientView;
}
