/**
 * The id of a world. A client that reconnects to another world must not confuse entities there with entities
 * it knew: the same entity ids mean other entities.
 *
 * A world gets a random id on first use. A world that is restored together with its gateway keeps the id of
 * the stored world.
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

/** Gives the world the id of the stored world. */
export function adoptWorldId(world: GatewayWorld, id: Uint8Array): void {
  idOf.set(world, new Uint8Array(id));
}
