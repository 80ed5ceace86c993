/** Which methods of a world change it, by the world itself; and what in a cluster is not a call of nodes, with the reason. */
import { World } from 'umwelt';

/** Methods of `World` that no node has. */
const NO_CALLS: Readonly<Record<string, string>> = {
  tick: 'the log says when',
  on: 'each node listens to what it shows: its own `on`',
  setDetector: 'of each node its own: an option of joinWorld',
  snapshot: 'checkpoints, and what nodes copy from each other',
  dispose: 'leave',
  validate: 'for tests',
};

/** What a node calls it where that is another name: `attach` is of gateways there. */
export const NODE_NAMES: Readonly<Record<string, string>> = {
  attach: 'attachEntity',
  detach: 'detachEntity',
};

export const WRITING_CALLS: readonly string[] = Object.entries(
  Object.getOwnPropertyDescriptors(World.prototype),
).flatMap(([name, { value }]) =>
  typeof value === 'function' && name !== 'constructor' && !Object.hasOwn(NO_CALLS, name) ? [name] : [],
);
