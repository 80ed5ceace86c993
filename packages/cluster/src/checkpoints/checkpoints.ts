/**
 * A store for checkpoints: stored states of a world, used to restart the world after all its nodes have died. The newest
 * checkpoint plus the log records after it give the whole world.
 *
 * A checkpoint is the bytes that a node stores. The store is bounded: it keeps the newest few and removes the others.
 */
export interface Checkpoints {
  /** Saves a state. Resolves when the state would survive a crash. Rejects when there is no room; what it had is kept. */
  save(state: Uint8Array): Promise<void>;
  /** The newest undamaged checkpoint; `undefined` if there is none. Damaged checkpoints are skipped. */
  newest(): Promise<Uint8Array | undefined>;
}

/** Checkpoints on a NATS broker, over their own connection. */
export interface NatsCheckpoints extends Checkpoints {
  /** Closes the connection. */
  close(): Promise<void>;
}

/** Default number of checkpoints to keep: the newest, and one more in case the newest is damaged. */
export const KEEP = 2;
