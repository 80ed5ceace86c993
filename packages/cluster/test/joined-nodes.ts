/** Nodes of one test: each joins a log with short ticks. A test file halts them by `afterEach(haltNodes)`. */
import { type ClusterNode, type JoinOptions, joinWorld, type Log } from '../src/index.ts';

/** The nodes of the test under way that are not halted yet. */
export const nodes: ClusterNode[] = [];

export function haltNodes(): void {
  for (const node of nodes.splice(0)) node.halt();
}

/** Ticks of 5 ms. A node is gone after 400 silent ticks, so that a busy machine loses none, unless the options say otherwise. */
export async function joinNode(
  log: Log,
  name: string,
  options: Partial<JoinOptions> = {},
): Promise<ClusterNode> {
  const node = await joinWorld({ log, name, tickMs: 5, silenceTicks: 400, ...options });
  nodes.push(node);
  return node;
}
