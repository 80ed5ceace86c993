/**
 * A town as one file: three lengths, then the world's bytes, the gateway's, and the game's own as JSON.
 *
 * It is written under another name and renamed, so that it is complete or does not exist. The process that reads the file deletes
 * it, since the town continues from there: after a crash, an old snapshot would bring back an outdated town.
 */
import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import type { SavedTown } from './town.ts';

export async function saveTown(path: string, { world, gateway, headings }: SavedTown): Promise<void> {
  const game = Buffer.from(JSON.stringify(headings));
  const lengths = Buffer.from(Uint32Array.of(world.length, gateway.length, game.length).buffer);
  await writeFile(`${path}.part`, Buffer.concat([lengths, world, gateway, game]), { mode: 0o600 });
  await rename(`${path}.part`, path);
}

/** Undefined if there is no file. */
export async function takeTown(path: string): Promise<SavedTown | undefined> {
  let bytes: Buffer;
  try {
    bytes = await readFile(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
  await rm(path);
  const parts: Buffer[] = [];
  let at = 12;
  for (const offset of [0, 4, 8]) {
    const length = bytes.readUInt32LE(offset);
    parts.push(bytes.subarray(at, at + length));
    at += length;
  }
  const [world, gateway, game] = parts as [Buffer, Buffer, Buffer];
  return { world, gateway, headings: JSON.parse(game.toString()) };
}
