/**
 * Our packages as tarballs in a folder, as `npm run pack` of the repository makes them: for as long as they are on no registry.
 */
import { existsSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { Mistake } from './mistake.ts';

/** As package.json names a tarball of each package, by the package's name; relative to `project`. Throws a `Mistake` where one lacks. */
export function tarballsFor(
  names: readonly string[],
  version: string,
  folder: string,
  project: string,
): ReadonlyMap<string, string> {
  if (!existsSync(folder)) throw new Mistake(`--packages is '${folder}'; expected a folder that is there`);
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
