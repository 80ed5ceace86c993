/**
 * Numbers that decide how work is shared among threads: when it pays, and how long a silent worker is waited for. Speed only;
 * a report does not depend on them. Tests set them so that tiny worlds are shared out, too.
 */
export const threadTuning = {
  /** Elements below which the main thread works alone: waking a worker takes some 50 microseconds. */
  leastElements: 16_384,
  /** Chunks for each thread, so that a thread that was interrupted, or was woken late, is not waited for long. */
  chunksPerThread: 64,
  /** Waits, of 100 ms each, in which nothing gets on, until a worker counts as crashed. */
  mostSilentWaits: 100,
  /** The main thread takes nothing before every worker has joined. For tests, which want to see them at work. */
  waitsForAll: false,
};
