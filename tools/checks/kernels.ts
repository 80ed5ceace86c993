/**
 * The committed WebAssembly is what its sources make: a clone runs it as it is, without the compiler.
 *
 * Commands build it anew where it is stale, so here it is stale only in what is committed.
 */
import { execFileSync } from 'node:child_process';
import { fingerprintIn, generatedFile, wantedFingerprint } from '../build-wasm.ts';
import { root } from '../run-command.ts';
import type { Check, Problem } from './repository.ts';

export const kernelsCheck: Check = {
  name: 'kernels',
  check(): Problem[] {
    return kernelsProblems(committed());
  },
};

/** Of a text of the generated file; undefined: it is not in the repository. */
export function kernelsProblems(text: string | undefined): Problem[] {
  if (text !== undefined && fingerprintIn(text) === wantedFingerprint()) return [];
  const message =
    text === undefined
      ? 'is not in the repository: add it'
      : 'is not what its sources make: npm run build -- kernels, and commit it';
  return [{ file: generatedFile, message }];
}

/** As it is in the index: what the next commit will have. */
function committed(): string | undefined {
  try {
    return execFileSync('git', ['show', `:${generatedFile}`], { cwd: root, encoding: 'utf8', stdio: 'pipe' });
  } catch {
    return undefined;
  }
}
