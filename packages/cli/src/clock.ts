/**
 * Time, passed in.
 *
 * What paces a run or shows its figures asks a `Clock`, so that a test can play a minute of ticks in a
 * millisecond and always get the same ones. The system's clock is the only code here that reads real time.
 */

export interface Clock {
  /** Milliseconds from some fixed moment, with fractions; never runs backwards. */
  now(): number;
  /** Calls back once, `delayMs` from now or a little later; 0 means as soon as pending input and output is served. */
  after(delayMs: number, callback: () => void): CancelTimer;
}

/** Keeps the callback from being called; does nothing once it has been. */
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
