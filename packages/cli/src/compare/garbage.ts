/**
 * Collects garbage on demand, where the runtime lets it: what one life left behind is not to be swept up in the times of
 * the next. Node shows its collector only to code that was started with a flag for it, or that sets the flag and
 * then looks from a new context.
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
