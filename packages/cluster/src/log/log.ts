/**
 * The only thing that the nodes of a cluster share: an ordered log of records, and a way to ask any member for a snapshot.
 *
 * The cluster relies on the order alone. A log may lose a record that was appended but not yet acknowledged. It may even
 * lose its newest acknowledged records (a power failure); nodes detect that and recover. A log must never show two nodes
 * different bytes at one position while both are connected.
 */

export interface Log {
  /**
   * The log's own name where it is stored: checkpoints hold it, so that a world whose log is empty does not begin with that of
   * another one. Optional: without it any checkpoint is taken while the log is empty.
   */
  readonly name?: string;

  /**
   * How long it keeps records, in ms, if their age is limited: at least twice the time between two checkpoints. Optional: without it
   * that is not checked.
   */
  readonly keepsMs?: number | undefined;

  /**
   * Why nodes cannot rely on it any more, such as limits that somebody gave it while it was used; as of the newest `last`. Optional:
   * without it a node that cannot go on says only what it lacks.
   */
  readonly fault?: Error | undefined;

  /** What became of the questions to this process, for its metrics. Optional: without it they are not counted. */
  readonly questions?: QuestionCounts;

  /**
   * Appends a record. Resolves with its position: 1 for the first record, then increasing by 1. If it rejects, the record
   * may or may not be in the log: the caller looks for it there, or appends it again.
   */
  append(bytes: Uint8Array): Promise<number>;

  /**
   * Calls `take` with every record from position `from` on, in order, each once, never from within `follow` itself. If the
   * oldest of those records are no longer kept, it starts at the first kept record. `bytes` may be a view of a buffer that is
   * valid only during the call. Calls `lost` once, and `take` no more, when the connection broke or the log may have lost
   * records that `take` has seen: the caller then checks its position and follows again. Resolves when following has started,
   * with a function that stops it; after that neither callback is called. Rejects if it cannot start: then neither is called any more. An error thrown by
   * `take` is a bug in the caller and must not be swallowed: it ends the process.
   */
  follow(
    from: number,
    take: (position: number, bytes: Uint8Array) => void,
    lost: () => void,
  ): Promise<() => void>;

  /** The record at a position; `undefined` if there is none yet, or it is no longer kept. Rejects while this is unknown. */
  read(position: number): Promise<Uint8Array | undefined>;

  /**
   * Position of the newest record; 0 if the log is empty. Optional: without it nodes find the end through their own appends,
   * and a joining node may once be taken for silent.
   */
  last?(): Promise<number>;

  /**
   * Sends a question to any one of the processes that answer. Resolves with the answer in pieces, in order; with no pieces
   * if no process answers. Iterating throws if the answer is cut short.
   */
  ask(bytes: Uint8Array): Promise<AsyncIterable<Uint8Array>>;

  /**
   * Answers questions until the returned function is called. A node never asks while it answers: a log need not exclude the asker.
   * A log that is not allowed to pass questions on to this process calls `refused` with the reason, and with `undefined` once it is.
   * May throw once the log is closed.
   */
  answer(
    how: (bytes: Uint8Array) => AsyncIterable<Uint8Array>,
    refused?: (reason: Error | undefined) => void,
  ): () => void;
}

/** How many questions a process was asked since it began. */
export interface QuestionCounts {
  /** Those that it began to answer. */
  readonly answered: number;
  /** Those that it had no time for: their askers were told to ask again, or did not listen. */
  readonly refused: number;
}
