/**
 * The committed kernels are what their sources make: a clone runs them as they are, without the compiler.
 *
 * Commands build it anew where it is stale, so here it is stale only in what is committed.
 */
import { execFileSync } from 'node:child_process';
import { fingerprintIn, generatedFiles, wantedFingerprint } from '../build-wasm.ts';
import { root } from '../run-command.ts';
import type { Check, Problem } from './repository.ts';

export const kernelsCheck: Check = {
  name: 'kernels',
  check(): Problem[] {
    return generatedFiles.flatMap((file) => kernelsProblems(file, committed(file)));
  },
};

/** Of the text of a generated file; undefined: it is not in the repository. */
export function kernelsProblems(file: string, text: string | undefined): Problem[] {
  if (text !== undefined && fingerprintIn(text) === wantedFingerprint()) return [];
  const message =
    text === undefined
      ? 'is not in the repository: add it'
      : 'is not what its sources make: npm run build -- kernels, and commit it';
  return [{ file, message }];
}

/** As it is in the index: what the next commit will have. */
function committed(file: string): string | undefined {
  try {
    return execFileSync('git', ['show', `:${file}`], { cwd: root, encoding: 'utf8', stdio: 'pipe' });
  } catch {
    return undefined;
  }
}
