/**
 * Compares every import with the table of arrows, and with the dependencies that the importing package declares.
 *
 * Type imports count, because a reader must understand the types. TypeScript's project references cannot do this check,
 * because they allow an import of a higher layer. A folder without a row, a row without a folder, an import that leads
 * nowhere and a file that cannot be read are problems, too: nothing may pass unchecked.
 */
import { arrows, type Place, placeOf } from './arrow-table.ts';
import { type Import, importsOf } from './imports.ts';
import { type Package, packagesOf } from './package-list.ts';
import { type Check, isSource, type Problem, type Repository, sourceFiles } from './repository.ts';

export const arrowsCheck: Check = {
  name: 'import arrows',
  check(repository: Repository): Problem[] {
    const files = sourceFiles(repository);
    const used = new Set(files.map((file) => placeOf(file)?.row));
    const unused = Object.keys(arrows).filter((row) => !used.has(row));
    return [
      ...unused.map((row) => ({
        file: 'tools/checks/arrow-table.ts',
        message: `has a row for ${row}, where no source is`,
      })),
      ...files.flatMap((file) => problemsOf(repository, file)),
    ];
  },
};

function problemsOf(repository: Repository, file: string): Problem[] {
  const from = placeOf(file);
  if (from === undefined) return [{ file, message: 'lies in no row of tools/checks/arrow-table.ts' }];
  const owner = packageOf(repository, file);
  try {
    return importsOf(repository, file).flatMap((item) => {
      const rule = item.fault ?? brokenRule(repository, item, from, owner);
      return rule === undefined
        ? []
        : [{ file, line: item.line, message: `imports '${item.specifier}': ${rule}` }];
    });
  } catch (error) {
    return [{ file, message: `does not parse: ${error instanceof Error ? error.message : String(error)}` }];
  }
}

/** The rule that an import breaks, if it leads somewhere and breaks one. */
function brokenRule(
  repository: Repository,
  { file, specifier, target, package: named }: Import,
  from: Place,
  owner: Package | undefined,
): string | undefined {
  // Files that are not source (a package.json, a page) have no arrows.
  if (target === undefined || !isSource(target)) return undefined;
  const to = placeOf(target);
  if (to === undefined) return 'it lies in no row of tools/checks/arrow-table.ts';
  const allowed = arrows[from.row] ?? [];
  if (to.folder !== from.folder && !allowed.includes(to.row)) {
    return `${from.folder} may import ${allowed.length === 0 ? 'only itself' : `only itself and ${allowed.join(', ')}`}`;
  }
  const crosses = packageOf(repository, target) !== owner;
  if (specifier.startsWith('.')) {
    return crosses && to.row !== 'tools' ? 'it reaches into another package: import it by name' : undefined;
  }
  if (crosses && owner !== undefined && named !== undefined && !dependsOn(repository, file, owner, named)) {
    return `${owner.folder === '' ? '' : `${owner.folder}/`}package.json does not name ${named.name}`;
  }
  return undefined;
}

/** The package that a file belongs to; the workspace itself if there is no other. */
function packageOf(repository: Repository, file: string): Package | undefined {
  return packagesOf(repository).findLast(({ folder }) => folder === '' || file.startsWith(`${folder}/`));
}

/** Tests may also import the workspace's dependencies; unpublished code may import its own development dependencies. */
function dependsOn(repository: Repository, file: string, owner: Package, named: Package): boolean {
  if (owner.dependencies.includes(named.name)) return true;
  if (/^packages\/[^/]+\/src\//.test(file)) return false;
  if (owner.devDependencies.includes(named.name)) return true;
  const workspace = packagesOf(repository).find(({ folder }) => folder === '');
  return isTest.test(file) && workspace?.devDependencies.includes(named.name) === true;
}

const isTest = /(^|\/)test\/|\.test\.tsx?$/;
