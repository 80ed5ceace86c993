/** How a process joins a world that several processes share. */
import { ClusterNode } from './cluster-node.ts';
import { type Environment, SYSTEM } from './environment.ts';
import { type JoinOptions, resolveJoinOptions } from './join-options.ts';

/**
 * Joins the world of a log, or starts the world if the log is empty. Resolves with a live node; listeners that are added in the
 * same turn of the event loop hear all that comes after it joined. Rejects with `BAD_OPTION`,
 * `UNSUPPORTED` (also for a state, a checkpoint or members of another version), `SETTINGS_DIFFER`, `LOG_DOWN`, `CAPACITY`,
 * `UNKNOWN_INTEREST`, `UNKNOWN_DETECTOR`, and with `BAD_SNAPSHOT` for bytes that are no state.
 */
export async function joinWorld(options: JoinOptions): Promise<ClusterNode> {
  const node = nodeIn(options, SYSTEM);
  await node.enter();
  return node;
}

/** A node that has not entered yet, in the given environment. */
export function nodeIn(options: JoinOptions, environment: Environment): ClusterNode {
  const randomName = () => `node-${environment.nonce()[0].toString(16).padStart(8, '0')}`;
  return new ClusterNode(resolveJoinOptions(options, randomName), environment);
}
