/**
 * Which world ids are of: clients who come back to another one must take nobody there for somebody they knew.
 *
 * A world has one by chance as soon as it is asked for; one that was restored together with its gateway goes on with that of the
 * world that was stored.
 */
import { randomBytes } from 'node:crypto';
import type { GatewayWorld } from '../appearance/gateway-world.ts';
import { WORLD_ID_BYTES } from '../wire/frame-format.ts';

const idOf = new WeakMap<GatewayWorld, Uint8Array>();

export function worldIdOf(world: GatewayWorld): Uint8Array {
  const known = world.worldId ?? idOf.get(world);
  if (known !== undefined) return known;
  const id = randomBytes(WORLD_ID_BYTES);
  idOf.set(world, id);
  return id;
}

/** The world is the one that had this id. */
export function adoptWorldId(world: GatewayWorld, id: Uint8Array): void {
  idOf.set(world, new Uint8Array(id));
}
