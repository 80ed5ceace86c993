/**
 * Decides which moves of a random script are teleports.
 *
 * It uses a separate random stream, so that a script with a seed is otherwise the same as without it. Half of the
 * scripts have no teleports; in the others some moves of one or many entities are teleports, to the usual
 * destinations of moves: near, far and the same place.
 */
import type { Operation, Script } from './operations.ts';
import { Random } from './random.ts';

/** Keeps this stream apart from the script's own. */
const STREAM = 0x7e1e;
/** The share of moves that are teleports: by scripts, and in scripts that use everything. */
const SHARES = [0, 0, 0.1, 0.5];
const SHARES_TOGETHER = [0.1, 0.5];

export function withTeleports(script: Script, isTogether: boolean): Script {
  const random = new Random(script.seed ^ STREAM);
  const share = random.pick(isTogether ? SHARES_TOGETHER : SHARES);
  if (share === 0) return script;
  const operations = script.operations.map((operation): Operation => {
    const isMove = operation.kind === 'move' || operation.kind === 'moveMany';
    return isMove && random.chance(share) ? { ...operation, teleport: true } : operation;
  });
  return { ...script, operations };
}
