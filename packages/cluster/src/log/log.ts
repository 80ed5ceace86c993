/**
 * The one thing that the nodes of a cluster share: records in one order, and a way to ask any member for a snapshot.
 *
 * Everything above rests on the order alone. A log may lose a record that was appended but not yet acknowledged, and
 * even its newest ones after it acknowledged them (a power cut); nodes find out and recover. What a log must never do is
 * to show two nodes different bytes at one position while both are connected.
 */

export interface Log {
  /**
   * Puts a record at the end. Resolves with its position: 1 for the first, then one more each. When it rejects, the
   * record may or may not be in the log: who calls looks for it there, or appends it again.
   */
  append(bytes: Uint8Array): Promise<number>;

  /**
   * Calls `take` with every record from position `from` on, in order, each once, never from within `follow` itself. Where
   * the oldest of them are no longer kept it begins with the first that is. `bytes` may be a window on a buffer that lives
   * only as long as the call. Calls `lost` once, and `take` no more, when the connection broke or the log may have lost
   * records that were taken: the caller then checks where it is, and follows again. Resolves, when following has begun,
   * with a function that ends it; after that neither is called. Rejects when it cannot begin. What `take` throws is a fault
   * of the caller's own and must not be swallowed: it ends the process.
   */
  follow(
    from: number,
    take: (position: number, bytes: Uint8Array) => void,
    lost: () => void,
  ): Promise<() => void>;

  /** The record at a position; `undefined` where there is none yet, or none any more. Rejects while it cannot be told. */
  read(position: number): Promise<Uint8Array | undefined>;

  /**
   * The position of the newest record, 0 where there is none. A log without it works: nodes then find the end by what
   * they append themselves, and a joining one may be taken for silent once.
   */
  last?(): Promise<number>;

  /**
   * Asks any one of those that answer. Resolves with what it answers, in pieces and in order; with nothing at all where
   * nobody answers. The pieces throw when the answer is cut short.
   */
  ask(bytes: Uint8Array): Promise<AsyncIterable<Uint8Array>>;

  /** Answers questions from now on, until the function that it returns is called. Nobody is asked by itself. */
  answer(how: (bytes: Uint8Array) => AsyncIterable<Uint8Array>): () => void;
}
