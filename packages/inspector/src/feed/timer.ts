/** A timer that keeps no process alive: in a browser there is none to keep. */
export type Timer = ReturnType<typeof setTimeout>;

export function startTimer(callback: () => void, ms: number): Timer {
  const timer = setTimeout(callback, ms);
  (timer as { unref?: () => void }).unref?.();
  return timer;
}
