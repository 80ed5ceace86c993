/**
 * Checks the fields of package.json that a registry shows: they are present, and equal in all packages where they should
 * be.
 *
 * All packages are published together under one version, and need exactly that version of each other. The project's
 * address is in the workspace's package.json; the other packages add their folder to it.
 */
import { publishedPackages } from './package-list.ts';
import type { Check, Problem, Repository } from './repository.ts';

interface Manifest {
  readonly name: string;
  readonly version?: string;
  readonly description?: string;
  readonly keywords?: readonly string[];
  readonly repository?: { readonly url?: string; readonly directory?: string };
  readonly homepage?: string;
  readonly bugs?: string;
  readonly engines?: { readonly node?: string };
  readonly exports?: Readonly<Record<string, unknown>>;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
}

export const manifestsCheck: Check = {
  name: 'manifests',
  check(repository: Repository): Problem[] {
    const read = (file: string) => JSON.parse(repository.read(file)) as Manifest;
    const address = read('package.json').repository?.url ?? '';
    const packages = publishedPackages(repository);
    const version = packages[0] && read(`${packages[0].folder}/package.json`).version;
    return packages.flatMap(({ folder }) => {
      const file = `${folder}/package.json`;
      const faults = [
        ...faultsOf(read(file), folder, address),
        ...versionFaults(read(file), version, new Set(packages.map(({ name }) => name))),
      ];
      if (!repository.files.includes(`${folder}/README.md`)) faults.push('there is no README.md beside it');
      return faults.map((message) => ({ file, message }));
    });
  },
};

function faultsOf(manifest: Manifest, folder: string, address: string): string[] {
  const page = address.replace(/^git\+/, '').replace(/\.git$/, '');
  const wanted: readonly [string, unknown, unknown][] = [
    ['repository.url', manifest.repository?.url, address],
    ['repository.directory', manifest.repository?.directory, folder],
    ['homepage', manifest.homepage, `${page}/tree/main/${folder}#readme`],
    ['bugs', manifest.bugs, `${page}/issues`],
    ['engines.node', manifest.engines?.node, '>=22'],
    ["exports['./package.json']", manifest.exports?.['./package.json'], './package.json'],
  ];
  const faults = wanted
    .filter(([, found, expected]) => found !== expected)
    .map(([name, found, expected]) => `${name} is ${JSON.stringify(found)}, expected '${expected}'`);
  if (!manifest.description) faults.push('has no description');
  if ((manifest.keywords ?? []).length < 3) faults.push('has fewer than three keywords');
  return faults;
}

function versionFaults(manifest: Manifest, version: string | undefined, ours: ReadonlySet<string>): string[] {
  const faults =
    manifest.version === version ? [] : [`version is ${manifest.version}, that of others ${version}`];
  for (const [name, wanted] of Object.entries({ ...manifest.dependencies, ...manifest.devDependencies })) {
    if (ours.has(name) && wanted !== version) faults.push(`needs ${name} ${wanted}, expected ${version}`);
  }
  return faults;
}
