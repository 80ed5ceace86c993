/**
 * Which file imports which, and where an import leads.
 *
 * The packages, their names and their entry points are read from each package.json, so that a new one is known as soon
 * as it is there. An import that leads nowhere (no such file, no such entry point) says so instead of passing for one
 * from outside. What a file holds is read by import-statements.ts.
 */
import path from 'node:path';
import { type ImportStatement, importStatements } from './import-statements.ts';
import { type Package, packagesOf } from './package-list.ts';
import type { Repository } from './repository.ts';

/** One import as it stands in a file. */
export interface Import {
  readonly file: string;
  /** Counts from 1. */
  readonly line: number;
  /** What stands between the quotes. */
  readonly specifier: string;
  /** The repository's file it leads to; `undefined` for one from outside, or one that leads nowhere. */
  readonly target: string | undefined;
  /** Why it leads nowhere; `undefined` where it leads somewhere. */
  readonly fault: string | undefined;
  /** The package that it names, where it names one of ours; a relative import names none. */
  readonly package: Package | undefined;
}

/** Made by tools/build-wasm.ts, and left out of the repository. */
const generatedFiles = [
  'packages/core/src/kernels/wasm-bytes.ts',
  'packages/core/src/kernels/plain-kernels.ts',
];

/** What a text was found to hold, by file: several checks ask, and a test asks for many repositories that differ little. */
const statements = new Map<string, { text: string; found: ImportStatement[] }>();

/** All imports of one file, by line. Throws when the file does not parse. */
export function importsOf(repository: Repository, file: string): Import[] {
  const text = repository.read(file);
  let known = statements.get(file);
  if (known?.text !== text) {
    known = { text, found: importStatements(file, text) };
    statements.set(file, known);
  }
  return known.found.map(({ line, specifier, isAddress }) => ({
    file,
    line,
    specifier,
    ...destination(repository, file, specifier, isAddress),
  }));
}

type Destination = Pick<Import, 'target' | 'fault' | 'package'>;

function destination(
  repository: Repository,
  file: string,
  specifier: string,
  isAddress: boolean,
): Destination {
  const outside = { target: undefined, fault: undefined, package: undefined };
  if (specifier.startsWith('.')) {
    const target = relativeTarget(file, specifier);
    const exists = hasFile(repository, target) || generatedFiles.includes(target);
    // An address may be a folder's, or that of something built.
    if (exists) return { ...outside, target };
    return isAddress ? outside : { ...outside, fault: 'there is no such file' };
  }
  const owner = packagesOf(repository).find(
    ({ name }) => specifier === name || specifier.startsWith(`${name}/`),
  );
  if (owner === undefined) {
    // A name in our scope that is nobody's is a slip, or a package without a package.json.
    return specifier.startsWith('@umwelt/') ? { ...outside, fault: 'there is no such package' } : outside;
  }
  const subpath = `.${specifier.slice(owner.name.length)}`;
  const target = owner.sources.get(subpath);
  if (target !== undefined) return { target, fault: undefined, package: owner };
  return { ...outside, package: owner, fault: `${owner.name} exports no '${subpath}' with its source` };
}

function relativeTarget(file: string, specifier: string): string {
  const target = path.posix.join(path.posix.dirname(file), specifier.replace(/\?.*$/, ''));
  // AssemblyScript names files without their ending.
  return file.includes('/kernels/wasm/') ? `${target}.ts` : target;
}

const fileSets = new WeakMap<Repository, ReadonlySet<string>>();

function hasFile(repository: Repository, file: string): boolean {
  let files = fileSets.get(repository);
  if (files === undefined) {
    files = new Set(repository.files);
    fileSets.set(repository, files);
  }
  return files.has(file);
}
