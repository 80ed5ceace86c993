/**
 * The paths that transports have taken on each server of the user's.
 *
 * Several transports may share one server, one for each world of the process. An upgrade whose path none of them has
 * belongs to another listener of the server. If there is none, exactly one of the transports must refuse it: otherwise
 * its socket would stay open forever, outside of every limit.
 */
import { UmweltError } from 'umwelt';

/** By server: the owner of each path, in the order in which they were taken. */
const ownersOn = new WeakMap<object, Map<string, object>>();

/** Throws `BAD_OPTION` if another transport has this path: both would answer its upgrades. */
export function takePath(server: object, path: string, owner: object): void {
  const owners = ownersOn.get(server) ?? new Map();
  if (owners.has(path)) {
    const message = `another transport on the same server has path '${path}'; expected a path of its own for each`;
    throw new UmweltError('BAD_OPTION', message, { field: 'path', value: path });
  }
  ownersOn.set(server, owners.set(path, owner));
}

/** Does nothing if it is not the owner's. */
export function givePathBack(server: object, path: string, owner: object): void {
  const owners = ownersOn.get(server);
  if (owners?.get(path) === owner) owners.delete(path);
}

/**
 * Whether `owner`, which has another path, must refuse an upgrade to `path`. `listenerCount` is the number of the
 * server's listeners for upgrades.
 */
export function mustRefuse(server: object, path: string, owner: object, listenerCount: number): boolean {
  const owners = ownersOn.get(server) ?? new Map<string, object>();
  const [first] = owners.values();
  return listenerCount <= owners.size && !owners.has(path) && owner === first;
}
