/**
 * The public names of each package with their signatures, as text in docs/api, so that a change to them is seen.
 *
 * A user's code is written against these. The listing is made from the declarations in dist; where it differs from the
 * committed one the check fails, and `npm run check -- --update` writes the new one, whose difference is then read in
 * review like any other. Comments are left out: only what the compiler holds a user to is listed.
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { publicDeclarations } from './declarations.ts';
import { publishedPackages } from './package-list.ts';
import type { Check, Problem, Repository } from './repository.ts';

const listingFolder = 'docs/api';

/** The check; with `update` it writes the listings instead of comparing them. */
export function publicApiCheck(update: boolean): Check {
  return {
    name: 'public names',
    check(repository: Repository): Problem[] {
      const packages = publishedPackages(repository);
      const listings = new Set(packages.map(({ name }) => listingOf(name)));
      const stray = repository.files.filter(
        (file) => file.startsWith(`${listingFolder}/`) && !listings.has(file),
      );
      return [
        ...packages.flatMap(({ folder }) => checkPackage(repository.root, folder, update)),
        ...stray.map((file) => ({ file, message: 'lists the names of no package that there is' })),
      ];
    },
  };
}

interface Manifest {
  readonly name: string;
  /** A file for all, as of package.json itself, or files by condition. */
  readonly exports?: Readonly<Record<string, string | { readonly types?: string }>>;
}

function checkPackage(root: string, folder: string, update: boolean): Problem[] {
  const manifest = JSON.parse(readFileSync(path.join(root, folder, 'package.json'), 'utf8')) as Manifest;
  const entries = Object.entries(manifest.exports ?? {}).flatMap(([subpath, entry]) => {
    const types = typeof entry === 'string' ? undefined : entry.types;
    return types === undefined ? [] : [{ subpath, types }];
  });
  if (entries.length === 0) return [];
  const sections: string[] = [];
  for (const { subpath, types } of entries) {
    const file = path.join(root, folder, types);
    if (!existsSync(file))
      return [{ file: `${folder}/package.json`, message: `${types} does not exist: not built` }];
    const name = manifest.name + subpath.slice(1);
    sections.push([`# ${name}`, ...publicDeclarations(file)].join('\n\n'));
  }
  const wanted = `${sections.join('\n\n')}\n`;
  const listing = listingOf(manifest.name);
  const listingFile = path.join(root, listing);
  if (update) {
    mkdirSync(path.dirname(listingFile), { recursive: true });
    writeFileSync(listingFile, wanted);
    return [];
  }
  const present = existsSync(listingFile) ? readFileSync(listingFile, 'utf8') : '';
  if (present === wanted) return [];
  return [difference(listing, present.split('\n'), wanted.split('\n'))];
}

function listingOf(name: string): string {
  return `${listingFolder}/${name.replace('@', '').replace('/', '-')}.txt`;
}

function difference(file: string, present: readonly string[], wanted: readonly string[]): Problem {
  const index = wanted.findIndex((line, i) => line !== present[i]);
  const at = index < 0 ? wanted.length : index;
  const shown = `listed ${JSON.stringify(present[at] ?? '')}, built ${JSON.stringify(wanted[at] ?? '')}`;
  return { file, line: at + 1, message: `${shown}; accept with: npm run check -- --update` };
}
