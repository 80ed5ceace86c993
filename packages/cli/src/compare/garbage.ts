/**
 * Collects garbage on demand, if the runtime allows it, so that one run's garbage is not collected during the next run's
 * times. Node exposes its collector only to code started with a flag, or to code that sets the flag and then uses a new
 * context.
 */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

let collect: (() => void) | undefined;

export function collectGarbage(): void {
  if (collect === undefined) {
    setFlagsFromString('--expose-gc');
    const found: unknown = runInNewContext('gc');
    collect = typeof found === 'function' ? (found as () => void) : () => {};
  }
  collect();
}
