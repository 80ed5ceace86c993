/**
 * The public names of each package, with their signatures and docstrings, as pages in docs/api.
 *
 * Users' code depends on these. The pages are generated from the declarations in dist. If one differs from the committed
 * page, the check fails, and `npm run check -- --update` writes the new page, so that the difference appears in review. A
 * name or member without a docstring, an option without a default and a name without an example are problems in either
 * case.
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { ThrownBy } from '../reference/doc-rules.ts';
import { examplesFor } from '../reference/reference-examples.ts';
import {
  type EntryPoint,
  linksToNames,
  type OtherPages,
  referencePage,
} from '../reference/reference-page.ts';
import { ThrowReader } from '../reference/thrown-codes.ts';
import { publishedPackages } from './package-list.ts';
import type { Check, Problem, Repository } from './repository.ts';

const pageFolder = 'docs/api';
const codesFile = 'packages/core/src/errors.ts';
/** What seems to throw, by the calls in it, and does not: it calls `play` with values of its own, which are right. */
const neverThrows: ReadonlySet<string> = new Set(['Trace.usualRange', 'Trace.perceivedWithin']);

/** The check; with `update` it writes the pages instead of comparing them. */
export function publicApiCheck(update: boolean): Check {
  return {
    name: 'public names',
    check(repository: Repository): Problem[] {
      const packages = publishedPackages(repository);
      const pages = new Set(packages.map(({ name }) => pageOf(name)));
      const stray = repository.files.filter((file) => file.startsWith(`${pageFolder}/`) && !pages.has(file));
      const found = packages.map(({ name, folder }) => ({
        name,
        folder,
        ...entriesOf(repository.root, folder),
      }));
      const others = new Map(
        found.map(({ name, entries }) => [name, linksToNames(name, entries, path.basename(pageOf(name)))]),
      );
      const thrownBy = throwsOf(repository);
      return [
        ...found.flatMap((each) => each.problems),
        ...found
          .filter(({ entries }) => entries.length > 0)
          .flatMap(({ name, folder, entries }) =>
            checkPackage(repository, name, folder, entries, others, thrownBy, update),
          ),
        ...stray.map((file) => ({ file, message: 'is about no package that there is' })),
      ];
    },
  };
}

interface Manifest {
  readonly name: string;
  /** One file, as for package.json itself, or files by condition. */
  readonly exports?: Readonly<Record<string, string | { readonly types?: string }>>;
}

/** The entry points of a package; none if one of them is not built, which is a problem. */
function entriesOf(root: string, folder: string): { entries: EntryPoint[]; problems: Problem[] } {
  const manifest = JSON.parse(readFileSync(path.join(root, folder, 'package.json'), 'utf8')) as Manifest;
  const entries: EntryPoint[] = [];
  for (const [subpath, entry] of Object.entries(manifest.exports ?? {})) {
    if (typeof entry === 'string' || entry.types === undefined) continue;
    const file = path.join(root, folder, entry.types);
    if (!existsSync(file)) {
      const message = `${entry.types} does not exist: not built`;
      return { entries: [], problems: [{ file: `${folder}/package.json`, message }] };
    }
    entries.push({ specifier: manifest.name + subpath.slice(1), file });
  }
  return { entries, problems: [] };
}

function checkPackage(
  repository: Repository,
  name: string,
  folder: string,
  entries: readonly EntryPoint[],
  others: OtherPages,
  thrownBy: ThrownBy,
  update: boolean,
): Problem[] {
  const examples = examplesFor(repository, folder);
  const found = referencePage(name, entries, others, examples, thrownBy);
  const { markdown, undocumented, docProblems, exampleProblems } = found;
  const bare = [
    ...undocumented.map((each) => ({ file: folder, message: `${each} has no docstring` })),
    ...docProblems.map((message) => ({ file: folder, message })),
    ...exampleProblems.map((problem) => ({ file: folder, ...problem })),
  ];
  const page = pageOf(name);
  const pageFile = path.join(repository.root, page);
  if (update) {
    mkdirSync(path.dirname(pageFile), { recursive: true });
    writeFileSync(pageFile, markdown);
    return bare;
  }
  const present = existsSync(pageFile) ? readFileSync(pageFile, 'utf8') : '';
  if (present === markdown) return bare;
  return [...bare, difference(page, present.split('\n'), markdown.split('\n'))];
}

/** Reads what is thrown from the sources of the declarations. */
function throwsOf(repository: Repository): ThrownBy {
  const [, union = ''] = /type UmweltErrorCode =([^;]+);/.exec(repository.read(codesFile)) ?? [];
  const codes = new Set<unknown>([...union.matchAll(/'([A-Z_]+)'/g)].map(([, code]) => code));
  const reader = new ThrowReader((value) => codes.has(value));
  return ({ file, name }, member) => {
    const source = file
      .replace(`${path.sep}dist${path.sep}`, `${path.sep}src${path.sep}`)
      .replace(/\.d\.ts$/, '.ts');
    const whole = member === undefined ? name : `${name}.${member}`;
    return neverThrows.has(whole) ? new Set() : reader.codesOf(source, whole);
  };
}

function pageOf(name: string): string {
  return `${pageFolder}/${name.replace('@', '').replace('/', '-')}.md`;
}

function difference(file: string, present: readonly string[], wanted: readonly string[]): Problem {
  const index = wanted.findIndex((line, i) => line !== present[i]);
  const at = index < 0 ? wanted.length : index;
  const shown = `written ${JSON.stringify(present[at] ?? '')}, built ${JSON.stringify(wanted[at] ?? '')}`;
  return { file, line: at + 1, message: `${shown}; accept with: npm run check -- --update` };
}
