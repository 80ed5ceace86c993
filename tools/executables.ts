/**
 * Finds a program that npm cannot install: named by an environment variable, else on the PATH.
 */
import { accessSync, constants } from 'node:fs';
import path from 'node:path';

/**
 * The path of the first of `names` that can be run, or `undefined`. If the environment variable `variable` is set, only its path
 * is tried. `others` are folders that are searched after those of the PATH.
 */
export function findExecutable(
  variable: string,
  names: readonly string[],
  others: readonly string[] = [],
): string | undefined {
  const named = process.env[variable];
  if (named !== undefined && named !== '') return isExecutable(named) ? named : undefined;
  const folders = [
    ...(process.env.PATH ?? '').split(path.delimiter).filter((folder) => folder !== ''),
    ...others,
  ];
  const candidates = names.flatMap((name) => folders.map((folder) => path.join(folder, name)));
  return candidates.find(isExecutable);
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
