/**
 * Timers for time-outs, in a process that may stand still: suspended with its machine, stopped by a signal, or held up by others.
 *
 * Timers fire before sockets are read. So after a pause longer than a call may take, its time-out fires first, although the answer
 * has come. A timer that fires late tells of such a pause: it waits once more for as long.
 */

/** A timer that fires so much too late was held up by its own process. */
const STALL_MS = 200;
/** How often it waits again because of that: a process that always is too slow must reach its time-outs, too. */
const MOST_STALLS = 3;
/** Longer than this Node's timers do not wait. */
const TIMER_MS_MAX = 2 ** 31 - 1;

/** Time as an `Environment` has it. */
export interface Time {
  now(): number;
  after(milliseconds: number, call: () => void): () => void;
}

export const REAL_TIME: Time = {
  now: () => performance.now(),
  after: (milliseconds, call) => {
    const timer = setTimeout(call, milliseconds);
    return () => clearTimeout(timer);
  },
};

/** Calls back once when so much time has passed in which the process ran, unless the returned function is called first. */
export function afterAwake(milliseconds: number, call: () => void, time: Time = REAL_TIME): () => void {
  let cancel = () => {};
  const waitMs = Math.min(milliseconds, TIMER_MS_MAX);
  const wait = (stallsLeft: number) => {
    const dueMs = time.now() + waitMs;
    cancel = time.after(waitMs, () => {
      if (stallsLeft > 0 && time.now() > dueMs + STALL_MS) wait(stallsLeft - 1);
      else call();
    });
  };
  wait(MOST_STALLS);
  return () => cancel();
}
