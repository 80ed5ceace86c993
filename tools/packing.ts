/**
 * The packages as a user gets them: built, packed, and installed from their tarballs into a folder outside.
 */
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { type Package, publishedPackages } from './checks/package-list.ts';
import { openRepository } from './checks/repository.ts';
import { fingerprint } from './fingerprint.ts';
import { npm, PATIENT } from './npm.ts';
import { doneOnce } from './process-lock.ts';
import { collectCommand, root } from './run-command.ts';

/** A published package, its tarball, and the tarball's files as paths within the package. */
export interface Tarball {
  readonly package: Package;
  readonly file: string;
  readonly contents: readonly string[];
}

/** Builds and packs all published packages into `folder`. */
export async function packAll(folder: string): Promise<readonly Tarball[]> {
  const built = collectCommand('tools/build.ts', 'kernels', 'packages', 'page');
  if (built.exitCode !== 0) throw new Error(`the packages do not build\n${built.output}`);
  const packages = publishedPackages(openRepository(root));
  mkdirSync(folder, { recursive: true });
  const packed = await npmPack(packages, '--pack-destination', folder);
  return packages.map((each, i) => ({
    package: each,
    file: path.join(folder, packed[i]!.filename),
    contents: packed[i]!.files.map((file) => file.path),
  }));
}

/** Of each package the files that are published, as paths within it. They must be built. */
export async function packedContents(packages: readonly Package[]): Promise<readonly string[][]> {
  const packed = await npmPack(packages, '--dry-run');
  return packed.map(({ files }) => files.map((file) => file.path));
}

/** What npm says of each package; one npm for all. They are built already, and each `prepack` would build all of them again. */
async function npmPack(packages: readonly Package[], ...words: string[]): Promise<readonly PackedFile[]> {
  const places = packages.map(({ folder }) => `./${folder}`);
  const output = await npm(root, 'pack', ...places, '--json', '--ignore-scripts', ...words);
  const packed = Object.values(JSON.parse(output)) as PackedFile[];
  return packages.map((each) => {
    const found = packed.find(({ name }) => name === each.name);
    if (found === undefined) throw new Error(`npm did not pack ${each.name}`);
    return found;
  });
}

const sharedPacks = path.join(root, '.cache/packs');
const SHARED_LIST = 'tarballs.json';
/** In the folder of a package: the files that are packed unchanged, and the sources of the rest. */
const PACKED = [
  ...['src', 'templates', 'brokers', 'package.json', 'README.md', 'CHANGELOG.md', 'LICENSE'],
  ...['tsconfig.json', 'tsconfig.page.json', 'vite.config.ts', 'index.html'],
];

/**
 * The result of `packAll`, for tests: they run in processes of their own, and one of them packs for all. It packs again if a packed file
 * or a source changed. The tarballs must not be changed or deleted.
 */
export async function packOnce(): Promise<readonly Tarball[]> {
  const places = publishedPackages(openRepository(root)).flatMap(({ folder }) =>
    PACKED.map((name) => `${folder}/${name}`),
  );
  const key = fingerprint(root, [...places, 'tools', 'tsconfig.base.json', 'package-lock.json'], []);
  const folder = path.join(sharedPacks, key);
  const list = path.join(folder, SHARED_LIST);
  const lock = path.join(sharedPacks, 'packing');
  mkdirSync(sharedPacks, { recursive: true });
  await doneOnce(
    lock,
    () => existsSync(list),
    async () => {
      for (const old of readdirSync(sharedPacks)) {
        if (old !== path.basename(lock)) rmSync(path.join(sharedPacks, old), { recursive: true });
      }
      const tarballs = await packAll(folder);
      writeFileSync(`${list}.new`, JSON.stringify(tarballs));
      renameSync(`${list}.new`, list);
    },
  );
  return JSON.parse(readFileSync(list, 'utf8')) as readonly Tarball[];
}

interface PackedFile {
  readonly name: string;
  readonly filename: string;
  readonly files: readonly { readonly path: string }[];
}

/** The tarball of a package with those of our packages that it depends on, directly or indirectly. */
export function withDependencies(name: string, all: readonly Tarball[]): readonly Tarball[] {
  const needed = new Set([name]);
  for (const each of needed) {
    const tarball = all.find((candidate) => candidate.package.name === each);
    for (const dependency of tarball?.package.dependencies ?? []) {
      if (all.some((candidate) => candidate.package.name === dependency)) needed.add(dependency);
    }
  }
  return all.filter((candidate) => needed.has(candidate.package.name));
}

/** Makes `folder` a user's project, and installs these tarballs and folders there, and `more` from the registry. */
export async function installAsUser(
  folder: string,
  files: readonly string[],
  more: readonly string[] = [],
): Promise<void> {
  mkdirSync(folder, { recursive: true });
  writeFileSync(path.join(folder, 'package.json'), '{ "private": true, "type": "module" }\n');
  await npm(folder, 'install', '--no-package-lock', ...PATIENT, ...files, ...more);
}

/**
 * Makes `folder` what npm makes of it by installing one package: copies it from `installed`, where npm installed that package beside
 * others, with what its manifest asks for, and so on; without optional peers. Throws where something is not there.
 */
export function copyInstalled(name: string, installed: string, folder: string): void {
  const places = new Set([path.join('node_modules', name)]);
  // A set goes on with what is added meanwhile.
  for (const place of places) {
    cpSync(path.join(installed, place), path.join(folder, place), { recursive: true });
    for (const needed of neededBy(path.join(installed, place))) {
      const found = foundFrom(installed, place, needed);
      if (found === undefined) throw new Error(`${place} needs ${needed}, which npm did not install`);
      places.add(found);
    }
  }
}

/** The names that a package's manifest asks for, without optional peers. */
function neededBy(folder: string): string[] {
  const manifest = JSON.parse(readFileSync(path.join(folder, 'package.json'), 'utf8'));
  const {
    dependencies = {},
    optionalDependencies = {},
    peerDependencies = {},
    peerDependenciesMeta = {},
  } = manifest;
  const needed = { ...dependencies, ...peerDependencies };
  return Object.keys(needed).filter(
    (each) => !(each in optionalDependencies || peerDependenciesMeta[each]?.optional),
  );
}

/** Where in `installed` a package at `place` finds another: in its own node_modules, or in those above. */
function foundFrom(installed: string, place: string, name: string): string | undefined {
  for (let at = place; ; at = path.dirname(at)) {
    const candidate = path.join(at, 'node_modules', name);
    if (existsSync(path.join(installed, candidate))) return candidate;
    if (at === '.') return undefined;
  }
}

/** The first block of code in a package's README, as installed. */
export function readmeExample(folder: string, name: string): string {
  const text = readFileSync(path.join(folder, 'node_modules', name, 'README.md'), 'utf8');
  return /^```ts\n([\s\S]*?)^```$/m.exec(text)?.[1] ?? '';
}
