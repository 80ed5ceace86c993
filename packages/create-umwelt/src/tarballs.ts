/**
 * The umwelt packages as tarballs in a folder, as made by `npm run pack` in the repository, while they are not on a registry.
 */
import { readdirSync, statSync } from 'node:fs';
import path from 'node:path';
import { Mistake } from './mistake.ts';

/** The package.json entries for tarballs, by package name; relative to `project`. Throws a `Mistake` if one is missing. */
export function tarballsFor(
  names: readonly string[],
  version: string,
  folder: string,
  project: string,
): ReadonlyMap<string, string> {
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory() !== true)
    throw new Mistake(`--packages is '${folder}'; expected an existing folder`);
  const files = new Set(readdirSync(folder));
  return new Map(
    names.map((name) => {
      const file = `${name.replace('@', '').replace('/', '-')}-${version}.tgz`;
      if (files.has(file)) {
        const place = path.relative(project, path.join(folder, file)).split(path.sep).join('/');
        return [name, `file:${place}`];
      }
      throw new Mistake(`there is no ${file} in '${folder}'; make it in the repository: npm run pack`);
    }),
  );
}
