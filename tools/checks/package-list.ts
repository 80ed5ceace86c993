/** The workspace's packages, from their package.json files. */
import path from 'node:path';
import type { Repository } from './repository.ts';

export interface Package {
  readonly name: string;
  /** Relative to the repository; '' for the workspace itself. */
  readonly folder: string;
  /** Export subpath ('.', './client') to its source file. */
  readonly sources: ReadonlyMap<string, string>;
  /** Packages that its published files may import: dependencies and peer dependencies. */
  readonly dependencies: readonly string[];
  /** Packages that its tests may import besides. */
  readonly devDependencies: readonly string[];
}

interface Manifest {
  readonly name?: string;
  /** One file, as for package.json itself, or files by condition. */
  readonly exports?: Readonly<Record<string, string | Readonly<Record<string, string>>>>;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
}

const known = new WeakMap<Repository, readonly Package[]>();

/** Every package of the repository, including the workspace itself; ascending by folder. */
export function packagesOf(repository: Repository): readonly Package[] {
  let packages = known.get(repository);
  if (packages === undefined) {
    packages = repository.files
      .filter((file) => /(^|\/)package\.json$/.test(file))
      .map((file) => readPackage(repository, file))
      .sort((first, second) => (first.folder < second.folder ? -1 : 1));
    known.set(repository, packages);
  }
  return packages;
}

/** The folders of the packages that are published: all of packages/. */
export function publishedPackages(repository: Repository): readonly Package[] {
  return packagesOf(repository).filter(({ folder }) => /^packages\/[^/]+$/.test(folder));
}

function readPackage(repository: Repository, file: string): Package {
  const manifest = JSON.parse(repository.read(file)) as Manifest;
  const folder = file === 'package.json' ? '' : path.posix.dirname(file);
  const sources = Object.entries(manifest.exports ?? {}).flatMap(([subpath, entry]) => {
    const source = typeof entry === 'string' ? undefined : entry['umwelt:source'];
    return source === undefined ? [] : [[subpath, path.posix.join(folder, source)] as const];
  });
  return {
    name: manifest.name ?? folder,
    folder,
    sources: new Map(sources),
    dependencies: Object.keys({ ...manifest.dependencies, ...manifest.peerDependencies }),
    devDependencies: Object.keys(manifest.devDependencies ?? {}),
  };
}
