/**
 * Decides at which ticks of a random script only the report is compared.
 *
 * Problem: answers and `validate` take twice as long as the tick itself, and most that a tick breaks is still broken at a later one.
 * Method: at two of three ticks, drawn from a separate random stream so that a script with a seed is otherwise the same, neither is
 * asked. What a tick breaks in its report shows at that tick; what it breaks besides, at the next one that is asked about, or at a
 * probe. The marks are part of the script, so a failure repeats; shrinking removes them first.
 */
import type { Operation, Script } from './operations.ts';
import { Random } from './random.ts';

/** Keeps this stream apart from the script's own. */
const STREAM = 0x9e90;
const SHARE = 2 / 3;

export function withReportsOnly(script: Script): Script {
  const random = new Random(script.seed ^ STREAM);
  const operations = script.operations.map((operation): Operation => {
    return operation.kind === 'tick' && random.chance(SHARE) ? { ...operation, reportOnly: true } : operation;
  });
  return { ...script, operations };
}
