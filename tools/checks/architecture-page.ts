/**
 * Checks that ARCHITECTURE.md states the same import rules for packages and for core's layers as the table of arrows, and
 * that its tree names every package.
 *
 * The check reads the section "Arrows". In its table, a row is for one or more packages, and the names in backticks
 * without a dot count. In the line of layers, names are separated by ' <- ', and the last part stands for everything
 * above.
 */
import { arrows, coreOrder } from './arrow-table.ts';
import { publishedPackages } from './package-list.ts';
import type { Check, Problem, Repository } from './repository.ts';

const page = 'ARCHITECTURE.md';

export const architecturePageCheck: Check = {
  name: 'architecture page',
  check(repository: Repository): Problem[] {
    const lines = repository.read(page).split('\n');
    return [...arrowProblems(lines), ...layerProblems(lines), ...treeProblems(repository, lines)];
  },
};

function arrowProblems(lines: readonly string[]): Problem[] {
  const wanted = packageArrows();
  const told = new Map<string, { names: string; line: number }>();
  for (const [index, line] of lines.entries()) {
    const [, left, right] = /^\| (`.+?) \| (.+) \|$/.exec(isInSection(lines, index) ? line : '') ?? [];
    const names = namesIn(right ?? '').join(', ');
    for (const name of namesIn(left ?? '')) told.set(name, { names, line: index + 1 });
  }
  const problems: Problem[] = [];
  for (const name of new Set([...wanted.keys(), ...told.keys()])) {
    const allowed = [...(wanted.get(name) ?? [])].sort().join(', ');
    const row = told.get(name);
    if (wanted.has(name) && row?.names === allowed) continue;
    const held = wanted.has(name) ? `may import ${allowed || 'nothing'}` : 'is in no row of the arrows';
    const said = row === undefined ? 'is not there' : `may import ${row.names || 'nothing'} there`;
    problems.push({ file: page, line: row?.line ?? 1, message: `${name} ${held}, but ${said}` });
  }
  return problems;
}

/** The other packages that each package's sources may import, by folder name. Tests are left out. */
function packageArrows(): Map<string, Set<string>> {
  const found = new Map<string, Set<string>>();
  for (const [row, allowed] of Object.entries(arrows)) {
    const name = packageName(row);
    if (name === undefined) continue;
    const others = found.get(name) ?? new Set();
    for (const other of allowed.map(packageName)) {
      if (other !== undefined && other !== name) others.add(other);
    }
    found.set(name, others);
  }
  return found;
}

function packageName(row: string): string | undefined {
  if (/(^|\/)test$/.test(row)) return undefined;
  return (
    /^packages\/([^/]+)\/(?:src|templates)/.exec(row)?.[1] ?? /^(bench|examples|tools)(\/|$)/.exec(row)?.[1]
  );
}

function layerProblems(lines: readonly string[]): Problem[] {
  const index = lines.findIndex((text, at) => isInSection(lines, at) && text.includes(' <- '));
  const told = (lines[index] ?? '').split(' <- ').slice(0, -1);
  if (told.join() === coreOrder.join()) return [];
  const message = `core's layers are ${coreOrder.join(' <- ')} <- the rest; told ${told.join(' <- ') || 'nowhere'}`;
  return [{ file: page, line: index + 1 || 1, message }];
}

function treeProblems(repository: Repository, lines: readonly string[]): Problem[] {
  const names = publishedPackages(repository).map(({ folder }) => folder.slice('packages/'.length));
  return names
    .filter((name) => !lines.some((line) => line.startsWith(`  ${name}/ `)))
    .map((name) => ({ file: page, message: `the tree does not name packages/${name}` }));
}

/** Names in backticks, ascending, without file names. */
function namesIn(text: string): string[] {
  const names = [...text.matchAll(/`([^`]+)`/g)].map((match) => match[1] ?? '');
  return names.filter((name) => !name.includes('.')).sort();
}

function isInSection(lines: readonly string[], index: number): boolean {
  const heading = lines.slice(0, index + 1).findLast((line) => line.startsWith('## '));
  return heading === '## Arrows';
}
