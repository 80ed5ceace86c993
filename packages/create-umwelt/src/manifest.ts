/** The package.json of a new project. */
import { readFileSync } from 'node:fs';
import { Mistake } from './mistake.ts';
import { tarballsFor } from './tarballs.ts';
import { DEV_DEPENDENCIES, type Template } from './templates.ts';

/** The oldest Node that runs a project: it runs TypeScript files directly. */
export const NODE_VERSION = '22.18';

/** Whether a version of Node, as 20.20.2, is too old for a project. */
export function isOldNode(version: string): boolean {
  return version.localeCompare(NODE_VERSION, 'en', { numeric: true }) < 0;
}

interface OwnManifest {
  readonly version: string;
  readonly devDependencies: Readonly<Record<string, string>>;
}

/** The installed package.json of this package. */
function ownManifest(): OwnManifest {
  const text = readFileSync(new URL('../package.json', import.meta.url), 'utf8');
  return JSON.parse(text) as OwnManifest;
}

/** The version of this package, and of all umwelt packages: they are released together. */
export function ownVersion(): string {
  return ownManifest().version;
}

/** `packages`: a folder of tarballs, used in place of the registry. Throws a `Mistake`. */
export function projectManifest(
  name: string,
  template: Template,
  project: string,
  packages: string | undefined,
): object {
  const { version, devDependencies } = ownManifest();
  const isOurs = (dependency: string) => dependency === 'umwelt' || dependency.startsWith('@umwelt/');
  const tarballs =
    packages === undefined
      ? undefined
      : tarballsFor(template.dependencies.filter(isOurs), version, packages, project);
  const wanted = (names: readonly string[]) =>
    Object.fromEntries(
      [...names]
        .sort()
        .map((each) => [each, tarballs?.get(each) ?? (isOurs(each) ? `^${version}` : devDependencies[each])]),
    );
  return {
    name,
    version: '0.0.0',
    private: true,
    type: 'module',
    engines: { node: `>=${NODE_VERSION}` },
    scripts: {
      start: 'node server.ts',
      test: `node --test ${template.test}`,
      check: 'tsc',
      build: 'vite build',
    },
    dependencies: wanted(template.dependencies),
    devDependencies: wanted(DEV_DEPENDENCIES),
  };
}

/** A valid npm name made from a folder's name. Throws a `Mistake` if no part of it can be used. */
export function packageName(folderName: string): string {
  const name = folderName
    .toLowerCase()
    .replace(/[^a-z0-9._-]+/g, '-')
    .replace(/^[._-]+|-+$/g, '');
  if (name !== '') return name;
  throw new Mistake(`folder is '${folderName}'; expected a name with a letter or a digit`);
}
