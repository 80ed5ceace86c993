/**
 * Which columns of a random script are longer than what counts of them, as buffers are that are kept from tick to tick.
 *
 * Drawn from a stream of their own, so that a script with a seed is in all else what it was without them. In a third of the scripts
 * there are none; in the others some moves and changes of many say how many count, and what stands behind is to be left alone.
 */
import type { Operation, Script } from './operations.ts';
import { Random } from './random.ts';

/** Keeps the stream apart from the script's own. */
const STREAM = 0x5ba2;
/** The share of columns that are longer, by scripts; and by how many elements at most. */
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
