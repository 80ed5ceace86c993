/**
 * Which world ids are of: clients who come back to another one must take nobody there for somebody they knew.
 *
 * A world has one by chance as soon as it is asked for; one that was restored together with its gateway goes on with that of the
 * world that was stored.
 */
import { randomBytes } from 'node:crypto';
import type { World } from 'umwelt';
import { WORLD_ID_BYTES } from '../wire/frame-format.ts';

const idOf = new WeakMap<World, Uint8Array>();

export function worldIdOf(world: World): Uint8Array {
  const known = idOf.get(world);
  if (known !== undefined) return known;
  const id = randomBytes(WORLD_ID_BYTES);
  idOf.set(world, id);
  return id;
}

/** The world is the one that had this id. */
export function adoptWorldId(world: World, id: Uint8Array): void {
  idOf.set(world, new Uint8Array(id));
}
