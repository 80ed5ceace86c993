/**
 * Where states of a world are put by, for when all its nodes are dead: the newest one and the log since then are the world.
 *
 * A state is what a node stores, as bytes. What is kept is bounded: the newest few, and the others are removed.
 */
export interface Checkpoints {
  /** Puts a state by; resolves when it would survive a crash. Rejects where there is no room, and keeps what it had. */
  save(state: Uint8Array): Promise<void>;
  /** The one saved last that is whole; `undefined` where there is none. One that was damaged is passed over. */
  newest(): Promise<Uint8Array | undefined>;
}

/** Checkpoints on a broker, with a connection of their own. */
export interface NatsCheckpoints extends Checkpoints {
  /** Ends its connection. */
  close(): Promise<void>;
}

/** How many are kept, unless something else is said: one to go on from, and one should that be damaged. */
export const KEEP = 2;
