/**
 * One hash over the inputs of a build, so that the build is repeated exactly when an input changed.
 *
 * Modification times do not work: a fresh clone, a switched branch and a restored cache all change them without changing
 * a byte. Reading a few hundred small files costs milliseconds.
 */
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';

/**
 * Hex digest over `words` and over the names and bytes of all files at or under `places` (paths relative to `root`;
 * one that does not exist counts as empty).
 */
export function fingerprint(root: string, places: readonly string[], words: readonly string[]): string {
  const hash = createHash('sha256');
  for (const word of words) hash.update(`word ${word}\0`);
  for (const file of places.flatMap((place) => filesUnder(root, place))) {
    const bytes = readFileSync(path.join(root, file));
    hash.update(`file ${file} ${bytes.length}\0`).update(bytes);
  }
  return hash.digest('hex').slice(0, 32);
}

/** Paths relative to `root`, with forward slashes, in the same order on every machine. */
function filesUnder(root: string, place: string): string[] {
  const status = statSync(path.join(root, place), { throwIfNoEntry: false });
  if (status === undefined) return [];
  if (!status.isDirectory()) return [place];
  const names = readdirSync(path.join(root, place)).sort();
  return names.flatMap((name) => filesUnder(root, `${place}/${name}`));
}
