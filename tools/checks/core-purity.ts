/**
 * Checks that core imports nothing: no dependency, nothing of Node, nothing of the browser.
 *
 * Core runs on Node, Bun, Deno and in browsers, and a user installs only it. The compiler checks the global names (core
 * is compiled without DOM and Node types); this check covers imports and package.json.
 */
import { importsOf } from './imports.ts';
import type { Check, Problem, Repository } from './repository.ts';

const folder = 'packages/core';

export const corePurityCheck: Check = {
  name: 'core alone',
  check(repository: Repository): Problem[] {
    const sources = repository.files.filter(
      (file) => file.startsWith(`${folder}/src/`) && file.endsWith('.ts'),
    );
    const problems: Problem[] = sources.flatMap((file) =>
      importsOf(repository, file)
        .filter((item) => item.target === undefined)
        .map((item) => ({
          file,
          line: item.line,
          message: `imports '${item.specifier}': core has no dependencies`,
        })),
    );
    const manifestFile = `${folder}/package.json`;
    const manifest = JSON.parse(repository.read(manifestFile)) as Record<string, object | undefined>;
    for (const field of ['dependencies', 'peerDependencies', 'optionalDependencies']) {
      const names = Object.keys(manifest[field] ?? {});
      if (names.length === 0) continue;
      problems.push({ file: manifestFile, message: `${field} names ${names.join(', ')}: core has none` });
    }
    return problems;
  },
};
