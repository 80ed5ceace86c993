/**
 * Numbers that decide how work is shared among threads: from what size it pays, and when a silent worker counts as
 * crashed. They affect speed only; a report does not depend on them. Tests set them so that tiny worlds use several
 * threads, too.
 */
export const threadTuning = {
  /** With fewer elements the main thread works alone: waking a worker takes some 50 microseconds. */
  leastElements: 16_384,
  /**
   * Number of chunks for each thread. Many chunks, so that a thread that was interrupted or woken late does not delay
   * the others for long.
   */
  chunksPerThread: 64,
  /** Number of waits, of 100 ms each, without progress after which a worker counts as crashed. */
  mostSilentWaits: 100,
  /** The main thread takes no chunk before every worker has joined. For tests that must see workers at work. */
  waitsForAll: false,
};
