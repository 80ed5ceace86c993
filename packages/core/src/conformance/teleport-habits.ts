/**
 * Which moves of a random script are teleports.
 *
 * Drawn from a stream of their own, so that a script with a seed is in all else what it was without them. In half of the
 * scripts there are none; in the others some moves of one or of many, to places that moves go to anyway: near, far and where it is.
 */
import type { Operation, Script } from './operations.ts';
import { Random } from './random.ts';

/** Keeps the stream apart from the script's own. */
const STREAM = 0x7e1e;
/** The share of moves that are teleports: by scripts, and in those that lack nothing. */
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
