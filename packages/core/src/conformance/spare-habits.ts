/**
 * Decides which columns of a random script are longer than their used part, like buffers that are kept from tick to
 * tick.
 *
 * It uses a separate random stream, so that a script with a seed is otherwise the same as without it. A third of the
 * scripts has no such columns; in the others some moves and changes of many entities pass a count, and the elements
 * behind it must be ignored.
 */
import type { Operation, Script } from './operations.ts';
import { Random } from './random.ts';

/** Keeps this stream apart from the script's own. */
const STREAM = 0x5ba2;
/** The share of longer columns, by scripts; and the maximum number of extra elements. */
const SHARES = [0, 0.2, 0.6];
const MOST_SPARE = 3;

export function withSpareElements(script: Script): Script {
  const random = new Random(script.seed ^ STREAM);
  const share = random.pick(SHARES);
  if (share === 0) return script;
  const operations = script.operations.map((operation): Operation => {
    const isOfMany = operation.kind === 'moveMany' || operation.kind === 'updateMany';
    return isOfMany && random.chance(share)
      ? { ...operation, spare: 1 + random.below(MOST_SPARE) }
      : operation;
  });
  return { ...script, operations };
}
