/**
 * Which file imports which, read off the text.
 *
 * Found are `import` and `export ... from` statements at the start of a line, `import('...')`, and worker files named
 * by `new URL('...', import.meta.url)`; types count as well. Formatting is checked too, so statements do start a line
 * and names are in single quotes; that makes a parser unnecessary.
 */
import path from 'node:path';
import type { Repository } from './repository.ts';

/** One import as it stands in a file. */
export interface Import {
  readonly file: string;
  /** Counts from 1. */
  readonly line: number;
  /** What stands between the quotes. */
  readonly specifier: string;
  /** The repository's file it leads to, `undefined` for one from outside. */
  readonly target: string | undefined;
}

/** The packages of this repository by name, and the folder their entry points lie in. */
const workspaces: Readonly<Record<string, string>> = {
  umwelt: 'packages/core/src',
  '@umwelt/scenarios': 'packages/scenarios/src',
  '@umwelt/inspector': 'packages/inspector/src',
  '@umwelt/cli': 'packages/cli/src',
};

const patterns = [
  /^(?:import|export)\b[^'";]*?\bfrom\s+'([^']+)'/gm,
  /^import\s+'([^']+)'/gm,
  /\bimport\('([^']+)'\)/g,
  /\bnew URL\('([^']+)',\s*import\.meta\.url\)/g,
];

/** All imports of one file, in the order of the patterns above. */
export function importsOf(repository: Repository, file: string): Import[] {
  const text = withoutComments(repository.read(file));
  return patterns.flatMap((pattern) =>
    [...text.matchAll(pattern)].map((match) => {
      const specifier = match[1] ?? '';
      const line = text.slice(0, match.index + match[0].indexOf(`'${specifier}'`)).split('\n').length;
      return { file, line, specifier, target: targetOf(file, specifier) };
    }),
  );
}

/** Blanks comments that start a line, keeping the lines. A path or an import in an example is no import. */
function withoutComments(text: string): string {
  return text
    .replace(/^[ \t]*\/\*[\s\S]*?\*\//gm, (comment) => comment.replace(/[^\n]/g, ' '))
    .replace(/^[ \t]*\/\/.*$/gm, '');
}

function targetOf(file: string, specifier: string): string | undefined {
  if (specifier.startsWith('.')) {
    const target = path.posix.join(path.posix.dirname(file), specifier);
    // AssemblyScript names files without their ending.
    return file.includes('/kernels/wasm/') ? `${target}.ts` : target;
  }
  for (const [name, folder] of Object.entries(workspaces)) {
    if (specifier === name) return `${folder}/index.ts`;
    if (specifier.startsWith(`${name}/`)) return `${folder}/${specifier.slice(name.length + 1)}/index.ts`;
  }
  return undefined;
}
