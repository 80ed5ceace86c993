/**
 * A clock that is passed in.
 *
 * All code that paces a run or shows its figures reads a `Clock`, so that a test can play a minute of ticks in a millisecond
 * with reproducible results. Only the system clock here reads real time.
 */

export interface Clock {
  /** Milliseconds since some fixed moment, with fractions; never decreases. */
  now(): number;
  /** Calls back once, after `delayMs` or slightly more; 0 means after pending input and output. */
  after(delayMs: number, callback: () => void): CancelTimer;
}

/** Cancels the callback; does nothing once it has been called. */
export type CancelTimer = () => void;

export const systemClock: Clock = {
  now: () => performance.now(),
  after(delayMs, callback) {
    if (delayMs <= 0) {
      const immediate = setImmediate(callback);
      return () => clearImmediate(immediate);
    }
    const timer = setTimeout(callback, delayMs);
    return () => clearTimeout(timer);
  },
};
