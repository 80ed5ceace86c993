/** Which random script shows a planted bug: for the tests of all canaries. */
import { createScript, runScript, type ScriptSize, type Trial } from '../../src/conformance/index.ts';

/** The first seed, `from` to `upTo`, whose script fails; -1 if none does. */
export function firstFailingSeed(size: ScriptSize, trial: Trial, upTo: number, from = 1): number {
  for (let seed = from; seed <= upTo; seed++) {
    if (runScript(createScript(seed, size), trial) !== undefined) return seed;
  }
  return -1;
}
