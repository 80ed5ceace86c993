/** A timer that does not keep a process alive; in a browser there is no process to keep. */
export type Timer = ReturnType<typeof setTimeout>;

export function startTimer(callback: () => void, ms: number): Timer {
  const timer = setTimeout(callback, ms);
  (timer as { unref?: () => void }).unref?.();
  return timer;
}
