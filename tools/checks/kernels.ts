/**
 * Checks that the committed kernels match their sources: a clone runs them as committed, without the compiler.
 *
 * Commands rebuild stale kernels in the work tree, so only the committed files can be stale here.
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

/** Problems of the text of a generated file; undefined: the file is not in the repository. */
export function kernelsProblems(file: string, text: string | undefined): Problem[] {
  if (text !== undefined && fingerprintIn(text) === wantedFingerprint()) return [];
  const message =
    text === undefined
      ? 'is not in the repository: add it'
      : 'is not what its sources make: npm run build -- kernels, and commit it';
  return [{ file, message }];
}

/** The file's text in git's index, which the next commit will contain. */
function committed(file: string): string | undefined {
  try {
    return execFileSync('git', ['show', `:${file}`], { cwd: root, encoding: 'utf8', stdio: 'pipe' });
  } catch {
    return undefined;
  }
}
